"""DBOS: one workflow per transaction, one asynchronous step per item, gathered in windows.

Called with the address of the system database. Steps of one workflow are the lightest that DBOS has: one write each.
A queue with a workflow per item, its other idiom, writes three times as often and is slower here.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import sqlalchemy
from dbos import DBOS, DBOSConfig, SetWorkflowID

from benchmarks.peers.protocol import Begin, Finish, act, serve

WINDOW = 100
POOL = 20


@DBOS.step()
async def execute(item: str) -> dict[str, Any]:
    return act(item)


@DBOS.workflow()
async def transaction(items: list[str]) -> list[dict[str, Any]]:
    await DBOS.set_event_async("question", len(items))
    assert await DBOS.recv_async("confirm", timeout_seconds=3600)
    results: list[dict[str, Any]] = []
    for start in range(0, len(items), WINDOW):
        results += await asyncio.gather(*(execute(item) for item in items[start : start + WINDOW]))
    return results


def tuned(address: str) -> sqlalchemy.Engine:
    """SQLite with a log written ahead and no sync per commit, as ours; PostgreSQL with a pool that is large enough."""
    if not address.startswith("sqlite"):
        return sqlalchemy.create_engine(address, pool_size=POOL, max_overflow=0)
    engine = sqlalchemy.create_engine(address, connect_args={"check_same_thread": False}, pool_size=POOL)

    @sqlalchemy.event.listens_for(engine, "connect")
    def pragmas(connection: Any, _record: Any) -> None:
        connection.isolation_level = "IMMEDIATE"
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "busy_timeout=30000", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")

    return engine


@asynccontextmanager
async def engine() -> AsyncIterator[tuple[Begin, Finish]]:
    address = sys.argv[1]
    config: DBOSConfig = {
        "name": "bench",
        "system_database_url": address,
        "system_database_engine": tuned(address),
        "log_level": "ERROR",
        # How soon a message is seen where there is no LISTEN/NOTIFY; the default of a second is for idle systems.
        "notification_listener_polling_interval_sec": 0.001,
        "notification_coalesce_sec": 0.001,
    }
    DBOS(config=config)
    DBOS.launch()

    async def begin(name: str, items: list[str]) -> Any:
        with SetWorkflowID(name):
            handle = await DBOS.start_workflow_async(transaction, items)
        assert await DBOS.get_event_async(name, "question", timeout_seconds=60) == len(items)
        return name, handle

    async def finish(question: Any) -> int:
        name, handle = question
        await DBOS.send_async(name, True, "confirm")
        return sum(entry["success"] for entry in await handle.get_result())

    yield begin, finish


if __name__ == "__main__":
    serve(engine, "dbos")
