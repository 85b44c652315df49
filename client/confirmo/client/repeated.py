"""Whether a message that came after the end had already been carried out: then it is no error to send it again."""

from confirmo.client.answers import TerminatedState
from confirmo.client.errors import AlreadyClosed
from confirmo.policies.models import Decision, ReasonCode, Status, TransactionState
from confirmo.policies.texts import one_line

_EXECUTED = frozenset({Status.COMPLETED, Status.FAILED})


def was_carried_out(decision: Decision, state: TransactionState) -> bool:
    """Whether a closed transaction ended by this very decision: the same word on the same question and items."""
    if isinstance(state, TerminatedState):
        return False
    digest = state.confirmation.digest if state.confirmation else None
    if decision.decision == "reject":
        rejected = state.status is Status.CANCELLED and state.reason_code == ReasonCode.REJECTED
        return rejected and decision.digest in (None, digest)
    return state.status in _EXECUTED and decision.digest == digest and _same_items(decision, state)


def _same_items(decision: Decision, state: TransactionState) -> bool:
    approvals = state.confirmation.approvals if state.confirmation else ()
    wanted = None if decision.item_ids is None else frozenset(decision.item_ids)
    given = (None if approval.item_ids is None else frozenset(approval.item_ids) for approval in approvals)
    return all(wanted == chosen for chosen in given)


def was_cancelled(state: TransactionState) -> bool:
    """Whether a closed transaction ended by a cancel, before or while it was executed."""
    return not isinstance(state, TerminatedState) and state.reason_code == ReasonCode.CANCELLED


def already_closed(state: TransactionState) -> AlreadyClosed:
    """Return the refusal that names how and, where it expired, when a transaction ended."""
    reason = f" ({one_line(state.reason, 300)})" if state.reason else ""
    expired = state.status is Status.EXPIRED and state.confirmation is not None
    when = f" at {state.confirmation.expires_at}" if expired and state.confirmation else ""
    return AlreadyClosed(
        f"The transaction {state.transaction_id} is over: {state.status.value}{when}{reason}. Nothing was changed; "
        "start a new one to ask again.",
        state,
    )
