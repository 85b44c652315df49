"""The SDK's own server over every transport: what holds for all of them."""

import asyncio
import sys
from contextlib import asynccontextmanager
from typing import Any

import pytest_asyncio
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import ToolAnnotations

from confirmo.policies.errors import CallFailureKind
from confirmo.policies.tool_spec import ServerSpec

KEY = "confirmo/idempotency_key"
SCRIPT = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location("sdk_server", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
module.build().run("stdio")
"""


def build() -> MCPServer:
    server = MCPServer("sdk")

    @server.tool(annotations=ToolAnnotations(read_only_hint=True))
    async def echo(value: int, ctx: Context[Any]) -> dict[str, Any]:
        """Give back what came."""
        meta = ctx.request_context.meta or {}
        return {"value": value, "key": meta.get("confirmo/idempotency_key")}

    @server.tool()
    async def refuse() -> str:
        """Say no."""
        raise ValueError("contrato bloqueado")

    @server.tool()
    async def wait() -> str:
        """Never end."""
        await asyncio.Event().wait()
        return ""

    return server


@asynccontextmanager
async def streamable(serve):
    async with serve(build().streamable_http_app()) as port:
        yield ServerSpec(name="s", endpoint=f"http://127.0.0.1:{port}/mcp")


@asynccontextmanager
async def streamable_json(serve):
    async with serve(build().streamable_http_app(json_response=True, stateless_http=True)) as port:
        yield ServerSpec(name="s", endpoint=f"http://127.0.0.1:{port}/mcp")


@asynccontextmanager
async def sse(serve):
    async with serve(build().sse_app()) as port:
        yield ServerSpec(name="s", transport="sse", endpoint=f"http://127.0.0.1:{port}/sse")


@asynccontextmanager
async def stdio(_serve):
    yield ServerSpec(name="s", transport="stdio", command=sys.executable, args=("-c", SCRIPT, __file__))


@pytest_asyncio.fixture(params=[streamable, streamable_json, sse, stdio], ids=lambda start: start.__name__)
async def caller(request, serve, make_caller):
    async with request.param(serve) as spec, make_caller(spec) as caller:
        yield caller


async def test_a_call_a_refusal_a_timeout_and_a_list_over_every_transport(caller):
    big = 9007199254740993
    answer = await caller.servers.call(
        "s", "echo", {"value": big}, meta={KEY: "cfm_1"}, idempotency_key="cfm_1", timeout=10
    )
    assert answer.structured == {"value": big, "key": "cfm_1"}
    assert answer.is_error is False

    answers = await asyncio.gather(*(caller.call("echo", value=number) for number in range(20)))
    assert [answer.structured["value"] for answer in answers] == list(range(20))

    assert (await caller.call("refuse")).is_error

    neighbour = asyncio.create_task(caller.fail("wait", timeout=0.3))
    assert (await caller.call("echo", value=1)).structured["value"] == 1
    assert (await neighbour).kind is CallFailureKind.DOUBT

    first, *_ = tools = await caller.servers.tools("s")
    assert {tool.name for tool in tools} == {"echo", "refuse", "wait"}
    assert first.read_only_hint is True
    assert first.input_schema["required"] == ["value"]


async def test_a_server_that_was_restarted_is_found_again(serve, make_caller):
    first, second = build().streamable_http_app(), build().streamable_http_app()
    apps = [first]

    async def app(scope, receive, send):
        await apps[-1](scope, receive, send)

    async with (
        first.router.lifespan_context(first),
        second.router.lifespan_context(second),
        serve(lifespanless(app)) as port,
        make_caller(ServerSpec(name="s", endpoint=f"http://127.0.0.1:{port}/mcp")) as caller,
    ):
        await caller.call("echo", value=1)
        apps.append(second)
        assert (await caller.call("echo", value=2)).structured["value"] == 2


def lifespanless(app):
    async def inner(scope, receive, send):
        if scope["type"] == "lifespan":
            await receive()
            await send({"type": "lifespan.startup.complete"})
            await receive()
            await send({"type": "lifespan.shutdown.complete"})
        else:
            await app(scope, receive, send)

    return inner
