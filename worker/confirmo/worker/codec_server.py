"""``POST /encode`` and ``POST /decode``, as Temporal's UI and its command line ask a codec server.

See https://docs.temporal.io/codec-server for the protocol: both bodies are ``Payloads`` in protobuf's JSON.
"""

import hmac
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from google.protobuf.json_format import MessageToDict, Parse, ParseError
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from temporalio.api.common.v1 import Payload, Payloads
from temporalio.converter import DataConverter, PayloadCodec

from confirmo.worker.errors import ServerUnavailable
from confirmo.worker.http_serving import serving_http
from confirmo.workflows.encryption import EncryptionCodec
from confirmo.workflows.payload_drivers import PayloadProblem
from confirmo.workflows.payload_store import with_payloads

LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
MOST_BYTES: Final = 128 * 1024 * 1024
_HEADERS: Final = ("content-type", "x-namespace", "authorization")


def codec_app(converter: DataConverter, origins: Sequence[str], token: str | None = None) -> Starlette:
    """Return the application.

    Args:
        converter: Its codec is served; what is in its payload store is fetched before it is decoded.
        origins: Of the pages that may ask, such as ``http://127.0.0.1:8233``. A request of no page has none.
        token: What ``Authorization: Bearer`` must hold; null asks nobody, and takes only requests that name a
            loopback host.

    Raises:
        ServerUnavailable: There is no key.
    """
    codec = converter.payload_codec
    if not isinstance(codec, EncryptionCodec) or not codec.encrypts:
        raise ServerUnavailable("There is no key: set CONFIRMO_ENCRYPTION_KEYS_FILE to the workers' file.")
    answering = _Answering(converter, codec, origins, token)
    routes = [
        Route(f"{below}/{name}", getattr(answering, name), methods=["POST"])
        for below in ("", "/{namespace}")
        for name in ("encode", "decode")
    ]
    middleware = [
        Middleware(CORSMiddleware, allow_origins=origins, allow_methods=["POST"], allow_headers=_HEADERS)
    ]
    if token is None:
        middleware.append(Middleware(TrustedHostMiddleware, allowed_hosts=[*LOOPBACK, "[::1]"]))
    return Starlette(routes=routes, middleware=middleware)


class _Answering:
    def __init__(
        self, converter: DataConverter, codec: PayloadCodec, origins: Sequence[str], token: str | None
    ) -> None:
        self._storage = converter.external_storage
        self._codec = codec
        self._origins = origins
        self._token = token

    async def encode(self, request: Request) -> JSONResponse:
        return await self._answer(request, self._codec.encode)

    async def decode(self, request: Request) -> JSONResponse:
        async def decoded(payloads: Sequence[Payload]) -> list[Payload]:
            message = Payloads(payloads=payloads)
            await with_payloads([message], self._storage)
            return await self._codec.decode(message.payloads)

        return await self._answer(request, decoded)

    async def _answer(
        self, request: Request, work: Callable[[Sequence[Payload]], Awaitable[list[Payload]]]
    ) -> JSONResponse:
        if refused := self._refused(request):
            return refused
        try:
            given = Parse(await _body(request), Payloads())
        except (ParseError, ValueError):
            return _problem(400, "The body is not a Payloads message in JSON of at most 128 MiB.")
        try:
            payloads = await work(given.payloads)
        except PayloadProblem as problem:
            return _problem(400, problem.message)
        return JSONResponse(MessageToDict(Payloads(payloads=payloads)))

    def _refused(self, request: Request) -> JSONResponse | None:
        origin = request.headers.get("origin")
        if origin is not None and origin not in self._origins:
            return _problem(403, "This page may not ask: name its origin with --origin.")
        if self._token is None:
            return None
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        known = scheme.lower() == "bearer" and hmac.compare_digest(
            given.strip().encode(), self._token.encode()
        )
        return None if known else _problem(401, "Authorization must hold the bearer token of this server.")


async def _body(request: Request) -> bytes:
    """Return the body. Raises ``ValueError`` where it is too long."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            raise ValueError
    return bytes(body)


def _problem(status: int, sentence: str) -> JSONResponse:
    headers = {"www-authenticate": "Bearer"} if status == 401 else None
    return JSONResponse({"message": sentence}, status_code=status, headers=headers)


def read_token(file: Path | None) -> str | None:
    """Return the token in a file, null for none. Raises ``ServerUnavailable`` where it cannot be used."""
    if file is None:
        return None
    try:
        token = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise ServerUnavailable("CONFIRMO_CODEC_TOKEN_FILE cannot be read as text.") from None
    if len(token) < 16 or not token.isascii() or not token.isprintable():
        raise ServerUnavailable("CONFIRMO_CODEC_TOKEN_FILE needs one line of 16 ASCII characters or more.")
    return token


@asynccontextmanager
async def serving_codec(
    converter: DataConverter,
    origins: Sequence[str],
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    token: str | None = None,
) -> AsyncIterator[str]:
    """Serve for the length of the block; yields the endpoint.

    Raises:
        ServerUnavailable: The port is taken, there is no key, or another host than a loopback one has no token.
    """
    if token is None and host not in LOOPBACK:
        raise ServerUnavailable(
            f"Whoever reaches {host} could decrypt everything: set CONFIRMO_CODEC_TOKEN_FILE, or leave out --host."
        )
    app = codec_app(converter, origins, token)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family)
    except OSError:
        raise ServerUnavailable(f"{host} port {port} cannot be listened on. Choose another --port.") from None
    async with serving_http(app, listener, timeout_graceful_shutdown=2):
        shown = f"[{host}]" if ":" in host else host
        yield f"http://{shown}:{listener.getsockname()[1]}"
