"""Commands as processes of their own, bounded, and ended at the end of a test."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest_asyncio

from harness.forking import CONFIRMO, command

BOUND = 60.0


@dataclass
class Command:
    """A running ``confirmo`` command."""

    process: asyncio.subprocess.Process
    ready_file: Path

    async def ready(self) -> dict[str, Any]:
        async with asyncio.timeout(BOUND):
            while not self.ready_file.exists():
                if self.process.returncode is not None:
                    out, err = await self.process.communicate()
                    raise AssertionError(
                        f"ended with {self.process.returncode}: {(out + err).decode()[-2000:]}"
                    )
                await asyncio.sleep(0.02)
        return json.loads(self.ready_file.read_text())

    async def ended(self) -> tuple[int, str, str]:
        async with asyncio.timeout(BOUND):
            out, err = await self.process.communicate()
        assert self.process.returncode is not None
        return self.process.returncode, out.decode(), err.decode()

    def send(self, number: int) -> None:
        self.process.send_signal(number)


@dataclass
class Commands:
    """Starts commands."""

    folder: Path
    started: list[Command] = field(default_factory=list)

    async def start(self, *arguments: str, as_itself: bool = False, **environ: str) -> Command:
        """Start one; ``as_itself`` where its own process id, and those below, are looked at."""
        ready = self.folder / f"ready-{len(self.started)}.json"
        with_ready = ["--ready-file", str(ready)] if arguments[0] in ("dev", "worker") else []
        own = [sys.executable, "-m", "confirmo.client.main", *arguments]
        begin = own if as_itself else command(CONFIRMO, *arguments)
        process = await asyncio.create_subprocess_exec(
            *begin,
            *with_ready,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=os.environ | environ,
        )
        started = Command(process, ready)
        self.started.append(started)
        return started

    async def run(self, *arguments: str, **environ: str) -> tuple[int, str, str]:
        return await (await self.start(*arguments, **environ)).ended()


@pytest_asyncio.fixture
async def commands(tmp_path: Path) -> AsyncIterator[Commands]:
    one = Commands(tmp_path)
    try:
        yield one
    finally:
        for command in one.started:
            if command.process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    command.send(signal.SIGTERM)
                await command.ended()


def descendants(pid: int) -> set[int]:
    """Process ids below ``pid``, from /proc."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, IndexError):
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(entry.name))
    found: set[int] = set()
    todo = [pid]
    while todo:
        for child in children.get(todo.pop(), []):
            found.add(child)
            todo.append(child)
    return found


@pytest_asyncio.fixture
async def family() -> Callable[[int], set[int]]:
    """The processes below a process."""
    return descendants
