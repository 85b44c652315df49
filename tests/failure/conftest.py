"""A rig of real processes for each test."""

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

sys.path.insert(0, str(Path(__file__).parent))
from rig import Rig


@pytest_asyncio.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    """A rig with nothing running yet; everything it started is gone at the end."""
    one = Rig(tmp_path)
    try:
        yield one
    finally:
        for name in list(one.processes):
            await one.kill(name)


@pytest_asyncio.fixture
async def running(rig: Rig) -> Rig:
    """The same with everything running."""
    await asyncio.gather(rig.start_server(), rig.start_tools("contas"), rig.start_tools("retail"))
    await rig.start_worker()
    return rig
