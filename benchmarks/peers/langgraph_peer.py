"""LangGraph: an entrypoint of the functional API with an interrupt, one task per item, gathered in windows.

Called with the path of a SQLite file or the address of a PostgreSQL database. Durability is ``sync``: with ``exit``
nothing is kept before the end, so no item is durable on its own.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from langgraph.func import entrypoint, task
from langgraph.types import Command, interrupt

from benchmarks.peers.protocol import Begin, Finish, act, serve

WINDOW = 500
POOL = 4


@task
async def execute(item: str) -> dict[str, Any]:
    return act(item)


async def transaction(items: list[str]) -> list[dict[str, Any]]:
    assert interrupt({"question": len(items)})
    results: list[dict[str, Any]] = []
    for start in range(0, len(items), WINDOW):
        results += await asyncio.gather(*(execute(item) for item in items[start : start + WINDOW]))
    return results


@asynccontextmanager
async def saver(address: str) -> AsyncIterator[Any]:
    if address.startswith("postgresql"):
        from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
        from psycopg.rows import dict_row
        from psycopg_pool import AsyncConnectionPool

        options: dict[str, Any] = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
        async with AsyncConnectionPool(address, min_size=POOL, max_size=POOL, kwargs=options) as pool:
            postgres = AsyncPostgresSaver(pool)
            await postgres.setup()
            yield postgres
        return
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    async with AsyncSqliteSaver.from_conn_string(address) as sqlite:
        await sqlite.setup()  # journal_mode=WAL
        await sqlite.conn.execute("PRAGMA synchronous=NORMAL")
        yield sqlite


@asynccontextmanager
async def engine() -> AsyncIterator[tuple[Begin, Finish]]:
    async with saver(sys.argv[1]) as checkpointer:
        graph = entrypoint(checkpointer=checkpointer)(transaction)

        async def begin(name: str, items: list[str]) -> Any:
            config = {"configurable": {"thread_id": name}}
            asked = await graph.ainvoke(items, config, durability="sync")
            assert asked["__interrupt__"][0].value == {"question": len(items)}
            return config

        async def finish(config: Any) -> int:
            results = await graph.ainvoke(Command(resume=True), config, durability="sync")
            return sum(entry["success"] for entry in results)

        yield begin, finish


if __name__ == "__main__":
    serve(engine, "langgraph", "langgraph-checkpoint-sqlite", "langgraph-checkpoint-postgres")
