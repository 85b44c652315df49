"""The two transports of a face. Both end when their client does, or when told to stop."""

import asyncio
import contextlib
import socket
from typing import Any

import uvicorn
from mcp.server import Server
from mcp.server.stdio import stdio_server
from opentelemetry import context
from opentelemetry.propagate import extract
from starlette.datastructures import Headers
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

_GRACE_SECONDS = 5


async def serve_stdio(server: Server[Any]) -> None:
    """Serve one client over standard input and output, until it closes its end."""
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


class InCallersTrace:
    """Takes the trace of a request's W3C headers; one in ``_meta`` of a call, which the SDK reads, wins."""

    def __init__(self, app: ASGIApp) -> None:
        """Args: app: what serves."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        token = context.attach(extract(dict(Headers(scope=scope)), context.get_current()))
        try:
            await self._app(scope, receive, send)
        finally:
            context.detach(token)


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
    app = InCallersTrace(server.streamable_http_app(host=host, custom_starlette_routes=beside))
    # Without a log of its own: its lines go the way of all others.
    http = uvicorn.Server(
        uvicorn.Config(
            app, log_config=None, log_level="warning", ws="none", timeout_graceful_shutdown=_GRACE_SECONDS
        )
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
