"""What Confirmo needs around it: the embedded Temporal server, tuned as it is shipped, and a tool server."""

import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from benchmarks.process import Measured, measured
from benchmarks.tool_process import TOOL_COMMAND
from confirmo.worker.embedded import server_command
from confirmo.worker.processes import child, free_port, until_listening

START_SECONDS = 30.0
IN_PROCESS_CONCURRENCY = 50
PAYLOADS = "payloads"


@asynccontextmanager
async def temporal(folder: Path) -> AsyncIterator[None]:
    """Run a Temporal server on a file, with a payload store beside it.

    What connects through the environment finds both, in this process and in those that it starts.
    """
    port, log = free_port(), folder / "temporal.log"
    async with child(server_command(port, free_port(), folder / "temporal.db"), log=log):
        await until_listening(port, "Temporal", START_SECONDS, log)
        os.environ["TEMPORAL_ADDRESS"] = f"127.0.0.1:{port}"
        os.environ["CONFIRMO_PAYLOAD_STORE"] = f"dir:{folder / PAYLOADS}"
        yield


@asynccontextmanager
async def tool_server(folder: Path) -> AsyncIterator[str]:
    """Run the trivial MCP server in a process of its own and yield its endpoint."""
    port, log = free_port(), folder / "tools.log"
    async with child([*TOOL_COMMAND, str(port)], log=log):
        await until_listening(port, "tool server", START_SECONDS, log)
        yield f"http://127.0.0.1:{port}/mcp"


@asynccontextmanager
async def confirmo(
    folder: Path,
    concurrency: int = IN_PROCESS_CONCURRENCY,
    endpoint: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> AsyncIterator[Measured]:
    """Run Confirmo's client and worker in a process of their own."""
    command = [sys.executable, "-m", "benchmarks.peers.confirmo_peer", str(concurrency)]
    command += [endpoint] if endpoint else []
    async with measured(command, folder / "confirmo.log", environ) as process:
        yield process
