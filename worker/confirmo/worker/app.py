"""Where the parts meet: the catalogue, the tool servers, the activities and the workflow in one worker."""

import asyncio
import contextlib
import gc
import logging
import os
import signal
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from temporalio.client import Client
from temporalio.worker import UnsandboxedWorkflowRunner, Worker, WorkflowRunner

from confirmo.activities.confirm_signal import ConfirmSignal
from confirmo.activities.deliver_completion import DeliverCompletion
from confirmo.activities.execute_item import ExecuteItem
from confirmo.activities.execute_items import ExecuteItems
from confirmo.activities.late_answers import LateAnswers
from confirmo.activities.prevalidate import Prevalidate
from confirmo.activities.resolve_policy import ResolvePolicy
from confirmo.activities.run_auxiliary import RunAuxiliary
from confirmo.activities.tools import ToolServers
from confirmo.policies import names
from confirmo.policies.catalog import load_catalog
from confirmo.policies.shares import queue_slots, share_of
from confirmo.policies.tool_spec import Catalog
from confirmo.worker.connection import connect
from confirmo.worker.counting import begin_at_zero, telling_who_waits
from confirmo.worker.errors import ConfigurationError
from confirmo.worker.health import serve_health
from confirmo.worker.queues import HandingOn, running
from confirmo.worker.ready import ReadyInfo, write_ready_file
from confirmo.worker.settings import Settings
from confirmo.worker.setup import has_search_attributes
from confirmo.worker.sink import load_settings, webhook_of
from confirmo.worker.tracing import worker_tracing
from confirmo.worker.versioning import deployment_of
from confirmo.workflows import DeliveryWorkflow, TransactionWorkflow
from confirmo.workflows.payload_store import stores

_logger = logging.getLogger("confirmo.worker")

RUNNER = UnsandboxedWorkflowRunner()
"""The sandbox costs CPU time in every workflow task.

What it would find is found earlier: ruff bans clocks and chance in the workflow's folder, the tests run the workflow in
the strict sandbox, and every recorded history is replayed.
"""


STICKY_TIMEOUT = timedelta(seconds=2)
"""A yes that reaches a lost worker's own queue waits this long before another worker gets it; histories are short."""

HEARTBEAT_THROTTLE = timedelta(seconds=1)
"""The SDK would hold heartbeats back for eight seconds, and with them what a lost slice had recorded and a cancel."""


ACTIVATION_SECONDS = 9.0
MAX_ITEMS = 10_000
MAX_STORED_ITEMS = 100_000
STORED_BYTES = 40_000_000
"""Of one payload in a store, and so of a set and of a result. A workflow holds them in memory."""


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


def tool_servers(catalog: Catalog, settings: Settings) -> ToolServers:
    """Return the sessions of one worker, with its share of each server's limits."""
    for server in catalog.servers.values():
        if server.max_concurrency is not None and server.max_concurrency < settings.workers:
            _logger.warning(
                "%s takes %d calls at once, and %d workers make one each at least: give it to fewer workers.",
                server.name,
                server.max_concurrency,
                settings.workers,
            )
    return ToolServers({name: share_of(spec, settings.workers) for name, spec in catalog.servers.items()})


