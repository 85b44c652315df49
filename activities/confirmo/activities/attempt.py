"""What every call of a tool inside an activity needs: heartbeats, an answer that is never torn, a failure's meaning."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, NoReturn, Self, TypeVar

from temporalio import activity
from temporalio.exceptions import ApplicationError, FailureError

from confirmo.policies.errors import RETRYABLE_FAILURES, CallFailed, CallFailureKind
from confirmo.policies.models import Effect
from confirmo.policies.tool_spec import ToolSpec

T = TypeVar("T")

MAX_RETRY_AFTER = 300.0
"""Seconds that a ``Retry-After`` may ask to wait at most: a person is waiting, too."""


CALL_MARGIN = 5.0
"""Seconds that an attempt keeps for its last call's way to the server and for reporting."""


class Patience:
    """How long an attempt may wait for its server before a call: what Temporal's bound leaves beside the call."""

    def __init__(self) -> None:
        """Begin with the attempt."""
        bound = activity.info().start_to_close_timeout
        self._ends = asyncio.get_running_loop().time() + bound.total_seconds() if bound else None

    def left(self, timeout: float) -> float | None:
        """Return the seconds before a call of ``timeout`` seconds; null where nothing bounds the attempt."""
        if self._ends is None:
            return None
        return max(0.0, self._ends - asyncio.get_running_loop().time() - timeout - CALL_MARGIN)


class Lease:
    """Whether this attempt is still the one that may act.

    A worker that stood still for longer than the heartbeat timeout has been taken for dead, and another attempt may be
    under way: it must not send any more.
    """

    def __init__(self, seconds: float | None) -> None:
        """``seconds`` is the heartbeat timeout; null means that nobody waits for heartbeats."""
        self._seconds = seconds
        self._beaten = asyncio.get_running_loop().time()

    @classmethod
    def of_activity(cls) -> Self:
        """Return the lease of the running attempt."""
        timeout = activity.info().heartbeat_timeout
        return cls(timeout.total_seconds() if timeout else None)

    def beat(self) -> None:
        """Note that a heartbeat was sent."""
        self._beaten = asyncio.get_running_loop().time()

    def check(self) -> None:
        """Raise ``CallFailed`` (nothing was sent) where the attempt has been overtaken."""
        still = asyncio.get_running_loop().time() - self._beaten
        if self._seconds is not None and still > self._seconds * 0.9:
            raise CallFailed(
                CallFailureKind.UNREACHABLE,
                "the worker stood still and this attempt was overtaken; it was not sent",
            )


@asynccontextmanager
async def heartbeating(details: Callable[[], Any]) -> AsyncIterator[Lease]:
    """Heartbeat with the current ``details()`` as long as the block runs.

    A cancel arrives with the answer to a heartbeat, so these come every second: what is not sent by then stays unsent.
    """

    timeout = activity.info().heartbeat_timeout
    interval = min(timeout.total_seconds() / 5, 1.0) if timeout else 1.0

    lease = Lease.of_activity()

    async def beat() -> None:
        while True:
            await asyncio.sleep(interval)
            lease.check()
            activity.heartbeat(details())
            lease.beat()

    task = asyncio.create_task(beat())
    try:
        yield lease
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def uninterrupted(
    work: Coroutine[Any, Any, T],
    on_cancel: Callable[[], None] = lambda: None,
    details: Callable[[], Any] = lambda: None,
) -> T:
    """Await ``work`` to its end even when the activity is cancelled: a call under way has an effect to report.

    Args:
        work: The call or calls.
        on_cancel: Told once that nothing new shall be begun.
        details: What is known by then; travels in the error.

    Raises:
        ApplicationError: ``Doubt`` where the worker shuts down before the work is done, or fails in it.
    """
    task = asyncio.create_task(work)
    while True:
        try:
            return await asyncio.shield(task)
        except FailureError:
            raise
        except Exception as error:
            # A fault of our own comes after nobody knows which effects: an unsafe tool must not be called again for it.
            raise ApplicationError(
                f"the worker failed while the call was under way: {type(error).__name__}",
                details(),
                type=CallFailureKind.DOUBT.value,
            ) from error
        except asyncio.CancelledError:
            if task.cancelled():
                raise
            if not activity.is_worker_shutdown():
                on_cancel()
                continue
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            raise ApplicationError(
                "the worker shut down while the call was under way",
                details(),
                type=CallFailureKind.DOUBT.value,
            ) from None


