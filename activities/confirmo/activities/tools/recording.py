"""The HTTP transport under every session: it records what happens, and keeps a failure from spreading.

An exception inside one of the SDK's POST tasks cancels the session's task group, and every other call in
flight with it. So nothing is raised from here: what goes wrong is written into the exchange, and the SDK gets
an answer.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator
from functools import cache
from typing import Any, Final
from urllib.request import getproxies, proxy_bypass

import anyio
import httpx2

from confirmo.activities.tools.causes import (
    MAX_ANSWER_BYTES,
    AnswerTooLarge,
    describe,
    no_answer_in_time,
    retry_after,
)
from confirmo.activities.tools.exchange import BODY_SAMPLE, Exchange, current_exchange
from confirmo.activities.tools.lanes import LanesTransport
from confirmo.activities.tools.texts import without_lone_surrogates

GOODBYE_SECONDS: Final = 2.0
KEEPALIVE_SECONDS: Final = 1.5
"""Shorter than the idle limits of common servers (uvicorn and Node: 5 s, gunicorn: 2 s).

A kept connection that the server is just closing would put a call in doubt for nothing.
"""
_SENT_EVENTS = ("http11.send_request_headers.started", "http2.send_request_headers.started")
_BEFORE_SENDING = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.PoolTimeout,
    httpx2.ProxyError,
    httpx2.UnsupportedProtocol,
)
_EVENT_STREAM = "text/event-stream"
_REFRAMED = frozenset({b"content-encoding", b"content-length", b"transfer-encoding"})


def http_client(
    endpoint: str, headers: dict[str, str], connect_timeout: float, *, hide_refusals: bool = False
) -> httpx2.AsyncClient:
    """Return a client for one server.

    Only connecting has a timeout here; the exchange's deadline bounds the rest.
    """
    url = httpx2.URL(endpoint)
    proxy = None if proxy_bypass(url.host) else getproxies().get(url.scheme)
    limits = httpx2.Limits(max_connections=None, keepalive_expiry=KEEPALIVE_SECONDS)

    def connection() -> httpx2.AsyncBaseTransport:
        return httpx2.AsyncHTTPTransport(verify=_tls(), limits=limits, proxy=proxy)

    lanes = LanesTransport(connection, KEEPALIVE_SECONDS)
    transport = RecordingTransport(lanes, hide_refusals=hide_refusals)
    return httpx2.AsyncClient(
        transport=transport,
        headers={"Accept-Encoding": "identity", **headers},
        timeout=httpx2.Timeout(None, connect=connect_timeout),
    )


@cache
def _tls() -> ssl.SSLContext:
    # Reading the certificates takes longer than a whole call; one reading serves all sessions.
    return httpx2.create_ssl_context()


class RecordingTransport(httpx2.AsyncBaseTransport):
    """Wraps a transport: records into the current exchange, and answers in place of raising.

    Args:
        inner: The transport that does the work.
        hide_refusals: For SSE, where the SDK stops writing for good after one refused POST: it is told 202,
            and the sender is woken with what was recorded.
    """

    def __init__(self, inner: httpx2.AsyncBaseTransport, *, hide_refusals: bool = False) -> None:
        self._inner = inner
        self._hide_refusals = hide_refusals

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request; the answer is whole unless it is an event stream."""
        exchange = _exchange_for(request)
        response = await self._send(request, exchange)
        if self._hide_refusals and request.method == "POST":
            return await _accepted(request, response, exchange)
        return response

    async def _send(self, request: httpx2.Request, exchange: Exchange) -> httpx2.Response:
        request.extensions = {**request.extensions, "trace": _trace_into(exchange)}
        try:
            with anyio.CancelScope(deadline=_end(exchange)):
                response = await self._inner.handle_async_request(request)
                _record(response, exchange)
                return await _readable(request, response, exchange)
            exchange.lost = no_answer_in_time(exchange)
        except Exception as error:
            # A proxy's CONNECT looks like the request to the tracer, but these come before the request
            # itself.
            exchange.sent = exchange.sent and not isinstance(error, _BEFORE_SENDING)
            exchange.lost = describe(error)
        # For DELETE the SDK would only log a warning about a session that is gone anyway.
        return httpx2.Response(200 if request.method == "DELETE" else 502, request=request)

    async def aclose(self) -> None:
        """Close the wrapped transport."""
        await self._inner.aclose()


