"""A tool server that stands for all of a catalogue's, and fails where a trial says so.

It speaks MCP over streamable HTTP, like a real one. What it does is told by the transaction that a call belongs to.
"""

import asyncio
import json
import socket
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server

from confirmo.policies import names
from confirmo.policies.models import Effect
from confirmo.policies.tool_spec import Catalog, ToolSpec
from confirmo.worker.http_serving import serving_http


@dataclass
class Trial:
    """What one transaction meets, and what was seen of it.

    Attributes:
        tool: The primary tool.
        resolved: What its validator answers as resolved arguments.
        refused: Keys of the items to which the tool says no.
        lost: Whether the first answer to each call of the primary tool is lost on its way, after the effect.
        held: Whether calls of the primary tool wait until ``go`` before they act.
        down: Whether the validator cannot be reached.
        auxiliary_down: Whether every step after the primary tool fails.
        calls: Keys of the calls that the primary tool took, in their order.
        effects: How often each item or call was acted on, by its key.
        validated: How often the validator was asked.
        answered: How often an answer to each key was due.
        reached: Set by the first call of the primary tool.
        go: Lets held calls act.
    """

    tool: ToolSpec
    resolved: dict[str, Any] = field(default_factory=dict)
    refused: frozenset[str] = frozenset()
    lost: bool = False
    held: bool = False
    down: bool = False
    auxiliary_down: bool = False
    calls: list[str] = field(default_factory=list)
    effects: Counter[str] = field(default_factory=Counter)
    validated: int = 0
    answered: Counter[str] = field(default_factory=Counter)
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    go: asyncio.Event = field(default_factory=asyncio.Event)

    def act(self, key: str) -> bool:
        """Act on one item, unless it is refused; a keyed tool acts once for each key, as its policy promises."""
        if key in self.refused:
            return False
        if not (self.tool.execution.effect is Effect.KEYED and self.effects[key]):
            self.effects[key] += 1
        return True


@dataclass
class SimulatedServer:
    """Serves every tool of a catalogue; ``trials`` is by transaction id."""

    catalog: Catalog
    trials: dict[str, Trial] = field(default_factory=dict)
    port: int = 0

    @property
    def endpoint(self) -> str:
        """Address of the server."""
        return f"http://127.0.0.1:{self.port}/mcp"

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve for the length of the block."""
        server: Server[Any] = Server("simulated", on_list_tools=self._list, on_call_tool=self._call)
        front = _Front(server.streamable_http_app(json_response=True), self)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.port = listener.getsockname()[1]
            options: dict[str, Any] = {
                "lifespan": "on",
                "log_level": "critical",
                "timeout_graceful_shutdown": 1,
            }
            async with serving_http(front, listener, **options):
                try:
                    yield
                finally:
                    for trial in self.trials.values():
                        trial.go.set()

    def trial_of(self, params: Mapping[str, Any]) -> Trial | None:
        """Return the trial that a call belongs to."""
        meta = params.get("_meta") or {}
        return self.trials.get(meta.get(names.META_TRANSACTION_ID, ""))

    def loses(self, params: Mapping[str, Any]) -> bool:
        """Whether the answer of this call is lost: the first one of each key of a trial that says so."""
        trial = self.trial_of(params)
        if trial is None or not trial.lost or params.get("name") != trial.tool.name:
            return False
        key = str((params.get("_meta") or {}).get(names.META_IDEMPOTENCY_KEY))
        trial.answered[key] += 1
        return trial.answered[key] == 1

    def down(self, params: Mapping[str, Any]) -> bool:
        """Whether the server behind this call cannot be reached."""
        trial = self.trial_of(params)
        return trial is not None and trial.down and params.get("name") == trial.tool.pre_validation.tool

    async def _list(self, _context: Any, _params: Any) -> types.ListToolsResult:
        listed = [
            types.Tool(name=tool.name, input_schema=_schema(tool)) for tool in self.catalog.tools.values()
        ]
        return types.ListToolsResult(tools=listed)

    async def _call(self, _context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        meta = dict(params.meta or {})
        trial = self.trials.get(str(meta.get(names.META_TRANSACTION_ID)))
        arguments = dict(params.arguments or {})
        if trial is None:
            return _answer({"success": True})
        if params.name == trial.tool.pre_validation.tool:
            trial.validated += 1
            return _answer({"eligible": True, "transaction_decision": {"resolved_arguments": trial.resolved}})
        if params.name == trial.tool.execution.status_tool:
            key = str(arguments.get("idempotency_key") or meta.get(names.META_IDEMPOTENCY_KEY))
            done = trial.effects[key] > 0
            return _answer({"found": done} | ({"success": True} if done else {}))
        if params.name != trial.tool.name:
            return _answer({"success": not trial.auxiliary_down, "error": "simulated failure"})
        return await _act(trial, meta)


async def _act(trial: Trial, meta: Mapping[str, Any]) -> types.CallToolResult:
    key = str(meta[names.META_IDEMPOTENCY_KEY])
    trial.calls.append(key)
    trial.reached.set()
    if trial.held:
        await trial.go.wait()
    item_keys: Mapping[str, str] = meta.get(names.META_ITEM_KEYS) or {}
    if not item_keys:
        return _answer(_entry(trial, key))
    results = [{"item_id": item_id} | _entry(trial, own) for item_id, own in item_keys.items()]
    return _answer({"results": results})


def _entry(trial: Trial, key: str) -> dict[str, Any]:
    done = trial.act(key)
    return (
        {"success": True, "protocol": f"SIM-{key[-8:]}"}
        if done
        else {"success": False, "reason": "simulated no"}
    )


def _answer(body: dict[str, Any]) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=json.dumps(body))], structured_content=body
    )


def _schema(tool: ToolSpec) -> dict[str, Any]:
    properties: dict[str, Any] = {
        spec.name: {} if spec.type == "any" else {"type": spec.type} for spec in tool.arguments
    }
    return {"type": "object", "properties": properties | {"idempotency_key": {"type": "string"}}}


class _Front:
    """Answers in the server's place where an answer is lost, or the server is down."""

    def __init__(self, app: Any, server: SimulatedServer) -> None:
        self._app, self._server = app, server

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        body = await _body(receive)
        message = json.loads(body) if body else {}
        params = message.get("params") or {} if message.get("method") == "tools/call" else {}
        if params and self._server.down(params):
            await _refuse(send, 502)
            return
        replayed = _replaying(body, receive)
        if params and self._server.loses(params):
            await self._app(scope, replayed, _swallow)
            await _refuse(send, 504)
            return
        await self._app(scope, replayed, send)


async def _body(receive: Any) -> bytes:
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body


def _replaying(body: bytes, receive: Any) -> Any:
    again = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Any:
        return again.pop() if again else await receive()

    return replay


async def _refuse(send: Any, status: int) -> None:
    await send({"type": "http.response.start", "status": status, "headers": [(b"content-length", b"0")]})
    await send({"type": "http.response.body", "body": b""})


async def _swallow(_message: Any) -> None:
    return
