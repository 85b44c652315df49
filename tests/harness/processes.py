"""What is left of processes, from /proc."""

import asyncio
import os
from collections.abc import Iterable


async def gone(pids: Iterable[int]) -> None:
    """Wait until none of these processes is left; bounded."""
    async with asyncio.timeout(30):
        while any(os.path.exists(f"/proc/{pid}") and not _zombie(pid) for pid in pids):
            await asyncio.sleep(0.05)


def _zombie(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True
