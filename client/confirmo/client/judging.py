"""The rules of ``policies.access`` with this package's errors: what a door judges before it sends anything."""

from confirmo.client.errors import refused
from confirmo.policies.access import Anyone, check_change_at_door, check_decision_at_door
from confirmo.policies.errors import Refusal
from confirmo.policies.models import Actor, Decision, TransactionState


def check_decision(state: TransactionState, decision: Decision, anyone: Anyone = Anyone.TENANT) -> None:
    """Raise ``NotAllowed`` where the actor may not answer the open question."""
    try:
        check_decision_at_door(state, decision, anyone)
    except Refusal as refusal:
        raise refused(refusal.type, refusal.message) from None


def check_change(state: TransactionState, actor: Actor | None, anyone: Anyone = Anyone.TENANT) -> None:
    """Raise ``NotAllowed`` where the actor may not cancel, amend or provide parameters."""
    try:
        check_change_at_door(state, actor, anyone)
    except Refusal as refusal:
        raise refused(refusal.type, refusal.message) from None
