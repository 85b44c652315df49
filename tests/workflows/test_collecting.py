"""Arguments that are missing, invalid, or not enough for the validator: what is asked, and for how long."""

import asyncio

import pytest

from harness import Refused, refusal, until
from harness.shop import F1, F2, ITEMS

SET = "encerrar_assinaturas"
CHECK = "checar_assinaturas"
ORDER = {
    "tools": {
        "solicitar_troca": {
            "description": "Troca um pedido",
            "mcp_server": "loja",
            "tool_type": "action",
            "args_schema": {
                "order_id": {"type": "string", "label": "o número do pedido", "pattern": "PED-[0-9]+"},
                "quantidade": {"type": "integer", "user_prompt": "Quantas unidades?", "minimum": 1},
                "valor": {"type": "number", "default": 10},
                "urgente": "boolean",
                "motivo": "string",
            },
        }
    },
    "policies": {
        "solicitar_troca": {"operation_type": "transactional", "requires": ["order_id", "quantidade"]}
    },
}


async def test_what_is_missing_is_asked_for_and_then_the_question_comes(desk, loja):
    tx = await (await desk()).start(SET, {"motivo": "preço"})
    state = tx.opened
    assert (state["status"], state["missing_parameters"], state["invalid_parameters"]) == (
        "COLLECTING_PARAMETERS",
        ["alvo"],
        [],
    )
    assert state["question"] == "Para prosseguir, informe a assinatura."
    assert (state["confirmation"], state["result"]) == (None, None)
    assert loja.calls == []
    state = await tx.update(
        "provide_parameters", {"arguments": {"alvo": "rádio maré"}, "actor": {"id": "ana"}}
    )
    assert (state["status"], state["missing_parameters"]) == ("AWAITING_CONFIRMATION", [])
    assert loja.called(CHECK)[0].arguments == {"alvo": "rádio maré", "motivo": "preço", "target_tool": SET}
    assert await tx.event_names() == [
        "STARTED",
        "PARAMETERS_REQUIRED",
        "PREVALIDATION_REQUESTED",
        "PREVALIDATION_PASSED",
        "CONFIRMATION_REQUIRED",
    ]


async def test_one_thing_after_the_other_is_asked_until_all_is_there(desk, loja):
    loja.on["solicitar_troca"] = {"success": True}
    tx = await (await desk(**ORDER)).start("solicitar_troca", {"quantidade": "1.9", "cpf": "111.444.777-35"})
    state = tx.opened
    assert state["missing_parameters"] == ["order_id"]
    assert [invalid["name"] for invalid in state["invalid_parameters"]] == ["quantidade"]
    assert "1.9" not in state["invalid_parameters"][0]["reason"]
    assert state["question"] == "Para prosseguir, informe o número do pedido."
    assert state["ignored_arguments"] == ["cpf"]
    state = await tx.update("provide_parameters", {"arguments": {"order_id": "pedido 7"}})
    assert (state["missing_parameters"], [i["name"] for i in state["invalid_parameters"]]) == (
        [],
        ["order_id", "quantidade"],
    )
    state = await tx.update("provide_parameters", {"arguments": {"order_id": "PED-7", "quantidade": 0}})
    assert [invalid["name"] for invalid in state["invalid_parameters"]] == ["quantidade"]
    assert state["question"].endswith("Quantas unidades?")
    state = await tx.update("provide_parameters", {"arguments": {"quantidade": "2", "urgente": "Sim"}})
    assert state["status"] == "AWAITING_CONFIRMATION"
    assert state["arguments"] == {"order_id": "PED-7", "quantidade": 2, "valor": 10, "urgente": True}
    assert (await tx.event_names()).count("PARAMETERS_REQUIRED") == 3
    await tx.confirm()
    await tx.result()
    assert [call.arguments for call in loja.called("solicitar_troca")] == [state["arguments"]]


async def test_the_same_parameters_again_are_no_error_and_bad_shapes_are(desk):
    tx = await (await desk()).start(SET, {})
    values = {"arguments": {"alvo": "rádio maré"}}
    for nothing in (None, [], "alvo", {}, {"arguments": {}}, {"arguments": ["alvo"]}, {"arguments": None}):
        assert (await refusal(tx.update("provide_parameters", nothing))).type == "InvalidArguments", nothing
    assert (await tx.state())["status"] == "COLLECTING_PARAMETERS"
    first = await tx.update("provide_parameters", values)
    again = await tx.update("provide_parameters", values)
    assert again == first
    late = await refusal(tx.update("provide_parameters", {"arguments": {"alvo": "outra"}}))
    assert late.type == "NotAwaitingConfirmation"


async def test_of_two_who_provide_at_once_each_is_heard_or_told_that_it_was_not(desk):
    tx = await (await desk(**ORDER)).start("solicitar_troca", {})

    async def provide(**arguments):
        try:
            await tx.update("provide_parameters", {"arguments": arguments})
        except Refused as refused:
            assert refused.type == "NotAwaitingConfirmation"
            return {}
        return arguments

    heard = await asyncio.gather(provide(order_id="PED-1"), provide(quantidade=3))
    state = await tx.awaiting()
    assert state["arguments"] == heard[0] | heard[1] | {"valor": 10}
    assert any(heard)


async def test_nothing_can_be_confirmed_while_parameters_are_missing(desk):
    tx = await (await desk()).start(SET, {})
    decision = {"decision": "confirm", "digest": "0" * 64}
    assert (await refusal(tx.update("confirm", decision))).type == "NotAwaitingConfirmation"
    assert (await refusal(tx.update("confirm", {"decision": "reject"}))).type == "NotAwaitingConfirmation"
    assert (await tx.update("cancel", None))["status"] == "CANCELLED"


