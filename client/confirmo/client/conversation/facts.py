"""What a state tells of its question, and what an agent's own reading may change."""

from dataclasses import replace

from confirmo.client.conversation.models import Intent, Session, ToolCall
from confirmo.policies.models import Status, TransactionState
from confirmo.policies.replies import NamedItem, OpenQuestion, Reply, ReplyKind, ReplyReason


def question_of(state: TransactionState, boolean_arguments: frozenset[str]) -> OpenQuestion:
    """Return the facts by which a reply to the open question is read."""
    scalars = [
        str(value) for value in state.arguments.values() if isinstance(value, str | int) and value != ""
    ]
    return OpenQuestion(
        tool_name=state.tool_name or state.requested_tool_name,
        items=tuple(NamedItem(item.item_id, item.label, item.eligible) for item in state.items),
        names=tuple(scalars) if len(scalars) == 1 else (),
        asks_value=state.status is Status.COLLECTING_PARAMETERS,
        boolean_value=asked_parameter(state) in boolean_arguments,
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


def changes_subject(call: ToolCall | None, reply: Reply, session: Session, state: TransactionState) -> bool:
    """Tell whether a tool call is about something else than the open transaction.

    A message with a yes in it never is: whoever says "sim, e …" has not left the question.
    """
    if call is None or call.digest == session.call_digest:
        return False
    if state.status is Status.COLLECTING_PARAMETERS:
        return call.tool_name not in (state.tool_name, state.requested_tool_name)
    if reply.kind is ReplyKind.OTHER:
        return not reply.has_yes or reply.reason is ReplyReason.NEW_REQUEST
    return reply.kind is ReplyKind.UNCLEAR and not reply.has_yes
