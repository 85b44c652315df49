"""Where the parts meet: the catalogue, the tool servers, the activities and the workflow in one worker."""

import asyncio
import contextlib
import logging
import os
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

from temporalio.client import Client
from temporalio.worker import UnsandboxedWorkflowRunner, Worker, WorkflowRunner

from confirmo.activities.confirm_signal import ConfirmSignal
from confirmo.activities.execute_item import ExecuteItem
from confirmo.activities.execute_items import ExecuteItems
from confirmo.activities.late_answers import LateAnswers
from confirmo.activities.prevalidate import Prevalidate
from confirmo.activities.resolve_policy import ResolvePolicy
from confirmo.activities.run_auxiliary import RunAuxiliary
from confirmo.activities.tools import ToolServers
from confirmo.policies.catalog import load_catalog
from confirmo.policies.tool_spec import Catalog
from confirmo.worker.connection import connect
from confirmo.worker.errors import ConfigurationError
from confirmo.worker.health import serve_health
from confirmo.worker.ready import ReadyInfo, write_ready_file
from confirmo.worker.settings import Settings
from confirmo.worker.setup import has_search_attributes
from confirmo.workflows import TransactionWorkflow

_logger = logging.getLogger("confirmo.worker")

RUNNER = UnsandboxedWorkflowRunner()
"""The sandbox costs about a fifth of a transaction's CPU time.

What it would find is found earlier: ruff bans clocks and chance in the workflow's folder, the tests run the workflow in
the strict sandbox, and every recorded history is replayed.
"""


STICKY_TIMEOUT = timedelta(seconds=2)
"""A yes that reaches a lost worker's own queue waits this long before another worker gets it; histories are short."""

HEARTBEAT_THROTTLE = timedelta(seconds=1)
"""The SDK would hold heartbeats back for eight seconds, and with them what a lost slice had recorded and a cancel."""


def load_or_fail(config: Path, environ: Mapping[str, str]) -> Catalog:
    """Return the catalogue of a directory. Raises ``ConfigurationError`` with every problem."""
    loaded = load_catalog(config, environ)
    if loaded.catalog is None or loaded.errors:
        raise ConfigurationError(loaded.errors)
    for warning in loaded.warnings:
        _logger.warning("%s:%s: %s", warning.file, warning.line or "", warning.message)
    return loaded.catalog


def longest_attempt(catalog: Catalog) -> timedelta:
    """Return how long a call under way may take at most, so that a polite stop can wait for it."""
    seconds = [tool.execution.timeout_seconds for tool in catalog.tools.values()]
    return timedelta(seconds=max(seconds, default=30.0) + 10)


def build_worker(
    client: Client,
    catalog: Catalog,
    servers: ToolServers,
    settings: Settings,
    *,
    search_attributes: bool,
    task_queue: str | None = None,
    max_cached_workflows: int = 1000,
    workflow_runner: WorkflowRunner = RUNNER,
) -> Worker:
    """Return a worker that runs transactions of this catalogue."""
    policy = ResolvePolicy(
        task_queue=task_queue or settings.task_queue,
        catalog=catalog,
        search_attributes=search_attributes,
        item_activities=settings.item_activities,
        slice_items=settings.slice_items,
        max_items=settings.max_items,
        heartbeat_seconds=settings.heartbeat_seconds,
    )
    graceful = settings.graceful_shutdown_seconds
    late = LateAnswers()
    return Worker(
        client,
        task_queue=task_queue or settings.task_queue,
        workflows=[TransactionWorkflow],
        activities=[
            policy.resolve_policy,
            Prevalidate(servers).prevalidate,
            ConfirmSignal(settings.webhook_url, settings.webhook_headers).confirm_signal,
            ExecuteItem(servers, late).execute_item,
            ExecuteItems(servers, late).execute_items,
            RunAuxiliary(servers, late).run_auxiliary,
        ],
        workflow_runner=workflow_runner,
        max_cached_workflows=max_cached_workflows,
        sticky_queue_schedule_to_start_timeout=STICKY_TIMEOUT,
        max_concurrent_activities=settings.max_concurrent_activities,
        max_heartbeat_throttle_interval=HEARTBEAT_THROTTLE,
        graceful_shutdown_timeout=longest_attempt(catalog)
        if graceful is None
        else timedelta(seconds=graceful),
    )


@asynccontextmanager
async def running_worker(client: Client, catalog: Catalog, settings: Settings) -> AsyncIterator[Worker]:
    """Run a worker for the length of the block; it stops politely, then its tool servers are closed."""
    servers = ToolServers(catalog.servers)
    try:
        attributes = await has_search_attributes(client)
        async with build_worker(client, catalog, servers, settings, search_attributes=attributes) as worker:
            yield worker
    finally:
        await servers.aclose()


async def run_worker(
    config: Path, *, ready_file: Path | None, health_port: int | None, wait_seconds: float
) -> None:
    """Run a worker until SIGINT or SIGTERM.

    Raises:
        ConfigurationError: The files cannot be used.
        ServerUnavailable: Temporal did not answer within ``wait_seconds``, or the health port is taken.
    """
    catalog = load_or_fail(config, os.environ)
    settings = Settings()
    client = await connect(wait_seconds=wait_seconds)
    stop = stop_event()
    async with contextlib.AsyncExitStack() as stack:
        worker = await stack.enter_async_context(running_worker(client, catalog, settings))
        if health_port is not None:
            await stack.enter_async_context(serve_health(health_port, client, worker))
        if ready_file is not None:
            write_ready_file(ready_file, ReadyInfo.of(client, worker.task_queue))
        await stop.wait()


def stop_event() -> asyncio.Event:
    """Return an event that SIGINT and SIGTERM set."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    return stop
