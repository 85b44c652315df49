"""Starting: the same request finds the same transaction, another one never does."""

import asyncio
import uuid

import pytest

from confirmo.client import (
    InvalidRequest,
    NoWorker,
    RequestMismatch,
    RequestTooLarge,
    TerminatedState,
    TransactionClient,
)
from confirmo.policies.models import Actor, TransactionRequest
from confirmo.policies.snapshot import transaction_id_for
from harness.shop import F1, F2, PACKAGES

CHECK = "checar_encomendas"


def key() -> str:
    return uuid.uuid4().hex


async def test_a_start_returns_the_question(door):
    state = await (await door()).start(*F2)
    assert state.status == "AWAITING_CONFIRMATION"
    assert [item.label for item in state.items] == PACKAGES
    assert state.accepted_by == "update"
    assert state.transaction_id.startswith("tx-")
    assert "accepted_by" not in state.model_dump_json()


async def test_ex_05_the_same_key_is_the_same_transaction_and_another_request_is_refused(door, loja):
    shop, request_id = await door(), key()
    first = await shop.start(*F2, request_id=request_id)
    again = await shop.start(*F2, request_id=request_id)
    assert again.transaction_id == first.transaction_id == transaction_id_for("default", request_id)
    assert again.confirmation == first.confirmation
    assert len(loja.called(CHECK)) == 1
    for other in ({"tenant": "outra"}, {"requester": Actor(id="bia")}):
        with pytest.raises(RequestMismatch):
            await shop.start(*F2, id=first.transaction_id, **other)
    with pytest.raises(RequestMismatch):
        await shop.start(F2[0], {"encomenda_ids": ["ENC-7002"]}, request_id=request_id)
    assert len(loja.called(CHECK)) == 1


async def test_after_the_end_the_same_start_is_answered_from_the_record(door, loja):
    shop, request_id = await door(), key()
    await shop.done(*F2, request_id=request_id)
    again = await shop.start(*F2, request_id=request_id)
    assert (again.status, again.accepted_by) == ("COMPLETED", "record")
    assert again.result is not None
    assert len(loja.called(F2[0])) == 1
    with pytest.raises(RequestMismatch):
        await shop.start(F2[0], {"encomenda_ids": ["ENC-7002"]}, request_id=request_id)


async def test_a_run_that_another_language_started_is_compared_too(door, impatient):
    shop = await door(max_cached_workflows=0)
    await shop.desk.stop_worker()
    tx = await shop.desk.begin(*F2)
    with pytest.raises(RequestMismatch):
        await shop.start(F2[0], {"encomenda_ids": ["ENC-7002"]}, id=tx.id)
    await shop.desk.start_worker()
    assert (await shop.start(*F2, id=tx.id)).status == "AWAITING_CONFIRMATION"
    await tx.handle.terminate("by hand")
    assert isinstance(await shop.client.state(tx.id), TerminatedState)
    assert (await shop.start(*F2, id=tx.id)).status == "TERMINATED"


async def test_key_order_does_not_make_another_request(door):
    shop, request_id = await door(), key()
    first = await shop.start(F2[0], {"encomenda_ids": PACKAGES, "valor": "1"}, request_id=request_id)
    again = await shop.start(F2[0], {"valor": "1", "encomenda_ids": PACKAGES}, request_id=request_id)
    assert again.transaction_id == first.transaction_id


async def test_several_starts_at_once_are_one_transaction(door, loja):
    shop, request_id = await door(), key()
    states = await asyncio.gather(*(shop.start(*F2, request_id=request_id) for _ in range(8)))
    assert {state.transaction_id for state in states} == {transaction_id_for("default", request_id)}
    assert len({state.confirmation.digest for state in states if state.confirmation}) == 1
    assert len(loja.called(CHECK)) == 1


async def test_a_start_without_a_worker_is_durable(door, loja, impatient):
    shop, request_id = await door(), key()
    await shop.desk.stop_worker()
    with pytest.raises(NoWorker, match=transaction_id_for("default", request_id)):
        await shop.start(*F2, request_id=request_id)
    with pytest.raises(RequestMismatch):
        await shop.start(*F1, request_id=request_id)
    await shop.desk.start_worker()
    assert (await shop.start(*F2, request_id=request_id)).status == "AWAITING_CONFIRMATION"
    assert len(loja.called(CHECK)) == 1


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800", object(), {"a": {1: float("-inf")}}])
async def test_what_json_cannot_carry_is_refused_without_being_quoted(client, value):
    with pytest.raises(InvalidRequest, match="JSON"):
        await _start(TransactionClient(client), {"alvo": value})


@pytest.mark.parametrize("more", [{"request_id": ""}, {"tool_name": "  "}])
async def test_a_request_without_a_name_is_refused(client, more):
    with pytest.raises(InvalidRequest):
        await _start(TransactionClient(client), {}, **more)


@pytest.mark.parametrize("id", ["", " ", "a\nb", "x" * 1001])
async def test_an_id_that_temporal_does_not_take_is_refused(client, id):
    with pytest.raises(InvalidRequest):
        await _start(TransactionClient(client), {}, id=id)


async def test_a_start_that_is_too_large_is_not_sent(client):
    with pytest.raises(RequestTooLarge, match="1,500,000"):
        await _start(TransactionClient(client), {"alvo": "x" * 1_500_001}, id=(id := key()))
    found = [run async for run in client.list_workflows(f"WorkflowId = '{id}'")]
    assert found == []


async def test_what_the_ui_shows_of_a_start_holds_no_argument(door):
    shop = await door()
    state = await shop.start(*F1, requester=Actor(id="ana_*"), request_id=(request_id := key()))
    description = await shop.desk.client.get_workflow_handle(state.transaction_id).describe()
    summary, details = await description.static_summary(), await description.static_details()
    assert summary == "encerrar_assinaturas"
    assert "asked by: ana\\_\\*" in details
    shown = f"{summary}{details}{await description.memo()}{state.transaction_id}"
    assert "rádio" not in shown
    assert request_id not in shown


async def _start(client: TransactionClient, arguments, *, id=None, **more):
    request = TransactionRequest(**{"tool_name": "encerrar_assinaturas", "arguments": arguments} | more)
    return await client.start(request, id=id)
