"""Stopping: before a question was answered, and while effects may have begun."""

import asyncio

import pytest

from confirmo.worker.settings import Settings
from harness import Page, refusal, until
from harness.shop import F1, F2

SET = "encerrar_assinaturas"
WAYS = ["update", "signal", "temporal"]


async def cancel(tx, way):
    if way == "temporal":
        await tx.handle.cancel()
    elif way == "signal":
        await tx.signal("cancel", {"reason": "desisti"})
    else:
        return await tx.update("cancel", {"reason": "desisti"})
    return None


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("arguments", [F1[1], {}])
async def test_a_cancel_before_the_yes_executes_nothing(desk, loja, way, arguments):
    tx = await (await desk()).start(SET, arguments)
    state = await cancel(tx, way)
    result = await tx.result()
    assert (result["transaction_status"], result["reason_code"]) == ("CANCELLED", "cancelled")
    assert result["result"] == {"status": "CANCELLED", "output": {}}
    if way == "temporal":
        assert result["reason"] == "A operação foi cancelada."
    else:
        assert result["reason"] == "desisti"
    if state is not None:
        assert state["result"] == result
    assert (await tx.event_names())[-1] == "CANCELLED"
    assert loja.called(SET) == []
    assert (await tx.handle.describe()).status.name == "COMPLETED"


async def test_a_cancel_of_another_shape_is_refused(desk):
    tx = await (await desk()).start(*F1)
    for shape in ("now", ["x"], {"reason": 7}, {"actor": "ana"}, {"actor": {}}):
        assert (await refusal(tx.update("cancel", shape))).type == "InvalidArguments", shape
    assert (await tx.state())["status"] == "AWAITING_CONFIRMATION"


def blocking(loja, tool, outcome=None):
    """The tool's first call is held until the returned event is set."""
    going, first = asyncio.Event(), []

    async def slow(_call):
        if not first:
            first.append(True)
            await going.wait()
        return outcome or {"success": True}

    loja.on[tool] = slow
    return going


@pytest.mark.parametrize("cached", [1000, 0])
@pytest.mark.parametrize("way", WAYS)
async def test_a_cancel_while_executing_sends_no_new_item_and_keeps_the_evidence(desk, loja, way, cached):
    going = blocking(loja, SET)
    open_desk = await desk(policies={SET: {"execution": {"max_concurrency": 1}}}, max_cached_workflows=cached)
    tx = await open_desk.start(*F1)
    await tx.confirm()
    await until(lambda: loja.called(SET))
    state = await cancel(tx, way)
    if state is not None:
        assert state["status"] == "EXECUTING"
    if way != "temporal":
        await tx.signal("cancel", {"reason": "outra vez"})
    going.set()
    result = await tx.result()
    assert (result["transaction_status"], result["reason_code"]) == ("COMPLETED", "cancelled")
    assert result["reason"] == ("A operação foi cancelada." if way == "temporal" else "desisti")
    assert result["multi_item_status"] == "PARTIAL_SUCCESS"
    entries = result["result"]["output"][SET]["results"]
    assert [(e["outcome"], e.get("reason"), e["attempts"]) for e in entries] == [
        ("SUCCEEDED", None, 1),
        ("FAILED", "not_executed", 0),
        ("FAILED", "not_executed", 0),
    ]
    assert [e.get("reason_code") for e in entries[1:]] == ["not_executed", "not_executed"]
    assert result["metadata"]["needs_review"] is False
    assert len(loja.called(SET)) == 1
    events = await tx.event_names()
    assert events[-2:] == ["CANCELLED", "COMPLETED"]
    assert events.count("ITEM_COMPLETED") == 1
    assert (await tx.state())["progress"]["items_failed_count"] == 2


async def test_a_cancel_while_executing_ends_failed_where_nothing_succeeded(desk, loja):
    going = blocking(loja, SET, {"success": False, "reason": "fidelidade"})
    tx = await (await desk(policies={SET: {"execution": {"max_concurrency": 1}}})).start(*F1)
    await tx.confirm()
    await until(lambda: loja.called(SET))
    await cancel(tx, "update")
    going.set()
    result = await tx.result()
    assert (result["transaction_status"], result["reason_code"]) == ("FAILED", "cancelled")
    assert (result["ok"], result["multi_item_status"]) == (False, "FAILED")
    reasons = [entry["reason"] for entry in result["result"]["output"][SET]["results"]]
    assert reasons == ["fidelidade", "not_executed", "not_executed"]


