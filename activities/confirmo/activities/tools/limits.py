"""How many calls a server takes at once and per second in this worker, and what it asks for itself."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import Any, TypeVar

from aiolimiter import AsyncLimiter

from confirmo.activities.tools.backpressure import Backpressure, Turn
from confirmo.activities.tools.failures import THROTTLED, UNREACHABLE, Phase, failed
from confirmo.policies.errors import CallFailed
from confirmo.policies.tool_spec import ServerSpec

T = TypeVar("T")


class Limits:
    """``max_concurrency`` and ``max_calls_per_second`` of one server, where they are set, and its back-pressure."""

    def __init__(self, spec: ServerSpec) -> None:
        """Read the two limits of a server."""
        self._server = spec.name
        self._slots = None if spec.max_concurrency is None else asyncio.Semaphore(spec.max_concurrency)
        rate = spec.max_calls_per_second
        # One call per interval and not N per second: a bucket of N would let 2 N calls through in its first
        # second.
        self._pace = AsyncLimiter(1, 1 / rate) if rate else None
        self._backpressure = Backpressure()

    @asynccontextmanager
    async def heeding(self, phase: Phase, patience: float | None = None) -> AsyncIterator[None]:
        """Speak to the server outside of a call, once it may be spoken to; its refusal counts for all.

        Raises:
            CallFailed: ``UNREACHABLE`` where that takes longer than ``patience`` seconds.
        """
        await self._within(self._backpressure.opened(), phase, patience)
        with self._hearing(asyncio.get_running_loop().time()):
            yield

    @asynccontextmanager
    async def slot(self, patience: float | None = None) -> AsyncIterator[None]:
        """Hold one slot; what is raised inside, or nothing, tells how the server took the call.

        Waits for ``patience`` seconds (null: as long as it takes), and ends when the caller is cancelled.

        Raises:
            CallFailed: ``UNREACHABLE`` where there was no slot in time; nothing was sent.
        """
        async with AsyncExitStack() as stack:
            turn = await self._within(self._turn(stack), Phase.CALL, patience)
            with self._hearing(turn.at):
                yield
            self._backpressure.accepted(turn.at)

    async def _turn(self, stack: AsyncExitStack) -> Turn:
        if self._slots is not None:
            await stack.enter_async_context(self._slots)
        if self._pace is not None:
            await self._pace.acquire()
        turn = await self._backpressure.turn()
        stack.callback(self._backpressure.passed, turn)
        return turn

    @contextmanager
    def _hearing(self, began: float) -> Iterator[None]:
        try:
            yield
        except CallFailed as failure:
            if failure.kind is THROTTLED:
                self._backpressure.refused(began, failure.retry_after)
            raise

    async def _within(self, waiting: Coroutine[Any, Any, T], phase: Phase, patience: float | None) -> T:
        closed = self._backpressure.wait_seconds
        if patience is not None and closed > patience:
            waiting.close()
            raise self._late(phase)
        try:
            async with asyncio.timeout(patience):
                return await waiting
        except TimeoutError:
            raise self._late(phase) from None

    def _late(self, phase: Phase) -> CallFailed:
        closed = self._backpressure.wait_seconds
        cause = (
            "the server asks to come back later" if closed else "it has as many calls under way as it takes"
        )
        return failed(UNREACHABLE, self._server, phase, f"{cause}, nothing was sent", closed or None)
