"""How the benchmark talks with a measured process: one JSON object a line, in on stdin and out on stdout.

Standard library only, because every engine imports it in an environment of its own. The process ends with its standard
input, so none is left behind, not even by a killed benchmark.
"""

import asyncio
import json
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from importlib.metadata import version
from pathlib import Path
from typing import Any

EFFECTS: Counter[str] = Counter()
"""How often each item of this process was acted on: the trivial effect, and the proof that it happened."""

Begin = Callable[[str, list[str]], Awaitable[Any]]
"""Starts a transaction and returns when its question is there; what it returns goes to the second step."""
Finish = Callable[[Any], Awaitable[int]]
"""Says yes, waits for the result, and returns how many items it reports as done."""
Engine = Callable[[], AbstractAsyncContextManager[tuple[Begin, Finish]]]


def act(item: str) -> dict[str, Any]:
    """The effect that all engines have."""
    EFFECTS[item] += 1
    return {"subject": item, "success": True}


def ids_of(count: int) -> list[str]:
    """The items of one transaction."""
    return [str(100_000 + number) for number in range(count)]


def peak_memory() -> int:
    """The most resident memory that this process has had, in KiB, or 0 where the kernel does not tell."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0)


async def measured(begin: Begin, finish: Finish, name: str, count: int, *, here: bool) -> dict[str, Any]:
    """One transaction from start to result.

    An item that is not reported as done is an error, and where the effects happen ``here``, in this process, also one
    that was not acted on exactly once.
    """
    items = ids_of(count)
    EFFECTS.clear()
    cpu, started = time.process_time(), time.perf_counter()
    question = await begin(name, items)
    asked = time.perf_counter()
    done = await finish(question)
    ended = time.perf_counter()
    once = sum(EFFECTS[item] == 1 for item in items)
    if done != count or (here and not once == EFFECTS.total() == count):
        raise RuntimeError(f"{count} items: {done} reported, {once} acted on once, {EFFECTS.total()} effects")
    return {
        "start": asked - started,
        "confirm": ended - asked,
        "cpu": time.process_time() - cpu,
        "peak_kib": peak_memory(),
    }


def private_answers() -> Callable[..., None]:
    """What writes answers; whatever else is printed from here on goes to standard error."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def say(**answer: Any) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    return say


def questions() -> "asyncio.Queue[dict[str, Any]]":
    """What is asked on standard input; its end ends this process at once, whatever an engine is still waiting for."""
    queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def read() -> None:
        for line in sys.stdin:
            loop.call_soon_threadsafe(queue.put_nowait, json.loads(line))
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    return queue


def serve(engine: Engine, *packages: str, here: bool = True) -> None:
    """Run an engine until standard input ends."""
    say = private_answers()

    async def main() -> None:
        asked = questions()
        async with engine() as (begin, finish):
            say(ready=True, versions={name: version(name) for name in packages})
            while True:
                question = await asked.get()
                try:
                    say(**await measured(begin, finish, question["name"], question["items"], here=here))
                except Exception as error:
                    say(error=f"{type(error).__name__}: {str(error)[:300]}")

    try:
        asyncio.run(main())
    except Exception as error:
        say(error=f"{type(error).__name__}: {str(error)[:300]}")
        raise
