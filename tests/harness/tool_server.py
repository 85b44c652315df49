"""A real MCP server over streamable HTTP whose answers a test writes, with a ledger of what it was asked."""

import inspect
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server

from harness.front import Front, Pages
from harness.serving import serving


@dataclass(frozen=True)
class Call:
    """One call as the server saw it."""

    tool: str
    arguments: dict[str, Any]
    meta: dict[str, Any]

    @property
    def key(self) -> str | None:
        return self.meta.get("confirmo/idempotency_key")

    @property
    def item_keys(self) -> dict[str, str]:
        return self.meta.get("confirmo/item_keys", {})


Answer = dict[str, Any] | types.CallToolResult
Behaviour = Answer | Callable[[Call], Answer | Awaitable[Answer]]


def answered(payload: Any, *, is_error: bool = False) -> types.CallToolResult:
    """The payload as structured content and the same JSON as text."""
    text = types.TextContent(type="text", text=json.dumps(payload, ensure_ascii=False))
    return types.CallToolResult(content=[text], structured_content=payload, is_error=is_error)


def text_answer(*texts: str, is_error: bool = False) -> types.CallToolResult:
    """Text blocks alone."""
    content = [types.TextContent(type="text", text=text) for text in texts]
    return types.CallToolResult(content=list(content), is_error=is_error)


def failed(text: str) -> types.CallToolResult:
    """The tool's own no."""
    return text_answer(text, is_error=True)


@dataclass
class ToolServer:
    """Set ``on[tool]`` to an answer, or to a function of the call; read ``calls`` afterwards.

    ``pages[tool]`` yields what HTTP answers in the tool's place, call by call; ``requests`` holds those calls too.
    """

    on: dict[str, Behaviour] = field(default_factory=dict)
    schemas: dict[str, dict[str, Any]] = field(default_factory=dict)
    pages: dict[str, Pages] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    requests: list[Call] = field(default_factory=list)
    port: int = 0

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    @property
    def rest(self) -> dict[str, Any]:
        """The same tools over the REST contract: for thousands of calls, which take a third of the time there."""
        return {"transport": "http", "endpoint": f"http://127.0.0.1:{self.port}/rest"}

    def called(self, tool: str) -> list[Call]:
        return [call for call in self.calls if call.tool == tool]

    def requested(self, tool: str) -> list[Call]:
        return [call for call in self.requests if call.tool == tool]

    def _seen(self, params: dict[str, Any]) -> Call:
        call = Call(params["name"], params.get("arguments") or {}, params.get("_meta") or {})
        self.requests.append(call)
        return call

    async def _list(self, _context: Any, _params: Any) -> types.ListToolsResult:
        schema = {"type": "object"}
        tools = [types.Tool(name=name, input_schema=self.schemas.get(name, schema)) for name in self.on]
        return types.ListToolsResult(tools=tools)

    async def _call(self, _context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        call = Call(params.name, dict(params.arguments or {}), dict(params.meta or {}))
        answer = await self._answered(call)
        return answer if isinstance(answer, types.CallToolResult) else answered(answer)

    async def _answered(self, call: Call) -> Answer:
        self.calls.append(call)
        behaviour = self.on[call.tool]
        answer = behaviour(call) if callable(behaviour) else behaviour
        return await answer if inspect.isawaitable(answer) else answer

    async def _rest(self, scope: Any, receive: Any, send: Any) -> None:
        body, message = b"", {"more_body": True}
        while message.get("more_body"):
            message = await receive()
            body += message.get("body", b"")
        asked = json.loads(body)
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        meta = {"confirmo/idempotency_key": headers.get("idempotency-key")}
        call = Call(asked["tool_name"], asked["arguments"], meta)
        answer: Any = await self._answered(call)
        content = json.dumps({"ok": True, "result": answer}).encode()
        start = {"type": "http.response.start", "status": 200}
        length = str(len(content)).encode()
        await send(start | {"headers": [(b"content-type", b"application/json"), (b"content-length", length)]})
        await send({"type": "http.response.body", "body": content})

    @asynccontextmanager
    async def running(self, port: int = 0) -> AsyncIterator["ToolServer"]:
        server: Server[Any] = Server("fixture", on_list_tools=self._list, on_call_tool=self._call)
        app = Front(server.streamable_http_app(json_response=True), self.pages, self._seen)

        async def either(scope: Any, receive: Any, send: Any) -> None:
            rest = scope["type"] == "http" and scope["path"].startswith("/rest/")
            await (self._rest if rest else app)(scope, receive, send)

        async with serving(either, port) as self.port:
            yield self
