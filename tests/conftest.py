"""One real Temporal server for the whole session."""

import gc
import logging
import os
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from harness import forking, guard
from harness.s3 import S3Server, s3_server
from harness.scheduling import Together, group_of
from harness.temporal import temporal_server
from harness.tool_server import ToolServer

# Rewriting every module's asserts anew costs each worker five seconds; processes that tests start compile nothing anew.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
HERE = Path(__file__).parent
HISTORIES = HERE / "replay" / "histories"
WAITING = (
    "failure/",
    "worker/test_dev",
    "worker/test_encrypting",
    "activities/tools/test_backpressure",
    "workflows/test_limits",
)
"""Tests that wait for timeouts, rates or the start of processes most of their time."""


def pytest_configure(config: pytest.Config) -> None:
    """Nothing that this run starts outlives it, however it ends."""
    watching = guard.start()

    def end() -> None:
        watching.communicate(timeout=60)

    config.add_cleanup(end)
    config.add_cleanup(forking.stop)
    if config.getoption("numprocesses", None) and not hasattr(config, "workerinput"):
        forking.start()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Together:
    """Keep together what shares something costly."""
    return Together(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order them so that no processor waits, and no long test is left alone at the end.

    What belongs together comes first, what mostly waits is spread among what mostly computes, and rules come last.
    """
    together, waiting, computing, last = [], [], [], []
    for item in items:
        place = item.path.relative_to(HERE).as_posix()
        if group_of(item.nodeid):
            together.append(item)
        elif place.startswith(WAITING):
            waiting.append(item)
        else:
            (last if place.startswith("policies/") else computing).append(item)
    apart = max(1, len(computing) // (len(waiting) + 1))
    spread = []
    for number, item in enumerate(computing):
        if number % apart == 0 and waiting:
            spread.append(waiting.pop(0))
        spread.append(item)
    items[:] = [*together, *spread, *waiting, *last]


def pytest_collection_finish() -> None:
    """Collect garbage like a worker: what was imported and collected stays, and is not looked through again."""
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)


@pytest_asyncio.fixture(scope="session")
async def temporal() -> AsyncIterator[WorkflowEnvironment]:
    """The server of all tests of this process."""
    async with temporal_server() as environment:
        yield environment


@pytest_asyncio.fixture(scope="session")
async def client(temporal: WorkflowEnvironment) -> Client:
    """A client of that server."""
    return temporal.client


@pytest_asyncio.fixture
async def tools() -> AsyncIterator[ToolServer]:
    """A scriptable MCP tool server over streamable HTTP."""
    async with ToolServer().running() as server:
        yield server


@pytest_asyncio.fixture(scope="session")
async def s3(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[S3Server]:
    """A server that speaks S3."""
    async with s3_server(tmp_path_factory.mktemp("s3")) as server:
        yield server


LEVELS = ("", "confirmo", "confirmo.client", "temporalio.workflow", "temporalio.activity")
"""Loggers that a command sets up for its process; a test may run one in its own."""


@pytest.fixture(autouse=True)
def kept_levels() -> Iterator[None]:
    """Leave the levels of the loggers, and what makes their records, as they were."""
    factory = logging.getLogRecordFactory()
    before = {name: logging.getLogger(name).level for name in LEVELS}
    yield
    for name, level in before.items():
        logging.getLogger(name).setLevel(level)
    logging.setLogRecordFactory(factory)
