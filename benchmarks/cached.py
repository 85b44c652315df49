"""What a transaction costs that a worker keeps in memory, and what it costs to look at one that had to go.

``python -m benchmarks.cached`` opens transactions that wait for their yes, and reads the memory of its own process, in
which the worker is. Each size has a process of its own.
"""

import asyncio
import gc
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path

from temporalio.client import Client

from benchmarks import stage
from benchmarks.history import door
from confirmo.client import TransactionClient
from confirmo.policies.models import TransactionRequest
from confirmo.worker.connection import connect
from confirmo.worker.settings import Settings

SIZES = {3: (100, 300), 100: (100, 300), 2_000: (20, 60)}
"""Items of each transaction, and how many of them are opened before the first and the second look."""
LOOKS = 20


def memory_kb() -> int:
    """Return the resident memory of this process."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))


async def opened(door: TransactionClient, items: int, count: int) -> list[str]:
    """Open transactions and leave them waiting."""
    subjects = [f"I-{number:05}" for number in range(items)]
    request = TransactionRequest(tool_name="execute", arguments={"subjects": subjects})
    return [(await door.start(request)).transaction_id for _ in range(count)]


async def looked_at(door: TransactionClient, transaction_ids: list[str]) -> float:
    """Return the median of the milliseconds until a state is there."""
    took = []
    for transaction_id in transaction_ids:
        began = time.perf_counter()
        await door.state(transaction_id)
        took.append((time.perf_counter() - began) * 1000)
    return statistics.median(took)


async def measured(client: Client, items: int) -> list[str]:
    """Return the line of one size."""
    few, many = SIZES[items]
    settings = Settings(max_cached_workflows=many)
    async with door(client, settings) as here:
        known = await opened(here, items, few)
        gc.collect()
        before = memory_kb()
        known += await opened(here, items, many - few)
        gc.collect()
        each = (memory_kb() - before) / (many - few)
        kept = await looked_at(here, known[-LOOKS:])
    async with door(client, Settings(max_cached_workflows=1)) as here:
        evicted = await opened(here, items, LOOKS)
        rebuilt = await looked_at(here, evicted)
    return [f"{items:,}", f"{each:,.0f}", f"{kept:.0f}", f"{rebuilt:.0f}"]


async def one(items: int) -> None:
    """Print the line of one size."""
    client = await connect(wait_seconds=30, payload_store=os.environ["CONFIRMO_PAYLOAD_STORE"])
    sys.stdout.write("| " + " | ".join(await measured(client, items)) + " |\n")


async def main() -> None:
    """Print the table."""
    head = [
        "items",
        "KB each in the cache",
        "state of one in the cache, ms",
        "state of one that had to go, ms",
    ]
    sys.stdout.write("| " + " | ".join(head) + " |\n|" + "---|" * len(head) + "\n")
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        await stack.enter_async_context(stage.temporal(Path(folder)))
        for items in SIZES:
            command = [sys.executable, "-m", "benchmarks.cached", str(items)]
            done = await asyncio.to_thread(
                subprocess.run, command, capture_output=True, text=True, check=True
            )
            sys.stdout.write(done.stdout)


if __name__ == "__main__":
    asyncio.run(one(int(sys.argv[1])) if len(sys.argv) > 1 else main())
    sys.stdout.flush()
    os._exit(0)
