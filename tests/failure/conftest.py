"""A rig of real processes for each test, around one Temporal server."""

import sys
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

sys.path.insert(0, str(Path(__file__).parent))
from rig import Rig


@pytest_asyncio.fixture(scope="session")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Rig]:
    """The Temporal server; a test that kills it starts it again."""
    folder = tmp_path_factory.mktemp("house")
    one = Rig(folder)
    await one.start_server()
    try:
        yield one
    finally:
        await gone(one)


@pytest_asyncio.fixture
async def rig(tmp_path: Path, house: Rig) -> AsyncIterator[Rig]:
    """A rig with a server, a task queue of its own, and no worker yet; what it started is gone at the end."""
    if "server" not in house.processes:
        await house.start_server()
    server = {"server": house.processes.pop("server")}
    queue = f"rig-{uuid.uuid4().hex}"
    one = Rig(tmp_path, house.folder, house.port, server, client=house.client, queue=queue)
    try:
        yield one
    finally:
        if "server" in one.processes:
            house.processes["server"] = one.processes.pop("server")
        await gone(one)


@pytest_asyncio.fixture
async def running(rig: Rig) -> Rig:
    """The same with everything running."""
    return await rig.start_all()


@pytest_asyncio.fixture
async def alone(tmp_path: Path) -> AsyncIterator[Rig]:
    """Everything running around a Temporal server of its own."""
    one = Rig(tmp_path)
    try:
        yield await one.start_all()
    finally:
        await gone(one)


async def gone(rig: Rig) -> None:
    for name in list(rig.processes):
        await rig.kill(name)
