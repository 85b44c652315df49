"""Lists of tools: pages, and lists without end."""

import itertools

import pytest

from confirmo.activities.tools import ListNeverEnds
from confirmo.policies.errors import CallFailureKind


def pages(raw, tools, size):
    async def answer(wire):
        start = int(wire.request.message.get("params", {}).get("cursor", 0))
        following = {"nextCursor": str(start + size)} if start + size < len(tools) else {}
        await wire.result({"tools": tools[start : start + size], **following})

    raw.on["tools/list"] = answer


async def test_op_08_a_list_in_pages_is_whole(raw, connect, helpers):
    pages(raw, [helpers.tool(f"t{number}") for number in range(60)], 50)
    tools = await connect(raw.endpoint).servers.tools("s")
    assert [tool.name for tool in tools] == [f"t{number}" for number in range(60)]
    assert raw.count("tools/list") == 2


async def test_op_09_a_cursor_that_comes_again_ends_the_list(raw, connect, helpers):
    tools = [helpers.tool(f"t{number}") for number in range(8)]
    raw.on["tools/list"] = lambda wire: wire.result({"tools": tools, "nextCursor": "p1"})
    caller = connect(raw.endpoint)
    for _ in range(2):
        with pytest.raises(ListNeverEnds, match="'s', list: the list of tools never ends") as caught:
            await caller.servers.tools("s")
        assert len(caught.value.tools) == 8
    assert raw.count("tools/list") == 2


@pytest.mark.parametrize("new_tools", [False, True])
async def test_op_09_a_cursor_that_never_ends_is_cut(raw, connect, helpers, new_tools):
    counter = itertools.count()

    async def answer(wire):
        number = next(counter)
        name = f"t{number}" if new_tools else "t"
        await wire.result({"tools": [helpers.tool(name)], "nextCursor": f"p{number}"})

    raw.on["tools/list"] = answer
    with pytest.raises(ListNeverEnds) as caught:
        await connect(raw.endpoint).servers.tools("s")
    assert len(caught.value.tools) == (200 if new_tools else 1)
    assert raw.count("tools/list") == (200 if new_tools else 4)


async def test_a_list_is_asked_for_once_per_session(raw, connect):
    caller = connect(raw.endpoint)
    assert await caller.servers.tools("s") == await caller.servers.tools("s")
    assert raw.count("tools/list") == 1
    raw.on["tools/call"] = lambda wire: wire.reply(404)
    await caller.fail()
    await caller.servers.tools("s")
    assert raw.count("tools/list") == 2


async def test_a_listing_keeps_schema_and_hints_and_survives_what_is_out_of_shape(raw, connect, helpers):
    annotations = {"readOnlyHint": True, "idempotentHint": False, "destructiveHint": "no"}
    good = helpers.tool("t", description="d", annotations=annotations, outputSchema={"type": "object"})
    raw.on["tools/list"] = lambda wire: wire.result(
        {"tools": [good, {"name": 7}, "x", {"name": "bare"}, helpers.tool("t", description="twice")]}
    )
    first, bare = await connect(raw.endpoint).servers.tools("s")
    assert (first.description, first.input_schema, first.output_schema) == (
        "d",
        {"type": "object"},
        {"type": "object"},
    )
    assert (first.read_only_hint, first.idempotent_hint, first.destructive_hint) == (True, False, None)
    assert (bare.name, bare.input_schema) == ("bare", None)


async def test_a_server_that_lists_nothing_gives_no_tools(raw, connect):
    raw.on["tools/list"] = lambda wire: wire.error(-32601, "Method not found")
    assert await connect(raw.endpoint).servers.tools("s") == ()


@pytest.mark.parametrize("status", [500, 202])
async def test_a_list_that_fails_is_never_doubt(raw, connect, status):
    raw.on["tools/list"] = lambda wire: wire.reply(status)
    with pytest.raises(Exception, match="'s', list: ") as caught:
        await connect(raw.endpoint).servers.tools("s")
    assert caught.value.kind is CallFailureKind.UNREACHABLE
