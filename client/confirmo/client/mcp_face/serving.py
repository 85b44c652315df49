"""The two transports of a face. Both end when their client does, or when told to stop."""

import asyncio
import contextlib
import logging
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from mcp.server import Server
from mcp.server.auth.settings import AuthSettings
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from opentelemetry import context
from opentelemetry.propagate import extract
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from confirmo.client.mcp_face.keys import COOLDOWN, IssuerKeys, KeysUnavailable
from confirmo.client.mcp_face.tokens import JwtVerifier
from confirmo.client.settings import LOOPBACK, TokenSettings

_logger = logging.getLogger("confirmo.mcp")
_GRACE_SECONDS = 5


@dataclass(frozen=True)
class Tokens:
    """How callers over HTTP prove who they are."""

    settings: TokenSettings
    verifier: JwtVerifier

    @classmethod
    def of(cls, settings: TokenSettings, tenant: str) -> "Tokens":
        """Verify with the issuer's keys; ``tenant`` is everybody's where no claim names it."""
        return cls(settings, JwtVerifier(settings, IssuerKeys(settings), tenant))


def address(host: str, port: int) -> str:
    """Return the address of a face that listens there."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/mcp"


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


def http_app(
    server: Server[Any],
    host: str,
    url: str,
    tokens: Tokens | None = None,
    beside: Sequence[Route] = (),
) -> Starlette:
    """Return the ASGI application of a face.

    Args:
        server: The face.
        host: Where it listens.
        url: Its own address, where ``tokens`` does not say how clients know it.
        tokens: What callers have to bring: 401 without, with the metadata of RFC 9728 that says where to get one.
        beside: What else is served, whatever ``/mcp`` asks of its callers.
    """
    if tokens is None:
        return server.streamable_http_app(host=host, custom_starlette_routes=list(beside))
    settings = tokens.settings
    auth = AuthSettings.model_validate(
        {
            "issuer_url": settings.issuer,
            "resource_server_url": settings.resource_url or url,
            "required_scopes": settings.scopes.split() or None,
            "validate_token_resource": False,  # the verifier checks the audience
        }
    )
    app = server.streamable_http_app(
        host=host,
        custom_starlette_routes=list(beside),
        transport_security=_known_hosts(host, settings.resource_url),
        auth=auth,
        token_verifier=tokens.verifier,
    )
    app.add_middleware(_WithoutKeys)
    return app


def _known_hosts(host: str, public: str | None) -> TransportSecuritySettings | None:
    """Return which ``Host`` and ``Origin`` a local face takes: local ones, and those that a proxy hands on.

    Null is the SDK's own rule: a local face takes local ones, any other takes all.
    """
    if public is None or host not in LOOPBACK:
        return None
    parts = urlsplit(public)
    local = ["127.0.0.1:*", "localhost:*", "[::1]:*"]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[*local, parts.netloc],
        allowed_origins=[*(f"http://{each}" for each in local), f"{parts.scheme}://{parts.netloc}"],
    )


class _WithoutKeys:
    """Answers 503 while the issuer's keys cannot be fetched: a 401 would send people to log in anew, in vain."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._app(scope, receive, send)
        except KeysUnavailable:
            _logger.warning(
                "The keys of the token issuer cannot be fetched: every call is answered with 503."
            )
            told = {"error": "temporarily_unavailable", "error_description": "Tokens cannot be verified now."}
            answer = JSONResponse(told, 503, {"Retry-After": str(round(COOLDOWN))})
            await answer(scope, receive, send)


async def serve_http(
    server: Server[Any],
    listener: socket.socket,
    host: str,
    stop: asyncio.Event,
    tokens: Tokens | None = None,
    beside: Sequence[Route] = (),
) -> None:
    """Serve ``/mcp`` on a bound socket until ``stop``.

    Args:
        server: The face.
        listener: Bound and listening.
        host: Where it listens; on a local one, requests with a foreign ``Host`` or ``Origin`` are refused.
        stop: Set to end; calls under way get five seconds, and their transactions go on in any case.
        tokens: As for ``http_app``.
        beside: As for ``http_app``.
    """
    url = address(host, listener.getsockname()[1])
    app = InCallersTrace(http_app(server, host, url, tokens, beside))
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
