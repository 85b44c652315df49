"""Another project's MCP client, in an environment of its own (``make peers``), as a process that a test talks to."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mcp.client.stdio import StdioServerParameters

PEERS = Path(__file__).with_name("peers")
ENVIRONMENTS = Path(__file__).parents[2] / ".venv" / "peers"
BOUND = 60.0


@dataclass(frozen=True)
class Kind:
    """A client: its environment, its script, and the protocol form that it is told to speak, where it has a choice."""

    environment: str
    script: str
    mode: str | None = None

    def __str__(self) -> str:
        return "-".join(filter(None, (self.script.removesuffix("_peer.py"), self.environment, self.mode)))


KINDS = [
    Kind("current", "fastmcp_peer.py", "2026-07-28"),
    Kind("current", "fastmcp_peer.py", "legacy"),
    Kind("before", "fastmcp_peer.py"),
    Kind("before", "langchain_peer.py"),
]


@dataclass
class Answer:
    """What a call came back with, as the client hands it to its caller."""

    is_error: bool
    structured: dict[str, Any] | None
    text: str
    shown: list[str]
    heard: list[list[float]]


@dataclass
class Peer:
    process: asyncio.subprocess.Process

    async def tools(self) -> list[str]:
        return (await self._ask({"do": "tools"}))["tools"]

    async def call(self, name: str, arguments: Any, meta: Any = None) -> Answer:
        asked = {"do": "call", "name": name, "arguments": arguments, "meta": meta}
        return Answer(**await self._ask(asked))

    async def _ask(self, asked: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdin
        assert self.process.stdout
        assert self.process.stderr
        async with asyncio.timeout(BOUND):
            self.process.stdin.write(json.dumps(asked).encode() + b"\n")
            line = await self.process.stdout.readline()
            if not line:
                raise AssertionError((await self.process.stderr.read()).decode()[-4000:])
        return json.loads(line)


@asynccontextmanager
async def peer(
    kind: Kind, to: str | StdioServerParameters, replies: Sequence[Any] | None = None
) -> AsyncIterator[Peer]:
    """Start a client of a face; ``replies`` are its user's, and null means that it cannot ask one."""
    python = ENVIRONMENTS / kind.environment / "bin" / "python"
    if not (python.parents[1] / ".installed").exists():
        pytest.fail(
            f"The clients that this test runs are not installed in {python.parents[1]}: run make peers."
        )
    process = await asyncio.create_subprocess_exec(
        python,
        PEERS / kind.script,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=2**24,
        env=os.environ | {"PYTHONPATH": ""},
    )
    assert process.stdin
    target = to if isinstance(to, str) else {"command": to.command, "args": to.args, "env": to.env}
    given = {"to": target, "mode": kind.mode, "replies": None if replies is None else list(replies)}
    process.stdin.write(json.dumps(given).encode() + b"\n")
    try:
        yield Peer(process)
    finally:
        process.stdin.close()
        async with asyncio.timeout(BOUND):
            await process.communicate()
