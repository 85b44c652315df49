"""The face of the shop, for the official client, in both forms of the protocol."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import yaml
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from temporalio.client import Client as Temporal

from confirmo.client import TransactionClient
from confirmo.client.connection import address_of
from confirmo.client.mcp_face import FaceOptions, Tokens, build_server, http_app
from confirmo.client.mcp_face.keys import IssuerKeys
from confirmo.client.mcp_face.tokens import JwtVerifier
from confirmo.policies.access import Anyone
from harness import Desk, ToolServer, forking
from harness.issuer import AUDIENCE, Issuer
from harness.person import Person
from harness.serving import serving
from harness.shop import POLICIES, TOOLS, base_behaviour, merged, open_shop

PATIENCE = timedelta(seconds=20)
"""How long the door of a face waits for a worker, where a test does not stop it: a busy machine may take a while."""
MODES = ["legacy", "2026-07-28"]


@dataclass
class Face:
    """A face and the worker behind it."""

    desk: Desk
    server: Any
    client: TransactionClient
    mode: str
    folder: Path

    @asynccontextmanager
    async def connect(
        self, person: Person | None = None, to: Any = None, **more: Any
    ) -> AsyncIterator[Client]:
        async with Client(
            self.server if to is None else to, mode=self.mode, elicitation_callback=person, **more
        ) as client:
            yield client

    @asynccontextmanager
    async def over_http(self) -> AsyncIterator[str]:
        async with serving(self.server.streamable_http_app()) as port:
            yield f"http://127.0.0.1:{port}/mcp"

    @asynccontextmanager
    async def as_process(self, *more: str) -> AsyncIterator[str]:
        """``confirmo mcp`` over HTTP as a process; yields its address."""
        http = ("--transport", "streamable-http", "--port", "0", "--locale", "en")
        async with running(self.over_stdio(*http, *more)) as url:
            yield url

    def over_stdio(self, *more: str) -> StdioServerParameters:
        return command(self.desk, "--config", str(self.folder), *more)


def command(desk: Desk, *arguments: str) -> StdioServerParameters:
    """``confirmo mcp`` as a child process that talks to the session's Temporal."""
    program, *given = forking.command(forking.CONFIRMO, "mcp", *arguments)
    return StdioServerParameters(
        command=program,
        args=given,
        env={"TEMPORAL_ADDRESS": address_of(desk.client), "CONFIRMO_TASK_QUEUE": desk.task_queue},
    )


@asynccontextmanager
async def running(given: StdioServerParameters) -> AsyncIterator[str]:
    """Run a face over HTTP until the end of the block, where it has to leave politely; yields its address."""
    process = await asyncio.create_subprocess_exec(
        given.command, *given.args, env=os.environ | (given.env or {}), stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr
    try:
        async with asyncio.timeout(60):
            line = (await process.stderr.readline()).decode()
        assert line.startswith("MCP at "), line + (await process.stderr.read()).decode()
        yield line.split()[2].rstrip(";")
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(60):
            _, errors = await process.communicate()
    assert (process.returncode, errors) == (0, b""), errors.decode()


@pytest.fixture
def as_process() -> Callable[[StdioServerParameters], Any]:
    """``async with as_process(command)`` runs a face over HTTP and yields its address."""
    return running


OpenFace = Callable[..., Awaitable[Face]]


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest_asyncio.fixture
async def loja(tools: ToolServer) -> ToolServer:
    tools.on |= base_behaviour()
    return tools


@pytest_asyncio.fixture
async def face(opened: OpenFace, mode: str) -> AsyncIterator[OpenFace]:
    """Open a face for the official client, in both forms: ``await face(policies=…, options=FaceOptions(…))``."""

    async def open_one(**options: Any) -> Face:
        return replace(await opened(**options), mode=mode)

    yield open_one


@pytest_asyncio.fixture
async def opened(client: Temporal, loja: ToolServer, tmp_path: Path) -> AsyncIterator[OpenFace]:
    """Open a face, whoever its client is."""
    async with AsyncExitStack() as stack:

        async def open_one(
            *, options: FaceOptions | None = None, patience: timedelta = PATIENCE, **changes: Any
        ) -> Face:
            desk = await stack.enter_async_context(open_shop(client, loja, **changes))
            door = TransactionClient(client, task_queue=desk.task_queue, worker_patience=patience)
            server = build_server(door, desk.catalog, options or FaceOptions(locale="en"))
            write_files(tmp_path, loja, changes.get("tools", {}), changes.get("policies", {}))
            return Face(desk, server, door, MODES[0], tmp_path)

        yield open_one


@dataclass
class Network:
    """A face at ``url``, and the people who call it."""

    face: Face
    issuer: Issuer
    url: str

    @asynccontextmanager
    async def as_(self, sub: str, *more: Any, **claims: Any) -> AsyncIterator[Client]:
        async with self.issuer.client(self.url, sub, *more, **claims) as client:
            yield client


OpenNetwork = Callable[..., AbstractAsyncContextManager[Network]]


@pytest.fixture
def network(face: OpenFace) -> OpenNetwork:
    """A face that asks for tokens: ``async with network(settings={…}, policies=…) as net``."""

    @asynccontextmanager
    async def open_one(
        settings: dict[str, Any] | None = None, anyone: Anyone = Anyone.REQUESTER, **more: Any
    ) -> AsyncIterator[Network]:
        async with Issuer().running() as issuer:
            shown = await face(options=FaceOptions(locale="en", tokens=True, anyone=anyone), **more)
            given = issuer.settings(resource_url=AUDIENCE, **settings or {})
            keys = IssuerKeys(given, cooldown=0.0)
            app = http_app(shown.server, "127.0.0.1", AUDIENCE, Tokens(given, JwtVerifier(given, keys)))
            async with serving(app) as port:
                yield Network(shown, issuer, f"http://127.0.0.1:{port}/mcp")

    return open_one


def write_files(folder: Path, loja: ToolServer, tools: Any, policies: Any) -> None:
    files = {
        "tools.yaml": {"tools": merged(TOOLS, tools)},
        "tool_policies.yaml": {"version": 1, "tool_policies": merged(POLICIES, policies)},
        "mcp_servers.yaml": {"servers": {"loja": {"endpoint": loja.endpoint}}},
    }
    for name, content in files.items():
        (folder / name).write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8")
