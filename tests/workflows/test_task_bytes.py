"""However large a set, no workflow task brings more to the server than it takes: it would end the run."""

import asyncio

import pytest
import pytest_asyncio
from temporalio.client import Client

from confirmo.policies import names
from confirmo.worker.settings import Settings
from confirmo.workflows.converter import storing_converter
from harness.desk import catalog_of, open_desk
from harness.shop import POLICIES, TOOLS, merged

BACK = "devolver_encomendas"
MOST = 3_000_000


def policies(**execution):
    keyed = {"call": "per_item", "effect": "keyed", "max_concurrency": 100}
    return {BACK: {"pre_validation": {"enabled": False}, "execution": keyed | execution}}


@pytest_asyncio.fixture(params=["stored", "inline"])
async def shop(request, client, loja, tmp_path):
    """A desk with and without a payload store."""
    loja.on[BACK] = {"success": True}
    store = f"dir:{tmp_path}" if request.param == "stored" else None
    own = await Client.connect(
        client.service_client.config.target_host, data_converter=storing_converter(store)
    )
    catalog = catalog_of(TOOLS, merged(POLICIES, policies()), {"loja": {"endpoint": loja.endpoint}})
    async with open_desk(own, catalog, settings=Settings(item_activities=1000)) as desk:
        yield desk, store


async def task_bytes(tx):
    """Bytes that each completed workflow task brought."""
    found = []
    for event in (await tx.handle.fetch_history()).events:
        kind = event.WhichOneof("attributes")
        if kind == "workflow_task_completed_event_attributes":
            found.append(0)
        elif hasattr(getattr(event, kind), "workflow_task_completed_event_id") or "update" in kind:
            found[-1] += event.ByteSize()
    return found


async def finished(tx):
    await tx.confirm(digest=tx.opened["confirmation"]["digest"])
    async with asyncio.timeout(60):
        return await tx.handle.result()


async def test_arguments_that_go_with_every_item_wait_for_room(shop, loja):
    desk, _ = shop
    ids = [f"ENC-{number:04}" for number in range(50)]
    tx = await desk.start(BACK, {"encomenda_ids": ids, "valor": "x" * 200_000})
    result = await finished(tx)
    assert result["multi_item_status"] == "SUCCESS"
    assert sorted(call.arguments["encomenda_ids"][0] for call in loja.called(BACK)) == ids
    assert {len(call.arguments["valor"]) for call in loja.called(BACK)} == {200_000}
    assert max(await task_bytes(tx)) < MOST


@pytest.mark.parametrize(("count", "size"), [(20, 100_000), (60, 200_000), (120, 50_000)])
async def test_items_of_many_bytes_wait_for_room_or_are_refused(shop, loja, count, size):
    desk, store = shop
    given = [{"id": f"ENC-{number:04}", "nota": "é" * (size // 2)} for number in range(count)]
    if store is None:
        given = given[: 400_000 // size]
    tx = await desk.start(BACK, {"encomenda_ids": given})
    result = await finished(tx)
    assert result["multi_item_status"] == "SUCCESS"
    sent = [call.arguments["encomenda_ids"][0]["id"] for call in loja.called(BACK)]
    assert sorted(sent) == [entry["id"] for entry in given]
    assert max(await task_bytes(tx)) < MOST


async def test_many_who_wait_for_a_large_state_are_answered_a_few_at_a_time(shop, loja):
    desk, _ = shop
    entered, go = asyncio.Event(), asyncio.Event()

    async def held(call):
        entered.set()
        await go.wait()
        return {"eligible": True}

    loja.on["checar_encomendas"] = held
    desk.catalog = catalog_of(
        TOOLS,
        merged(POLICIES, {BACK: {"execution": {"call": "per_item", "effect": "keyed"}}}),
        {"loja": {"endpoint": loja.endpoint}},
    )
    await desk.stop_worker()
    await desk.start_worker()
    ids = [f"ENC-{'x' * 120}-{number:04}" for number in range(1_200)]
    tx = await desk.begin(BACK, {"encomenda_ids": ids})
    async with asyncio.timeout(60):
        asked = [asyncio.create_task(tx.handle.execute_update(names.UPDATE_AWAITING)) for _ in range(9)]
        await entered.wait()
        history = await tx.handle.fetch_history()
        while (
            sum(e.HasField("workflow_execution_update_accepted_event_attributes") for e in history.events) < 9
        ):
            await asyncio.sleep(0.05)
            history = await tx.handle.fetch_history()
        go.set()
        answers = await asyncio.gather(*asked)
    assert [len(answer["items"]) for answer in answers] == [1_200] * 9
    assert max(await task_bytes(tx)) < MOST
