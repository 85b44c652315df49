"""Taking up what failed, what nobody can say of, what was found out, and undoing what was done."""

import pytest

from confirmo.client import NothingToRedrive, TransactionClient
from confirmo.policies.models import Actor
from harness import Page, failed
from harness.desk import Tx
from harness.shop import F1, F2

SET = "encerrar_assinaturas"
BACK = "devolver_encomendas"


def client_of(desk):
    return TransactionClient(desk.client, task_queue=desk.task_queue)


def keys(calls):
    return {call.arguments["alvo"]: call.key for call in calls}


def outcomes(result, tool=SET):
    return {entry["item_id"]: entry["outcome"] for entry in result["result"]["output"][tool]["results"]}


async def confirmed(desk, state):
    tx = Tx(desk.client.get_workflow_handle(state.transaction_id))
    if state.status.value == "AWAITING_CONFIRMATION":
        await tx.confirm(digest=state.confirmation.digest)
    return await tx.result()


async def test_only_what_failed_is_executed_again_with_the_same_keys(desk, loja):
    broken = {"Clube Leitura"}
    loja.on[SET] = lambda call: (
        failed("fora do ar") if call.arguments["alvo"] in broken else {"success": True}
    )
    d = await desk()
    first = await d.run(*F1)
    before = keys(loja.called(SET))
    assert outcomes(first) == {"A-01": "SUCCEEDED", "A-02": "FAILED", "A-03": "SUCCEEDED"}
    loja.calls.clear()
    broken.clear()
    state = await client_of(d).redrive(first["transaction_id"])
    assert state.status.value == "AWAITING_CONFIRMATION"
    assert [item.item_id for item in state.items] == ["A-02"]
    assert "Rádio Maré" not in state.question
    assert state.redrive_of == first["transaction_id"]
    second = await confirmed(d, state)
    assert second["result"]["output"][SET]["results"][0]["outcome"] == "SUCCEEDED"
    assert keys(loja.called(SET)) == {"Clube Leitura": before["Clube Leitura"]}
    assert len(loja.called("checar_assinaturas")) == 1
    linked = await client_of(d).state(first["transaction_id"])
    assert linked.redriven_as == second["transaction_id"]


async def test_a_redrive_twice_is_one_transaction_and_a_chain_keeps_the_first_keys(desk, loja):
    loja.on[SET] = failed("fora do ar")
    d = await desk()
    first = await d.run(*F1)
    door = client_of(d)
    one = await door.redrive(first["transaction_id"])
    two = await door.redrive(first["transaction_id"])
    assert one.transaction_id == two.transaction_id
    second = await confirmed(d, one)
    third = await confirmed(d, await door.redrive(second["transaction_id"]))
    assert len({call.key for call in loja.called(SET)}) == 3
    assert len(loja.called(SET)) == 9
    assert third["transaction_id"] not in (first["transaction_id"], second["transaction_id"])


async def test_a_whole_set_is_narrowed_to_what_failed(desk, loja):
    loja.on[BACK] = lambda call: {
        "results": [
            {"id": entry, "success": entry != "ENC-7002", "reason": "em uso"}
            for entry in call.arguments["encomenda_ids"]
        ]
    }
    d = await desk()
    first = await d.run(*F2)
    await confirmed(d, await client_of(d).redrive(first["transaction_id"]))
    assert loja.called(BACK)[-1].arguments["encomenda_ids"] == ["ENC-7002"]
    assert loja.called(BACK)[-1].item_keys["ENC-7002"] == loja.called(BACK)[0].item_keys["ENC-7002"]


