"""The webhook: each question and each end is told, signed, until it is taken; the transaction never waits for it."""

import asyncio
import base64
import json
import socket

import pytest
import pytest_asyncio
from pydantic import SecretStr
from standardwebhooks import Webhook
from starlette.responses import Response
from temporalio.client import WorkflowFailureError

from confirmo.client import TransactionClient
from confirmo.policies import names
from confirmo.worker.settings import Settings
from harness import WebhookReceiver, failed
from harness.desk import Tx
from harness.shop import F1, F2

SET = "encerrar_assinaturas"
SECRET = "whsec_" + base64.b64encode(b"the first secret of these tests!").decode()
OTHER = "whsec_" + base64.b64encode(b"the other secret of these tests!").decode()
QUESTION = "confirmation.requested"


def settings(url, **more):
    return Settings(webhook_url=url, webhook_secrets=SecretStr(SECRET), **more)


@pytest_asyncio.fixture
async def receiver():
    async with WebhookReceiver().running() as one:
        yield one


@pytest_asyncio.fixture
async def told(desk, receiver):
    """A desk whose worker tells the receiver."""

    async def open_one(*, more=None, **changes):
        return await desk(settings=settings(receiver.url, **(more or {})), **changes)

    return open_one


async def delivery_of(desk, transaction_id):
    """How the delivery of an end ended: its handle's result, or its failure."""
    handle = desk.client.get_workflow_handle(f"{transaction_id}/end")
    async with asyncio.timeout(60):
        return await handle.result()


async def test_a_question_is_told_with_all_that_an_answer_needs(told, receiver):
    tx = await (await told()).start(*F1, session_id="conversa-1", tenant="acme", request_id="r-1")
    (came,) = await receiver.until(QUESTION)
    asked = tx.opened["confirmation"]
    assert came.id == f"{tx.id}/1"
    assert came.headers["content-type"] == "application/json"
    body = Webhook(SECRET).verify(came.body, came.headers)
    assert (body["type"], body["timestamp"]) == (QUESTION, asked["requested_at"])
    data = body["data"]
    assert data["message"] == asked["message"] == tx.opened["question"]
    assert {name: data[name] for name in ("digest", "requested_at", "expires_at", "approvals_needed")} == {
        name: asked[name] for name in ("digest", "requested_at", "expires_at", "approvals_needed")
    }
    assert (data["transaction_id"], data["tenant"], data["session_id"]) == (tx.id, "acme", "conversa-1")
    assert (data["request_id"], data["tool_name"], data["locale"]) == ("r-1", SET, "pt-BR")
    assert data["items_count"] == 3
    assert data["items"] == tx.opened["items"]
    before = (
        "delivery_id",
        "transaction_id",
        "tool_name",
        "message",
        "digest",
        "requested_at",
        "expires_at",
        "tenant",
        "session_id",
        "locale",
        "items_count",
    )
    assert {name: body[name] for name in before} == {name: data[name] for name in before}
    confirmed = await tx.update("confirm", {"decision": "confirm", "digest": data["digest"]})
    assert confirmed["status"] in ("EXECUTING", "COMPLETED")


async def test_a_question_asked_anew_has_another_id(told, receiver):
    tx = await (await told()).start(*F2)
    await receiver.until(QUESTION)
    state = await tx.update("amend", {"remove_item_ids": ["ENC-7002"]})
    first, second = await receiver.until(QUESTION, 2)
    assert (first.id, second.id) == (f"{tx.id}/1", f"{tx.id}/2")
    assert second.told["data"]["digest"] == state["confirmation"]["digest"] != first.told["data"]["digest"]
    assert [item["item_id"] for item in second.told["data"]["items"]] == ["ENC-7001", "ENC-7003"]


async def test_of_many_items_the_first_fifty_are_told_and_all_are_counted(told, receiver, loja):
    await (await told()).start(F2[0], {"encomenda_ids": [f"ENC-{number}" for number in range(300)]})
    (came,) = await receiver.until(QUESTION)
    data = came.told["data"]
    assert (data["items_count"], len(data["items"])) == (300, 50)
    assert len(came.body) < 64 * 1024


async def completed(desk, loja):
    return await desk.start(*F1), lambda tx: tx.confirm()


async def partly(desk, loja):
    loja.on[SET] = lambda call: failed("x") if "Clube" in call.arguments["alvo"] else {"success": True}
    return await completed(desk, loja)


