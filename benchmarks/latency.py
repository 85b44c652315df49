"""A transaction against a workflow that one would write by hand, on the same server, worker process and sessions.

Start to question and confirm to result, in turns; then a closed loop of clients, in turns, with the CPU time of
everything but the tool server per transaction.
"""

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import yaml
from temporalio.client import Client, WithStartWorkflowOperation
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.worker import Worker

from benchmarks import stage
from benchmarks.handwritten import Bare, Handwritten, HandwrittenActivities, nothing
from benchmarks.ours import connected
from benchmarks.report import Report, ratio, shown, spread
from confirmo.activities.tools import ToolServers
from confirmo.policies import names
from confirmo.policies.catalog import load_texts
from confirmo.policies.tool_spec import Catalog
from confirmo.worker.building import build_worker
from confirmo.worker.settings import Settings

GOAL = 1.2
ITEMS = 10
Once = Callable[[int], Awaitable[tuple[float, float]]]


@dataclass
class Side:
    """One of the two, and what was measured of it: per items, seconds to the question and to the result."""

    once: Once
    start: dict[int, list[float]] = field(default_factory=dict)
    confirm: dict[int, list[float]] = field(default_factory=dict)
    each: list[float] = field(default_factory=list)
    """Seconds of a closed loop per transaction."""
    cpu: list[float] = field(default_factory=list)
    server_cpu: list[float] = field(default_factory=list)

    @property
    def whole_cpu(self) -> list[float]:
        """CPU seconds per transaction, the server's included."""
        return [sum(pair) for pair in zip(self.cpu, self.server_cpu, strict=True)]

    async def sample(self, items: int) -> None:
        start, confirm = await self.once(items)
        self.start.setdefault(items, []).append(start)
        self.confirm.setdefault(items, []).append(confirm)

    async def loop(self, clients: int, each: int) -> None:
        """A closed loop: every client begins its next transaction when its last one is over."""

        async def client() -> None:
            for _ in range(each):
                await self.once(ITEMS)

        done = clients * each
        began, cpu, server = time.perf_counter(), time.process_time(), server_cpu()
        await asyncio.gather(*(client() for _ in range(clients)))
        self.each.append((time.perf_counter() - began) / done)
        self.cpu.append((time.process_time() - cpu) / done)
        self.server_cpu.append((server_cpu() - server) / done)


def server_cpu() -> float:
    """CPU seconds of the Temporal server that this process started."""
    children = psutil.Process().children(recursive=True)
    times = [child.cpu_times() for child in children if child.name() == "temporal"]
    return sum(spent.user + spent.system for spent in times)


def catalog_of(endpoint: str) -> Catalog:
    """One tool with a validator that resolves the items."""
    subject = {"mcp_server": "bench", "args_schema": {"subject": "string"}}
    act = {
        "requires": ["subject"],
        "pre_validation": {"enabled": True, "tool": "check"},
        "execution": {"effect": "idempotent", "max_concurrency": ITEMS},
    }
    policies = {"act": act, "check": {"operation_type": "internal"}}
    texts = {
        "tools.yaml": {
            "tools": {"act": subject | {"tool_type": "action"}, "check": subject | {"tool_type": "internal"}}
        },
        "tool_policies.yaml": {"version": 1, "tool_policies": policies},
        "mcp_servers.yaml": {"servers": {"bench": {"endpoint": endpoint}}},
    }
    loaded = load_texts({name: yaml.safe_dump(text).encode() for name, text in texts.items()}, {})
    assert loaded.catalog is not None, loaded.errors
    return loaded.catalog


async def confirmo_once(client: Client, items: int) -> tuple[float, float]:
    """One transaction: seconds from start to question, and from confirm to result."""
    request = {"tool_name": "act", "arguments": {"subject": str(items)}}
    operation = _operation(names.TRANSACTION_WORKFLOW, request, f"tx-{uuid.uuid4().hex}", "ours")
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