async def test_unknown_items_are_left_alone_until_asked_for_and_then_asked_about_first(desk, loja):
    loja.on |= {
        SET: lambda call: (
            {"sem": "marca"} if call.arguments["alvo"] == "Clube Leitura" else {"success": True}
        ),
        "situacao": {"found": True, "success": True, "protocolo": "EN-7"},
    }
    d = await desk(
        tools={"situacao": {"mcp_server": "loja", "tool_type": "internal"}},
        policies={
            "situacao": {"operation_type": "internal"},
            SET: {"execution": {"status_tool": "situacao"}},
        },
    )
    first = await d.run(*F1)
    assert outcomes(first)["A-02"] == "UNKNOWN"
    door = client_of(d)
    with pytest.raises(NothingToRedrive, match="--unknown"):
        await door.redrive(first["transaction_id"])
    loja.calls.clear()
    second = await confirmed(d, await door.redrive(first["transaction_id"], unknown=True))
    [entry] = second["result"]["output"][SET]["results"]
    assert (entry["outcome"], entry["protocolo"]) == ("SUCCEEDED", "EN-7")
    assert loja.called(SET) == []


async def test_what_an_operator_found_out_is_evidence_of_its_own_kind(desk, loja):
    unflagged = {"results": [{"id": "A-02", "protocolo": "EN-5"}]}
    loja.on[SET] = lambda call: unflagged if "Clube" in call.arguments["alvo"] else {"success": True}
    d = await desk()
    first = await d.run(*F1)
    loja.calls.clear()
    state = await client_of(d).redrive(
        first["transaction_id"],
        resolve={"A-02": "succeeded"},
        note="visto no sistema",
        actor=Actor(id="op-1"),
    )
    result = await confirmed(d, state)
    [entry] = result["result"]["output"][SET]["results"]
    assert (entry["item_id"], entry["outcome"]) == ("A-02", "SUCCEEDED")
    assert entry["resolution"]["actor"] == "op-1"
    assert entry["resolution"]["note"] == "visto no sistema"
    assert entry["resolution"]["at"].endswith("Z")
    assert entry["tool_result"]["protocolo"] == "EN-5"
    assert entry["tool_result"]["outcome"] == "UNKNOWN"
    assert loja.calls == []
    assert outcomes(first)["A-02"] == "UNKNOWN"


async def test_a_resolution_of_an_item_that_is_not_unknown_is_refused(desk, loja):
    d = await desk()
    first = await d.run(*F1)
    with pytest.raises(NothingToRedrive):
        await client_of(d).redrive(first["transaction_id"], resolve={"A-01": "failed"}, note="não foi")
    with pytest.raises(NothingToRedrive):
        await client_of(d).redrive(first["transaction_id"])


async def test_a_terminated_run_is_taken_up_from_its_history(desk, loja):
    import asyncio

    begun, never = asyncio.Event(), asyncio.Event()

    async def hang(call):
        if call.arguments["alvo"] == "Clube Leitura" and not begun.is_set():
            begun.set()
            await never.wait()
        return {"success": True}

    loja.on[SET] = hang
    d = await desk(policies={SET: {"execution": {"max_concurrency": 1, "effect": "keyed"}}})
    tx = await d.start(*F1)
    await tx.confirm()
    async with asyncio.timeout(20):
        await begun.wait()
    await tx.handle.terminate("operador")
    never.set()
    door = client_of(d)
    state = await door.state(tx.id)
    assert state.status == "TERMINATED"
    result = await confirmed(d, await door.redrive(tx.id, unknown=True))
    assert set(outcomes(result)) == {"A-02", "A-03"}
    assert {call.key for call in loja.called(SET) if call.arguments["alvo"] == "Clube Leitura"} == {
        next(call.key for call in loja.called(SET) if call.arguments["alvo"] == "Clube Leitura")
    }


UNDO = {
    "tools": {
        "reativar": {
            "mcp_server": "loja",
            "tool_type": "internal",
            "args_schema": {"id": "string", "p": "string"},
        }
    },
    "arguments": {"id": "{{ item_id }}", "p": "{{ result.protocolo }}"},
}


def undoing(when, **policy):
    return {
        "tools": UNDO["tools"],
        "policies": {
            SET: {"compensate": {"tool": "reativar", "arguments": UNDO["arguments"], "when": when}},
            "reativar": {"operation_type": "internal"} | policy,
        },
    }


