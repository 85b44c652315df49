"""A call that comes again finds its transaction."""

import asyncio
import uuid
from dataclasses import replace

import pytest
from mcp.shared.exceptions import MCPError

from confirmo.client.mcp_face.caller import Caller
from confirmo.client.mcp_face.repeats import Repeats
from confirmo.policies.access import Anyone
from confirmo.policies.models import Actor
from confirmo.policies.snapshot import transaction_id_for
from harness import until
from harness.shop import F2


async def test_the_callers_request_id_finds_the_same_transaction_in_any_session(face, loja):
    shown, meta = await face(), {"confirmo/request_id": uuid.uuid4().hex}
    ids = set()
    for _ in range(2):
        async with shown.connect() as client:
            told = (await client.call_tool(*F2, meta=meta)).structured_content
            ids.add(told["transaction_id"])
    assert ids == {transaction_id_for("default", meta["confirmo/request_id"])}
    async with shown.connect() as client:
        given = {"transaction_id": told["transaction_id"], "digest": told["confirmation"]["digest"]}
        await client.call_tool("transaction_confirm", given)
        again = await client.call_tool(*F2, meta=meta)
        other = await client.call_tool(F2[0], {"encomenda_ids": ["ENC-1"]}, meta=meta)
        bad = await client.call_tool(*F2, meta={"confirmo/request_id": 7})
    assert again.structured_content["status"] == "COMPLETED"
    assert (other.is_error, bad.is_error) == (True, True)
    assert len(loja.called(F2[0])) == 1


async def test_the_same_call_of_a_session_is_the_same_transaction_while_it_is_open(face):
    shown = await face()
    async with shown.connect() as client:
        first = (await client.call_tool(*F2)).structured_content["transaction_id"]
        assert (await client.call_tool(*F2)).structured_content["transaction_id"] == first
        other = await client.call_tool(F2[0], {"encomenda_ids": ["ENC-1"]})
        assert other.structured_content["transaction_id"] != first
        await client.call_tool("transaction_reject", {"transaction_id": first})
        assert (await client.call_tool(*F2)).structured_content["transaction_id"] != first
    async with shown.connect() as client:
        assert (await client.call_tool(*F2)).structured_content["transaction_id"] != first


async def test_a_call_that_outlives_the_clients_timeout_is_not_done_twice(face, loja):
    gate = asyncio.Event()

    async def slowly(_call):
        await gate.wait()
        return {"success": True}

    loja.on[F2[0]] = slowly
    shown = await face(policies={F2[0]: {"require_confirmation": False}})
    async with shown.connect() as client:
        with pytest.raises(MCPError, match=r"(?i)timed? ?out"):
            await client.call_tool(*F2, read_timeout_seconds=1)
        await until(lambda: bool(loja.called(F2[0])))
        gate.set()
        (run,) = [
            each async for each in shown.desk.client.list_workflows(f'TaskQueue="{shown.desk.task_queue}"')
        ]
        await shown.client.result(run.id)
        again = await client.call_tool(*F2)
    assert again.structured_content["result"] is not None
    assert len(loja.called(F2[0])) == 1


async def test_over_http_without_a_session_only_a_request_id_tells_a_repeated_call(face, mode):
    shown = await face()
    async with shown.over_http() as url, shown.connect(to=url) as client:
        ids = {(await client.call_tool(*F2)).structured_content["transaction_id"] for _ in range(2)}
        assert len(ids) == (1 if mode == "legacy" else 2)


def test_the_oldest_calls_are_forgotten_first():
    repeats = Repeats(limit=2)
    ana = Caller("t", Actor(id="ana"), Anyone.REQUESTER, verified=True)
    first, second, _third = (repeats.request_id(ana, "s", name, {}) for name in "abc")
    assert repeats.request_id(ana, "s", "b", {}) == second
    assert repeats.request_id(ana, "s", "a", {}) != first
    assert repeats.request_id(ana, None, "b", {}) != repeats.request_id(ana, None, "b", {})
    assert repeats.request_id(replace(ana, actor=Actor(id="beto")), "s", "b", {}) != second