@pytest.mark.parametrize("way", WAYS)
async def test_a_whole_call_in_flight_ends_as_it_ends(desk, loja, way):
    going = asyncio.Event()

    async def slow(call):
        await going.wait()
        return {"results": [{"id": each, "success": True} for each in call.arguments["encomenda_ids"]]}

    loja.on[F2[0]] = slow
    tx = await (await desk()).start(*F2)
    await tx.confirm()
    await until(lambda: loja.called(F2[0]))
    await cancel(tx, way)
    going.set()
    result = await tx.result()
    assert (result["transaction_status"], result["reason_code"]) == ("COMPLETED", "cancelled")
    assert result["multi_item_status"] == "SUCCESS"
    assert len(loja.called(F2[0])) == 1


@pytest.mark.parametrize("effect", ["keyed", "unsafe"])
async def test_a_cancel_stops_a_slice_and_waits_for_what_is_in_flight(desk, loja, effect):
    going = asyncio.Event()

    async def slow(_call):
        await going.wait()
        return {"success": True}

    loja.on[F2[0]] = slow
    open_desk = await desk(
        policies={F2[0]: {"execution": {"call": "per_item", "max_concurrency": 3, "effect": effect}}},
        settings=Settings(item_activities=2, heartbeat_seconds=1),
    )
    tx = await open_desk.start(F2[0], {"encomenda_ids": [f"ENC-{number}" for number in range(12)]})
    await tx.confirm()
    await until(lambda: len(loja.called(F2[0])) == 3)
    await cancel(tx, "update")
    # The slice learns of the cancel with its next heartbeat; what is in flight ends after that.
    released = asyncio.get_running_loop().call_later(0 if effect == "unsafe" else 1.2, going.set)
    result = await tx.result()
    released.cancel()
    outcomes = [e["outcome"] for e in result["result"]["output"][F2[0]]["results"]]
    assert (outcomes, len(loja.called(F2[0]))) == (["SUCCEEDED"] * 3 + ["FAILED"] * 9, 3)
    assert (result["transaction_status"], result["reason_code"]) == ("COMPLETED", "cancelled")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("call", ["per_item", "whole", "single"])
@pytest.mark.parametrize("effect", ["keyed", "idempotent", "unsafe"])
async def test_a_cancel_between_two_attempts_knows_that_nothing_was_done(desk, loja, way, call, effect):
    tool, arguments = F2 if call != "single" else F1

    async def together(_call):
        # After the first 429 the others of a set would not go out at all before the time that it asks for.
        await until(lambda: len(loja.requested(tool)) >= (3 if call == "per_item" else 1))
        return Page(503 if call == "single" else 429, headers={"retry-after": "20"})

    loja.pages[tool] = together
    policy = (
        {"execution": {"effect": effect}}
        if call == "single"
        else {"execution": {"effect": effect, "call": call}}
    )
    if call == "single":
        policy |= {"pre_validation": None}
    tx = await (await desk(policies={tool: policy})).start(tool, arguments)
    await tx.confirm()
    await until(lambda: len(loja.requested(tool)) == (3 if call == "per_item" else 1))
    await cancel(tx, way)
    result = await tx.result()
    output = result["result"]["output"][tool]
    for entry in [output] if call == "single" else output["results"]:
        assert (entry["outcome"], entry["reason_code"]) == ("FAILED", "not_executed"), entry
    assert result["metadata"]["needs_review"] is False


@pytest.mark.parametrize("call", ["per_item", "whole"])
async def test_a_cancel_between_two_attempts_keeps_the_doubt_of_an_earlier_one(desk, loja, call):
    pages = iter([Page(504, after=True)])
    loja.pages[F2[0]] = lambda _: next(pages, Page(429, headers={"retry-after": "20"}))
    policy = {"execution": {"effect": "keyed", "call": call}}
    tx = await (await desk(policies={F2[0]: policy})).start(F2[0], {"encomenda_ids": ["ENC-1"]})
    await tx.confirm()
    await until(lambda: len(loja.requested(F2[0])) == 2)
    await cancel(tx, "update")
    result = await tx.result()
    [entry] = result["result"]["output"][F2[0]]["results"]
    assert (entry["outcome"], entry["reason_code"]) == ("UNKNOWN", "lost_answer")


@pytest.mark.parametrize("call", ["per_item", "whole"])
async def test_attempts_that_did_nothing_and_attempts_in_doubt_count_together(desk, loja, call):
    pages = iter([Page(429, headers={"retry-after": "0"})])
    loja.pages[F2[0]] = lambda _: next(pages, Page(504, after=True))
    policy = {"execution": {"effect": "keyed", "call": call, "max_attempts": 3}}
    tx = await (await desk(policies={F2[0]: policy})).start(F2[0], {"encomenda_ids": ["ENC-1"]})
    await tx.confirm()
    [entry] = (await tx.result())["result"]["output"][F2[0]]["results"]
    assert (entry["outcome"], entry["attempts"]) == ("UNKNOWN", 3)
    assert len(loja.requested(F2[0])) == 3