async def test_collecting_expires_like_a_question(desk, loja):
    tx = await (await desk(policies={SET: {"confirmation": {"expires_seconds": 0.3}}})).start(SET, {})
    result = await tx.result()
    assert (result["transaction_status"], result["reason_code"]) == ("EXPIRED", "expired")
    assert await tx.event_names() == ["STARTED", "PARAMETERS_REQUIRED", "EXPIRED"]
    assert loja.calls == []


@pytest.mark.parametrize("cached", [1000, 0])
async def test_a_validator_may_ask_three_times_for_a_parameter_and_no_more(desk, loja, cached):
    loja.on[CHECK] = {
        "eligible": False,
        "status": "NEEDS_PARAMETER",
        "parameter": "alvo",
        "parameter_message": "Qual das assinaturas?",
    }
    tx = await (await desk(max_cached_workflows=cached)).start(SET, {"alvo": "0", "motivo": "preço"})
    state = tx.opened
    for attempt in (1, 2, 3):
        assert (state["status"], state["missing_parameters"]) == ("COLLECTING_PARAMETERS", ["alvo"])
        assert (state["question"], state["arguments"]) == ("Qual das assinaturas?", {"motivo": "preço"})
        record = state["transaction_pre_validation"]
        assert (record["status"], record["eligible"], record["terminal"]) == ("NEEDS_PARAMETER", False, False)
        state = await tx.update("provide_parameters", {"arguments": {"alvo": str(attempt)}})
    assert (state["status"], state["reason_code"]) == ("OUT_OF_SCOPE", "too_many_attempts")
    assert [call.arguments["alvo"] for call in loja.called(CHECK)] == ["0", "1", "2", "3"]
    events = await tx.event_names()
    assert events.count("PREVALIDATION_PARAMETER_REJECTED") == 4
    assert (events.count("PARAMETERS_REQUIRED"), events.count("PREVALIDATION_REJECTED")) == (3, 1)
    assert loja.called(SET) == []


async def test_a_parameter_that_the_validator_asked_for_leads_to_the_question(desk, loja):
    def check(call):
        if "motivo" not in call.arguments:
            return {"eligible": False, "status": "NEEDS_PARAMETER", "parameter": "motivo"}
        return {"eligible": True, "transaction_decision": {"resolved_arguments": {"items": ITEMS[:2]}}}

    loja.on[CHECK] = check
    tx = await (await desk()).start(*F1)
    assert (tx.opened["status"], tx.opened["missing_parameters"]) == ("COLLECTING_PARAMETERS", ["motivo"])
    assert tx.opened["arguments"] == F1[1]
    state = await tx.update("provide_parameters", {"arguments": {"motivo": "preço"}})
    assert (state["status"], state["arguments"]) == ("AWAITING_CONFIRMATION", F1[1] | {"motivo": "preço"})


async def test_ex_20_an_array_as_text_follows_one_rule(desk, loja):
    open_desk = await desk()
    for given, taken in (
        ('["ENC-7001", "ENC-7002"]', ["ENC-7001", "ENC-7002"]),
        ("ENC-7001", ["ENC-7001"]),
        ("ENC-7001, ENC-7002", ["ENC-7001", "ENC-7002"]),
        ("ENC-7001; ENC-7002\nENC-7003 e ENC-7004", ["ENC-7001", "ENC-7002", "ENC-7003", "ENC-7004"]),
        (7001, [7001]),
    ):
        tx = await open_desk.start(F2[0], {"encomenda_ids": given})
        assert tx.opened["arguments"] == {"encomenda_ids": taken}, given
        assert [item["item_id"] for item in tx.opened["items"]] == [str(entry) for entry in taken], given
    for broken in ('["ENC-7001", ', "{", True):
        tx = await open_desk.start(F2[0], {"encomenda_ids": broken})
        assert tx.opened["status"] == "COLLECTING_PARAMETERS", broken
        assert [invalid["name"] for invalid in tx.opened["invalid_parameters"]] == ["encomenda_ids"], broken
    strings = {"type": "array", "items": "string"}
    typed = await desk(tools={F2[0]: {"args_schema": {"encomenda_ids": strings}}})
    tx = await typed.start(F2[0], {"encomenda_ids": [["ENC-7001"]]})
    assert [invalid["name"] for invalid in tx.opened["invalid_parameters"]] == ["encomenda_ids"]
    assert loja.called(F2[0]) == []


async def test_ex_22_what_is_absent_null_or_blank_is_not_sent(desk, loja):
    open_desk = await desk()
    for body in ({}, {"motivo": None}, {"motivo": ""}, {"motivo": "  "}):
        tx = await open_desk.start(SET, {"alvo": "rádio maré"} | body)
        assert tx.opened["arguments"].keys() == {"alvo"}, body
        await tx.confirm()
        await tx.result()
    assert all(call.arguments.keys() == {"alvo"} for call in loja.called(SET))
    assert all(call.arguments.keys() == {"alvo", "target_tool"} for call in loja.called(CHECK))
    tx = await open_desk.start("listar_faturas", None)
    assert [call.arguments for call in loja.called("listar_faturas")] == [{}]


async def test_a_cancel_while_the_validator_is_asked_does_not_wait_for_it(desk, loja):
    hung = asyncio.Event()

    async def hang(_call):
        await hung.wait()
        return {"eligible": True}

    loja.on[CHECK] = hang
    tx = await (await desk()).begin(*F1)
    await until(lambda: loja.called(CHECK))
    assert (await tx.state())["status"] == "VALIDATING"
    state = await tx.update("cancel", {"reason": "desisti"})
    hung.set()
    assert (state["status"], state["reason"], state["reason_code"]) == ("CANCELLED", "desisti", "cancelled")
    assert (await tx.event_names())[-1] == "CANCELLED"
    assert loja.called(SET) == []