async def test_a_partial_success_is_undone_last_first_with_keys_of_its_own(desk, loja):
    loja.on |= {
        SET: lambda call: (
            failed("não")
            if call.arguments["alvo"] == "Clube Leitura"
            else {"success": True, "protocolo": "EN-1"}
        ),
        "reativar": {"success": True, "protocolo": "RE-1"},
    }
    d = await desk(**undoing("partial"))
    result = await d.run(*F1)
    assert result["multi_item_status"] == "PARTIAL_SUCCESS"
    assert [call.arguments for call in loja.called("reativar")] == [
        {"id": "A-03", "p": "EN-1"},
        {"id": "A-01", "p": "EN-1"},
    ]
    assert not {call.key for call in loja.called("reativar")} & {call.key for call in loja.called(SET)}
    undone = result["result"]["output"]["reativar"]
    assert undone["success"] is True
    assert [entry["item_id"] for entry in undone["results"]] == ["A-03", "A-01"]
    assert outcomes(result) == {"A-01": "SUCCEEDED", "A-02": "FAILED", "A-03": "SUCCEEDED"}


async def test_nothing_is_undone_where_all_succeeded_or_it_is_only_on_request(desk, loja):
    loja.on["reativar"] = {"success": True}
    assert "reativar" not in (await (await desk(**undoing("partial"))).run(*F1))["result"]["output"]
    loja.on[SET] = lambda call: failed("não") if "Clube" in call.arguments["alvo"] else {"success": True}
    assert "reativar" not in (await (await desk(**undoing("on_request"))).run(*F1))["result"]["output"]
    assert loja.called("reativar") == []


async def test_a_failed_undo_is_visible_and_hides_nothing(desk, loja):
    loja.on |= {
        SET: lambda call: failed("não") if "Clube" in call.arguments["alvo"] else {"success": True},
        "reativar": failed("sem volta"),
    }
    result = await (await desk(**undoing("partial"))).run(*F1)
    assert outcomes(result) == {"A-01": "SUCCEEDED", "A-02": "FAILED", "A-03": "SUCCEEDED"}
    assert result["result"]["output"]["reativar"]["success"] is False
    assert "sem volta" in result["secondary_error"]
    assert result["ok"] is True


async def test_the_status_tool_of_an_undo_gets_the_item_that_is_undone(desk, loja):
    loja.on |= {
        SET: lambda call: failed("não") if "Clube" in call.arguments["alvo"] else {"success": True},
        "reativar": {"success": True},
        "situacao": {"found": True, "success": True},
    }
    loja.pages["reativar"] = iter([Page(504, after=True)])
    changes = undoing("partial", execution={"status_tool": "situacao"})
    declared = {"idempotency_key": "string", "item_id": "string", "item": "object", "id": "string"}
    changes["tools"] = changes["tools"] | {
        "situacao": {"mcp_server": "loja", "tool_type": "internal", "args_schema": declared}
    }
    changes["policies"]["situacao"] = {"operation_type": "internal"}
    result = await (await desk(**changes)).run(*F1)
    (asked,) = loja.called("situacao")
    undone = result["result"]["output"]["reativar"]["results"]
    assert asked.arguments == {
        "idempotency_key": undone[0]["idempotency_key"],
        "item_id": "A-03",
        "item": {"id": "A-03", "name": "Cofre Fotos 50"},
        "id": "A-03",
    }
    assert [entry["outcome"] for entry in undone] == ["SUCCEEDED", "SUCCEEDED"]
    assert undone[0]["verified_by"] == "situacao"


@pytest.mark.parametrize("answer", ["confirm", "reject"])
async def test_a_person_is_asked_before_an_undo_where_its_tools_policy_says_so(desk, loja, answer):
    loja.on |= {
        SET: lambda call: failed("não") if "Clube" in call.arguments["alvo"] else {"success": True},
        "reativar": {"success": True},
    }
    d = await desk(**undoing("partial", require_confirmation=True))
    tx = await d.start(*F1)
    await tx.confirm()
    asked = await tx.awaiting()
    assert asked["status"] == "AWAITING_CONFIRMATION"
    assert "Rádio Maré" in asked["question"]
    assert "Clube Leitura" not in asked["question"]
    assert loja.called("reativar") == []
    await (tx.confirm(digest=asked["confirmation"]["digest"]) if answer == "confirm" else tx.reject())
    result = await tx.result()
    assert len(loja.called("reativar")) == (2 if answer == "confirm" else 0)
    assert result["result"]["output"]["reativar"]["success"] is (answer == "confirm")
    assert result["multi_item_status"] == "PARTIAL_SUCCESS"


