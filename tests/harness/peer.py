"""Another project's MCP client, in an environment of its own (``make peers``), as a process that a test talks to."""

import asyncio
import json
import os
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

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
    """A client while it is connected to a face."""

    process: asyncio.subprocess.Process
    log: IO[bytes]

    async def tools(self) -> list[str]:
        return (await self.ask({"do": "tools"}))["tools"]

    async def call(self, name: str, arguments: Any, meta: Any = None) -> Answer:
        asked = {"do": "call", "name": name, "arguments": arguments, "meta": meta}
        return Answer(**await self.ask(asked))

    async def ask(self, asked: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdout
        async with asyncio.timeout(BOUND):
            self.tell(asked)
            line = await self.process.stdout.readline()
        if not line:
            self.log.seek(0)
            raise AssertionError(self.log.read().decode()[-4000:])
        return json.loads(line)

    def tell(self, told: dict[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(told).encode() + b"\n")

    async def end(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        async with asyncio.timeout(BOUND):
            await self.process.communicate()
        self.log.close()


class Peers:
    """Clients of other projects, each in one process for all its connections: their imports take a second or two."""

    def __init__(self) -> None:
        self._running: dict[tuple[str, str], Peer] = {}

    @asynccontextmanager
    async def connected(
        self, kind: Kind, to: str | StdioServerParameters, replies: Sequence[Any] | None = None
    ) -> AsyncIterator[Peer]:
        """Connect one to a face; ``replies`` are its user's, and null means that it cannot ask one."""
        place = (kind.environment, kind.script)
        # One that fails is not used again.
        peer = self._running.pop(place, None) or await started(kind)
        target = to if isinstance(to, str) else {"command": to.command, "args": to.args, "env": to.env}
        peer.tell({"to": target, "mode": kind.mode, "replies": None if replies is None else list(replies)})
        try:
            yield peer
            await peer.ask({"do": "close"})
        except BaseException:
            await peer.end()
            raise
        self._running[place] = peer

    async def aclose(self) -> None:
        for peer in self._running.values():
            await peer.end()


async def started(kind: Kind) -> Peer:
    python = ENVIRONMENTS / kind.environment / "bin" / "python"
    if not (python.parents[1] / ".installed").exists():
        pytest.fail(
            f"The clients that this test runs are not installed in {python.parents[1]}: run make peers."
        )
    log = tempfile.TemporaryFile()  # noqa: SIM115
    process = await asyncio.create_subprocess_exec(
        python,
        PEERS / kind.script,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=log,
        limit=2**24,
        env=os.environ | {"PYTHONPATH": ""},
    )
    return Peer(process, log)
