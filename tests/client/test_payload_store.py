"""Large transactions through a payload store: the door, the command line, and what is so while the store is away."""

import asyncio
import contextlib
import json
import shutil
import uuid

import pytest
import pytest_asyncio
from temporalio.client import Client

from confirmo.client import (
    PayloadNotFound,
    PayloadStoreUnavailable,
    RequestTooLarge,
    TransactionClient,
    TransactionNotFound,
)
from confirmo.client.connection import address_of
from confirmo.client.plugin import ConfirmoPlugin
from confirmo.policies.models import Decision, Outcome, TransactionRequest
from confirmo.policies.names import TASK_QUEUE
from confirmo.worker.replay import replay_histories
from confirmo.worker.settings import Settings
from confirmo.workflows.converter import storing_converter
from harness.desk import Desk, catalog_of
from harness.proxy import Fault, Proxy
from harness.shop import POLICIES, TOOLS, merged

BACK = "devolver_encomendas"
MANY = 200
NOTE = "ã" * 2_700
RECEIPT = "r" * 5_400
"""So long that arguments and results of so many do not fit into a payload."""


def policies(**execution):
    keyed = {"call": "per_item", "effect": "keyed", "max_concurrency": 64, "max_attempts": 3}
    undo = {"tool": "avisar_cliente", "arguments": {"canal": "{{ item_id }}"}}
    own = {"pre_validation": {"enabled": False}, "compensate": undo}
    return {BACK: own | {"execution": keyed | execution}}


def given(count=MANY):
    return [{"id": f"ENC-{number:05}", "nota": NOTE} for number in range(count)]


class Store:
    """A payload store that can be taken away."""

    def __init__(self, name, folder=None, proxy=None):
        self.name, self._folder, self._proxy = name, folder, proxy

    def take_away(self):
        if self._proxy is not None:
            self._proxy.fault = Fault.REFUSE
            self._proxy.reset()
            return
        if self._folder.exists():
            self._folder.rename(self._folder.with_suffix(".away"))
        self._folder.write_text("in the way")

    def bring_back(self):
        if self._proxy is not None:
            self._proxy.fault = Fault.NONE
            return
        self._folder.unlink()
        away = self._folder.with_suffix(".away")
        if away.exists():
            away.rename(self._folder)


@pytest_asyncio.fixture(params=["dir", "s3"])
async def store(request, tmp_path, s3, monkeypatch):
    if request.param == "dir":
        yield Store(f"dir:{tmp_path / 'payloads'}", folder=tmp_path / "payloads")
        return
    async with Proxy(s3.port).running() as proxy:
        for name, value in s3.environ(proxy.port).items():
            monkeypatch.setenv(name, value)
        yield Store(f"s3://{s3.bucket}", proxy=proxy)


@pytest_asyncio.fixture
async def open_shop(client, loja, store, monkeypatch):
    """A worker with the store where the command line looks for one, and the store's door."""
    monkeypatch.setenv("TEMPORAL_ADDRESS", address_of(client))
    async with contextlib.AsyncExitStack() as stack:

        async def opened(settings=None, **execution):
            own = await Client.connect(address_of(client), data_converter=storing_converter(store.name))
            catalog = catalog_of(TOOLS, merged(POLICIES, policies(**execution)), {"loja": loja.rest})
            desk = Desk(own, catalog, TASK_QUEUE, settings=settings or Settings(), search_attributes=True)
            await desk.start_worker()
            stack.push_async_callback(desk.stop_worker)
            plugin = ConfirmoPlugin(payload_store=store.name)
            return TransactionClient(await Client.connect(address_of(client), plugins=[plugin])), desk

        yield opened


async def started(door, items, **more):
    request = TransactionRequest(tool_name=BACK, arguments={"encomenda_ids": items} | more)
    return await door.start(request)


async def confirmed(door, state):
    decision = Decision(decision="confirm", digest=state.confirmation.digest)
    return await door.confirm(state.transaction_id, decision)


async def result_of(door, state):
    async with asyncio.timeout(90):
        return await door.result(state.transaction_id)


def entries_of(result):
    return result.result["output"][BACK]["results"]