async def all_failed(desk, loja):
    loja.on[SET] = failed("fora do ar")
    return await completed(desk, loja)


async def rejected(desk, loja):
    return await desk.start(*F1), lambda tx: tx.reject(comment="mudei de ideia")


async def cancelled(desk, loja):
    return await desk.start(*F1), lambda tx: tx.update("cancel", {"reason": "desisti"})


async def cancelled_by_temporal(desk, loja):
    return await desk.start(*F1), lambda tx: tx.handle.cancel()


async def out_of_scope(desk, loja):
    loja.on["checar_assinaturas"] = {"eligible": False, "reason": "contrato suspenso"}
    return await desk.start(*F1), None


async def blocked(desk, loja):
    return await desk.start("no_such_tool", {}), None


async def unasked(desk, loja):
    return await desk.start("listar_faturas", {}), None


ENDS = {
    completed: ("COMPLETED", None, "SUCCESS", 3),
    partly: ("COMPLETED", None, "PARTIAL_SUCCESS", 2),
    all_failed: ("FAILED", None, "FAILED", 0),
    rejected: ("CANCELLED", "rejected", None, 0),
    cancelled: ("CANCELLED", "cancelled", None, 0),
    cancelled_by_temporal: ("CANCELLED", "cancelled", None, 0),
    out_of_scope: ("OUT_OF_SCOPE", "not_eligible", None, 0),
    blocked: ("BLOCKED", "unknown_tool", None, 0),
    unasked: ("COMPLETED", None, None, 0),
}


@pytest.mark.parametrize("end", ENDS, ids=lambda end: end.__name__)
async def test_every_end_is_told_once(told, receiver, loja, end):
    d = await told()
    tx, act = await end(d, loja)
    if act is not None:
        await act(tx)
    result = await tx.result()
    status, code, multi, succeeded = ENDS[end]
    assert (await delivery_of(d, tx.id)) == {"sink": "webhook", "delivered": True}
    kind = f"transaction.{status.lower()}"
    (came,) = receiver.of(kind)
    assert came.id == f"{tx.id}/end"
    body = Webhook(SECRET).verify(came.body, came.headers)
    assert set(body) == {"type", "timestamp", "data"}
    data = body["data"]
    assert (data["status"], data["reason_code"], data["multi_item_status"]) == (status, code, multi)
    assert data["items_succeeded_count"] == succeeded
    for name in ("transaction_id", "tool_name", "ok", "partial_success", "message", "reason_code"):
        assert data[name] == result[name], name
    assert data["reason"] == (result["reason"] or result["error"])
    assert body["timestamp"] == data["completed_at"]
    assert [kind for kind in receiver.kinds() if kind != QUESTION] == [kind]


async def test_an_expired_question_is_told_and_was_expired_honestly_while_nobody_could_be_told(
    told, receiver
):
    receiver.answering(*[500] * 3)
    d = await told(policies={SET: {"confirmation": {"expires_seconds": 1}}})
    tx = await d.start(*F1)
    assert (await tx.result())["transaction_status"] == "EXPIRED"
    (came, *again) = await receiver.until("transaction.expired")
    assert came.told["data"]["reason_code"] == "expired"
    assert {one.id for one in (came, *again)} == {f"{tx.id}/end"}


async def test_redrives_and_undoings_are_told_under_their_own_ids(told, receiver, loja):
    loja.on[SET] = lambda call: failed("x") if "Clube" in call.arguments["alvo"] else {"success": True}
    undo = {"compensate": {"tool": "devolver_encomendas", "arguments": {"encomenda_ids": ["{item_id}"]}}}
    d = await told(policies={SET: undo | {"requires": ["alvo"]}})
    client = TransactionClient(d.client, task_queue=d.task_queue)
    tx = await d.start(*F1)
    await tx.confirm()
    await tx.result()
    state = await client.redrive(tx.id)
    again = Tx(d.client.get_workflow_handle(state.transaction_id))
    await again.confirm()
    await again.result()
    await delivery_of(d, again.id)
    (second,) = [one for one in receiver.came if one.id == f"{again.id}/end"]
    assert second.told["data"]["redrive_of"] == tx.id
    undone = await client.redrive(tx.id, undo=True)
    taken = Tx(d.client.get_workflow_handle(undone.transaction_id))
    if undone.status.value == "AWAITING_CONFIRMATION":
        await taken.confirm()
    await taken.result()
    await delivery_of(d, taken.id)
    (third,) = [one for one in receiver.came if one.id == f"{taken.id}/end"]
    assert third.told["data"]["redrive_of"] == tx.id


