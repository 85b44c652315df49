"""The two transports of a face. Both end when their client does, or when told to stop."""

import asyncio
import contextlib
import socket
from typing import Any

import uvicorn
from mcp.server import Server
from mcp.server.stdio import stdio_server
from starlette.routing import Route

_GRACE_SECONDS = 5


async def serve_stdio(server: Server[Any]) -> None:
    """Serve one client over standard input and output, until it closes its end."""
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


async def serve_http(
    server: Server[Any], listener: socket.socket, host: str, stop: asyncio.Event, beside: list[Route]
) -> None:
    """Serve ``/mcp`` on a bound socket until ``stop``.

    Args:
        server: The face.
        listener: Bound and listening.
        host: Where it listens; on a local one, requests with a foreign ``Host`` or ``Origin`` are refused.
        stop: Set to end; calls under way get five seconds, and their transactions go on in any case.
        beside: What else is served, whatever ``/mcp`` asks of its callers.
    """
    app = server.streamable_http_app(host=host, custom_starlette_routes=beside)
    http = uvicorn.Server(
        uvicorn.Config(app, log_level="warning", ws="none", timeout_graceful_shutdown=_GRACE_SECONDS)
    )
    http.install_signal_handlers = lambda: None  # type: ignore[attr-defined]
    serving = asyncio.create_task(http._serve([listener]))
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        http.should_exit = True
        stopping.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await serving
