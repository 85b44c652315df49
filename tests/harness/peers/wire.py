"""Between a test and a peer: one JSON document a line. Runs in the environment of the peer, on the standard library."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any


async def openings() -> AsyncIterator[dict[str, Any]]:
    """Yield what a client is told at its beginning: where the face is, and what its user will say."""
    while line := await asyncio.to_thread(sys.stdin.readline):
        yield json.loads(line)
        print(json.dumps({"closed": True}), flush=True)


async def serve(answer: Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]) -> None:
    """Answer one line after the other, until one says that this client is over."""
    while line := await asyncio.to_thread(sys.stdin.readline):
        if (asked := json.loads(line))["do"] == "close":
            return
        print(json.dumps(await answer(asked)), flush=True)
