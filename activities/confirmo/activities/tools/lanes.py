"""As many connections to one server as there are requests under way, each in a pool of its own.

A pool that all requests share looks at every connection that it holds, with a system call each, for every request that
begins or ends.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass

import httpx2


@dataclass(eq=False)
class _Lane:
    transport: httpx2.AsyncBaseTransport
    idle_since: float = 0.0


class LanesTransport(httpx2.AsyncBaseTransport):
    """Gives each request the transport that was used last and is free, so that the others may be closed.

    Args:
        make: Returns a transport; it keeps the one connection of its lane open.
        idle_seconds: A lane that was free for longer is closed by the next request that ends.
    """

    def __init__(self, make: Callable[[], httpx2.AsyncBaseTransport], idle_seconds: float) -> None:
        self._make = make
        self._idle_seconds = idle_seconds
        self._free: deque[_Lane] = deque()
        self._open: list[_Lane] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request; its lane is free again once the answer's stream is closed."""
        lane = self._take()
        try:
            response = await lane.transport.handle_async_request(request)
        except BaseException:
            self._put_back(lane)
            raise
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _LaneStream(response.stream, lambda: self._release(lane))
        return response

    async def aclose(self) -> None:
        """Close every lane, those in use included."""
        lanes, self._open = self._open, []
        self._free.clear()
        for lane in lanes:
            await lane.transport.aclose()

    def _take(self) -> _Lane:
        if self._free:
            return self._free.pop()
        lane = _Lane(self._make())
        self._open.append(lane)
        return lane

    def _put_back(self, lane: _Lane) -> None:
        lane.idle_since = asyncio.get_running_loop().time()
        if lane in self._open:
            self._free.append(lane)

    async def _release(self, lane: _Lane) -> None:
        self._put_back(lane)
        while self._free and self._free[0].idle_since < lane.idle_since - self._idle_seconds:
            idle = self._free.popleft()
            self._open.remove(idle)
            await idle.transport.aclose()


class _LaneStream(httpx2.AsyncByteStream):
    """An answer's stream that gives its lane back when it is closed."""

    def __init__(self, inner: httpx2.AsyncByteStream, release: Callable[[], Awaitable[None]]) -> None:
        self._inner = inner
        self._release = release
        self._closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._inner:
            yield chunk

    async def aclose(self) -> None:
        if self._closed:
            return
        self._closed = True
        try:
            await self._inner.aclose()
        finally:
            await self._release()
