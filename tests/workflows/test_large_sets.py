"""Thousands of items under one yes: short histories, bounded payloads, and every result can be read."""

import asyncio
import json

import pytest
import pytest_asyncio
from google.protobuf.message import Message
from temporalio.api.common.v1 import Payload
from temporalio.client import Client, WorkflowQueryFailedError

from confirmo.worker.settings import Settings
from confirmo.workflows.converter import storing_converter
from harness.desk import catalog_of, open_desk
from harness.shop import POLICIES, TOOLS, merged

BACK = "devolver_encomendas"
END = "encerrar_assinaturas"
MANY = 3_200


def ids_of(count):
    return [f"ENC-{number:06}" for number in range(1, count + 1)]


def policies(**execution):
    keyed = {"call": "per_item", "effect": "keyed", "max_concurrency": 64}
    return {BACK: {"pre_validation": {"enabled": False}, "execution": keyed | execution}}


@pytest_asyncio.fixture
async def stored(client, loja, tmp_path):
    """A desk whose client and worker have a payload store."""
    address = client.service_client.config.target_host
    own = await Client.connect(address, data_converter=storing_converter(f"dir:{tmp_path}"))
    loja.on[BACK] = {"success": True, "protocolo": "DV-1"}
    own_policies = policies() | {END: {"execution": {"call": "whole"}}}
    catalog = catalog_of(TOOLS, merged(POLICIES, own_policies), {"loja": loja.rest})
    async with open_desk(own, catalog) as desk:
        yield desk


def payloads(message):
    if isinstance(message, Payload):
        yield message
        return
    for descriptor, value in message.ListFields():
        if descriptor.type != descriptor.TYPE_MESSAGE:
            continue
        entry = descriptor.message_type
        parts = (
            value.values()
            if entry.GetOptions().map_entry
            else [value]
            if isinstance(value, Message)
            else value
        )
        for part in parts:
            if isinstance(part, Message):
                yield from payloads(part)


async def pages(tx, **asked):
    cursor, entries = 0, []
    while cursor is not None:
        page = await tx.handle.query("items", {"cursor": cursor, "limit": 1000} | asked)
        entries += page["items"]
        cursor = page["next_cursor"]
    return entries, page["items_count"]


async def test_ten_thousand_items_leave_a_short_history_and_every_result_can_be_read(stored):
    ids = ids_of(MANY)
    tx = await stored.start(BACK, {"encomenda_ids": ids})
    assert (len(tx.opened["items"]), tx.opened["items_omitted"]) == (500, MANY - 500)
    await tx.confirm(digest=tx.opened["confirmation"]["digest"])
    async with asyncio.timeout(120):
        result = await tx.handle.result()
    entries = result["result"]["output"][BACK]["results"]
    assert [entry["item_id"] for entry in entries] == ids
    assert {(entry["outcome"], entry["protocolo"]) for entry in entries} == {("SUCCEEDED", "DV-1")}
    assert len({entry["idempotency_key"] for entry in entries}) == MANY
    assert (result["multi_item_status"], result["metadata"]["multi_item"]["items_count"]) == ("SUCCESS", MANY)
    history = await tx.handle.fetch_history()
    assert len(history.events) < 1000
    assert sum(event.ByteSize() for event in history.events) < 2_000_000
    assert max(p.ByteSize() for event in history.events for p in payloads(event)) < 1_000_000
    assert not any(e.HasField("workflow_task_failed_event_attributes") for e in history.events)
    assert (await pages(tx))[0] == entries


async def test_a_validator_resolves_more_than_two_megabytes_through_the_store(stored, loja):
    count = 4_000
    items = [{"id": f"A-{n:05}", "name": f"Assinatura {n}", "nota": "n" * 600} for n in range(count)]
    loja.on["checar_assinaturas"] = {
        "eligible": True,
        "transaction_decision": {"resolved_arguments": {"items": items}},
    }
    assert len(json.dumps(items)) > 2_000_000
    loja.on[END] = {"results": [{"id": item["id"], "success": item["id"] != "A-00007"} for item in items]}
    tx = await stored.start(END, {"alvo": "todas"})
    assert (tx.opened["status"], len(tx.opened["items"])) == ("AWAITING_CONFIRMATION", 500)
    await tx.confirm(digest=tx.opened["confirmation"]["digest"])
    result = await tx.result()
    counts = result["metadata"]["multi_item"]
    assert (counts["items_succeeded_count"], counts["items_failed_count"]) == (count - 1, 1)
    [call] = loja.called(END)
    assert call.arguments["items"] == items


async def test_the_state_of_a_large_set_shows_what_failed_first(desk, loja):
    bad = {"ENC-003400", "ENC-003499"}
    loja.on[BACK] = lambda call: {
        "results": [{"id": id, "success": id not in bad} for id in call.arguments["encomenda_ids"]]
    }
    tx = await (await desk(policies=policies(call="whole"))).start(BACK, {"encomenda_ids": ids_of(3_500)})
    await tx.confirm(digest=tx.opened["confirmation"]["digest"])
    async with asyncio.timeout(120):
        await tx.handle.result()
    state = await tx.state()
    shown = {item["item_id"]: item["outcome"] for item in state["items"]}
    assert (len(shown), state["items_omitted"]) == (500, 3_000)
    assert bad <= shown.keys()
    assert state["progress"]["items_failed_count"] == 2
    failed, count = await pages(tx, outcome="FAILED")
    assert ({entry["item_id"] for entry in failed}, count) == (bad, 2)
    assert len((await tx.handle.query("whole_state"))["items"]) == 3_500


