"""Telling a person how a transaction stands, and keeping in the session what was told."""

from datetime import timedelta

from confirmo.client.answers import AnsweredState, is_over
from confirmo.client.conversation.models import Offer, Session, ToolCall, Turn, Wants
from confirmo.client.conversation.saying import asking, before, ending, joined, said
from confirmo.client.errors import NoWorker, RequestMismatch, TransactionNotFound
from confirmo.client.requests import prepare_start
from confirmo.client.transactions import TransactionClient
from confirmo.policies.models import CLOSED_STATUSES, Status, TransactionRequest, TransactionState
from confirmo.policies.tool_spec import CHANNELS, Channel


class Presenter:
    """Presents the transactions of one client.

    Args:
        client: The door.
        patience: How long a turn waits for a result.
        channel: How strict a channel the messages are.
    """

    def __init__(self, client: TransactionClient, patience: timedelta, channel: Channel) -> None:
        self._client = client
        self._patience = patience
        self._channel = channel

    def takes_yes(self, state: TransactionState) -> bool:
        """Whether policy lets a yes to the open question come through this conversation."""
        asked = state.confirmation
        return asked is not None and CHANNELS.index(asked.channel) <= CHANNELS.index(self._channel)

    async def start(self, session: Session, call: ToolCall, *notes: str) -> Turn:
        """Start a transaction for a tool call and present it."""
        session.started += 1
        request = TransactionRequest(
            tool_name=call.tool_name,
            arguments=call.arguments,
            request_id=f"{session.session_id}:{session.started}:{call.digest}",
            tenant=session.tenant,
            session_id=session.session_id,
            requester=session.requester,
            locale=session.locale,
        )
        try:
            session.hold(prepare_start(request, None).transaction_id, call)
            state = await self._client.start(request)
        except NoWorker as error:
            return Turn(joined(*notes, said(session.locale, "turn_unavailable")), error.state, Wants.PATIENCE)
        except Exception as error:  # the same call again finds what was started all the same
            session.release()
            session.started -= not isinstance(error, RequestMismatch)
            raise
        return await self.present(session, state, *notes)

    async def present(
        self, session: Session, state: TransactionState, *notes: str, then: Offer | None = None
    ) -> Turn:
        """Say how a transaction stands; its question counts as shown from here on.

        Args:
            session: Of the conversation.
            state: Of the transaction.
            notes: What is said before.
            then: What is started where this one is over, before anything that was put on hold is taken up again.
        """
        if is_over(state) or state.status in CLOSED_STATUSES:
            session.release()
            call = then.take() if then else None
            if call is not None:
                return await self.start(session, call, *notes, ending(session.locale, state))
            return await self.resume(session, state, *notes, ending(session.locale, state))
        if state.status is Status.AWAITING_CONFIRMATION and state.confirmation is not None:
            session.shown_digest = state.confirmation.digest
            if self.takes_yes(state):
                return Turn(joined(*notes, asking(state)), state, Wants.ANSWER)
            elsewhere = said(session.locale, "turn_elsewhere")
            return Turn(joined(*notes, asking(state), elsewhere), state, Wants.PATIENCE)
        if state.status is Status.COLLECTING_PARAMETERS:
            return Turn(joined(*notes, asking(state)), state, Wants.VALUE)
        return await self.finish(session, state, *notes, then=then)

    async def finish(
        self, session: Session, state: TransactionState, *notes: str, then: Offer | None = None
    ) -> Turn:
        """Wait, for so long, until someone is needed or it is over, and present that."""
        try:
            later = await self._client.awaiting(state.transaction_id, timeout=self._patience)
        except NoWorker:
            return Turn(joined(*notes, said(session.locale, "turn_running")), state, Wants.PATIENCE)
        if later.status in (Status.EXECUTING, Status.VALIDATING):
            return Turn(joined(*notes, said(session.locale, "turn_running")), later, Wants.PATIENCE)
        return await self.present(session, later, *notes, then=then)

    async def resume(self, session: Session, closed: TransactionState, *notes: str) -> Turn:
        """Say how one ended, and ask again the question of the one that was put on hold before it."""
        told = [*notes]
        while session.parked:
            *earlier, transaction_id = session.parked
            state = await self._look(transaction_id)
            session.parked = tuple(earlier)
            if state is None:
                continue
            if is_over(state):
                told.append(before(session.locale, state))
                continue
            session.hold(transaction_id, None)
            return await self.present(session, state, *told, said(session.locale, "turn_resumed"))
        return Turn(joined(*told), closed, Wants.NOTHING)

    async def _look(self, transaction_id: str) -> TransactionState | None:
        try:
            return await self._client.state(transaction_id)
        except TransactionNotFound:
            return None

    async def decided(self, session: Session, answer: AnsweredState, then: Offer | None = None) -> Turn:
        """Say what became of a yes or a no."""
        if answer.accepted_by == "signal":
            return Turn(said(session.locale, "turn_recorded"), answer, Wants.PATIENCE)
        asked = answer.confirmation
        same = asked is not None and asked.digest == session.shown_digest
        if answer.status is Status.AWAITING_CONFIRMATION and asked is not None and same:
            given, needed = len(asked.approvals), asked.approvals_needed
            text = said(session.locale, "turn_approvals", given=given, needed=needed)
            return Turn(text, answer, Wants.PATIENCE)
        return await self.present(session, answer, then=then)
