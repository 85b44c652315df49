"""Uvicorn in the test's own loop."""

import asyncio
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


closing: set[asyncio.Task[None]] = set()
"""Servers on their way down: each sleeps a tenth of a second on it, which no test has to wait for."""


@asynccontextmanager
async def serving(app: Any, port: int = 0, *, wait: bool = True) -> AsyncIterator[int]:
    """Serve an ASGI application for as long as the block lasts; yields its port.

    With ``wait`` the port is free after the block, else soon.
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
            closing.add(task)
            task.add_done_callback(closing.discard)
            if wait:
                async with asyncio.timeout(BOUND):
                    await task
