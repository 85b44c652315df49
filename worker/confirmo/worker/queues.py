"""Task queues of single tool servers, and handing calls on to them.

A server with declared limits has its calls there from the start: Temporal keeps the rate over all workers, and a
worker's slots what it takes at once. The calls of the others come by the transactions' own queue, which is quicker, and
are handed on only where a worker has too many of one server.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from temporalio import activity
from temporalio.exceptions import ApplicationError
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor, Worker

from confirmo.policies import names
from confirmo.policies.calls import (
    AuxiliaryRequest,
    ExecuteItemRequest,
    ExecuteItemsRequest,
    PrevalidateRequest,
)
from confirmo.policies.errors import HANDED_ON, CallFailureKind
from confirmo.policies.shares import may_take
from confirmo.policies.tool_spec import ServerSpec


@asynccontextmanager
async def running(workers: Sequence[Worker]) -> AsyncIterator[None]:
    """Run workers for the length of the block; they stop together, so that the stop takes as long as the slowest."""
    async with AsyncExitStack() as stack:
        for worker in workers:
            await stack.enter_async_context(worker)
        try:
            yield
        finally:
            await asyncio.gather(*(worker.shutdown() for worker in workers))


class HandingOn(Interceptor):
    """Gives an activity back, untouched, where its server has too many calls under way in this worker."""

    def __init__(self, task_queue: str, servers: Mapping[str, ServerSpec], slots: int) -> None:
        """Args: task_queue: the transactions'; servers: all of the catalogue; slots: of the worker, for activities."""
        self._task_queue = task_queue
        self._slots = slots
        self._servers = servers
        self._alone = sum(server.enabled for server in servers.values()) < 2
        self._under_way: Counter[str] = Counter()

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        """Count what passes."""
        return _Counting(next, self)

    def take(self, server: str, *, or_hand_on: bool) -> None:
        """Count a call.

        Raises:
            ApplicationError: It is to go to the server's own queue.
        """
        crowded = not may_take(self._under_way[server], self._under_way.total(), self._slots)
        if or_hand_on and crowded and not self._alone and server in self._servers:
            # For a workflow that does not know the detail it is what it says: a call that was never sent.
            count = self._under_way[server]
            raise ApplicationError(
                f"This worker has {count} calls of {server} under way; this one goes to the server's own queue.",
                HANDED_ON,
                names.server_queue(self._task_queue, server),
                type=CallFailureKind.UNREACHABLE.value,
                non_retryable=True,
            )
        self._under_way[server] += 1

    def release(self, server: str) -> None:
        """Note that a call is over."""
        self._under_way[server] -= 1


class _Counting(ActivityInboundInterceptor):
    def __init__(self, next: ActivityInboundInterceptor, handing_on: HandingOn) -> None:
        super().__init__(next)
        self._handing_on = handing_on

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        request = input.args[0] if input.args else None
        server = _server_of(request)
        if server is None:
            return await super().execute_activity(input)
        # A later attempt knows what the earlier ones left behind, which does not travel to another queue.
        fresh = activity.info().attempt == 1
        self._handing_on.take(server, or_hand_on=fresh and getattr(request, "hand_on", False))
        try:
            return await super().execute_activity(input)
        finally:
            self._handing_on.release(server)


def _server_of(request: Any) -> str | None:
    if isinstance(request, PrevalidateRequest):
        return request.validator.mcp_server
    if isinstance(request, ExecuteItemRequest | ExecuteItemsRequest | AuxiliaryRequest):
        return request.tool.mcp_server
    return None
