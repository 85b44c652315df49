"""Uvicorn in the test's own loop."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from typing import Any

import uvicorn

BOUND = 20.0


class _Uvicorn(uvicorn.Server):
    def __init__(self, app: Any) -> None:
        super().__init__(uvicorn.Config(app, log_level="critical", ws="none", timeout_graceful_shutdown=0.2))
        self.up, self.over = asyncio.Event(), asyncio.Event()

    def capture_signals(self) -> Any:
        return nullcontext()

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        self.up.set()

    async def main_loop(self) -> None:
        await self.over.wait()

    async def shutdown(self, sockets: Any = None) -> None:
        """Like uvicorn's own, without the tenth of a second that it sleeps in every test."""
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.config.timeout_graceful_shutdown):
                while self.server_state.connections or self.server_state.tasks:
                    await asyncio.sleep(0.005)
        for task in self.server_state.tasks:
            task.cancel(msg="the test is over")
        await self.lifespan.shutdown()


@asynccontextmanager
async def serving(app: Any, port: int = 0) -> AsyncIterator[int]:
    """Serve an ASGI application for as long as the block lasts; yields its port.

    The end is waited for: a server on its way down would take the next one's socket, which gets the same number.
    """
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(("127.0.0.1", port))
        server = _Uvicorn(app)
        task = asyncio.create_task(server.serve(sockets=[sock]))
        try:
            async with asyncio.timeout(BOUND):
                await server.up.wait()
            yield sock.getsockname()[1]
        finally:
            server.over.set()
            async with asyncio.timeout(BOUND):
                await task
