"""What the door hands back beyond the wire models: how an answer came about, and runs that ended from outside."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Literal

from pydantic import PrivateAttr

from confirmo.policies.models import (
    CLOSED_STATUSES,
    ItemState,
    Outcome,
    Progress,
    Status,
    TransactionState,
    Wire,
)

AcceptedBy = Literal["update", "signal", "record"]


class DoorStatus(StrEnum):
    """A status that no workflow gives itself."""

    TERMINATED = "TERMINATED"


class AnsweredState(TransactionState):
    """A ``TransactionState``, with the way in which it came; its JSON is that of the state.

    Attributes:
        accepted_by: ``update``: a worker answered. ``signal``: no worker answered in time; the message is durable,
            will be judged as soon as one is up, and the state is the last one on record. ``record``: the
            transaction was over already, and this is how it ended.
    """

    status: Status | Literal[DoorStatus.TERMINATED]  # type: ignore[assignment]
    _accepted_by: AcceptedBy = PrivateAttr(default="update")

    @property
    def accepted_by(self) -> AcceptedBy:
        """How the message was taken."""
        return self._accepted_by

    @classmethod
    def of(cls, state: TransactionState, accepted_by: AcceptedBy) -> "AnsweredState":
        """Return ``state`` with the way in which it came."""
        answer = cls.model_construct(**{name: getattr(state, name) for name in type(state).model_fields})
        answer._accepted_by = accepted_by
        return answer


class TerminatedState(TransactionState):
    """What history shows of a run that an operator ended; it has no result, and ``reason`` is the operator's."""

    status: Literal[DoorStatus.TERMINATED] = DoorStatus.TERMINATED  # type: ignore[assignment]


class TransactionSummary(Wire):
    """One line of a list. Times are RFC 3339 in UTC.

    Attributes:
        status: A ``Status``, ``TERMINATED``, or null where nobody can say now.
        outcome: ``SUCCESS``, ``PARTIAL_SUCCESS`` or ``FAILED`` where something was executed, else the closing status.
    """

    transaction_id: str
    status: str | None = None
    tool_name: str | None = None
    tenant: str | None = None
    outcome: str | None = None
    started_at: str
    closed_at: str | None = None


def is_over(state: TransactionState) -> bool:
    """Whether a state is final: closed with its result, or ended from outside."""
    if isinstance(state, TerminatedState) or status_word(state) == DoorStatus.TERMINATED:
        return True
    return state.status in CLOSED_STATUSES and state.result is not None


def status_word(state: TransactionState) -> str:
    """Return the status as text, ``TERMINATED`` included."""
    status: Any = state.status
    return str(status.value if isinstance(status, StrEnum) else status)


def progress_of(items: Sequence[ItemState], omitted: int = 0, beside: Sequence[Outcome] = ()) -> Progress:
    """Count outcomes: of ``items``, and ``beside`` them what is known of the ``omitted`` others."""
    outcomes = [*(item.outcome for item in items if item.outcome is not None), *beside]
    return Progress(
        items_count=len(items) + max(omitted, len(beside)),
        items_done_count=len(outcomes),
        items_succeeded_count=outcomes.count(Outcome.SUCCEEDED),
        items_failed_count=outcomes.count(Outcome.FAILED),
        items_unknown_count=outcomes.count(Outcome.UNKNOWN),
    )
