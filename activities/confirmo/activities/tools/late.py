"""An answer that comes after its caller's timeout: kept for whoever asks about the same call again."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from confirmo.policies.errors import CallFailed
from confirmo.policies.models import ToolAnswer


class Late:
    """A call whose caller has given up, but whose answer is still listened for."""

    def __init__(
        self,
        task: asyncio.Task[Any],
        raw: Callable[[], dict[str, Any] | None],
        refused: Callable[[Any], bool] = lambda _: False,
    ) -> None:
        """Listen until ``task`` ends.

        Args:
            task: The exchange.
            raw: The result as it came, null where none did.
            refused: Whether the server itself answered with an error, by what the task returned.
        """
        self._task: asyncio.Task[Any] | None = task
        self._raw = raw
        self._refused = refused
        self._read: Callable[[Mapping[str, Any]], ToolAnswer] | None = None
        self._answered = False
        task.add_done_callback(self._settle)

    def _settle(self, task: asyncio.Task[Any]) -> None:
        """Keep what came and let the exchange go: it holds the whole activity that began it."""
        raw = self._raw()
        returned = not task.cancelled() and task.exception() is None
        self._answered = raw is not None or (returned and self._refused(task.result()))
        self._raw, self._refused, self._task = lambda: raw, lambda _: False, None

    def reading(self, read: Callable[[Mapping[str, Any]], ToolAnswer]) -> None:
        """Say how a raw result becomes an answer; ``read`` may raise where it says nothing."""
        self._read = read

    @property
    def over(self) -> bool:
        """Whether nothing more will come."""
        return self._task is None

    @property
    def answered(self) -> bool:
        """Whether the server has ended the call: with a result, readable or not, or with an error."""
        return self._answered or self._raw() is not None

    def forget(self) -> None:
        """Stop listening."""
        if self._task is not None:
            self._task.cancel()

    async def answer(self, seconds: float) -> ToolAnswer | None:
        """Return the answer, waiting at most that long for it; null where there is none."""
        if self._task is not None:
            await asyncio.wait({self._task}, timeout=seconds)
        raw = self._raw()
        if raw is None or self._read is None:
            return None
        try:
            return self._read(raw)
        except Exception:
            return None


class Overdue(CallFailed):
    """A call in doubt because its answer did not come in time; it may still come.

    Attributes:
        late: Where it would come.
    """

    def __init__(self, failure: CallFailed, late: Late) -> None:
        """Keep the failure as it is."""
        super().__init__(
            failure.kind,
            failure.reason,
            failure.retry_after,
            http_status=failure.http_status,
            code=failure.code,
            overdue=True,
        )
        self.late = late
