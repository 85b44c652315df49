"""The names of ``IC.TRANSACTION_*`` events and how one is made."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from confirmo.policies.masking import masked
from confirmo.policies.models import Event, TransactionRequest

PREFIX = "IC.TRANSACTION_"


class EventName(StrEnum):
    """Transitions of a transaction; each is emitted once, not again on replay."""

    STARTED = PREFIX + "STARTED"
    PARAMETERS_REQUIRED = PREFIX + "PARAMETERS_REQUIRED"
    PREVALIDATION_REQUESTED = PREFIX + "PREVALIDATION_REQUESTED"
    PREVALIDATION_PASSED = PREFIX + "PREVALIDATION_PASSED"
    PREVALIDATION_REJECTED = PREFIX + "PREVALIDATION_REJECTED"
    PREVALIDATION_PARAMETER_REJECTED = PREFIX + "PREVALIDATION_PARAMETER_REJECTED"
    PREVALIDATION_BYPASSED = PREFIX + "PREVALIDATION_BYPASSED"
    RETARGETED = PREFIX + "RETARGETED"
    CONFIRMATION_REQUIRED = PREFIX + "CONFIRMATION_REQUIRED"
    CONFIRMED = PREFIX + "CONFIRMED"
    REJECTED = PREFIX + "REJECTED"
    DECISION_REFUSED = PREFIX + "DECISION_REFUSED"
    AMENDED = PREFIX + "AMENDED"
    EXPIRED = PREFIX + "EXPIRED"
    CANCELLED = PREFIX + "CANCELLED"
    BLOCKED = PREFIX + "BLOCKED"
    EXECUTION_STARTED = PREFIX + "EXECUTION_STARTED"
    ITEM_COMPLETED = PREFIX + "ITEM_COMPLETED"
    AUXILIARY_FAILED = PREFIX + "AUXILIARY_FAILED"
    UNREQUESTED_RESULT = PREFIX + "UNREQUESTED_RESULT"
    COMPLETED = PREFIX + "COMPLETED"
    FAILED = PREFIX + "FAILED"


def timestamp(moment: datetime) -> str:
    """Return RFC 3339 text in UTC with ``Z`` and milliseconds; ``moment`` must be aware."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def make_event(
    name: EventName,
    *,
    number: int,
    moment: datetime,
    transaction_id: str,
    request: TransactionRequest,
    tool_name: str,
    details: dict[str, Any],
) -> Event:
    """Make the ``number``-th event of a transaction.

    ``event_id`` is the transaction's id and that number, so it is the same on every replay. ``details`` holds
    counts, types and codes only; never an argument value. The caller's own names are masked.
    """
    return Event(
        event_id=f"{transaction_id}/{number}",
        name=name.value,
        time=timestamp(moment),
        transaction_id=transaction_id,
        tool_name=masked(tool_name),
        tenant=masked(request.tenant),
        session_id=None if request.session_id is None else masked(request.session_id),
        **details,
    )
