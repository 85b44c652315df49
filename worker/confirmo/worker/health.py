"""``GET /healthz`` and ``GET /readyz``: 200 or 503. Ready means that the server lists this worker among its pollers."""

import asyncio
import contextlib
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from temporalio.api.enums.v1 import TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.client import Client
from temporalio.service import RPCError
from temporalio.worker import Worker

from confirmo.worker.errors import ServerUnavailable
from confirmo.worker.http_serving import serving_http

_CHECK_SECONDS = 2.0
_FIRST_SECONDS = 0.25
_FRESH_SECONDS = 6.0
"""Older than this, a successful check no longer counts; well inside the promised fifteen seconds."""


class _Readiness:
    def __init__(self, client: Client, worker: Worker) -> None:
        self._client = client
        self._worker = worker
        self._seen = float("-inf")

    @property
    def ready(self) -> bool:
        return self._worker.is_running and time.monotonic() - self._seen < _FRESH_SECONDS

    async def watch(self) -> None:
        while True:
            with contextlib.suppress(RPCError):
                if await self._polls():
                    self._seen = time.monotonic()
            await asyncio.sleep(_CHECK_SECONDS if self.ready else _FIRST_SECONDS)

    async def _polls(self) -> bool:
        answer = await self._client.workflow_service.describe_task_queue(
            DescribeTaskQueueRequest(
                namespace=self._client.namespace,
                task_queue=TaskQueue(name=self._worker.task_queue),
                task_queue_type=TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
            ),
            timeout=timedelta(seconds=_CHECK_SECONDS),
        )
        return any(poller.identity == self._client.identity for poller in answer.pollers)


@asynccontextmanager
async def serve_health(port: int, client: Client, worker: Worker) -> AsyncIterator[None]:
    """Serve both endpoints for the length of the block. Raises ``ServerUnavailable`` where the port is taken."""
    readiness = _Readiness(client, worker)

    async def healthz(_request: Request) -> JSONResponse:
        return _answer(worker.is_running)

    async def readyz(_request: Request) -> JSONResponse:
        return _answer(readiness.ready)

    try:
        listener = socket.create_server(("0.0.0.0", port))
    except OSError:
        raise ServerUnavailable(f"Port {port} is taken. Choose another --health-port.") from None
    app = Starlette(routes=[Route("/healthz", healthz), Route("/readyz", readyz)])
    watching = asyncio.create_task(readiness.watch())
    try:
        async with serving_http(app, listener):
            yield
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)


def _answer(good: bool) -> JSONResponse:
    return JSONResponse({"ok": good}, status_code=200 if good else 503)
