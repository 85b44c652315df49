"""The example servers, in this process and as processes of their own."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from confirmo.examples import contas, retail
from confirmo.examples.ledger import Ledger
from harness.forking import command

WAIT_SECONDS = 20


class RunningServer:
    """A server process, and where it answers."""

    def __init__(self, process: asyncio.subprocess.Process, announced: dict[str, Any]) -> None:
        self.process = process
        self.announced = announced
        self.url: str = announced["url"]

    async def wait(self) -> int:
        return await asyncio.wait_for(self.process.wait(), WAIT_SECONDS)


@asynccontextmanager
async def start_server(
    name: str, *arguments: str, environment: dict[str, str] | None = None
) -> AsyncIterator[RunningServer]:
    process = await asyncio.create_subprocess_exec(
        *command(f"confirmo.examples.{name}:main", "--port=0"),
        "--until-stdin-closes",
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=os.environ | (environment or {}),
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        line = await asyncio.wait_for(process.stdout.readline(), WAIT_SECONDS)
        assert line, "the server ended before it was ready"
        yield RunningServer(process, json.loads(line))
    finally:
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), WAIT_SECONDS)
        except TimeoutError:
            process.kill()
            await process.wait()
        # Closes the pipes' transports before the loop would complain of them.
        process._transport.close()  # type: ignore[attr-defined]


async def call_tool(
    client: Client, tool: str, arguments: dict[str, Any], key: str | None = None, **meta: Any
) -> dict[str, Any]:
    if key is not None:
        meta["confirmo/idempotency_key"] = key
    result = await client.call_tool(tool, arguments, meta=meta or None)  # type: ignore[arg-type]
    assert not result.is_error, result.content
    assert result.structured_content is not None
    assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]
    return result.structured_content


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"


@pytest.fixture
def ledger(db: Path) -> Iterator[Ledger]:
    with Ledger(db) as ledger:
        yield ledger


@pytest.fixture
def contas_client(ledger: Ledger) -> Client:
    return Client(contas.create_server(ledger))


@pytest.fixture
def retail_client(ledger: Ledger) -> Client:
    return Client(retail.create_server(ledger))


@pytest.fixture
def call() -> Any:
    return call_tool


@pytest.fixture
def start() -> Any:
    return start_server
