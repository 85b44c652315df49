"""Task queues of single tool servers: Temporal itself keeps what a server takes, over all workers."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from temporalio.client import Client
from temporalio.worker import PollerBehaviorAutoscaling, Worker

from confirmo.policies import names
from confirmo.policies.tool_spec import ServerSpec


def server_workers(client: Client, servers: Sequence[ServerSpec], task_queue: str, activities: Sequence[Callable[..., Any]], slots: int, graceful: timedelta, throttle: timedelta) -> list[Worker]:
    return [
        Worker(
            client,
            task_queue=names.server_queue(task_queue, server.name),
            activities=activities,
            max_concurrent_activities=slots,
            max_task_queue_activities_per_second=server.max_calls_per_second,
            activity_task_poller_behavior=PollerBehaviorAutoscaling(minimum=1, maximum=20, initial=5),
            max_heartbeat_throttle_interval=throttle,
            graceful_shutdown_timeout=graceful,
        )
        for server in servers
    ]
