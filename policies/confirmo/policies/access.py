"""What a door that knows who calls lets through: the rules of ``decisions``, read from a state before anything is sent.

The workflow judges every message again. A door adds what the workflow cannot know: who may look at a transaction, and
whom ``confirmation.by: any`` means where callers have names.
"""

from enum import StrEnum

from confirmo.policies.decisions import (
    Question,
    check_may_change,
    check_may_decide,
    is_requester,
    may_confirm,
)
from confirmo.policies.models import WAITING_STATUSES, Actor, Decision, Status, TransactionState
from confirmo.policies.tool_spec import ConfirmationPolicy


class Anyone(StrEnum):
    """Whom ``confirmation.by: any`` means at a door that knows who calls."""

    REQUESTER = "requester"
    """The requester alone, as the id of a transaction is no permission; a policy that wants several yeses means all."""
    TENANT = "tenant"
    """Every caller of the transaction's tenant."""


def door_policy(state: TransactionState, anyone: Anyone = Anyone.TENANT) -> ConfirmationPolicy | None:
    """Return who may decide as a door reads it, null where the state does not tell."""
    if state.confirmation_by is None:
        return None
    needed = state.confirmation.approvals_needed if state.confirmation else 1
    policy = ConfirmationPolicy(by=state.confirmation_by, approvals=needed)
    if policy.by == "any" and needed == 1 and anyone is Anyone.REQUESTER:
        return policy.model_copy(update={"by": "requester"})
    return policy


def may_read(state: TransactionState, actor: Actor, anyone: Anyone) -> bool:
    """Whether ``actor`` may know of a transaction of its tenant: the requester, and whoever may confirm."""
    if actor.id and is_requester(actor, state.requester):
        return True
    policy = door_policy(state, anyone)
    return policy is not None and may_confirm(actor, state.requester, policy)


def check_decision_at_door(
    state: TransactionState, decision: Decision, anyone: Anyone = Anyone.TENANT
) -> None:
    """Raise ``Refusal`` with ``NotAllowed`` where the actor may not answer the open question.

    A state with no open question, or one that does not tell, is left to the workflow: other refusals come first there.
    """
    policy = door_policy(state, anyone)
    if policy is None or state.status is not Status.AWAITING_CONFIRMATION:
        return
    question = Question(status=state.status, closed=False, policy=policy, requester=state.requester)
    check_may_decide(decision, question)


def check_change_at_door(
    state: TransactionState, actor: Actor | None, anyone: Anyone = Anyone.TENANT
) -> None:
    """The same for ``cancel``, ``amend`` and ``provide_parameters``."""
    policy = door_policy(state, anyone)
    if policy is not None and state.status in WAITING_STATUSES | {Status.VALIDATING, Status.EXECUTING}:
        check_may_change(actor, state.requester, policy)