async def test_items_are_paged_before_the_yes_and_a_wrong_question_is_refused(desk, loja):
    tx = await (await desk(policies=policies())).start(BACK, {"encomenda_ids": ids_of(30)})
    first = await tx.handle.query("items", {"limit": 20})
    assert ([entry["item_id"] for entry in first["items"]], first["next_cursor"]) == (ids_of(20), 20)
    assert first["items"][0] == {"item_id": "ENC-000001", "label": "ENC-000001", "eligible": True}
    rest = await tx.handle.query("items", {"limit": 20, "cursor": 20})
    assert (len(rest["items"]), rest["next_cursor"], rest["items_count"]) == (10, None, 30)
    assert len((await tx.handle.query("items"))["items"]) == 30
    with pytest.raises(WorkflowQueryFailedError, match="cursor"):
        await tx.handle.query("items", {"limit": 0})


async def test_a_slice_of_slow_calls_ends_early_and_the_next_one_goes_on(desk, loja):
    async def slow(call):
        await asyncio.sleep(0.4)
        return {"success": True}

    loja.on[BACK] = slow
    ids = ids_of(60)
    tx = await (await desk(policies=policies(max_concurrency=5))).start(BACK, {"encomenda_ids": ids})
    await tx.confirm(digest=tx.opened["confirmation"]["digest"])
    result = await tx.result()
    assert [entry["outcome"] for entry in result["result"]["output"][BACK]["results"]] == ["SUCCEEDED"] * 60
    assert [entry["attempts"] for entry in result["result"]["output"][BACK]["results"]] == [1] * 60
    assert sorted(call.arguments["encomenda_ids"][0] for call in loja.called(BACK)) == ids
    history = await tx.handle.fetch_history()
    slices = [e for e in history.events if e.HasField("activity_task_scheduled_event_attributes")]
    assert len(slices) > 1


@pytest.mark.parametrize("effect", ["keyed", "unsafe"])
async def test_a_cancel_stops_a_large_set_between_two_items(desk, loja, effect):
    begun = asyncio.Event()

    async def slow(call):
        begun.set()
        await asyncio.sleep(0.2)
        return {"success": True}

    loja.on[BACK] = slow
    own = policies(max_concurrency=4, effect=effect)
    tx = await (await desk(policies=own)).start(BACK, {"encomenda_ids": ids_of(400)})
    await tx.confirm(digest=tx.opened["confirmation"]["digest"])
    async with asyncio.timeout(20):
        await begun.wait()
    await tx.update("cancel", {"reason": "chega"})
    result = await tx.result()
    entries = result["result"]["output"][BACK]["results"]
    assert (result["transaction_status"], result["reason_code"]) == ("COMPLETED", "cancelled")
    done = [entry for entry in entries if entry["outcome"] == "SUCCEEDED"]
    left = [entry for entry in entries if entry.get("reason_code") == "not_executed"]
    assert len(done) == len(loja.called(BACK)) < 100
    assert len(done) + len(left) == 400


async def test_an_unsafe_large_set_is_called_once_each_in_few_activities(desk, loja):
    loja.on[BACK] = {"success": True}
    ids = ids_of(500)
    own = policies(effect="unsafe", max_concurrency=8)
    # A machine that is busy for ten seconds is no lost worker here.
    d = await desk(policies=own, settings=Settings(heartbeat_seconds=120))
    tx = await d.start(BACK, {"encomenda_ids": ids})
    await tx.confirm(digest=tx.opened["confirmation"]["digest"])
    result = await tx.result()
    assert {entry["outcome"] for entry in result["result"]["output"][BACK]["results"]} == {"SUCCEEDED"}
    assert sorted(call.arguments["encomenda_ids"][0] for call in loja.called(BACK)) == ids
    assert len((await tx.handle.fetch_history()).events) < 150


async def test_large_evidence_ends_a_slice_early_and_stays_whole(desk, loja):
    loja.on[BACK] = {"success": True, "extrato": "x" * 1_800}
    own = {"servers": {"loja": loja.rest}, "settings": Settings(slice_items=1_000)}
    tx = await (await desk(policies=policies(), **own)).start(BACK, {"encomenda_ids": ids_of(1_000)})
    await tx.confirm(digest=tx.opened["confirmation"]["digest"])
    await tx.result()
    entries, _ = await pages(tx)
    assert len(entries) == 1_000
    assert all(len(entry["extrato"]) == 1_800 and "truncated" not in entry for entry in entries)


async def test_evidence_of_many_calls_at_once_stays_whole_while_it_fits(desk, loja):
    loja.on[BACK] = {"success": True, "extrato": "x" * 15_000}
    tx = await (await desk(policies=policies(max_concurrency=40))).start(BACK, {"encomenda_ids": ids_of(40)})
    await tx.confirm(digest=tx.opened["confirmation"]["digest"])
    result = await tx.result()
    assert [len(e["extrato"]) for e in result["result"]["output"][BACK]["results"]] == [15_000] * 40


async def test_a_set_beyond_the_limit_is_refused_with_a_sentence(desk, loja):
    tx = await (await desk(policies=policies())).start(BACK, {"encomenda_ids": ids_of(10_001)})
    assert (tx.opened["status"], tx.opened["reason_code"]) == ("BLOCKED", "too_large")
    assert loja.called(BACK) == []
