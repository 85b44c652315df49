"""Transport ``http``: the seed's REST contract.

``POST {endpoint}/tools/call`` with ``{tool_name, arguments}`` answers ``{ok, result, error, metadata}``.
"""

import asyncio
import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import httpx2
from opentelemetry.propagate import inject
from opentelemetry.trace import SpanKind, StatusCode, get_tracer

from confirmo.activities.tools.causes import describe
from confirmo.activities.tools.exchange import Exchange, exchanging
from confirmo.activities.tools.failures import DOUBT, Phase, failed, failure
from confirmo.activities.tools.guarding import Guard, passed
from confirmo.activities.tools.limits import Limits
from confirmo.activities.tools.listing import ToolListing
from confirmo.activities.tools.recording import http_client
from confirmo.activities.tools.texts import scalars, secrets_of
from confirmo.policies.json_text import JsonError, clean_text, dump, parse
from confirmo.policies.models import ToolAnswer
from confirmo.policies.names import HEADER_IDEMPOTENCY_KEY
from confirmo.policies.tool_spec import ServerSpec

_tracer = get_tracer("confirmo")


class RestServer:
    """A server behind the REST contract. It has no sessions: 401 and 404 are final."""

    def __init__(self, spec: ServerSpec) -> None:
        """Connect nothing yet."""
        self._spec = spec
        self._limits = Limits(spec)
        self._secrets = secrets_of(spec)
        self._client: httpx2.AsyncClient | None = None

    async def call(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        _meta: Mapping[str, Any],
        idempotency_key: str | None,
        timeout: float,
        _grace: float,
        guard: Guard,
        patience: float | None,
    ) -> ToolAnswer:
        """Call a tool.

        The body is exactly the contract's, so ``_meta`` does not travel; the key is a header. There is no late answer:
        a connection that was given up is closed.
        """
        body = json.dumps({"tool_name": tool, "arguments": arguments}, ensure_ascii=False).encode()
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if idempotency_key is not None:
            headers[HEADER_IDEMPOTENCY_KEY] = idempotency_key
        async with self._limits.slot(patience):
            await passed(guard)
            exchange = await self._traced(tool, timeout, headers, body)
            answer = self._parse(exchange)
            if answer is None:
                raise failure(self._spec.name, Phase.CALL, exchange, None, self._secrets | scalars(arguments))
        return self._answer(answer)

    async def tools(self) -> tuple[ToolListing, ...]:
        """Return an empty tuple: the REST contract has no list, so the tools cannot be told."""
        return ()

    async def reach(self) -> None:
        """Ask for the options of the address: whatever the answer, the server is there."""
        exchange = await self._send("OPTIONS", self._spec.timeout_seconds, {}, b"")
        if exchange.status is None:
            raise failure(self._spec.name, Phase.CONNECT, exchange, None, self._secrets)

    async def aclose(self) -> None:
        """Close all connections."""
        if self._client is not None:
            await self._client.aclose()

    async def _traced(self, tool: str, timeout: float, headers: dict[str, str], body: bytes) -> Exchange:
        """Send a call as a span whose context goes along as W3C headers; ``_meta`` carries it over MCP."""
        with _tracer.start_as_current_span(f"HTTP send tools/call {tool}", kind=SpanKind.CLIENT) as span:
            inject(headers)
            exchange = await self._send("POST", timeout, headers, body)
            if exchange.status is not None:
                span.set_attribute("http.response.status_code", exchange.status)
            if exchange.status != HTTPStatus.OK or exchange.lost is not None:
                span.set_status(StatusCode.ERROR)
            return exchange

    async def _send(self, method: str, timeout: float, headers: dict[str, str], body: bytes) -> Exchange:
        exchange = Exchange(deadline=asyncio.get_running_loop().time() + timeout)
        try:
            if self._client is None:
                self._client = http_client(
                    self._spec.endpoint or "", self._spec.headers, self._spec.timeout_seconds
                )
            url = httpx2.URL(self._spec.endpoint or "")
            url = url.copy_with(path=url.path.rstrip("/") + "/tools/call")
            with exchanging(exchange):
                response = await self._client.request(method, url, headers=headers, content=body)
            exchange.body = bytearray(response.content)
        except Exception as error:
            exchange.lost = exchange.lost or describe(error)
        return exchange

    def _parse(self, exchange: Exchange) -> dict[str, Any] | None:
        if (
            exchange.status != HTTPStatus.OK
            or exchange.lost is not None
            or not _is_json(exchange.content_type)
        ):
            return None
        try:
            answer = parse(exchange.body.decode("utf-8", "replace"))
        except JsonError:
            return None
        return answer if isinstance(answer, dict) else None

    def _answer(self, answer: dict[str, Any]) -> ToolAnswer:
        ok, result = answer.get("ok", True), answer.get("result")
        if not isinstance(ok, bool):
            raise failed(DOUBT, self._spec.name, Phase.CALL, "the answer's ok is not a boolean")
        error = answer.get("error")
        said = () if ok or error is None else (error if isinstance(error, str) else dump(error),)
        return ToolAnswer(
            structured=result,
            has_structured=ok or result is not None,
            texts=tuple(clean_text(text) for text in said),
            is_error=not ok,
        )


def _is_json(content_type: str) -> bool:
    return not content_type or content_type == "application/json" or content_type.endswith("+json")
