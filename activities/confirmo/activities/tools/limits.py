"""How many calls a server takes at once and per second, for one worker."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiolimiter import AsyncLimiter

from confirmo.policies.tool_spec import ServerSpec


class Limits:
    """``max_concurrency`` and ``max_calls_per_second`` of one server; absent ones do not limit."""

    def __init__(self, spec: ServerSpec) -> None:
        """Read the two limits of a server."""
        self._slots = None if spec.max_concurrency is None else asyncio.Semaphore(spec.max_concurrency)
        rate = spec.max_calls_per_second
        # One call per interval and not N per second: a bucket of N would let 2 N calls through in its first
        # second.
        self._pace = AsyncLimiter(1, 1 / rate) if rate else None

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Hold one slot; waits as long as it takes, and ends when the caller is cancelled."""
        if self._slots is None:
            await self._wait_for_turn()
            yield
            return
        async with self._slots:
            await self._wait_for_turn()
            yield

    async def _wait_for_turn(self) -> None:
        if self._pace is not None:
            await self._pace.acquire()