async def test_a_large_set_goes_through_the_store_and_every_client_can_tell(
    open_shop, store, client, loja, tmp_path
):
    loja.on[BACK] = lambda call: {
        "success": call.arguments["encomenda_ids"][0]["id"] != "ENC-00007",
        "recibo": RECEIPT,
    }
    door, _ = await open_shop()
    state = await started(door, given())
    await confirmed(door, state)
    result = await result_of(door, state)
    entries = entries_of(result)
    assert len(entries) == MANY == len(loja.called(BACK))
    assert sum(len(entry["recibo"]) for entry in entries) == MANY * len(RECEIPT)
    assert [item async for item in door.items(state.transaction_id)] == entries
    failed = [item async for item in door.items(state.transaction_id, outcome=Outcome.FAILED)]
    assert [item["item_id"] for item in failed] == ["ENC-00007"]

    without = TransactionClient(client)
    if store.name.startswith("dir"):
        assert await without.result(state.transaction_id) == result
    else:
        for read in (without.result, without.state, without.export_history):
            with pytest.raises(PayloadNotFound, match="CONFIRMO_PAYLOAD_STORE"):
                await read(state.transaction_id)
        assert len([item async for item in without.items(state.transaction_id)]) == MANY

    file = tmp_path / "history.json"
    file.write_text(await door.export_history(state.transaction_id))
    assert "ExternalStorageReference" not in file.read_text()
    store.take_away()
    assert await replay_histories([file]) == [(file, None)]
    store.bring_back()

    again = await door.redrive(state.transaction_id)
    await confirmed(door, again)
    loja.on[BACK] = {"success": True}
    assert [entry["item_id"] for entry in entries_of(await result_of(door, again))] == ["ENC-00007"]


async def test_taking_up_a_large_set_needs_the_store_and_says_so(open_shop, client, loja):
    loja.on[BACK] = lambda call: {
        "results": [
            {"id": item["id"], "success": item["id"] == "ENC-00007"}
            for item in call.arguments["encomenda_ids"]
        ]
    }
    door, _ = await open_shop(call="whole")
    state = await started(door, [{"id": f"ENC-{number:05}", "nota": NOTE * 10} for number in range(60)])
    await confirmed(door, state)
    assert (await result_of(door, state)).multi_item_status == "PARTIAL_SUCCESS"
    for undo in (True, False):
        with pytest.raises(
            (RequestTooLarge, PayloadNotFound), match="CONFIRMO_PAYLOAD_STORE to the workers'"
        ):
            await TransactionClient(client).redrive(state.transaction_id, undo=undo)
    undone = await result_of(door, await door.redrive(state.transaction_id, undo=True))
    entries = undone.result["output"]["avisar_cliente"]["results"]
    assert [(entry["item_id"], entry["outcome"]) for entry in entries] == [("ENC-00007", "SUCCEEDED")]
    assert (await door.redrive(state.transaction_id, undo=True)).transaction_id == undone.transaction_id
    again = await door.redrive(state.transaction_id)
    assert (again.status, len(again.items)) == ("AWAITING_CONFIRMATION", 59)


async def test_the_command_line_goes_through_the_store(open_shop, store, cli, loja, tmp_path, monkeypatch):
    monkeypatch.setenv("CONFIRMO_PAYLOAD_STORE", store.name)
    loja.on[BACK] = {"success": True, "recibo": RECEIPT}
    await open_shop()
    arguments, output = tmp_path / "a.json", tmp_path / "results.jsonl"
    arguments.write_text(json.dumps({"encomenda_ids": given()}))
    ran = await cli("start", BACK, "--arguments", f"@{arguments}", "--json")
    assert (ran.code, ran.err) == (0, "")
    tx = json.loads(ran.out)["transaction_id"]
    assert (await cli("status", tx)).code == 0
    ran = await cli("confirm", tx, "--yes", "--wait", "--json")
    assert (ran.code, json.loads(ran.out)["multi_item_status"]) == (0, "SUCCESS")
    ran = await cli("result", tx, "--output", str(output))
    assert ran.code == 0
    lines = [json.loads(line) for line in output.read_text().splitlines()]
    assert ([line["item_id"] for line in lines], {len(line["recibo"]) for line in lines}) == (
        [entry["id"] for entry in given()],
        {len(RECEIPT)},
    )
    assert len(json.loads((await cli("items", tx, "--json")).out)) == MANY
    exported = tmp_path / "h.json"
    assert (await cli("history", "export", tx, "-o", str(exported))).code == 0
    monkeypatch.delenv("CONFIRMO_PAYLOAD_STORE")
    assert (await cli("history", "replay", str(exported))).code == 0
    ran = await cli("result", tx)
    if store.name.startswith("s3"):
        assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
        assert "CONFIRMO_PAYLOAD_STORE" in ran.err
    else:
        assert ran.code == 0
    ran = await cli("start", BACK, "--arguments", f"@{arguments}")
    # The answer is in the store, too.
    assert (ran.code, ran.err.count("\n")) == ((2, 1) if store.name.startswith("s3") else (0, 0))