async def test_undo_on_request_is_a_transaction_of_its_own(desk, loja):
    loja.on |= {SET: {"success": True, "protocolo": "EN-1"}, "reativar": {"success": True}}
    d = await desk(**undoing("on_request"))
    first = await d.run(*F1)
    result = await confirmed(d, await client_of(d).redrive(first["transaction_id"], undo=True))
    assert [call.arguments["id"] for call in loja.called("reativar")] == ["A-03", "A-02", "A-01"]
    assert result["tool_name"] == "reativar"
    assert result["multi_item_status"] == "SUCCESS"
    assert len(loja.called(SET)) == 3


async def test_a_step_gets_the_evidence_that_its_arguments_name(desk, loja):
    loja.on[SET] = lambda call: failed("não") if "Clube" in call.arguments["alvo"] else {"success": True}
    after = [
        {
            "tool": "avisar_cliente",
            "arguments": {
                "canal": "Feito: {{ succeeded }}; não: {{ failed }} ({{ status }}, {{ transaction_id }})"
            },
        }
    ]
    result = await (await desk(policies={SET: {"after": after}})).run(*F1)
    [call] = loja.called("avisar_cliente")
    text = (
        f"Feito: Rádio Maré, Cofre Fotos 50; não: Clube Leitura (PARTIAL_SUCCESS, {result['transaction_id']})"
    )
    assert call.arguments == {"canal": text}


async def test_an_undo_ends_before_its_history_is_too_long_and_the_next_one_takes_the_rest(
    desk, loja, monkeypatch
):
    loja.on["reativar"] = {"success": True}
    d = await desk(**undoing("on_request"))
    first = await d.run(*F1)
    with monkeypatch.context() as short:
        short.setattr("confirmo.workflows.undoing.MOST_EVENTS", 12)
        result = await confirmed(d, await client_of(d).redrive(first["transaction_id"], undo=True))
    entries = result["result"]["output"]["reativar"]["results"]
    done = [entry["item_id"] for entry in entries if entry["success"]]
    left = [entry["item_id"] for entry in entries if entry.get("reason_code") == "not_executed"]
    assert (sorted(done + left), result["partial_success"]) == (["A-01", "A-02", "A-03"], True)
    assert len(loja.called("reativar")) == len(done) < 3
    result = await confirmed(d, await client_of(d).redrive(first["transaction_id"], undo=True))
    assert outcomes(result, "reativar") == dict.fromkeys(left, "SUCCEEDED")
    assert len(loja.called("reativar")) == 3


async def test_a_redrive_and_an_undo_of_the_same_transaction_are_two_and_another_way_is_refused(desk, loja):
    loja.on |= {
        SET: lambda call: (
            {"sem": "marca"}
            if "Cofre" in call.arguments["alvo"]
            else failed("não")
            if "Clube" in call.arguments["alvo"]
            else {"success": True}
        ),
        "reativar": {"success": True},
    }
    d = await desk(**undoing("on_request"))
    first = await d.run(*F1)
    door = client_of(d)
    retry = await door.redrive(first["transaction_id"])
    undo = await door.redrive(first["transaction_id"], undo=True)
    assert retry.transaction_id != undo.transaction_id
    assert [item.item_id for item in retry.items] == ["A-02"]
    with pytest.raises(NothingToRedrive, match=retry.transaction_id):
        await door.redrive(first["transaction_id"], unknown=True)


async def test_a_redrive_that_ended_before_anything_was_executed_is_followed_by_another(desk, loja):
    loja.on[SET] = failed("fora do ar")
    d = await desk()
    first = await d.run(*F1)
    door = client_of(d)
    one = await door.redrive(first["transaction_id"])
    await door.reject(one.transaction_id)
    two = await door.redrive(first["transaction_id"])
    assert two.transaction_id not in (one.transaction_id, first["transaction_id"])
    assert two.status.value == "AWAITING_CONFIRMATION"
