"""Restate: a workflow with a durable promise in between, one ``ctx.run`` per item, gathered in windows of 500.

Called with the ports of the server's ingress and admin interfaces, and a port for the service. A window bounds the
entries of the journal that are open at once; more at a time is slower and repeats more after a kill.
"""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import restate
from hypercorn.asyncio import serve as serve_asgi
from hypercorn.config import Config

from benchmarks.peers.protocol import Begin, Finish, act, serve

WINDOW = 500
workflow = restate.Workflow("Transaction")


async def execute(item: str) -> dict[str, Any]:
    return act(item)


@workflow.main()
async def run(ctx: restate.WorkflowContext, items: list[str]) -> list[dict[str, Any]]:
    await ctx.promise("question").resolve(len(items))
    assert await ctx.promise("confirm").value()
    results: list[dict[str, Any]] = []
    for start in range(0, len(items), WINDOW):
        calls = [ctx.run_typed(item, execute, item=item) for item in items[start : start + WINDOW]]
        await restate.gather(*calls)
        results += [await call for call in calls]
    return results


@workflow.handler()
async def question(ctx: restate.WorkflowSharedContext) -> int:
    return await ctx.promise("question").value()


@workflow.handler()
async def confirm(ctx: restate.WorkflowSharedContext) -> None:
    await ctx.promise("confirm").resolve(True)


async def registered(admin: str, port: str, client: httpx.AsyncClient) -> None:
    """Tell the server where the service is, as soon as both answer."""
    async with asyncio.timeout(60):
        while True:
            with contextlib.suppress(httpx.HTTPError):
                body = {"uri": f"http://127.0.0.1:{port}"}
                answer = await client.post(f"http://127.0.0.1:{admin}/deployments", json=body)
                if answer.is_success:
                    return
            await asyncio.sleep(0.2)


@asynccontextmanager
async def engine() -> AsyncIterator[tuple[Begin, Finish]]:
    ingress, admin, port = sys.argv[1:4]
    config = Config()
    config.bind = [f"127.0.0.1:{port}"]
    config.h2_max_concurrent_streams = 2**20
    config.keep_alive_timeout = 3600
    stop = asyncio.Event()
    serving = asyncio.create_task(serve_asgi(restate.app([workflow]), config, shutdown_trigger=stop.wait))
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{ingress}", timeout=600) as client:
        await registered(admin, port, client)

        async def call(path: str, body: Any = None) -> Any:
            answer = await client.post(path, json=body) if body is not None else await client.post(path)
            answer.raise_for_status()
            return answer.json() if answer.content else None

        async def begin(name: str, items: list[str]) -> Any:
            await call(f"/Transaction/{name}/run/send", items)
            assert await call(f"/Transaction/{name}/question") == len(items)
            return name

        async def finish(name: Any) -> int:
            await call(f"/Transaction/{name}/confirm")
            answer = await client.get(f"/restate/workflow/Transaction/{name}/attach")
            answer.raise_for_status()
            return sum(entry["success"] for entry in answer.json())

        yield begin, finish
        stop.set()
        await serving


if __name__ == "__main__":
    serve(engine, "restate-sdk")