def build_workers(
    client: Client,
    catalog: Catalog,
    servers: ToolServers,
    settings: Settings,
    *,
    search_attributes: bool,
    task_queue: str | None = None,
    max_cached_workflows: int | None = None,
    workflow_runner: WorkflowRunner = RUNNER,
    own_queues: bool = True,
) -> list[Worker]:
    """Return a worker that runs transactions of this catalogue, and one for the own queue of each of its servers.

    Without ``own_queues`` it is the first alone; the calls of servers with limits are not for it.

    Raises:
        ConfigurationError: The settings of the webhook cannot be used.
    """
    queue = task_queue or settings.task_queue
    storing = stores(client.data_converter.external_storage)
    webhook = webhook_of(settings)
    policy = ResolvePolicy(
        catalog=catalog,
        task_queue=queue,
        workers=settings.workers,
        search_attributes=search_attributes,
        item_activities=settings.item_activities,
        slice_items=settings.slice_items,
        max_items=settings.max_items or (MAX_STORED_ITEMS if storing else MAX_ITEMS),
        payload_bytes=STORED_BYTES if storing else None,
        heartbeat_seconds=settings.heartbeat_seconds,
        webhook=webhook is not None,
        completions=webhook is not None and settings.webhook_completions,
    )
    late, slots, tracing = LateAnswers(), settings.max_concurrent_activities, worker_tracing(client)
    deployment = deployment_of(settings, catalog)
    cached = settings.max_cached_workflows if max_cached_workflows is None else max_cached_workflows
    calling: list[Callable[..., Any]] = [
        Prevalidate(servers).prevalidate,
        ExecuteItem(servers, late).execute_item,
        ExecuteItems(servers, late).execute_items,
        RunAuxiliary(servers, late).run_auxiliary,
    ]
    graceful = settings.graceful_shutdown_seconds
    stopping = longest_attempt(catalog) if graceful is None else timedelta(seconds=graceful)
    delivering: list[Callable[..., Any]] = [
        ConfirmSignal(webhook).confirm_signal,
        DeliverCompletion(webhook).deliver_completion,
    ]
    transactions = Worker(
        client,
        task_queue=queue,
        workflows=[TransactionWorkflow, DeliveryWorkflow],
        activities=[policy.resolve_policy, *delivering, *calling],
        interceptors=[*tracing, HandingOn(queue, catalog.servers, slots)],
        workflow_runner=workflow_runner,
        max_cached_workflows=cached,
        sticky_queue_schedule_to_start_timeout=STICKY_TIMEOUT,
        max_concurrent_activities=slots,
        max_heartbeat_throttle_interval=HEARTBEAT_THROTTLE,
        graceful_shutdown_timeout=stopping,
        deployment_config=deployment,
    )
    _be_patient(transactions)
    # Of every server, as one whose limits were just taken out of the files may still have calls on its queue.
    return [transactions] + [
        Worker(
            client,
            task_queue=names.server_queue(queue, server.name),
            activities=calling,
            interceptors=tracing,
            max_concurrent_activities=queue_slots(share_of(server, settings.workers), slots),
            max_task_queue_activities_per_second=server.max_calls_per_second,
            max_heartbeat_throttle_interval=HEARTBEAT_THROTTLE,
            graceful_shutdown_timeout=stopping,
            deployment_config=deployment,
        )
        for server in (catalog.servers.values() if own_queues else ())
    ]


def build_worker(
    client: Client, catalog: Catalog, servers: ToolServers, settings: Settings, **options: Any
) -> Worker:
    """Return the worker of the transactions alone, for a catalogue of one server without limits."""
    return build_workers(client, catalog, servers, settings, own_queues=False, **options)[0]


def _collect_less_often() -> None:
    """Let the garbage collector look at new objects less often.

    A set of ten thousand makes a hundred thousand objects that stay: with Python's defaults they are looked through
    again and again while they are decoded.
    """
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)


def _be_patient(worker: Worker) -> None:
    """Let an activation take longer than the SDK's two seconds: ten thousand items on a busy machine do.

    There is no option for it, only "for ever" (``debug_mode``). The server's own bound of ten seconds stays above.
    """
    worker._workflow_worker._deadlock_timeout_seconds = ACTIVATION_SECONDS  # type: ignore[union-attr]


@asynccontextmanager
async def running_worker(client: Client, catalog: Catalog, settings: Settings) -> AsyncIterator[Worker]:
    """Run a worker for the length of the block; it stops politely, then its tool servers are closed.

    What it yields is the part that runs the transactions.
    """
    servers = tool_servers(catalog, settings)
    _collect_less_often()
    try:
        attributes = await has_search_attributes(client)
        workers = build_workers(client, catalog, servers, settings, search_attributes=attributes)
        async with contextlib.AsyncExitStack() as stack:
            await stack.enter_async_context(running(workers))
            if settings.metrics_port is not None:
                begin_at_zero(client, workers[0].task_queue, catalog.tools)
                if attributes:
                    await stack.enter_async_context(telling_who_waits(client, workers[0].task_queue))
            yield workers[0]
    finally:
        await servers.aclose()


async def run_worker(
    config: Path, *, ready_file: Path | None, health_port: int | None, wait_seconds: float
) -> None:
    """Run a worker until SIGINT or SIGTERM.

    Raises:
        ConfigurationError: The files or the settings cannot be used.
        ServerUnavailable: Temporal did not answer within ``wait_seconds``, or the health port is taken.
    """
    catalog = load_or_fail(config, os.environ)
    settings = load_settings()
    client = await connect(
        wait_seconds=wait_seconds,
        payload_store=settings.payload_store,
        encryption_keys=settings.encryption_keys_file,
        masked_fields=settings.masked_fields,
    )
    stop = stop_event()
    async with contextlib.AsyncExitStack() as stack:
        worker = await stack.enter_async_context(running_worker(client, catalog, settings))
        if health_port is not None:
            await stack.enter_async_context(serve_health(health_port, client, worker))
        info = ReadyInfo.of(client, worker.task_queue)
        _logger.info(
            "working: task queue %s, namespace %s at %s, build %s",
            info.task_queue,
            info.namespace,
            info.temporal_address,
            settings.build_id or "none",
        )
        if ready_file is not None:
            write_ready_file(ready_file, info)
        await stop.wait()


def stop_event() -> asyncio.Event:
    """Return an event that SIGINT and SIGTERM set."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    return stop
