"""What a script would do: call the tool for each item with the official MCP client, so many at once, and keep nothing.

Called with the concurrency and the endpoint of the tool server.
"""

import asyncio
import sys
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

from benchmarks.peers.protocol import Begin, Finish, serve


@asynccontextmanager
async def engine() -> AsyncIterator[tuple[Begin, Finish]]:
    concurrency = int(sys.argv[1])
    async with streamable_http_client(sys.argv[2]) as (read, write), ClientSession(read, write) as session:
        await session.initialize()

        async def begin(_name: str, items: list[str]) -> Any:
            return deque(items)

        async def finish(queue: Any) -> int:
            done = 0

            async def lane() -> None:
                nonlocal done
                while queue:
                    answer = await session.call_tool("execute", {"subjects": [queue.popleft()]})
                    done += bool((answer.structured_content or {}).get("success"))

            await asyncio.gather(*(lane() for _ in range(concurrency)))
            return done

        yield begin, finish


if __name__ == "__main__":
    serve(engine, "mcp", here=False)
