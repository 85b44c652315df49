"""A lost answer of an unsafe tool: the status tool is asked, and nothing is ever sent blindly a second time."""

import asyncio

import pytest

from confirmo.worker.settings import Settings
from harness import Page, failed, text_answer, until
from harness.shop import F1, F2, PACKAGES

SET, BACK, STATUS = "encerrar_assinaturas", "devolver_encomendas", "situacao"
OK, NO, UNKNOWN = "SUCCEEDED", "FAILED", "UNKNOWN"
ASKABLE = {
    STATUS: {
        "mcp_server": "loja",
        "tool_type": "read_only",
        "args_schema": {"idempotency_key": "string", "item_id": "string"},
    }
}


def doubting(tool, *, status_args=None, **execution):
    status = ASKABLE[STATUS] | ({"args_schema": status_args} if status_args else {})
    return {
        "tools": {STATUS: status},
        "policies": {
            STATUS: {"operation_type": "read_only"},
            tool: {"execution": {"status_tool": STATUS} | execution},
        },
    }


def lost(*item_ids):
    """The first call for each of these items has its effect and loses its answer."""
    left = set(item_ids)

    def page(call):
        wanted = call.arguments["encomenda_ids"]
        if left & set(wanted):
            left.difference_update(wanted)
            return Page(504, after=True)
        return None

    return page


def outcomes(result, tool=BACK):
    return [entry["outcome"] for entry in result["result"]["output"][tool]["results"]]


@pytest.mark.parametrize("shape", ["one by one", "slices", "whole"])
async def test_found_is_evidence_and_nothing_is_sent_again(desk, loja, shape):
    loja.pages[BACK] = lost("ENC-7002")
    loja.on[STATUS] = lambda call: {
        "found": True,
        "success": True,
        "protocolo": "DV-" + call.arguments["item_id"],
    }
    open_desk = await desk(
        **doubting(BACK, call="whole" if shape == "whole" else "per_item"),
        settings=Settings(item_activities=0 if shape == "slices" else 20),
    )
    tx = await open_desk.start(*F2)
    await tx.confirm()
    result = await tx.result()
    assert (result["multi_item_status"], outcomes(result)) == ("SUCCESS", [OK] * 3)
    entries = result["result"]["output"][BACK]["results"]
    in_doubt = PACKAGES if shape == "whole" else ["ENC-7002"]
    assert [e["item_id"] for e in entries if e.get("verified_by") == STATUS] == in_doubt
    assert [e["attempts"] for e in entries] == [1, 1, 1]
    assert entries[1]["protocolo"] == "DV-ENC-7002"
    asked = {call.arguments["item_id"]: call.arguments["idempotency_key"] for call in loja.called(STATUS)}
    assert asked == {e["item_id"]: e["idempotency_key"] for e in entries if e["item_id"] in in_doubt}
    assert len(loja.called(STATUS)) == len(in_doubt)
    assert len(loja.called(BACK)) == (1 if shape == "whole" else 3)
    assert result["metadata"]["needs_review"] is False


@pytest.mark.parametrize("shape", ["one by one", "slices", "whole"])
async def test_not_found_means_that_it_may_be_sent_again_with_the_same_key(desk, loja, shape):
    loja.pages[BACK] = lost("ENC-7002")
    loja.on[STATUS] = lambda call: (
        {"found": False} if call.arguments["item_id"] == "ENC-7002" else {"found": True, "success": True}
    )
    open_desk = await desk(
        **doubting(BACK, call="whole" if shape == "whole" else "per_item"),
        settings=Settings(item_activities=0 if shape == "slices" else 20),
    )
    tx = await open_desk.start(*F2)
    await tx.confirm()
    result = await tx.result()
    entries = result["result"]["output"][BACK]["results"]
    assert (outcomes(result), [e["attempts"] for e in entries]) == ([OK] * 3, [1, 2, 1])
    sent = [call.arguments["encomenda_ids"] for call in loja.requested(BACK)]
    if shape == "whole":
        assert sent == [PACKAGES, ["ENC-7002"]]
        assert list(loja.requested(BACK)[1].item_keys) == ["ENC-7002"]
    else:
        assert sorted(sent) == [["ENC-7001"], ["ENC-7002"], ["ENC-7002"], ["ENC-7003"]]
        keys = {call.key for call in loja.requested(BACK) if call.arguments["encomenda_ids"] == ["ENC-7002"]}
        assert len(keys) == 1


