"""Processes that are measured: started, asked over their pipes, and gone with the block or with this process."""

import asyncio
import contextlib
import json
import os
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
START_SECONDS = 90.0
LINE_BYTES = 2**20


class Failed(Exception):
    """An engine did not do what it was asked; the text says what it said."""


@dataclass
class Measured:
    """One running engine (``benchmarks/peers/protocol.py``)."""

    process: asyncio.subprocess.Process
    versions: dict[str, str]

    async def transact(self, items: int, seconds: float, name: str | None = None) -> dict[str, Any]:
        """One transaction of that many items; raises ``Failed``, also where it takes longer than ``seconds``."""
        question = {"name": name or f"tx-{uuid.uuid4().hex}", "items": items}
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(question).encode() + b"\n")
        return await answer(self.process, seconds)


async def answer(process: asyncio.subprocess.Process, seconds: float) -> dict[str, Any]:
    """The next line that a process says."""
    assert process.stdout is not None
    try:
        async with asyncio.timeout(seconds):
            line = await process.stdout.readline()
    except TimeoutError:
        raise Failed(f"no answer within {seconds:.0f} s") from None
    if not line:
        raise Failed("it ended without a word")
    said: dict[str, Any] = json.loads(line)
    if "error" in said:
        raise Failed(said["error"])
    return said


@asynccontextmanager
async def measured(
    command: list[str], log: Path, environ: Mapping[str, str] | None = None
) -> AsyncIterator[Measured]:
    """Start an engine, wait until it is ready, and end it with the block."""
    path = os.pathsep.join(part for part in (str(ROOT), os.environ.get("PYTHONPATH", "")) if part)
    with log.open("ab") as errors:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
            env=os.environ | {"PYTHONPATH": path} | dict(environ or {}),
            limit=LINE_BYTES,
        )
    try:
        ready = await answer(process, START_SECONDS)
        yield Measured(process, ready["versions"])
    finally:
        assert process.stdin is not None
        process.stdin.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(5):
                await process.wait()
        if process.returncode is None:
            process.kill()
            await process.wait()
