"""Where the parts meet: the activities, the workflows, and the tool servers, in workers for their task queues."""

import logging
from collections.abc import Callable, Mapping
from datetime import timedelta
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
from confirmo.activities.webhook import Webhook
from confirmo.policies import names
from confirmo.policies.shares import queue_slots, share_of
from confirmo.policies.tool_spec import Catalog
from confirmo.worker.queues import HandingOn
from confirmo.worker.settings import Settings
from confirmo.worker.sink import webhook_of
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
    queue, slots = task_queue or settings.task_queue, settings.max_concurrent_activities
    webhook = webhook_of(settings)
    policy = _policy(client, catalog, settings, queue, webhook, search_attributes=search_attributes)
    calling, shared, tracing = _calling(servers), _shared(catalog, settings), worker_tracing(client)
    transactions = Worker(
        client,
        task_queue=queue,
        workflows=[TransactionWorkflow, DeliveryWorkflow],
        activities=[policy.resolve_policy, *_delivering(webhook), *calling],
        interceptors=[*tracing, HandingOn(queue, catalog.servers, slots)],
        workflow_runner=workflow_runner,
        max_cached_workflows=settings.max_cached_workflows
        if max_cached_workflows is None
        else max_cached_workflows,
        sticky_queue_schedule_to_start_timeout=STICKY_TIMEOUT,
        max_concurrent_activities=slots,
        **shared,
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
            **shared,
        )
        for server in (catalog.servers.values() if own_queues else ())
    ]


def build_worker(
    client: Client, catalog: Catalog, servers: ToolServers, settings: Settings, **options: Any
) -> Worker:
    """Return the worker of the transactions alone, for a catalogue of one server without limits."""
    return build_workers(client, catalog, servers, settings, own_queues=False, **options)[0]


def _policy(
    client: Client,
    catalog: Catalog,
    settings: Settings,
    queue: str,
    webhook: Webhook | None,
    *,
    search_attributes: bool,
) -> ResolvePolicy:
    storing = stores(client.data_converter.external_storage)
    return ResolvePolicy(
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


def _calling(servers: ToolServers) -> list[Callable[..., Any]]:
    """Return the activities that call tools."""
    late = LateAnswers()
    return [
        Prevalidate(servers).prevalidate,
        ExecuteItem(servers, late).execute_item,
        ExecuteItems(servers, late).execute_items,
        RunAuxiliary(servers, late).run_auxiliary,
    ]


def _delivering(webhook: Webhook | None) -> list[Callable[..., Any]]:
    """Return the activities that tell the agent runtime something."""
    return [ConfirmSignal(webhook).confirm_signal, DeliverCompletion(webhook).deliver_completion]


def _shared(catalog: Catalog, settings: Settings) -> Mapping[str, Any]:
    """Return the options that all workers of one process share."""
    graceful = settings.graceful_shutdown_seconds
    return {
        "max_heartbeat_throttle_interval": HEARTBEAT_THROTTLE,
        "graceful_shutdown_timeout": longest_attempt(catalog)
        if graceful is None
        else timedelta(seconds=graceful),
        "deployment_config": deployment_of(settings, catalog),
    }


def _be_patient(worker: Worker) -> None:
    """Let an activation take longer than the SDK's two seconds: ten thousand items on a busy machine do.

    There is no option for it, only "for ever" (``debug_mode``). The server's own bound of ten seconds stays above.
    """
    worker._workflow_worker._deadlock_timeout_seconds = ACTIVATION_SECONDS  # type: ignore[union-attr]