async def handwritten_once(client: Client, items: int) -> tuple[float, float]:
    """The same by hand."""
    operation = _operation("Handwritten", {"subject": str(items)}, f"hw-{uuid.uuid4().hex}", "theirs")
    started = time.perf_counter()
    await client.execute_update_with_start_workflow("question", start_workflow_operation=operation)
    asked = time.perf_counter()
    handle = await operation.workflow_handle()
    await handle.execute_update("confirm")
    assert len(await handle.result()) == items
    return asked - started, time.perf_counter() - asked


async def bare_once(client: Client, items: int) -> tuple[float, float]:
    """The least that a yes and as many activities take."""
    operation = _operation("Bare", items, f"bare-{uuid.uuid4().hex}", "theirs")
    started = time.perf_counter()
    await client.execute_update_with_start_workflow("question", start_workflow_operation=operation)
    asked = time.perf_counter()
    handle = await operation.workflow_handle()
    await handle.execute_update("confirm")
    assert await handle.result() == items
    return asked - started, time.perf_counter() - asked


def _operation(workflow: str, argument: Any, id: str, queue: str) -> Any:
    policy = WorkflowIDConflictPolicy.USE_EXISTING
    return WithStartWorkflowOperation(workflow, argument, id=id, task_queue=queue, id_conflict_policy=policy)


async def run(folder: Path, rounds: int, clients: int, loops: int, each: int) -> Report:
    """Measure both, in turns."""
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(stage.temporal(folder))
        endpoint = await stack.enter_async_context(stage.tool_server(folder))
        client = await connected()
        catalog = catalog_of(endpoint)
        servers = ToolServers(catalog.servers)
        stack.push_async_callback(servers.aclose)
        by_hand = HandwrittenActivities(servers)
        await stack.enter_async_context(
            build_worker(client, catalog, servers, Settings(), search_attributes=True, task_queue="ours")
        )
        activities = [by_hand.validate, by_hand.deliver, by_hand.execute, nothing]
        await stack.enter_async_context(
            Worker(client, task_queue="theirs", workflows=[Handwritten, Bare], activities=activities)
        )
        ours = Side(lambda items: confirmo_once(client, items))
        theirs = Side(lambda items: handwritten_once(client, items))
        bare = Side(lambda items: bare_once(client, items))
        for side in (ours, theirs, bare, ours, theirs, bare):
            await side.once(ITEMS)
        for items in (1, ITEMS):
            for _ in range(rounds):
                for side in (ours, theirs, bare):
                    await side.sample(items)
        for _ in range(loops):
            await ours.loop(clients, each)
            await theirs.loop(clients, each)
    return _report(ours, theirs, bare, clients)


def _report(ours: Side, theirs: Side, bare: Side, clients: int) -> Report:
    report = Report("Against a hand-written workflow")
    measured = [
        ("start → question, 1 item", ours.start[1], theirs.start[1]),
        ("confirm → result, 1 item", ours.confirm[1], theirs.confirm[1]),
        (f"start → question, {ITEMS} items", ours.start[ITEMS], theirs.start[ITEMS]),
        (f"confirm → result, {ITEMS} items", ours.confirm[ITEMS], theirs.confirm[ITEMS]),
        (f"closed loop of {clients} clients, per transaction", ours.each, theirs.each),
        ("CPU per transaction, with the Temporal server", ours.whole_cpu, theirs.whole_cpu),
        ("of that, worker and client", ours.cpu, theirs.cpu),
    ]
    rows = [(what, spread(a), spread(b), shown(ratio(a, b))) for what, a, b in measured]
    report.table(("what, ms: median (least–most)", "Confirmo", "hand-written", "ratio"), rows)
    least = [(f"{items} × nothing", spread(bare.confirm[items])) for items in (1, ITEMS)]
    report.table(("the least on this server, confirm → result, ms: median (least–most)", ""), least)
    for what, a, b in measured[2:6]:
        report.at_most(f"{what}, to a hand-written workflow", ratio(a, b), GOAL)
    return report
