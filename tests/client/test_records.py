"""What a history alone shows while a call goes out again: an outcome that is being tried anew is none."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from confirmo.client import NoWorker, TransactionClient
from confirmo.client.records import read_record
from confirmo.workflows import book
from harness import Page, until
from harness.shop import F1, F2, PACKAGES

SET, BACK = F1[0], F2[0]
CALL = timedelta(seconds=10)


@pytest.fixture
def large(monkeypatch):
    """Ids of a set that no state shows whole, which takes fewer items than in production."""
    monkeypatch.setattr(book, "WHOLE_SET_ITEMS", 600)
    return [f"ENC-{number:06}" for number in range(1, 702)]


def rest(loja):
    return {"servers": {"loja": loja.rest}}


async def outcomes(shop, transaction_id):
    record = await read_record(shop.desk.client, transaction_id, CALL)
    return {item.item_id: item.outcome for item in record.state().items}


async def outcomes_when_there(shop, transaction_id):
    async with asyncio.timeout(30):
        while not any((found := await outcomes(shop, transaction_id)).values()):
            await asyncio.sleep(0.02)
        return found


def held(loja, tool):
    """Hold what reaches the tool until the returned event is set."""
    go_on = asyncio.Event()

    async def slow(call):
        await go_on.wait()
        given = call.arguments
        return {
            "results": [{"id": id, "success": True} for id in given.get("encomenda_ids", [given.get("alvo")])]
        }

    loja.on[tool] = slow
    return go_on


async def test_a_whole_call_that_goes_out_again_leaves_no_earlier_outcome(door, loja):
    pages = iter([Page(429, headers={"retry-after": "1"})])
    loja.pages[BACK] = lambda _: next(pages, None)
    go_on = held(loja, BACK)
    shop = await door(policies={BACK: {"execution": {"effect": "keyed"}}})
    asked = await shop.start(*F2)
    await shop.confirm(asked)
    refused = await outcomes_when_there(shop, asked.transaction_id)
    assert refused == dict.fromkeys(PACKAGES, "FAILED")
    await until(lambda: len(loja.called(BACK)) == 1)
    assert await outcomes(shop, asked.transaction_id) == dict.fromkeys(PACKAGES)
    go_on.set()
    await shop.client.result(asked.transaction_id)
    assert await outcomes(shop, asked.transaction_id) == dict.fromkeys(PACKAGES, "SUCCEEDED")


async def test_one_item_that_goes_out_again_leaves_the_others_as_they_are(door, loja):
    pages = iter([Page(429, headers={"retry-after": "1"})])
    loja.pages[SET] = lambda call: next(pages, None) if call.arguments["alvo"] == "Clube Leitura" else None
    again = asyncio.Event()
    done = loja.on[SET]

    async def one_waits(call):
        if call.arguments["alvo"] == "Clube Leitura":
            await again.wait()
        return done(call)

    loja.on[SET] = one_waits
    shop = await door(policies={SET: {"execution": {"effect": "keyed"}}})
    asked = await shop.start(*F1)
    await shop.confirm(asked)
    async with asyncio.timeout(30):
        while (await outcomes(shop, asked.transaction_id))["A-02"] != "FAILED":
            await asyncio.sleep(0.02)
    await until(lambda: len(loja.called(SET)) == 3)
    assert await outcomes(shop, asked.transaction_id) == {
        "A-01": "SUCCEEDED",
        "A-02": None,
        "A-03": "SUCCEEDED",
    }
    again.set()
    await shop.client.result(asked.transaction_id)
    assert set((await outcomes(shop, asked.transaction_id)).values()) == {"SUCCEEDED"}


async def test_a_history_alone_counts_every_item_of_a_large_set(door, loja, large):
    bad = {"ENC-000640", "ENC-000700"}
    loja.on[BACK] = lambda call: {"success": call.arguments["encomenda_ids"][0] not in bad}
    execution = {"call": "per_item", "effect": "keyed", "max_concurrency": 64}
    shop = await door(
        policies={BACK: {"pre_validation": {"enabled": False}, "execution": execution}}, **rest(loja)
    )
    asked = await shop.start(BACK, {"encomenda_ids": large})
    await shop.confirm(asked)
    async with asyncio.timeout(90):
        await shop.client.result(asked.transaction_id)
    record = await read_record(shop.desk.client, asked.transaction_id, CALL)
    for state in (record.state(), replace(record, ending=None).state()):
        counts = state.progress
        assert (counts.items_count, counts.items_done_count) == (701, 701)
        assert (counts.items_succeeded_count, counts.items_failed_count) == (699, 2)
        assert (len(state.items), state.items_omitted) == (500, 201)
    shown = {item.item_id: item.outcome for item in record.state().items}
    assert {item_id for item_id, outcome in shown.items() if outcome == "FAILED"} == bad


async def test_a_large_set_is_not_taken_up_in_part_where_no_worker_gives_all_of_it(door, loja, large):
    loja.on[BACK] = {"success": False}
    execution = {"call": "per_item", "effect": "keyed", "max_concurrency": 64}
    shop = await door(
        policies={BACK: {"pre_validation": {"enabled": False}, "execution": execution}}, **rest(loja)
    )
    asked = await shop.start(BACK, {"encomenda_ids": large})
    await shop.confirm(asked)
    async with asyncio.timeout(90):
        await shop.client.result(asked.transaction_id)
    alone = TransactionClient(
        shop.desk.client, task_queue=shop.desk.task_queue, worker_patience=timedelta(milliseconds=1)
    )
    with pytest.raises(NoWorker):
        await alone.redrive(asked.transaction_id)
    patient = TransactionClient(shop.desk.client, task_queue=shop.desk.task_queue)
    again = await patient.redrive(asked.transaction_id)
    assert again.progress.items_count == 701