async def test_a_start_while_the_store_is_away_sends_nothing_and_says_so(
    open_shop, store, cli, loja, tmp_path, monkeypatch
):
    monkeypatch.setenv("CONFIRMO_PAYLOAD_STORE", store.name)
    door, _ = await open_shop()
    store.take_away()
    tx = f"tx-away-{uuid.uuid4().hex}"
    request = TransactionRequest(tool_name=BACK, arguments={"encomenda_ids": given()})
    with pytest.raises(PayloadStoreUnavailable, match="payload store"):
        await door.start(request, id=tx)
    arguments = tmp_path / "a.json"
    arguments.write_text(json.dumps({"encomenda_ids": given()}))
    ran = await cli("start", BACK, "--arguments", f"@{arguments}")
    assert (ran.code, ran.out, ran.err.count("\n")) == (4, "", 1)
    assert ran.err.startswith(f"The payload store {store.name} cannot be ")
    with pytest.raises(TransactionNotFound):
        await door.state(tx)
    store.bring_back()
    assert (await door.start(request, id=tx)).status == "AWAITING_CONFIRMATION"


@pytest.mark.parametrize("item_activities", [0, 20])
@pytest.mark.parametrize("effect", ["unsafe", "keyed"])
async def test_what_was_done_while_the_store_was_away_is_reported_and_not_done_again(
    open_shop, store, loja, effect, item_activities
):
    count = 8  # so that the result needs no store

    def answer(call):
        if len(loja.called(BACK)) == 1:
            store.take_away()
        return {"success": True, "recibo": "r" * 90_000}

    loja.on[BACK] = answer
    door, _ = await open_shop(Settings(item_activities=item_activities), effect=effect, max_concurrency=3)
    state = await started(door, given(count))
    await confirmed(door, state)
    entries = entries_of(await result_of(door, state))
    assert [entry["outcome"] for entry in entries] == ["SUCCEEDED"] * count
    assert {entry["attempts"] for entry in entries} == {1}
    assert len(loja.called(BACK)) == count
    store.bring_back()


async def test_a_result_that_cannot_be_stored_waits_for_the_store(open_shop, store, loja):
    away = asyncio.Event()

    def answer(call):
        if len(loja.called(BACK)) == MANY:
            store.take_away()
            away.set()
        return {"success": True, "recibo": RECEIPT}

    loja.on[BACK] = answer
    door, desk = await open_shop()
    state = await started(door, given())
    await confirmed(door, state)
    async with asyncio.timeout(90):
        await away.wait()
        handle = desk.client.get_workflow_handle(state.transaction_id)
        while not any(
            event.HasField("workflow_task_failed_event_attributes")
            for event in (await handle.fetch_history()).events
        ):
            await asyncio.sleep(0.1)
    store.bring_back()
    result = await result_of(door, state)
    assert (result.multi_item_status, len(entries_of(result))) == ("SUCCESS", MANY)
    assert len(loja.called(BACK)) == MANY


async def test_payloads_that_were_deleted_are_a_sentence(open_shop, store, loja, tmp_path):
    if not store.name.startswith("dir"):
        pytest.skip("a bucket's objects are deleted the same way")
    loja.on[BACK] = {"success": True, "recibo": RECEIPT}
    door, _ = await open_shop()
    state = await started(door, given())
    await confirmed(door, state)
    await result_of(door, state)
    shutil.rmtree(tmp_path / "payloads")
    with pytest.raises(PayloadNotFound, match="is not in the payload store"):
        await door.result(state.transaction_id)


async def test_a_start_above_the_limit_is_refused_with_and_without_a_store(store, client):
    plugin = ConfirmoPlugin(payload_store=store.name)
    door = TransactionClient(await Client.connect(address_of(client), plugins=[plugin]))
    with pytest.raises(RequestTooLarge, match="40,000,000"):
        await started(door, ["x" * 40_000_001])
    with pytest.raises(RequestTooLarge, match="CONFIRMO_PAYLOAD_STORE"):
        await started(TransactionClient(client), ["x" * 1_500_001])
