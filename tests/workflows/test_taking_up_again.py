"""A second hand on what was taken up before: nothing is done twice, and nothing is a dead end."""

import asyncio

import pytest

from confirmo.client import InvalidRequest, NothingToRedrive, TransactionClient
from confirmo.policies.models import Redrive, TransactionRequest
from harness import failed
from harness.desk import Tx, until
from harness.shop import F1

SET = "encerrar_assinaturas"
UNDO_TOOL = {"reativar": {"mcp_server": "loja", "tool_type": "internal", "args_schema": {"id": "string"}}}


def client_of(desk):
    return TransactionClient(desk.client, task_queue=desk.task_queue)


def undoing(when):
    compensate = {"tool": "reativar", "arguments": {"id": "{{ item_id }}"}, "when": when}
    return {
        "tools": UNDO_TOOL,
        "policies": {
            SET: {"compensate": compensate},
            "reativar": {"operation_type": "internal"},
        },
    }


def undone(loja):
    return [call.arguments["id"] for call in loja.called("reativar")]


async def confirmed(desk, state):
    tx = Tx(desk.client.get_workflow_handle(state.transaction_id))
    if state.status.value == "AWAITING_CONFIRMATION":
        await tx.confirm(digest=state.confirmation.digest)
    return await tx.result()


async def test_a_terminated_run_that_asked_nobody_counts_as_begun(desk, loja):
    never = asyncio.Event()

    async def hang(call):
        await never.wait()
        return {"success": True}

    loja.on[SET] = hang
    d = await desk(policies={SET: {"require_confirmation": False}})
    tx = await d.begin(*F1)
    await until(lambda: len(loja.called(SET)) == 3)
    await tx.handle.terminate("operador")
    with pytest.raises(NothingToRedrive, match="--unknown"):
        await client_of(d).redrive(tx.id)
    assert len(loja.called(SET)) == 3
    never.set()


async def test_what_the_transaction_itself_undid_is_not_undone_again(desk, loja):
    loja.on |= {
        SET: lambda call: failed("não") if "Clube" in call.arguments["alvo"] else {"success": True},
        "reativar": {"success": True},
    }
    d = await desk(**undoing("partial"))
    first = await d.run(*F1)
    assert undone(loja) == ["A-03", "A-01"]
    assert "Depois foi desfeito: Cofre Fotos 50 e Rádio Maré." in first["message"]
    assert [entry["outcome"] for entry in first["composition"]["undone"]] == ["SUCCEEDED", "SUCCEEDED"]
    with pytest.raises(NothingToRedrive, match="undone already"):
        await client_of(d).redrive(first["transaction_id"], undo=True)
    assert undone(loja) == ["A-03", "A-01"]


async def test_only_what_was_certainly_not_undone_is_undone_again(desk, loja):
    answers = {"A-01": failed("agora não"), "A-02": {"success": "talvez"}, "A-03": {"success": True}}
    loja.on |= {SET: {"success": True}, "reativar": lambda call: answers[call.arguments["id"]]}
    d = await desk(**undoing("on_request"))
    first = await d.run(*F1)
    door = client_of(d)
    one = await door.redrive(first["transaction_id"], undo=True)
    told = (await confirmed(d, one))["result"]["output"]["reativar"]["results"]
    assert [(entry["outcome"], entry["attempts"]) for entry in told] == [
        ("SUCCEEDED", 1),
        ("UNKNOWN", 1),
        ("FAILED", 1),
    ]
    assert undone(loja) == ["A-03", "A-02", "A-01"]
    answers["A-01"] = {"success": True}
    two = await door.redrive(first["transaction_id"], undo=True)
    assert two.transaction_id not in (one.transaction_id, first["transaction_id"])
    await confirmed(d, two)
    assert undone(loja) == ["A-03", "A-02", "A-01", "A-01"]
    three = await door.redrive(first["transaction_id"], undo=True)
    assert three.transaction_id == two.transaction_id
    assert len(undone(loja)) == 4
    assert (await door.state(first["transaction_id"])).redriven_as == two.transaction_id


async def test_what_was_recorded_as_succeeded_is_not_sent_again(desk, loja):
    loja.on[SET] = lambda call: {"success": True} if "Rádio" in call.arguments["alvo"] else {"sem": "marca"}
    d = await desk()
    id = (await d.run(*F1))["transaction_id"]
    door = client_of(d)
    one = await door.redrive(id, resolve={"A-02": "succeeded"}, note="visto")
    await confirmed(d, one)
    assert (
        await door.redrive(id, resolve={"A-02": "succeeded"}, note="visto")
    ).transaction_id == one.transaction_id
    again = await door.redrive(id, unknown=True)
    assert [item.item_id for item in again.items] == ["A-03"]


async def test_what_was_recorded_on_two_days_is_two_records_and_a_failed_one_can_be_taken_up(desk, loja):
    loja.on[SET] = lambda call: {"success": True} if "Rádio" in call.arguments["alvo"] else {"sem": "marca"}
    d = await desk()
    id = (await d.run(*F1))["transaction_id"]
    door = client_of(d)
    one = await door.redrive(id, resolve={"A-02": "succeeded"}, note="visto")
    two = await door.redrive(id, resolve={"A-03": "failed"}, note="não está lá")
    assert one.transaction_id != two.transaction_id
    with pytest.raises(NothingToRedrive, match=id):
        await door.redrive(two.transaction_id)
    again = await door.redrive(id)
    assert [item.item_id for item in again.items] == ["A-03"]


async def test_a_resolution_of_a_transaction_without_items_is_refused(desk, loja):
    loja.on["fechar_conta"] = {"sem": "marca"}
    d = await desk(
        tools={"fechar_conta": {"mcp_server": "loja", "tool_type": "action"}},
        policies={"fechar_conta": {"operation_type": "transactional", "require_confirmation": False}},
    )
    first = await d.run("fechar_conta", {})
    with pytest.raises(NothingToRedrive, match="names items"):
        await client_of(d).redrive(
            first["transaction_id"], unknown=True, resolve={"x": "failed"}, note="visto"
        )


async def test_a_call_that_told_its_items_itself_is_not_made_again_for_the_failed_ones(desk, loja):
    loja.on["fechar_conta"] = {"results": [{"id": "1", "success": True}, {"id": "2", "success": False}]}
    d = await desk(
        tools={"fechar_conta": {"mcp_server": "loja", "tool_type": "action"}},
        policies={"fechar_conta": {"operation_type": "transactional", "require_confirmation": False}},
    )
    first = await d.run("fechar_conta", {})
    assert first["multi_item_status"] == "PARTIAL_SUCCESS"
    with pytest.raises(NothingToRedrive, match="part of it succeeded"):
        await client_of(d).redrive(first["transaction_id"])
    assert len(loja.called("fechar_conta")) == 1


async def test_a_start_cannot_claim_to_take_up_another_one(desk, loja):
    d = await desk()
    request = TransactionRequest(tool_name=SET, redrive=Redrive(of="tx-1", root="tx-1"))
    with pytest.raises(InvalidRequest, match="redrive"):
        await client_of(d).start(request)
    assert loja.calls == []
