"""Between a test and a peer: one JSON document a line. Runs in the environment of the peer, on the standard library."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any


def opening() -> dict[str, Any]:
    """Return the first line: where the face is, and what its user will say."""
    return json.loads(sys.stdin.readline())


async def serve(answer: Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]) -> None:
    """Answer one line after the other, until there is none."""
    while line := await asyncio.to_thread(sys.stdin.readline):
        print(json.dumps(await answer(json.loads(line))), flush=True)
