"""Writing down at the Temporal server what is about to be sent, before it is sent.

A heartbeat of the SDK is sent some time later, and nobody learns whether it arrived. So a slice of an unsafe tool
heartbeats by calls of its own and waits for their answers: of a lost slice exactly what was claimed and has no outcome
is in doubt, and what was not claimed was not sent. The SDK's own heartbeats are not used beside them, because one that
arrives late would undo a newer claim.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, Self

from temporalio import activity
from temporalio.client import AsyncActivityCancelledError
from temporalio.service import RPCError, RPCStatusCode

from confirmo.activities.attempt import Lease
from confirmo.policies.errors import CallFailed, CallFailureKind

BEAT_SECONDS = 1.0
AGAIN_SECONDS = 0.2
FINISH_SECONDS = 5.0
_GONE = (RPCStatusCode.NOT_FOUND, RPCStatusCode.INVALID_ARGUMENT)


class NotClaimed(CallFailed):
    """The item must not be sent: a cancel came, or the attempt was overtaken."""

    def __init__(self) -> None:
        super().__init__(CallFailureKind.UNREACHABLE, "it was not sent, because the attempt ended first")


class Claims:
    """The claims of one slice; those that are waiting share one call."""

    def __init__(self, details: Callable[[], dict[str, Any]], stop: Callable[[], None], lease: Lease) -> None:
        """``details`` is what the heartbeats carry beside the claims; ``stop`` is called where a cancel comes."""
        self._details, self._stop, self._lease = details, stop, lease
        token = activity.info().task_token
        self._handle = activity.client().get_async_activity_handle(task_token=token)
        self._claimed: dict[str, None] = {}
        self._waiting: list[tuple[str, asyncio.Future[None]]] = []
        self._wake = asyncio.Event()
        self._ended = False

    @classmethod
    @asynccontextmanager
    async def open(
        cls, details: Callable[[], dict[str, Any]], stop: Callable[[], None], lease: Lease
    ) -> AsyncIterator[Self]:
        """Heartbeat for the length of the block; the first heartbeat says that nothing is claimed yet."""
        claims = cls(details, stop, lease)
        task = asyncio.create_task(claims._run())
        try:
            yield claims
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def finish(self) -> None:
        """Write down all outcomes: should the SDK give the attempt up, its report would not arrive."""
        if not self._ended:
            with suppress(TimeoutError):
                async with asyncio.timeout(FINISH_SECONDS):
                    await self._record()

    def details(self) -> dict[str, Any]:
        """Return what a heartbeat carries."""
        return self._details() | {"claimed": list(self._claimed)}

    async def claim(self, item_id: str) -> None:
        """Return once the server has it on record that the item may be sent now.

        Raises:
            NotClaimed: It must not be sent.
        """
        if self._ended:
            raise NotClaimed()
        kept: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((item_id, kept))
        self._wake.set()
        await kept

    def settle(self, item_id: str) -> None:
        """Note that the item has an outcome, which says more than its claim."""
        self._claimed.pop(item_id, None)

    async def _run(self) -> None:
        while not self._ended:
            batch, self._waiting = self._waiting, []
            self._claimed |= dict.fromkeys(item_id for item_id, _ in batch)
            recorded = await self._record()
            for item_id, kept in batch:
                if recorded and not kept.done():
                    kept.set_result(None)
                elif not kept.done():
                    self._claimed.pop(item_id, None)
                    kept.set_exception(NotClaimed())
            if not self._waiting:
                await self._pause()
        for _, kept in self._waiting:
            if not kept.done():
                kept.set_exception(NotClaimed())

    async def _pause(self) -> None:
        self._wake.clear()
        try:
            async with asyncio.timeout(BEAT_SECONDS):
                await self._wake.wait()
        except TimeoutError:
            return

    async def _record(self) -> bool:
        """Heartbeat until the server has answered; false where nothing may be sent any more."""
        while True:
            try:
                await self._handle.heartbeat(self.details())
            except AsyncActivityCancelledError:
                self._stop()
                self._lease.beat()
                return False
            except RPCError as error:
                if error.status in _GONE:
                    self._ended = True
                    self._stop()
                    return False
                await asyncio.sleep(AGAIN_SECONDS)
            else:
                self._lease.beat()
                return True