async def test_three_failures_are_tried_again_with_the_same_id_and_body(told, receiver):
    receiver.answering(500, 500, 500)
    tx = await (await told()).start(*F1)
    came = await receiver.until(QUESTION, 4)
    assert {(one.id, one.body) for one in came} == {(f"{tx.id}/1", came[0].body)}
    assert len({one.headers["webhook-timestamp"] for one in came}) > 1
    for one in came:
        Webhook(SECRET).verify(one.body, one.headers)
    await tx.confirm()
    await tx.result()
    await receiver.until("transaction.completed")


async def test_a_receiver_that_was_down_hears_of_the_end_when_it_is_up(desk):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    d = await desk(settings=settings(f"http://127.0.0.1:{port}/webhook"))
    tx = await d.start(*F1)
    await tx.confirm()
    assert (await tx.result())["multi_item_status"] == "SUCCESS"
    assert (await tx.handle.describe()).status.name == "COMPLETED"
    await d.stop_worker()
    await d.start_worker()  # another worker goes on with it
    async with WebhookReceiver().running(port) as receiver:
        (came,) = await receiver.until("transaction.completed")
        assert came.id == f"{tx.id}/end"
        assert (await delivery_of(d, tx.id))["delivered"] is True


async def test_a_slow_receiver_holds_up_neither_the_answer_nor_the_result(told, receiver):
    never = asyncio.Event()
    receiver.answering(never.wait, never.wait)
    d = await told()
    tx = await d.start(*F1)
    await receiver.until(QUESTION)
    await tx.confirm()
    async with asyncio.timeout(8):  # an attempt would take ten seconds
        assert (await tx.result())["multi_item_status"] == "SUCCESS"
    await receiver.until("transaction.completed")


@pytest.mark.parametrize("status", [400, 410, 422])
async def test_a_final_no_stops_the_delivery_and_nothing_else(told, receiver, status, caplog):
    receiver.answering(status, status)
    d = await told()
    tx = await d.start(*F1)
    await receiver.until(QUESTION)
    await tx.confirm()
    assert (await tx.result())["multi_item_status"] == "SUCCESS"
    with pytest.raises(WorkflowFailureError) as failure:
        await delivery_of(d, tx.id)
    refused = failure.value.cause.cause
    assert (refused.type, refused.message) == ("WebhookRefused", f"the webhook answered {status}")
    assert receiver.kinds() == [QUESTION, "transaction.completed"]
    assert f"the webhook refused {tx.id}/end with {status}" in caplog.text
    handle = d.client.get_workflow_handle(f"{tx.id}/end")
    assert (await handle.describe()).status.name == "FAILED"


@pytest.mark.parametrize("status", [301, 401, 403, 404, 408, 429, 503])
async def test_what_may_pass_is_tried_again_and_no_other_place_is_asked(told, receiver, status):
    elsewhere = {"location": receiver.url.replace("/webhook", "/elsewhere")} if status == 301 else {}
    receiver.answering(Response(status_code=status, headers=elsewhere | {"retry-after": "1"}))
    await (await told()).start(*F1)
    first, second = await receiver.until(QUESTION, 2)
    assert first.body == second.body
    assert len(receiver.came) == 2


async def test_two_secrets_sign_side_by_side_while_they_are_exchanged(desk, receiver):
    both = Settings(webhook_url=receiver.url, webhook_secrets=SecretStr(f"{SECRET}, {OTHER}"))
    await (await desk(settings=both)).start(*F1)
    (came,) = await receiver.until(QUESTION)
    assert len(came.headers["webhook-signature"].split()) == 2
    for secret in (SECRET, OTHER):
        assert Webhook(secret).verify(came.body, came.headers)["type"] == QUESTION


async def test_without_a_secret_a_delivery_has_its_id_and_no_signature(desk, receiver):
    await (await desk(settings=Settings(webhook_url=receiver.url))).start(*F1)
    (came,) = await receiver.until(QUESTION)
    assert "webhook-signature" not in came.headers
    assert came.id.endswith("/1")


