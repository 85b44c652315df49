"""One call per user message: from a message and perhaps a tool call to what is said next. No language model."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any, Literal

from confirmo.client.answers import is_over
from confirmo.client.conversation.changing import Changer
from confirmo.client.conversation.facts import (
    asked_parameter,
    changes_subject,
    corrections,
    is_same_tool,
    question_of,
    refusal_note,
    stricter,
)
from confirmo.client.conversation.models import Intent, Offer, Session, ToolCall, Turn, Wants
from confirmo.client.conversation.presenting import Presenter
from confirmo.client.conversation.saying import Voice, said, speaking, why
from confirmo.client.conversation.taking_turns import one_at_a_time
from confirmo.client.errors import AlreadyClosed, NotAllowed, NoWorker, TransactionNotFound, UpdateRefused
from confirmo.client.judging import check_decision
from confirmo.client.transactions import TransactionClient
from confirmo.policies.models import WAITING_STATUSES, Decision, Status, TransactionState
from confirmo.policies.presenting import TextFormat
from confirmo.policies.replies import OpenQuestion, Reply, ReplyKind, ReplyReason, read_reply
from confirmo.policies.tool_spec import TextOverrides

RESULT_PATIENCE = timedelta(seconds=20)
"""How long a turn waits for the result of what was confirmed."""


class Conversation:
    """Talks with people about the transactions of one client. It keeps nothing: the session does.

    Args:
        client: The door.
        on_new_subject: What becomes of an open transaction when the agent brings a tool call for something else:
            ``cancel``, or ``park``: its question is asked again when the new one is over.
        result_patience: How long a turn waits for a result.
        channel: ``any``: an agent passes messages on, or could have written them. ``elicitation``: the caller vouches
            that each message comes from the person's own input and past no model, so that a yes also counts where
            policy says ``confirmation.channel: elicitation``. None makes a yes count for ``out_of_band``.
        texts: A deployment's own texts by locale, as ``load_overrides`` reads them from the configuration directory.
        format: Of what is said: ``plain`` or ``markdown``.
    """

    def __init__(
        self,
        client: TransactionClient,
        *,
        on_new_subject: Literal["cancel", "park"] = "cancel",
        result_patience: timedelta = RESULT_PATIENCE,
        channel: Literal["any", "elicitation"] = "any",
        texts: Mapping[str, TextOverrides] | None = None,
        format: TextFormat = "plain",
    ) -> None:
        if channel not in ("any", "elicitation"):
            raise ValueError("channel is any or elicitation: nothing said in a conversation is out of band.")
        self._client = client
        self._parks = on_new_subject == "park"
        self._presenter = Presenter(client, result_patience, channel)
        self._changer = Changer(client, self._presenter)
        self._voice = Voice(dict(texts or {}), format)

    async def turn(
        self,
        session: Session,
        message: str,
        tool_call: ToolCall | Mapping[str, Any] | None = None,
        *,
        intent: Intent | None = None,
    ) -> Turn:
        """Take one message of the person.

        Args:
            session: Of this conversation; changed in place. Store it afterwards.
            message: As the person wrote it.
            tool_call: What the agent picked for this message, if anything. Of the tool that is asked about, with other
                arguments, it corrects the open transaction: validated and asked again.
            intent: The agent's own reading of an answer. It can make the reading stricter, never laxer. With ``other``
                a call of the same tool is another request and no correction.

        Raises:
            ConnectionProblem: Temporal cannot be reached. No worker is no error: the turn says so.
            InvalidRequest: The tool call cannot be a request.
            RequestTooLarge: It is too large.
        """
        offer = Offer(ToolCall.of(tool_call), session)
        with speaking(self._voice):
            async with one_at_a_time(session):
                told = await self._turn(session, message, offer, intent)
        return replace(told, unused=offer.call)

    async def _turn(self, session: Session, message: str, offer: Offer, intent: Intent | None) -> Turn:
        if session.transaction_id is None:
            return await self._idle(session, message, offer)
        try:
            return await self._held(session, session.transaction_id, message, offer, intent)
        except TransactionNotFound:
            session.release()
            return await self._idle(session, message, offer)
        except UpdateRefused as error:
            return await self._refused(session, error)

    async def _held(
        self, session: Session, transaction_id: str, message: str, offer: Offer, intent: Intent | None
    ) -> Turn:
        try:
            state = await self._client.state(transaction_id)
            return await self._open(session, state, message, offer, intent)
        except NoWorker as error:
            return await self._asleep(session, error.state, message, offer, intent)

    async def _asleep(
        self,
        session: Session,
        state: TransactionState | None,
        message: str,
        offer: Offer,
        intent: Intent | None,
    ) -> Turn:
        """Put a plain yes or no to the question that was shown on record; all else has to wait for a worker."""
        asked = state.confirmation if state and state.status is Status.AWAITING_CONFIRMATION else None
        if state and asked and asked.digest == session.shown_digest and offer.call is None:
            reply = stricter(read_reply(message, question_of(state)), intent)
            if reply.kind is ReplyKind.CONFIRM and self._presenter.takes_yes(state):
                return replace(await self._confirm(session, state), reply=reply)
            if reply.kind is ReplyKind.REJECT and not reply.rest:
                return replace(await self._reject(session, state, reply, offer), reply=reply)
        return Turn(said(session.locale, "turn_unavailable"), state, Wants.PATIENCE)

    async def _idle(self, session: Session, message: str, offer: Offer) -> Turn:
        call = offer.take()
        if call is not None:
            return await self._presenter.start(session, call)
        reply = read_reply(message, OpenQuestion(""))
        answers = reply.kind in (ReplyKind.CONFIRM, ReplyKind.REJECT) and not reply.rest
        return Turn(said(session.locale, "turn_nothing_open") if answers else "", None, Wants.AGENT)

    async def _open(
        self, session: Session, state: TransactionState, message: str, offer: Offer, intent: Intent | None
    ) -> Turn:
        if is_over(state):
            return await self._over(session, state, message, offer)
        if state.status not in WAITING_STATUSES:
            return await self._busy(session, state, offer)
        reply = stricter(read_reply(message, question_of(state)), intent)
        if changes_subject(offer.call, reply, intent, state):
            return replace(await self._leave(session, state, offer), reply=reply)
        told = await self._answered(session, state, reply, offer)
        return replace(told, reply=reply)

    async def _answered(self, session: Session, state: TransactionState, reply: Reply, offer: Offer) -> Turn:
        if state.status is Status.COLLECTING_PARAMETERS:
            return await self._collect(session, state, reply, offer)
        corrected = corrections(offer.call, session, state)
        if offer.call is not None and is_same_tool(offer.call, state) and not corrected:
            offer.take()  # it says what is asked about already
        if corrected and reply.kind not in (ReplyKind.REJECT, ReplyKind.AMEND):
            return await self._changer.correct(session, state, corrected, offer)
        if state.confirmation is None or state.confirmation.digest != session.shown_digest:
            note = said(session.locale, "turn_changed") if session.shown_digest else ""
            return await self._presenter.present(session, state, note)
        return await self._answer(session, state, reply, offer)

    async def _over(self, session: Session, state: TransactionState, message: str, offer: Offer) -> Turn:
        """Say that the question closed meanwhile, and go on with what is asked for now."""
        reply = read_reply(message, question_of(state))
        unused = session.shown_digest is not None and state.status not in (Status.COMPLETED, Status.FAILED)
        note = said(session.locale, "turn_closed") if unused else ""
        started = session.started
        told = await self._presenter.present(session, state, note, then=offer)
        if reply.kind is ReplyKind.OTHER and session.started == started:
            return replace(told, wants=Wants.AGENT)
        return told

    async def _busy(self, session: Session, state: TransactionState, offer: Offer) -> Turn:
        """Wait for what runs; another request need not wait for it to end."""
        told = await self._presenter.finish(session, state, then=offer)
        if told.wants is not Wants.PATIENCE or session.transaction_id != state.transaction_id:
            return told
        call = offer.take()
        if call is None:
            return told
        session.parked = (*session.parked, state.transaction_id)
        return await self._presenter.start(session, call, told.text)

    async def _leave(self, session: Session, state: TransactionState, offer: Offer) -> Turn:
        """Cancel or park the open transaction, and start the new one."""
        if not self._parks:
            await self._client.cancel(state.transaction_id, actor=session.requester)
        call = offer.take()
        assert call is not None
        if self._parks:
            session.parked = (*session.parked, state.transaction_id)
        session.release()
        note = said(session.locale, "turn_parked" if self._parks else "turn_left")
        return await self._presenter.start(session, call, note)

    async def _answer(self, session: Session, state: TransactionState, reply: Reply, offer: Offer) -> Turn:
        if reply.kind is ReplyKind.CONFIRM and offer.call and not is_same_tool(offer.call, state):
            reply = replace(reply, kind=ReplyKind.UNCLEAR, reason=ReplyReason.AGENT_DISAGREES)
        if reply.kind is ReplyKind.CONFIRM:
            return await self._confirm(session, state)
        if reply.kind is ReplyKind.REJECT:
            return await self._reject(session, state, reply, offer)
        if reply.kind is ReplyKind.AMEND:
            return await self._changer.amend(session, state, reply)
        return await self._ask_again(session, state, reply)

    async def _confirm(self, session: Session, state: TransactionState) -> Turn:
        if not self._presenter.takes_yes(state):
            return await self._presenter.present(session, state)
        yes = Decision(decision="confirm", digest=session.shown_digest, actor=session.requester)
        check_decision(state, yes)
        return await self._presenter.decided(session, await self._client.confirm(state.transaction_id, yes))

    async def _reject(self, session: Session, state: TransactionState, reply: Reply, offer: Offer) -> Turn:
        if state.status is Status.COLLECTING_PARAMETERS:
            ended = await self._client.cancel(state.transaction_id, actor=session.requester)
        else:
            ended = await self._client.reject(
                state.transaction_id, digest=session.shown_digest, actor=session.requester
            )
        started = session.started
        told = await self._presenter.decided(session, ended, offer if reply.rest else None)
        handed = bool(reply.rest) and session.started == started
        return replace(told, wants=Wants.AGENT, rest=reply.rest) if handed else told

    async def _collect(self, session: Session, state: TransactionState, reply: Reply, offer: Offer) -> Turn:
        if reply.kind is ReplyKind.REJECT:
            return await self._reject(session, state, reply, offer)
        corrected = corrections(offer.call, session, state)
        if corrected:
            return await self._changer.provide(session, state, corrected, offer)
        name = asked_parameter(state)
        if reply.kind is ReplyKind.PROVIDE and name is not None:
            return await self._changer.provide(session, state, {name: reply.value})
        return await self._ask_again(session, state, reply)

    async def _ask_again(self, session: Session, state: TransactionState, reply: Reply) -> Turn:
        """Say why it was no answer, and ask the same question."""
        if reply.kind is not ReplyKind.OTHER:
            return await self._presenter.present(session, state, why(session.locale, reply))
        told = await self._presenter.present(session, state, said(session.locale, "turn_still_open"))
        return replace(told, wants=Wants.AGENT)

    async def _refused(self, session: Session, error: UpdateRefused) -> Turn:
        """Say honestly why an answer was not taken, and how it stands now."""
        transaction_id = session.transaction_id
        if transaction_id is None:
            raise error
        note = refusal_note(error)
        if note is None:
            raise error
        state = error.state if isinstance(error, AlreadyClosed) else None
        try:
            state = state or await self._client.state(transaction_id)
        except NoWorker as silent:
            return Turn(said(session.locale, note), silent.state, Wants.PATIENCE)
        if isinstance(error, NotAllowed):
            return Turn(said(session.locale, note), state, Wants.ANSWER)
        return await self._presenter.present(session, state, said(session.locale, note))