NO_ANSWERS = {
    "an error": failed("fora do ar"),
    "prose": text_answer("não sei"),
    "no found": {"success": True},
    "found as text": {"found": "false"},
    "found without a flag": {"found": True, "protocolo": "DV-1"},
    "not found and yet a success": {"found": False, "success": True},
    "HTTP 500": Page(500),
    "HTTP 401": Page(401),
}


async def test_a_status_tool_without_a_clear_answer_leaves_it_unknown(desk, loja):
    open_desk = await desk(**doubting(BACK))
    loja.pages[BACK] = lambda _: Page(504, after=True)
    loja.pages[STATUS] = lambda call: (
        NO_ANSWERS[call.arguments["item_id"]]
        if isinstance(NO_ANSWERS[call.arguments["item_id"]], Page)
        else None
    )
    loja.on[STATUS] = lambda call: NO_ANSWERS[call.arguments["item_id"]]
    tx = await open_desk.start(BACK, {"encomenda_ids": list(NO_ANSWERS)})
    await tx.confirm()
    result = await tx.result()
    for entry in result["result"]["output"][BACK]["results"]:
        assert (entry["outcome"], entry["attempts"]) == (UNKNOWN, 1), entry
        assert entry["verified_by"] == STATUS, entry
    assert len(loja.requested(BACK)) == 1
    assert result["metadata"]["needs_review"] is True


async def test_found_may_say_that_it_failed(desk, loja):
    loja.pages[BACK] = lost(*PACKAGES)
    loja.on[STATUS] = {"found": True, "success": False, "reason": "ja_enviada"}
    result = await (await desk(**doubting(BACK, call="per_item"))).run(*F2)
    assert outcomes(result) == [NO] * 3
    assert {e["reason"] for e in result["result"]["output"][BACK]["results"]} == {"ja_enviada"}
    assert len(loja.called(BACK)) == 3


async def test_an_unsafe_tool_without_a_status_tool_is_never_called_twice(desk, loja):
    loja.pages[BACK] = lost(*PACKAGES)
    for call in ("per_item", "whole"):
        loja.calls.clear()
        loja.pages[BACK] = lost(*PACKAGES)
        result = await (await desk(policies={BACK: {"execution": {"call": call}}})).run(*F2)
        assert outcomes(result) == [UNKNOWN] * 3
        assert len(loja.called(BACK)) == (1 if call == "whole" else 3)


async def test_a_keyed_tool_is_sent_again_without_asking(desk, loja):
    loja.pages[BACK] = lost(*PACKAGES)
    loja.on[STATUS] = {"found": False}
    result = await (await desk(**doubting(BACK, effect="keyed", call="per_item"))).run(*F2)
    assert outcomes(result) == [OK] * 3
    assert (len(loja.called(BACK)), loja.called(STATUS)) == (6, [])


async def test_a_status_tool_gets_what_it_declares(desk, loja):
    loja.on[STATUS] = {"found": True, "success": True}
    declared = {"item": "object", "alvo": "string", "outro": "string"}
    loja.pages[SET] = lambda call: Page(504) if call.arguments["alvo"] == "Rádio Maré" else None
    await (await desk(**doubting(SET, status_args=declared))).run(*F1)
    (asked,) = loja.called(STATUS)
    assert asked.arguments == {"item": {"id": "A-01", "name": "Rádio Maré"}, "alvo": "Rádio Maré"}


async def test_a_call_without_items_is_asked_about_by_its_key(desk, loja):
    changes = doubting(SET)
    changes["policies"][SET]["pre_validation"] = None
    for answer, outcome, calls in (
        ({"found": True, "success": True, "protocolo": "EN-9"}, OK, 1),
        ({"found": False}, OK, 2),
        (failed("fora do ar"), UNKNOWN, 1),
    ):
        loja.requests.clear()
        loja.pages[SET] = iter([Page(504, after=True)])
        loja.on[STATUS] = answer
        result = await (await desk(**changes)).run(*F1)
        output = result["result"]["output"][SET]
        assert (output["outcome"], len(loja.requested(SET))) == (outcome, calls)
        (asked,) = loja.requested(STATUS)
        assert asked.arguments == {"idempotency_key": loja.requested(SET)[0].key}
        assert output.get("verified_by") == (STATUS if calls == 1 else None)
        assert output["attempts"] == calls


async def test_each_doubt_of_one_item_is_asked_about_up_to_max_attempts(desk, loja):
    loja.pages[BACK] = lambda _: Page(504)
    loja.on[STATUS] = {"found": False}
    result = await (await desk(**doubting(BACK, max_attempts=3))).run(BACK, {"encomenda_ids": ["ENC-7001"]})
    (entry,) = result["result"]["output"][BACK]["results"]
    assert (entry["outcome"], entry["attempts"]) == (UNKNOWN, 3)
    assert (len(loja.requested(BACK)), result["metadata"]["needs_review"]) == (3, True)


