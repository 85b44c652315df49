"""LangGraph: a graph with an interrupt, then supersteps of 500 items, each item a task of its own (``Send``).

Called with the path of a SQLite file or the address of a PostgreSQL database. Durability is ``sync``. A task's result
is handed to a writer in the background, and nobody waits for it before the superstep ends: with all items in one
superstep, or with tasks of the functional API, a kill after 3,000 of 5,000 items left next to none of them on record.
So the supersteps are windows, as with Restate, and at most one of them is in doubt. With ``exit`` nothing at all would
be kept before the end.
"""

import operator
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send, interrupt

from benchmarks.peers.protocol import Begin, Finish, act, serve

WINDOW = 500
POOL = 4


class State(TypedDict):
    items: list[str]
    results: Annotated[list[dict[str, Any]], operator.add]


class OneItem(TypedDict):
    item: str


async def ask(state: State) -> dict[str, Any]:
    assert interrupt({"question": len(state["items"])})
    return {}


async def execute(state: OneItem) -> dict[str, Any]:
    return {"results": [act(state["item"])]}


async def window(_state: State) -> dict[str, Any]:
    """Between two windows: their results are on record now."""
    return {}


def following(state: State) -> list[Send] | str:
    done = len(state["results"])
    items = state["items"][done : done + WINDOW]
    return [Send("execute", {"item": item}) for item in items] or END


def graph_with(checkpointer: Any) -> Any:
    graph = StateGraph(State)
    for name, node in (("ask", ask), ("execute", execute), ("window", window)):
        graph.add_node(name, node)
    graph.add_edge(START, "ask")
    graph.add_conditional_edges("ask", following, ["execute", END])
    graph.add_edge("execute", "window")
    graph.add_conditional_edges("window", following, ["execute", END])
    return graph.compile(checkpointer=checkpointer)


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
        graph = graph_with(checkpointer)

        async def begin(name: str, items: list[str]) -> Any:
            # Two supersteps a window, and some to begin and end.
            config = {"configurable": {"thread_id": name}, "recursion_limit": 10 + 2 * len(items) // WINDOW}
            asked = await graph.ainvoke({"items": items, "results": []}, config, durability="sync")
            assert asked["__interrupt__"][0].value == {"question": len(items)}
            return config

        async def finish(config: Any) -> int:
            state = await graph.ainvoke(Command(resume=True), config, durability="sync")
            return sum(entry["success"] for entry in state["results"])

        yield begin, finish


if __name__ == "__main__":
    serve(engine, "langgraph", "langgraph-checkpoint-sqlite", "langgraph-checkpoint-postgres")