async def test_no_secret_and_no_address_is_in_a_history_or_a_log(desk, receiver, caplog):
    receiver.answering(500, Response("um corpo que ninguém guarda", status_code=418))
    hidden = {"authorization": "Bearer segredo-do-cabecalho", "Webhook-Id": "forged"}
    url = f"{receiver.url}?token=segredo-da-url"
    caplog.set_level("DEBUG")
    d = await desk(settings=settings(url, webhook_headers=hidden))
    tx = await d.start(*F1)
    await receiver.until(QUESTION)
    await tx.confirm()
    await tx.result()
    with pytest.raises(WorkflowFailureError):
        await delivery_of(d, tx.id)
    told = d.client.get_workflow_handle(f"{tx.id}/end")
    kept = "".join([(await handle.fetch_history()).to_json() for handle in (tx.handle, told)]) + repr(
        d.settings
    )
    ours = caplog.text
    for secret in (
        SECRET,
        SECRET.removeprefix("whsec_"),
        "segredo-do-cabecalho",
        "segredo-da-url",
        "um corpo",
    ):
        assert secret not in kept, secret
        assert secret not in ours, secret
    assert base64.b64encode(SECRET.encode()).decode() not in kept
    assert receiver.came[0].headers["authorization"] == "Bearer segredo-do-cabecalho"
    assert receiver.came[0].id == f"{tx.id}/1"


async def test_a_worker_that_has_no_webhook_any_more_tells_the_log(told, receiver, caplog):
    d = await told()
    tx = await d.start(*F1)
    await receiver.until(QUESTION)
    await d.stop_worker()
    d.settings = Settings()
    await d.start_worker()
    caplog.set_level("INFO", "confirmo.completion")
    await tx.reject()
    await tx.result()
    assert (await delivery_of(d, tx.id))["sink"] == "log"
    assert f"transaction over: {tx.id} ({SET}): CANCELLED" in caplog.text
    assert receiver.kinds() == [QUESTION]


async def test_ends_that_are_not_to_be_told_start_nothing(told, receiver):
    d = await told(more={"webhook_completions": False})
    tx = await d.start(*F1)
    await tx.confirm()
    await tx.result()
    history = json.loads((await tx.handle.fetch_history()).to_json())
    assert not [one for one in history["events"] if "CHILD_WORKFLOW" in one["eventType"]]
    assert set(receiver.kinds()) <= {QUESTION}


@pytest.mark.parametrize("id", ["pedido ação 1.2", "x" * 990])
async def test_an_id_that_is_no_header_and_a_very_long_one_are_told_too(told, receiver, id):
    d = await told()
    tx = await d.start(*F1, id=f"{id}{'' if len(id) > 900 else d.task_queue}")
    (asked,) = await receiver.until(QUESTION)
    Webhook(SECRET).verify(asked.body, asked.headers)
    await tx.reject()
    await tx.result()
    (ended,) = await receiver.until("transaction.cancelled")
    assert asked.id.startswith("msg_")
    assert ended.id.startswith("msg_")
    assert asked.id != ended.id
    assert ended.told["data"]["transaction_id"] == tx.id


async def test_an_end_that_was_told_already_is_not_told_again_and_stops_nothing(told, receiver):
    d = await told()
    body = {
        "delivery_id": "x/end",
        "transaction_id": "x",
        "status": "COMPLETED",
        "tool_name": "t",
        "requested_tool_name": "t",
        "completed_at": "2026-01-01T00:00:00.000Z",
        "ok": True,
    }
    id = f"tx-{d.task_queue}"
    earlier = await d.client.start_workflow(
        names.DELIVERY_WORKFLOW, body, id=f"{id}/end", task_queue=d.task_queue
    )
    await earlier.result()
    tx = await d.start(*F1, id=id)
    await tx.reject()
    assert (await tx.result())["transaction_status"] == "CANCELLED"
    assert receiver.of("transaction.cancelled") == []


async def test_the_answer_to_a_yes_comes_with_a_receiver_that_is_down(desk):
    """Whoever confirms through another door does not notice the webhook."""
    d = await desk(settings=settings("http://127.0.0.1:9/"))
    for _ in range(3):
        tx = await d.start(*F1)
        state = await tx.confirm()
        assert state["status"] in ("EXECUTING", "COMPLETED")
        assert (await tx.result())["multi_item_status"] == "SUCCESS"
