"""What Confirmo needs around it: the embedded Temporal server, tuned as it is shipped, and a tool server."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from temporalio.client import Client

from benchmarks.process import Measured, measured
from benchmarks.tool_process import TOOL_COMMAND
from confirmo.worker.connection import connect
from confirmo.worker.embedded import server_command
from confirmo.worker.processes import child, free_port, until_listening

START_SECONDS = 30.0
IN_PROCESS_CONCURRENCY = 50


@asynccontextmanager
async def temporal(folder: Path) -> AsyncIterator[str]:
    """Run a Temporal server on a file and yield its address."""
    port, log = free_port(), folder / "temporal.log"
    async with child(server_command(port, free_port(), folder / "temporal.db"), log=log):
        await until_listening(port, "Temporal", START_SECONDS, log)
        yield f"127.0.0.1:{port}"


async def client(address: str) -> Client:
    """A client of this process, connected as the worker and the command line are: through the environment."""
    os.environ["TEMPORAL_ADDRESS"] = address
    return await connect(wait_seconds=START_SECONDS)


@asynccontextmanager
async def tool_server(folder: Path) -> AsyncIterator[str]:
    """Run the trivial MCP server in a process of its own and yield its endpoint."""
    port, log = free_port(), folder / "tools.log"
    async with child([*TOOL_COMMAND, str(port)], log=log):
        await until_listening(port, "tool server", START_SECONDS, log)
        yield f"http://127.0.0.1:{port}/mcp"


@asynccontextmanager
async def confirmo(
    folder: Path, address: str, concurrency: int = IN_PROCESS_CONCURRENCY, endpoint: str | None = None
) -> AsyncIterator[Measured]:
    """Run Confirmo's client and worker in a process of their own."""
    command = [sys.executable, "-m", "benchmarks.peers.confirmo_peer", str(concurrency)]
    command += [endpoint] if endpoint else []
    async with measured(command, folder / "confirmo.log", {"TEMPORAL_ADDRESS": address}) as process:
        yield process