async def _accepted(
    request: httpx2.Request, response: httpx2.Response, exchange: Exchange
) -> httpx2.Response:
    await response.aclose()
    if response.is_success:
        # The answer comes on another stream; this status says nothing about it.
        exchange.status = None
    elif _is_followed(request, response):
        return response
    else:
        exchange.give_up()
    return httpx2.Response(202, request=request)


def _is_followed(request: httpx2.Request, response: httpx2.Response) -> bool:
    """Whether the SDK will follow a redirect: same method, same origin."""
    if response.status_code not in (307, 308) or not response.has_redirect_location:
        return False
    here, there = request.url, request.url.join(response.headers["location"])
    return (here.scheme, here.host, here.port) == (there.scheme, there.host, there.port)


def _exchange_for(request: httpx2.Request) -> Exchange:
    exchange = current_exchange()
    if exchange is not None and (not exchange.taken or _was_redirected(exchange)):
        # Where a redirect is followed, only the last request tells what became of the message.
        exchange.taken, exchange.sent, exchange.status = True, False, None
        exchange.body.clear()
        if request.method != "GET":
            return exchange
        # An SSE session's own stream outlives the opening; only its beginning belongs to the exchange.
        exchange.deadline = None
        return exchange
    if request.method == "DELETE":
        return Exchange(deadline=asyncio.get_running_loop().time() + GOODBYE_SECONDS)
    bounded = exchange is not None and (request.method != "GET" or "last-event-id" in request.headers)
    return Exchange(deadline=exchange.deadline if bounded and exchange is not None else None)


def _was_redirected(exchange: Exchange) -> bool:
    return exchange.status in (301, 302, 303, 307, 308)


def _end(exchange: Exchange) -> float:
    return float("inf") if exchange.deadline is None else exchange.deadline


def _trace_into(exchange: Exchange) -> Any:
    async def trace(event: str, _info: dict[str, Any]) -> None:
        if event in _SENT_EVENTS:
            exchange.sent = True

    return trace


def _record(response: httpx2.Response, exchange: Exchange) -> None:
    exchange.status = response.status_code
    exchange.content_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    exchange.retry_after = retry_after(response.headers.get("retry-after"))


async def _readable(
    request: httpx2.Request, response: httpx2.Response, exchange: Exchange
) -> httpx2.Response:
    """Read an answer here, where an error can be recorded; an event stream is handed on, guarded."""
    headers = [(name, value) for name, value in response.headers.raw if name.lower() not in _REFRAMED]
    if exchange.content_type == _EVENT_STREAM and response.status_code == httpx2.codes.OK:
        response.request = request
        return httpx2.Response(
            200, headers=headers, stream=_GuardedStream(response, exchange), request=request
        )
    body = await _body(request, response, exchange)
    return httpx2.Response(response.status_code, headers=headers, content=body, request=request)


async def _body(request: httpx2.Request, response: httpx2.Response, exchange: Exchange) -> bytes:
    response.request = request
    wanted = "json" in exchange.content_type or not exchange.content_type
    limit = MAX_ANSWER_BYTES if wanted else BODY_SAMPLE
    body = bytearray()
    try:
        async for chunk in response.aiter_bytes():
            exchange.keep(chunk)
            body += chunk
            if len(body) > limit:
                if wanted:
                    raise AnswerTooLarge
                break
    finally:
        await response.aclose()
    return without_lone_surrogates(bytes(body)) if wanted else bytes(body)


class _GuardedStream(httpx2.AsyncByteStream):
    """An event stream, line by line, that ends quietly where it breaks; the exchange says why."""

    def __init__(self, response: httpx2.Response, exchange: Exchange) -> None:
        self._response = response
        self._exchange = exchange

    async def __aiter__(self) -> AsyncIterator[bytes]:
        chunks = self._response.aiter_bytes()
        rest = b""
        while (chunk := await self._next(chunks)) is not None:
            self._exchange.keep(chunk)
            whole, newline, rest = (rest + chunk).rpartition(b"\n")
            if newline:
                yield without_lone_surrogates(whole + newline)
        if rest:
            yield without_lone_surrogates(rest)

    async def _next(self, chunks: AsyncIterator[bytes]) -> bytes | None:
        try:
            with anyio.CancelScope(deadline=_end(self._exchange)):
                return await anext(chunks, None)
            self._exchange.lost = no_answer_in_time(self._exchange)
        except Exception as error:
            self._exchange.lost = describe(error)
        return None

    async def aclose(self) -> None:
        await self._response.aclose()
