"""Running all trials: a Temporal server that is gone afterwards, a simulated tool server, and three workers."""

import asyncio
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from temporalio.client import WorkflowFailureError

from confirmo.policies.example_arguments import NoExample, example_arguments
from confirmo.policies.models import OperationType
from confirmo.policies.tool_spec import Catalog, ToolSpec
from confirmo.worker.embedded import reached, server_command
from confirmo.worker.processes import child, free_port, until_listening
from confirmo.worker.verification.guarantees import GUARANTEES, Bench, Fall, crash
from confirmo.worker.verification.report import Finding, Report
from confirmo.worker.verification.simulated import SimulatedServer
from confirmo.worker.verification.workers import HASTY_SECONDS, simulated, working
from confirmo.workflows.converter import data_converter

START_SECONDS = 30.0
TRIAL_SECONDS = 90.0
AT_ONCE = 8
QUEUE, HASTY, FRAGILE = "verify", "verify-hasty", "verify-fragile"


async def verify(
    catalog: Catalog, given: Mapping[str, Mapping[str, Any]], only: Sequence[str] = ()
) -> Report:
    """Try every guarantee on every tool that acts or asks.

    Args:
        catalog: The user's; its servers are never spoken to.
        given: Arguments by tool, where made up ones would not do.
        only: Names of tools; empty means all.

    Raises:
        ServerUnavailable: The Temporal server could not be started.
    """
    tools, skipped = _chosen(catalog, only)
    arguments, findings = _arguments(tools, given)
    async with AsyncExitStack() as stack:
        if arguments:
            bench = await _open(stack, catalog, len(arguments))
            findings += await _try_all(bench, catalog, arguments)
    places = {name: number for number, name in enumerate(catalog.tools)}
    order = {name: number for number, name in enumerate(GUARANTEES)}
    findings.sort(key=lambda finding: (places[finding.tool], order.get(finding.guarantee, 0)))
    return Report(tuple(findings), tuple(skipped))


def _chosen(catalog: Catalog, only: Sequence[str]) -> tuple[list[ToolSpec], list[tuple[str, str]]]:
    wanted = [tool for name, tool in catalog.tools.items() if not only or name in only]
    acting = [tool for tool in wanted if _acts(tool)]
    skipped = [
        (
            tool.name,
            "it is disabled" if not tool.enabled else f"it is {tool.operation_type.value} and asks nothing",
        )
        for tool in wanted
        if not _acts(tool)
    ]
    return acting, skipped


def _acts(tool: ToolSpec) -> bool:
    asks = tool.operation_type is OperationType.TRANSACTIONAL or tool.require_confirmation
    return tool.enabled and asks


def _arguments(
    tools: Sequence[ToolSpec], given: Mapping[str, Mapping[str, Any]]
) -> tuple[dict[str, dict[str, Any]], list[Finding]]:
    made: dict[str, dict[str, Any]] = {}
    findings: list[Finding] = []
    for tool in tools:
        try:
            made[tool.name] = example_arguments(tool, given.get(tool.name))
        except NoExample as problem:
            findings.append(Finding(tool.name, next(iter(GUARANTEES)), "not_run", str(problem)))
    return made, findings


async def _open(stack: AsyncExitStack, catalog: Catalog, trials: int) -> Bench:
    folder = Path(
        stack.enter_context(
            tempfile.TemporaryDirectory(prefix="confirmo-verify-", ignore_cleanup_errors=True)
        )
    )
    address = await stack.enter_async_context(_temporal(folder))
    client = await reached(address, data_converter, START_SECONDS)
    server = SimulatedServer(catalog)
    await stack.enter_async_context(server.running())
    as_it_is = simulated(catalog, server.endpoint)
    await stack.enter_async_context(working(client, QUEUE, as_it_is))
    await stack.enter_async_context(
        working(client, HASTY, simulated(catalog, server.endpoint, HASTY_SECONDS))
    )
    file = folder / "catalog.json"
    file.write_text(as_it_is.model_dump_json())
    fragile = await stack.enter_async_context(_fragile(address, file))

    async def kill() -> None:
        fragile.kill()
        await fragile.wait()
        await stack.enter_async_context(working(client, FRAGILE, as_it_is))

    return Bench(client, server, QUEUE, HASTY, FRAGILE, Fall(trials, kill))


@asynccontextmanager
async def _temporal(folder: Path) -> AsyncIterator[str]:
    port, log = free_port(), folder / "temporal.log"
    async with child(server_command(port, free_port(), None), log=log):
        await until_listening(port, "The Temporal server", START_SECONDS, log)
        yield f"127.0.0.1:{port}"


@asynccontextmanager
async def _fragile(address: str, catalog: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    command = [sys.executable, "-m", "confirmo.worker.verification.fragile", address, FRAGILE, str(catalog)]
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _try_all(bench: Bench, catalog: Catalog, arguments: Mapping[str, dict[str, Any]]) -> list[Finding]:
    slots = asyncio.Semaphore(AT_ONCE)

    async def one(name: str, word: str) -> Finding:
        # All that wait for the worker's death must be under way together.
        if GUARANTEES[word] is crash:
            return await _try(bench, catalog.tools[name], word, arguments[name])
        async with slots:
            return await _try(bench, catalog.tools[name], word, arguments[name])

    return list(await asyncio.gather(*(one(name, word) for name in arguments for word in GUARANTEES)))


async def _try(bench: Bench, tool: ToolSpec, word: str, arguments: dict[str, Any]) -> Finding:
    try:
        async with asyncio.timeout(TRIAL_SECONDS):
            verdict, what = await GUARANTEES[word](bench, tool, dict(arguments))
    except TimeoutError:
        return Finding(tool.name, word, "broken", f"it did not end within {TRIAL_SECONDS:g} s")
    except WorkflowFailureError as failure:
        return Finding(tool.name, word, "broken", f"the workflow failed: {failure.cause}")
    return Finding(tool.name, word, verdict, what)
