"""What the text of an answer says, and what an agent is told to do next. To the agent in English, always."""

from confirmo.client.answers import status_word
from confirmo.policies.json_text import cut
from confirmo.policies.models import Status, TransactionState
from confirmo.policies.texts import clean_text, one_line

_NAMES_BYTES = 300
DISMISSED = "The person gave no answer. Nothing was executed; the question stays open until it expires."
HANDED_OVER = "No worker answered: the decision is on record and is judged as soon as one is up."
ELSEWHERE = (
    "This transaction is confirmed outside this conversation, by its policy (confirmation.channel: out_of_band): "
    "transaction_confirm refuses it. Ask transaction_status later."
)
USER_ONLY = (
    "This transaction takes a yes from the user alone, by its policy (confirmation.channel: elicitation): "
    "transaction_confirm refuses it from a client that cannot ask its user (MCP elicitation)."
)
APPROVED = (
    "This person's yes is on record, and someone else's is needed as well. Ask transaction_status later."
)
SOMEONE_ELSE = "Someone else has to confirm this transaction, by its policy. Ask transaction_status later."


def spoken(state: TransactionState) -> list[str]:
    """Return what a person may read of a state."""
    if state.result is not None and state.result.message:
        return [clean_text(state.result.message)]
    if state.question:
        return [clean_text(state.question)]
    return [f"{status_word(state)}: {one_line(state.reason)}" if state.reason else status_word(state)]


def left_out(state: TransactionState) -> str:
    """Return which of the given arguments went nowhere; an agent may have meant another name."""
    if not state.ignored_arguments:
        return ""
    names = cut(", ".join(one_line(name) for name in state.ignored_arguments), _NAMES_BYTES)
    return f"[Left out, as the tool does not declare them: {names}.]"


def next_step(state: TransactionState) -> str:
    """Return what an agent whose client cannot ask its user does now."""
    id = state.transaction_id
    if state.status is Status.AWAITING_CONFIRMATION and state.confirmation is not None:
        return (
            f"[Transaction {id}: nothing was executed yet. Show the question to the person as it stands. Only after "
            f"their unconditional yes call transaction_confirm with this transaction_id and digest "
            f"{state.confirmation.digest}; on a no transaction_reject; for another set transaction_amend.]"
        )
    if state.status is Status.COLLECTING_PARAMETERS:
        return f"[Transaction {id}: give what is missing or invalid with transaction_amend and arguments.]"
    return ""
