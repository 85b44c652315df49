"""One worker process, from its files and settings to its polite end."""

import asyncio
import contextlib
import gc
import logging
import os
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from temporalio.client import Client
from temporalio.worker import Worker

from confirmo.policies.catalog import load_catalog
from confirmo.policies.tool_spec import Catalog
from confirmo.worker.building import build_workers, tool_servers
from confirmo.worker.connection import connect
from confirmo.worker.counting import begin_at_zero, telling_who_waits
from confirmo.worker.errors import ConfigurationError
from confirmo.worker.health import serve_health
from confirmo.worker.queues import running
from confirmo.worker.ready import ReadyInfo, write_ready_file
from confirmo.worker.settings import Settings
from confirmo.worker.setup import has_search_attributes, mark_encrypted
from confirmo.worker.sink import load_settings
from confirmo.workflows.encryption import encrypts

_logger = logging.getLogger("confirmo.worker")


def load_or_fail(config: Path, environ: Mapping[str, str]) -> Catalog:
    """Return the catalogue of a directory. Raises ``ConfigurationError`` with every problem."""
    loaded = load_catalog(config, environ)
    if loaded.catalog is None or loaded.errors:
        raise ConfigurationError(loaded.errors)
    for warning in loaded.warnings:
        _logger.warning("%s:%s: %s", warning.file, warning.line or "", warning.message)
    return loaded.catalog


def _collect_less_often() -> None:
    """Let the garbage collector look at new objects less often.

    A set of ten thousand makes a hundred thousand objects that stay: with Python's defaults they are looked through
    again and again while they are decoded.
    """
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)


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
            if encrypts(client.data_converter):
                await mark_encrypted(client, workers[0].task_queue)
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