def may_retry(kind: CallFailureKind, tool: ToolSpec) -> bool:
    """Whether the failure table allows another call: always where nothing was done, with doubt only for keyed ones."""
    if kind in RETRYABLE_FAILURES:
        return True
    return kind is CallFailureKind.DOUBT and tool.execution.effect is not Effect.UNSAFE


@dataclass
class Trail:
    """What earlier attempts left behind; travels in the heartbeat details.

    Attributes:
        sent: Calls in which the item was sent.
        doubt: An earlier call may have had its effect. Only an answer ends that: a later attempt that provably sent
            nothing says nothing about the earlier one.
    """

    sent: int = 0
    doubt: bool = False

    @classmethod
    def of(cls, earlier: int) -> Self:
        """Read the trail; ``earlier`` are the calls of earlier activities.

        An attempt that ended without a word belonged to a lost worker, and may have sent.
        """
        info = activity.info()
        if info.attempt == 1:
            return cls(earlier)
        known = info.heartbeat_details[0] if info.heartbeat_details else None
        if not isinstance(known, dict) or not isinstance(known.get("sent"), int):
            return cls(earlier + info.attempt - 1, True)
        if known.get("ended") == info.attempt - 1:
            return cls(known["sent"], known.get("doubt") is True)
        return cls(max(known["sent"], earlier + 1), True)

    def details(self, *, ended: bool = False) -> dict[str, Any]:
        """Return the heartbeat details; ``ended`` where this attempt reports how it ended."""
        return {"sent": self.sent, "doubt": self.doubt, "ended": activity.info().attempt if ended else 0}

    def failed(self, failure: CallFailed, before: int) -> CallFailureKind:
        """Note a failed call and return what all attempts together prove."""
        self.sent = before if failure.kind is CallFailureKind.UNREACHABLE else max(self.sent, before + 1)
        self.doubt = self.doubt or failure.kind is CallFailureKind.DOUBT
        return CallFailureKind.DOUBT if self.doubt else failure.kind


def is_overdue(failure: CallFailed, tool: ToolSpec) -> bool:
    """Whether an unsafe call ran out of time: nobody knows how long its server still works on it."""
    return failure.overdue and tool.execution.effect is Effect.UNSAFE


def retry_or_return(
    failure: CallFailed,
    tool: ToolSpec,
    details: Any,
    *,
    in_doubt: bool = False,
    tries_before: int = 0,
    return_unsent: bool = False,
) -> bool:
    """Raise for Temporal's retry where the table allows it and attempts are left; else return: a "no" is a value.

    Args:
        failure: Why the call brought no answer.
        tool: The tool, for its ``effect`` and ``max_attempts``.
        details: Last heartbeat details, which the next attempt starts from.
        in_doubt: This attempt or an earlier one left doubt.
        tries_before: Attempts of earlier activities.
        return_unsent: The workflow tries again where all attempts together prove that nothing was done.

    Returns:
        Whether the workflow may try again.
    """
    tries = tries_before + activity.info().attempt
    if may_retry(failure.kind, tool) and tries < tool.execution.max_attempts:
        if return_unsent and not in_doubt:
            return True
        activity.heartbeat(details)
        # A cancel while the call is under way ends the retries, and this is then the last word of all attempts.
        raise_retryable(failure, CallFailureKind.DOUBT if in_doubt else failure.kind)
    return False


def raise_retryable(failure: CallFailed, kind: CallFailureKind | None = None) -> NoReturn:
    """Raise the failure for Temporal's retry, honouring what the server asked to wait.

    Args:
        failure: The last attempt's.
        kind: What all attempts together prove, where it is not the last one's kind.
    """
    asked = failure.retry_after
    delay = timedelta(seconds=min(asked, MAX_RETRY_AFTER)) if asked is not None else None
    raise ApplicationError(
        failure.reason, type=(kind or failure.kind).value, next_retry_delay=delay
    ) from None
