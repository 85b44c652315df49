"""What a failed activity proves: the bridge from Temporal's errors to the words of ``policies``."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from temporalio.exceptions import ActivityError, ApplicationError, CancelledError, TimeoutError, TimeoutType

from confirmo.policies.errors import HANDED_ON, CallFailureKind
from confirmo.policies.evidence import ItemOutcome
from confirmo.policies.models import Effect
from confirmo.policies.tool_spec import ToolSpec


def failure_of(error: ActivityError, tool: ToolSpec) -> tuple[CallFailureKind, str]:
    """Return what the failed call of ``tool`` proves, and one sentence.

    A schedule-to-start timeout was never sent. Every other timeout, a lost worker and an unknown error leave doubt.
    """
    cause = error.cause
    if isinstance(cause, TimeoutError):
        if cause.type is TimeoutType.SCHEDULE_TO_START:
            return CallFailureKind.UNREACHABLE, "no worker took the call in time; it was not sent"
        return (
            CallFailureKind.DOUBT,
            "the worker that made the call was lost, or ran out of time, before it could report",
        )
    if isinstance(cause, ApplicationError):
        kinds = {kind.value: kind for kind in CallFailureKind}
        return kinds.get(cause.type or "", CallFailureKind.DOUBT), cause.message
    if isinstance(cause, CancelledError):
        # A call under way is never cancelled: this one waited for its first or another attempt. An unsafe tool has
        # another attempt only where the one before provably did nothing.
        unsafe = tool.execution.effect is Effect.UNSAFE
        kind = CallFailureKind.UNREACHABLE if unsafe else CallFailureKind.DOUBT
        return kind, "a cancel came before another attempt"
    return CallFailureKind.DOUBT, "the call ended without an answer"


@dataclass(frozen=True)
class LostSlice:
    """What a lost slice had written down.

    Attributes:
        outcomes: What became of items.
        claimed: Ids of items that may have been sent and have no outcome; null where it did not write them down, so
            that every item without an outcome may have been sent.
    """

    outcomes: tuple[ItemOutcome, ...] = ()
    claimed: frozenset[str] | None = None


def lost_slice(error: ActivityError) -> LostSlice:
    """Return what a slice had recorded in its last heartbeat, or when its worker stopped."""
    cause = error.cause
    details: Sequence[Any] = ()
    if isinstance(cause, TimeoutError):
        details = cause.last_heartbeat_details
    elif isinstance(cause, ApplicationError):
        details = cause.details
    if not details or not isinstance(details[0], dict):
        return LostSlice()
    claimed = details[0].get("claimed")
    return LostSlice(
        tuple(ItemOutcome.model_validate(entry) for entry in details[0].get("outcomes", [])),
        frozenset(claimed) if isinstance(claimed, list) else None,
    )


def handed_on(error: ActivityError) -> str | None:
    """Return the task queue that a crowded worker handed an activity on to, untouched; null where it was not."""
    cause = error.cause
    if not isinstance(cause, ApplicationError) or len(cause.details) != 2 or cause.details[0] != HANDED_ON:
        return None
    return str(cause.details[1])
