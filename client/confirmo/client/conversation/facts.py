"""What a state tells of its question, and what an agent's own reading may change."""

from dataclasses import replace
from typing import Any

from confirmo.client.conversation.models import Intent, Session, ToolCall
from confirmo.client.errors import (
    AlreadyClosed,
    ConfirmationExpired,
    ConflictingDecision,
    DigestMismatch,
    NotAllowed,
    NotAwaitingConfirmation,
    UpdateRefused,
)
from confirmo.policies.models import Status, TransactionState
from confirmo.policies.replies import NamedItem, OpenQuestion, Reply, ReplyKind, ReplyReason


def question_of(state: TransactionState) -> OpenQuestion:
    """Return the facts by which a reply to the open question is read."""
    scalars = [
        str(value) for value in state.arguments.values() if isinstance(value, str | int) and value != ""
    ]
    return OpenQuestion(
        tool_name=state.tool_name or state.requested_tool_name,
        items=tuple(NamedItem(item.item_id, item.label, item.eligible) for item in state.items),
        names=tuple(scalars) if len(scalars) == 1 else (),
        asks_value=state.status is Status.COLLECTING_PARAMETERS,
        boolean_value=state.parameter_types.get(asked_parameter(state) or "") == "boolean",
    )


def asked_parameter(state: TransactionState) -> str | None:
    """Return the one parameter that is asked for now."""
    if state.missing_parameters:
        return state.missing_parameters[0]
    return state.invalid_parameters[0].name if state.invalid_parameters else None


def stricter(reply: Reply, intent: Intent | None) -> Reply:
    """Let an agent's own reading make a reply stricter, never laxer: nothing but a plain yes ever confirms."""
    kind = reply.kind
    if intent is None or intent == kind or kind is ReplyKind.REJECT:
        return reply
    if kind is ReplyKind.CONFIRM:
        handed = intent == "other"
        return replace(
            reply, kind=ReplyKind.OTHER if handed else ReplyKind.UNCLEAR, reason=ReplyReason.AGENT_DISAGREES
        )
    if intent == "reject":
        contradicts = kind is ReplyKind.AMEND
        return replace(
            reply,
            kind=ReplyKind.UNCLEAR if contradicts else ReplyKind.REJECT,
            reason=ReplyReason.AGENT_DISAGREES,
        )
    if intent == "other" or (intent == "amend" and kind is ReplyKind.UNCLEAR):
        return replace(reply, kind=ReplyKind.OTHER)
    return reply


def is_same_tool(call: ToolCall, state: TransactionState) -> bool:
    """Tell whether a tool call is for the tool that was asked for, or for the one that will run."""
    return call.tool_name in (state.tool_name, state.requested_tool_name)


def corrections(call: ToolCall | None, session: Session, state: TransactionState) -> dict[str, Any]:
    """Return the arguments that a new call of the same tool gives otherwise than what is asked about.

    An argument that is as it was when the transaction was started, or as it was resolved since, is none: an agent
    brings them all again.
    """
    if call is None or not is_same_tool(call, state):
        return {}
    digests = call.argument_digests
    return {
        name: value
        for name, value in call.arguments.items()
        if digests[name] != session.argument_digests.get(name) and value != state.arguments.get(name)
    }


def changes_subject(
    call: ToolCall | None, reply: Reply, intent: Intent | None, state: TransactionState
) -> bool:
    """Tell whether a new tool call is about something else than the open transaction.

    A message with a yes in it never is: whoever says "sim, e …" has not left the question. A call of the same tool is
    a correction, unless the agent itself says that it is another request.
    """
    if call is None or (is_same_tool(call, state) and intent != "other"):
        return False
    if state.status is Status.COLLECTING_PARAMETERS:
        return True
    if reply.kind is ReplyKind.OTHER:
        return not reply.has_yes or reply.reason is ReplyReason.NEW_REQUEST
    return reply.kind is ReplyKind.UNCLEAR and not reply.has_yes


def refusal_note(error: UpdateRefused) -> str | None:
    """Return the text's key for an answer that was not taken; null for an error that is no news to a person."""
    if isinstance(error, NotAllowed):
        return "turn_not_allowed"
    if isinstance(error, DigestMismatch):
        return "turn_changed"
    closed = AlreadyClosed | ConfirmationExpired | NotAwaitingConfirmation | ConflictingDecision
    return "turn_closed" if isinstance(error, closed) else None
