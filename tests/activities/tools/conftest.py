"""Real tool servers, and one that does exactly what a test tells it."""

import asyncio
import json
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import pytest
import pytest_asyncio
import uvicorn

from confirmo.activities.tools import ToolServers
from confirmo.policies.errors import CallFailed
from confirmo.policies.models import ToolAnswer
from confirmo.policies.tool_spec import ServerSpec

BOUND = 10.0


@dataclass
class Seen:
    """One request as the raw server read it."""

    http_method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def message(self) -> dict[str, Any]:
        return json.loads(self.body) if self.body else {}

    @property
    def method(self) -> str:
        return self.message.get("method", self.http_method)


class Wire:
    """The other end of one connection."""

    def __init__(self, server: "RawServer", request: Seen, writer: asyncio.StreamWriter) -> None:
        self.server, self.request, self.writer = server, request, writer

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def reply(self, status: int, body: bytes = b"", content_type: str = "", **headers: str) -> None:
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        fields["content-length"] = str(len(body))
        if content_type:
            fields["content-type"] = content_type
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        await self.send(f"HTTP/1.1 {status} X\r\n{head}\r\n".encode() + body)

    async def json(self, value: Any, status: int = 200, **headers: str) -> None:
        await self.reply(status, json.dumps(value).encode(), "application/json", **headers)

    async def result(self, result: Any, **headers: str) -> None:
        await self.json({"jsonrpc": "2.0", "id": self.request.message["id"], "result": result}, **headers)

    async def error(self, code: int, message: str, status: int = 200) -> None:
        error = {"code": code, "message": message}
        await self.json({"jsonrpc": "2.0", "id": self.request.message["id"], "error": error}, status)

    async def begin_events(self) -> None:
        await self.send(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")

    async def event(self, message: Any, name: str = "message") -> None:
        data = message if isinstance(message, str) else json.dumps({"jsonrpc": "2.0", **message})
        await self.send(f"event: {name}\ndata: {data}\n\n".encode())

    def drop(self) -> None:
        self.writer.transport.abort()

    async def hang(self) -> None:
        await self.server.over.wait()


Behaviour = Callable[[Wire], Awaitable[None]]


@dataclass
class RawServer:
    """An HTTP server that answers each JSON-RPC (or HTTP) method with a function of the test."""

    on: dict[str, Behaviour] = field(default_factory=dict)
    seen: list[Seen] = field(default_factory=list)
    over: asyncio.Event = field(default_factory=asyncio.Event)
    port: int = 0
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def count(self, method: str) -> int:
        return sum(request.method == method for request in self.seen)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.tasks.add(task)
        try:
            while (request := await _read_request(reader)) is not None:
                self.seen.append(request)
                wire = Wire(self, request, writer)
                await self.on.get(request.method, _default)(wire)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self.tasks.discard(task)
            writer.close()


async def _read_request(reader: asyncio.StreamReader) -> Seen | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.strip().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    http_method, path, _ = first.split(" ")
    return Seen(http_method, path, headers, body)


async def _default(wire: Wire) -> None:
    match wire.request.method:
        case "initialize":
            await wire.result(initialized(), mcp_session_id=f"s{wire.server.count('initialize')}")
        case "tools/call":
            await wire.result(done())
        case "tools/list":
            await wire.result({"tools": [tool("t")]})
        case "GET":
            await wire.reply(405)
        case "DELETE":
            await wire.reply(200)
        case method if method.startswith("notifications/"):
            await wire.reply(202)
        case _:
            await wire.error(-32601, "unknown method")


def initialized() -> dict[str, Any]:
    """The plainest answer to initialize."""
    info = {"name": "raw", "version": "1"}
    return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}


def done(**extra: Any) -> dict[str, Any]:
    """A tool's plainest answer."""
    return {"content": [{"type": "text", "text": "done"}], **extra}


def tool(name: str, **extra: Any) -> dict[str, Any]:
    """A tool in a list."""
    return {"name": name, "inputSchema": {"type": "object"}, **extra}


class Helpers:
    """The functions above for tests, which cannot import a conftest."""

    initialized = staticmethod(initialized)
    done = staticmethod(done)
    tool = staticmethod(tool)
    bound = BOUND


@pytest.fixture
def helpers() -> type[Helpers]:
    return Helpers


@asynccontextmanager
async def _raw() -> AsyncIterator[RawServer]:
    server = RawServer()
    listener = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    server.port = listener.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        server.over.set()
        listener.close()
        for task in tuple(server.tasks):
            task.cancel()
        await asyncio.gather(*server.tasks, return_exceptions=True)


@pytest_asyncio.fixture
async def raw() -> AsyncIterator[RawServer]:
    async with _raw() as server:
        yield server


@pytest_asyncio.fixture
async def another_raw() -> AsyncIterator[RawServer]:
    async with _raw() as server:
        yield server


class Uvicorn(uvicorn.Server):
    """Uvicorn in the test's own loop: says when it is up and leaves signals alone."""

    def __init__(self, app: Any) -> None:
        super().__init__(uvicorn.Config(app, log_level="critical", ws="none", timeout_graceful_shutdown=1))
        self.up = asyncio.Event()

    def capture_signals(self) -> Any:
        return nullcontext()

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        self.up.set()


@asynccontextmanager
async def serving(app: Any) -> AsyncIterator[int]:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        server = Uvicorn(app)
        task = asyncio.create_task(server.serve(sockets=[sock]))
        try:
            async with asyncio.timeout(BOUND):
                await server.up.wait()
            yield sock.getsockname()[1]
        finally:
            server.should_exit = True
            async with asyncio.timeout(BOUND):
                await task


@pytest.fixture
def serve() -> Any:
    """Serve an ASGI application on a free port for as long as a block lasts."""
    return serving


class Caller:
    """``ToolServers`` with short forms for tests."""

    def __init__(self, servers: ToolServers) -> None:
        self.servers = servers

    async def call(
        self, tool: str = "t", server: str = "s", timeout: float = 5, **arguments: Any
    ) -> ToolAnswer:
        async with asyncio.timeout(BOUND):
            return await self.servers.call(
                server, tool, arguments, meta={}, idempotency_key=None, timeout=timeout
            )

    async def fail(
        self, tool: str = "t", server: str = "s", timeout: float = 5, **arguments: Any
    ) -> CallFailed:
        with pytest.raises(CallFailed) as caught:
            await self.call(tool, server, timeout, **arguments)
        return caught.value


@asynccontextmanager
async def _caller(*specs: ServerSpec) -> AsyncIterator[Caller]:
    servers = ToolServers({spec.name: spec for spec in specs})
    try:
        yield Caller(servers)
    finally:
        await servers.aclose()


@pytest.fixture
def make_caller() -> Any:
    """Make a caller that is closed where its block ends."""
    return _caller


@pytest_asyncio.fixture
async def connect() -> AsyncIterator[Callable[..., Caller]]:
    """Make a caller of servers given as specs or endpoints; closed at the end of the test."""
    async with AsyncExitStack() as stack:

        def make(*specs: ServerSpec | str, **fields: Any) -> Caller:
            named = [
                ServerSpec(name="s", endpoint=spec, **fields) if isinstance(spec, str) else spec
                for spec in specs
            ]
            servers = ToolServers({spec.name: spec for spec in named})
            stack.push_async_callback(servers.aclose)
            return Caller(servers)

        yield make


@pytest.fixture
def python() -> str:
    return sys.executable