@pytest.mark.parametrize("effect", ["keyed", "unsafe"])
async def test_slices_keep_order_keys_and_attempts(desk, loja, effect):
    ids = [f"ENC-{number:02}" for number in range(30)]
    flaky = {"ENC-03": Page(503, headers={"retry-after": "0.05"}), "ENC-07": Page(504, after=True)}
    loja.pages[BACK] = lambda call: flaky.pop(call.arguments["encomenda_ids"][0], None)
    loja.on[BACK] = lambda call: {
        "success": call.arguments["encomenda_ids"] != ["ENC-29"],
        "protocolo": "DV-" + call.arguments["encomenda_ids"][0],
    }
    open_desk = await desk(
        policies={BACK: {"execution": {"call": "per_item", "effect": effect}}},
        settings=Settings(slice_items=12),
    )
    tx = await open_desk.start(BACK, {"encomenda_ids": ids})
    await tx.confirm()
    result = await tx.result()
    entries = result["result"]["output"][BACK]["results"]
    assert [entry["item_id"] for entry in entries] == ids
    again = {"ENC-03": 2} | ({} if effect == "unsafe" else {"ENC-07": 2})
    assert {e["item_id"]: e["attempts"] for e in entries if e["attempts"] != 1} == again
    doubt = effect == "unsafe"
    expected = {"ENC-29": NO} | ({"ENC-07": UNKNOWN} if doubt else {})
    assert {e["item_id"]: e["outcome"] for e in entries if e["outcome"] != OK} == expected
    sent = {}
    for call in loja.requested(BACK):
        sent.setdefault(call.arguments["encomenda_ids"][0], set()).add(call.key)
    assert all(len(keys) == 1 for keys in sent.values())
    assert {item_id: keys.pop() for item_id, keys in sent.items()} == {
        e["item_id"]: e["idempotency_key"] for e in entries
    }
    assert len(loja.requested(BACK)) == 30 + len(again)
    assert (await tx.state())["progress"]["items_done_count"] == 30
    history = await tx.handle.fetch_history()
    kinds = [e.activity_task_scheduled_event_attributes.activity_type.name for e in history.events]
    assert "execute_item" not in kinds


async def test_op_01_two_thousand_five_hundred_items_end_in_order(desk, loja):
    ids = [f"ENC-{number:05}" for number in range(1, 2501)]
    loja.on[BACK] = {"success": True}
    execution = {"call": "per_item", "effect": "keyed", "max_concurrency": 64}
    d = await desk(policies={BACK: {"execution": execution}}, servers={"loja": loja.rest})
    tx = await d.start(BACK, {"encomenda_ids": ids})
    assert len(tx.opened["items"]) == 2500
    assert len(tx.opened["question"]) < 5000
    await tx.confirm()
    async with asyncio.timeout(120):  # 2,500 calls in this one process; seconds, where it has a processor
        result = await tx.handle.result()
    entries = result["result"]["output"][BACK]["results"]
    assert [entry["item_id"] for entry in entries] == ids
    assert (result["multi_item_status"], {e["outcome"] for e in entries}) == ("SUCCESS", {OK})
    assert len(loja.called(BACK)) == 2500
    assert len({call.key for call in loja.called(BACK)}) == 2500
    history = await tx.handle.fetch_history()
    assert len(history.events) < 500
    assert sum(event.ByteSize() for event in history.events) < 10_000_000
    assert not any(e.HasField("workflow_task_failed_event_attributes") for e in history.events)


async def test_a_worker_that_stops_in_the_middle_of_a_call_leaves_doubt_and_no_second_call(desk, loja):
    going = asyncio.Event()

    async def slow(_call):
        await going.wait()
        return {"success": True}

    loja.on[BACK] = slow
    open_desk = await desk(settings=Settings(graceful_shutdown_seconds=0))
    tx = await open_desk.start(*F2)
    await tx.confirm()
    await until(lambda: loja.called(BACK))
    await open_desk.stop_worker()
    going.set()
    await open_desk.start_worker()
    result = await tx.result()
    assert outcomes(result) == [UNKNOWN] * 3
    assert {e["reason_code"] for e in result["result"]["output"][BACK]["results"]} == {"lost_answer"}
    assert len(loja.called(BACK)) == 1
