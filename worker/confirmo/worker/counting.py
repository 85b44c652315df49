"""What a worker counts beside its transactions: zeros to begin with, and how many of all transactions wait."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta

from temporalio.client import Client
from temporalio.common import MetricMeter
from temporalio.runtime import Runtime
from temporalio.service import RPCError

from confirmo.policies.baselines import baselines
from confirmo.policies.measures import AWAITING
from confirmo.policies.models import Status
from confirmo.policies.names import SEARCH_STATUS, TRANSACTION_WORKFLOW
from confirmo.policies.tool_spec import ToolSpec

EVERY = timedelta(seconds=15)
_CALL = timedelta(seconds=5)


def begin_at_zero(client: Client, task_queue: str, tools: Mapping[str, ToolSpec]) -> None:
    """Expose the counters that alerts look at before anything is counted, as the workflow's own series."""
    own = {"namespace": client.namespace, "task_queue": task_queue, "workflow_type": TRANSACTION_WORKFLOW}
    meter = _meter(client).with_additional_attributes(own)
    for measure in baselines(tools):
        meter.create_counter(measure.metric.name, measure.metric.help).add(0, measure.labels)


def _meter(client: Client) -> MetricMeter:
    return (client.service_client.config.runtime or Runtime.default()).metric_meter


async def awaiting_confirmation(client: Client, task_queue: str) -> int:
    """Return how many open transactions of a task queue wait for a yes. The search attributes have to be there."""
    query = (
        f'{SEARCH_STATUS} = "{Status.AWAITING_CONFIRMATION.value}" AND ExecutionStatus = "Running" '
        f'AND TaskQueue = "{task_queue}"'
    )
    return (await client.count_workflows(query, rpc_timeout=_CALL)).count


@asynccontextmanager
async def telling_who_waits(client: Client, task_queue: str, every: timedelta = EVERY) -> AsyncIterator[None]:
    """Keep the gauge fresh for the length of the block. Each worker tells the same number: take the highest."""
    gauge = _meter(client).create_gauge(AWAITING.name, AWAITING.help)

    async def tell() -> None:
        while True:
            with contextlib.suppress(RPCError):
                gauge.set(await awaiting_confirmation(client, task_queue), {"task_queue": task_queue})
            await asyncio.sleep(every.total_seconds())

    task = asyncio.create_task(tell())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
