"""One call per user message: from a message and perhaps a tool call to what is said next. No language model."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any, Literal

from confirmo.client.answers import is_over
from confirmo.client.conversation.facts import asked_parameter, changes_subject, question_of, stricter
from confirmo.client.conversation.models import Intent, Session, ToolCall, Turn, Wants
from confirmo.client.conversation.presenting import Presenter
from confirmo.client.conversation.saying import Voice, said, speaking, why
from confirmo.client.errors import (
    AlreadyClosed,
    ConfirmationExpired,
    ConflictingDecision,
    DigestMismatch,
    InvalidArguments,
    NotAllowed,
    NotAwaitingConfirmation,
    NoWorker,
    TransactionNotFound,
    UpdateRefused,
)
from confirmo.client.transactions import TransactionClient
from confirmo.policies.models import Decision, Status, TransactionState
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
        boolean_arguments: Names of parameters for which "sim" and "no" are values.
        texts: A deployment's own texts by locale, as ``load_overrides`` reads them from the configuration directory.
        format: Of what is said: ``plain`` or ``markdown``.
    """

    def __init__(
        self,
        client: TransactionClient,
        *,
        on_new_subject: Literal["cancel", "park"] = "cancel",
        result_patience: timedelta = RESULT_PATIENCE,
        boolean_arguments: frozenset[str] = frozenset(),
        texts: Mapping[str, TextOverrides] | None = None,
        format: TextFormat = "plain",
    ) -> None:
        self._client = client
        self._parks = on_new_subject == "park"
        self._booleans = boolean_arguments
        self._presenter = Presenter(client, result_patience)
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
            tool_call: What the agent picked for this message, if anything.
            intent: The agent's own reading of an answer. It can make the reading stricter, never laxer.

        Raises:
            ConnectionProblem: Temporal cannot be reached. No worker is no error: the turn says so.
            InvalidRequest: The tool call cannot be a request.
            RequestTooLarge: It is too large.
        """
        with speaking(self._voice):
            return await self._turn(session, message, ToolCall.of(tool_call), intent)

    async def _turn(
        self, session: Session, message: str, call: ToolCall | None, intent: Intent | None
    ) -> Turn:
        if session.transaction_id is None:
            return await self._idle(session, message, call)
        try:
            state = await self._client.state(session.transaction_id)
            return await self._open(session, state, message, call, intent)
        except TransactionNotFound:
            session.release()
            return await self._idle(session, message, call)
        except NoWorker as error:
            return Turn(said(session.locale, "turn_unavailable"), error.state, Wants.PATIENCE)
        except UpdateRefused as error:
            return await self._refused(session, error)

    async def _idle(self, session: Session, message: str, call: ToolCall | None) -> Turn:
        if call is not None:
            return await self._presenter.start(session, call)
        reply = read_reply(message, OpenQuestion(""))
        answers = reply.kind in (ReplyKind.CONFIRM, ReplyKind.REJECT) and not reply.rest
        return Turn(said(session.locale, "turn_nothing_open") if answers else "", None, Wants.AGENT)

    async def _open(
        self,
        session: Session,
        state: TransactionState,
        message: str,
        call: ToolCall | None,
        intent: Intent | None,
    ) -> Turn:
        if is_over(state):
            return await self._over(session, state, message, call)
        if state.status is Status.AWAITING_CONFIRMATION:
            if state.confirmation is None or state.confirmation.digest != session.shown_digest:
                note = said(session.locale, "turn_changed") if session.shown_digest else ""
                return await self._presenter.present(session, state, note)
        elif state.status is not Status.COLLECTING_PARAMETERS:
            return await self._busy(session, state, call)
        reply = stricter(read_reply(message, question_of(state, self._booleans)), intent)
        if changes_subject(call, reply, session, state) and call is not None:
            return replace(await self._leave(session, state, call, reply), reply=reply)
        collecting = state.status is Status.COLLECTING_PARAMETERS
        answered = self._collect if collecting else self._answer
        return replace(await answered(session, state, reply, call), reply=reply)

    async def _over(
        self, session: Session, state: TransactionState, message: str, call: ToolCall | None
    ) -> Turn:
        """Say that the question closed meanwhile, and go on with what is asked for now."""
        reply = read_reply(message, question_of(state, self._booleans))
        unused = session.shown_digest is not None and state.status not in (Status.COMPLETED, Status.FAILED)
        note = said(session.locale, "turn_closed") if unused else ""
        fresh = call is not None and call.digest != session.call_digest
        told = await self._presenter.present(session, state, note)
        if call is not None and fresh and session.transaction_id is None:
            return await self._presenter.start(session, call, told.text)
        if reply.kind is ReplyKind.OTHER and told.wants is Wants.NOTHING:
            return replace(told, wants=Wants.AGENT)
        return told

    async def _busy(self, session: Session, state: TransactionState, call: ToolCall | None) -> Turn:
        """Wait for what runs; another request need not wait for it to end."""
        fresh = call is not None and call.digest != session.call_digest
        told = await self._presenter.finish(session, state)
        if call is None or not fresh or told.wants not in (Wants.PATIENCE, Wants.NOTHING):
            return told
        if session.transaction_id is not None:
            session.parked = (*session.parked, session.transaction_id)
        return await self._presenter.start(session, call, told.text)

    async def _leave(self, session: Session, state: TransactionState, call: ToolCall, reply: Reply) -> Turn:
        """Cancel or park the open transaction, and start the new one."""
        if self._parks:
            session.parked = (*session.parked, state.transaction_id)
            note = "turn_parked"
        else:
            await self._client.cancel(state.transaction_id, reason="new subject", actor=session.requester)
            note = "turn_left"
        session.release()
        return await self._presenter.start(session, call, said(session.locale, note))

    async def _answer(
        self, session: Session, state: TransactionState, reply: Reply, call: ToolCall | None
    ) -> Turn:
        other_tool = call is not None and call.tool_name not in (state.tool_name, state.requested_tool_name)
        if reply.kind is ReplyKind.CONFIRM and other_tool:
            reply = replace(reply, kind=ReplyKind.UNCLEAR, reason=ReplyReason.AGENT_DISAGREES)
        if reply.kind is ReplyKind.CONFIRM:
            yes = Decision(decision="confirm", digest=session.shown_digest, actor=session.requester)
            return await self._presenter.decided(
                session, await self._client.confirm(state.transaction_id, yes)
            )
        if reply.kind is ReplyKind.REJECT:
            return await self._reject(session, state, reply, call)
        if reply.kind is ReplyKind.AMEND:
            return await self._amend(session, state, reply)
        return await self._ask_again(session, state, reply)

    async def _reject(
        self, session: Session, state: TransactionState, reply: Reply, call: ToolCall | None
    ) -> Turn:
        fresh = call is not None and call.digest != session.call_digest
        if state.status is Status.COLLECTING_PARAMETERS:
            ended = await self._client.cancel(state.transaction_id, actor=session.requester)
        else:
            ended = await self._client.reject(
                state.transaction_id, digest=session.shown_digest, actor=session.requester
            )
        told = await self._presenter.decided(session, ended)
        if session.transaction_id is not None:
            return told
        if call is not None and fresh and reply.rest:
            return await self._presenter.start(session, call, told.text)
        return replace(told, wants=Wants.AGENT, rest=reply.rest) if reply.rest else told

    async def _amend(self, session: Session, state: TransactionState, reply: Reply) -> Turn:
        try:
            changed = await self._client.amend(
                state.transaction_id,
                remove_item_ids=reply.remove_ids,
                add_items=reply.add_texts,
                actor=session.requester,
            )
        except InvalidArguments:
            return await self._presenter.present(session, state, said(session.locale, "turn_amend_refused"))
        return await self._presenter.present(session, changed, said(session.locale, "turn_amended"))

    async def _collect(
        self, session: Session, state: TransactionState, reply: Reply, call: ToolCall | None
    ) -> Turn:
        asked = {*state.missing_parameters, *(invalid.name for invalid in state.invalid_parameters)}
        named = {} if call is None else {k: v for k, v in call.arguments.items() if k in asked}
        if reply.kind is ReplyKind.REJECT:
            return await self._reject(session, state, reply, call)
        name = asked_parameter(state)
        if reply.kind is ReplyKind.PROVIDE and name is not None and not named:
            named = {name: reply.value}
        if not named:
            return await self._ask_again(session, state, reply)
        provided = await self._client.provide_parameters(state.transaction_id, named, actor=session.requester)
        return await self._presenter.present(session, provided)

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
        state = error.state if isinstance(error, AlreadyClosed) else None
        state = state or await self._client.state(transaction_id)
        if isinstance(error, NotAllowed):
            return Turn(said(session.locale, "turn_not_allowed"), state, Wants.ANSWER)
        if isinstance(
            error, AlreadyClosed | ConfirmationExpired | NotAwaitingConfirmation | ConflictingDecision
        ):
            return await self._presenter.present(session, state, said(session.locale, "turn_closed"))
        if isinstance(error, DigestMismatch):
            return await self._presenter.present(session, state, said(session.locale, "turn_changed"))
        raise error
