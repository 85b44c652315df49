"""HTTP in this process's own loop, on a socket that listens already."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import uvicorn


@asynccontextmanager
async def serving_http(app: Any, listener: socket.socket, **options: Any) -> AsyncIterator[None]:
    """Serve an ASGI application for the length of the block; the process's signals stay its own.

    Its log goes the way of all others. ``options`` are uvicorn's.
    """
    server = uvicorn.Server(
        uvicorn.Config(
            app, **({"log_config": None, "log_level": "warning", "ws": "none", "lifespan": "off"} | options)
        )
    )
    # Not serve(): it takes the signals of the whole process.
    task = asyncio.create_task(server._serve([listener]))
    try:
        yield
    finally:
        server.should_exit = True
        await task
