"""What somebody outside may send to hurt: it is refused with a sentence, and the next transaction is free."""

from itertools import repeat

import pytest

from harness import Page, refusal
from harness.shop import F1, F2, ITEMS

SET = "encerrar_assinaturas"
CHECK = "checar_assinaturas"
BACK = "devolver_encomendas"


@pytest.mark.parametrize("name", ["confirm", "cancel"])
async def test_a_signal_with_two_arguments_is_refused_and_the_transaction_goes_on(desk, loja, name):
    tx = await (await desk()).start(*F1)
    await tx.handle.signal(name, args=[{"decision": "confirm", "digest": await tx.digest()}, 1])
    assert (await tx.until("AWAITING_CONFIRMATION"))["status"] == "AWAITING_CONFIRMATION"
    assert "DECISION_REFUSED" in await tx.event_names()
    await tx.confirm()
    assert (await tx.result())["ok"] is True


async def test_an_update_with_two_arguments_is_an_invalid_decision(desk, loja):
    tx = await (await desk()).start(*F1)
    decision = {"decision": "confirm", "digest": await tx.digest()}
    refused = await refusal(tx.send_update("confirm", [decision, 1]))
    assert refused.type == "InvalidDecision"
    assert loja.called(SET) == []


@pytest.mark.parametrize("answer", ["cancel", "reject"])
async def test_a_message_right_behind_the_question_is_never_lost(desk, loja, answer):
    """The delivery of the question ends about then: it must not end in the task that closes the run."""
    d = await desk()
    for _ in range(20):
        tx = await d.start(*F1)
        state = await (tx.update("cancel", {"reason": "não"}) if answer == "cancel" else tx.reject())
        assert state["status"] == "CANCELLED"
        assert (await tx.result())["transaction_status"] == "CANCELLED"
    assert loja.called(SET) == []


async def test_forty_thousand_items_are_blocked_at_once(desk, loja):
    policies = {BACK: {"pre_validation": {"enabled": False}}}
    tx = await (await desk(policies=policies)).start(BACK, {"encomenda_ids": [str(n) for n in range(40_000)]})
    assert (tx.opened["status"], tx.opened["reason_code"]) == ("BLOCKED", "too_large")


async def test_an_endless_tool_name_is_blocked(desk, loja):
    tx = await (await desk(search_attributes=True)).start("x" * 3000, tenant="t" * 3000)
    assert (tx.opened["status"], tx.opened["reason_code"]) == ("BLOCKED", "unknown_tool")
    assert (await tx.result())["ok"] is False


async def test_a_validator_cannot_swap_the_set_for_something_else(desk, loja):
    loja.on["checar_encomendas"] = {
        "eligible": True,
        "transaction_decision": {"resolved_arguments": {"items": [{"id": "E9"}]}},
    }
    tx = await (await desk()).start(*F2)
    assert (tx.opened["status"], tx.opened["reason_code"]) == ("OUT_OF_SCOPE", "prevalidation_error")


async def test_an_array_shows_the_set_that_would_be_sent(desk, loja):
    loja.on["checar_encomendas"] = {
        "eligible": True,
        "transaction_decision": {"resolved_arguments": {"items": [{"id": "ENC-7001"}, {"id": "ENC-7003"}]}},
    }
    tx = await (await desk()).start(*F2)
    assert tx.opened["arguments"]["encomenda_ids"] == ["ENC-7001", "ENC-7003"]
    await tx.confirm()
    await tx.result()
    assert loja.called(BACK)[0].arguments["encomenda_ids"] == ["ENC-7001", "ENC-7003"]


@pytest.mark.parametrize("shape", ["flat", "results"])
@pytest.mark.parametrize("success", [True, False])
async def test_a_tool_may_answer_with_the_argument_that_it_was_given(desk, loja, shape, success):
    def answer(call):
        entry = {"success": success, "alvo": call.arguments["alvo"]} | (
            {} if success else {"reason": "fidelidade"}
        )
        return entry if shape == "flat" else {"results": [entry]}

    loja.on[SET] = answer
    result = await (await desk()).run(*F1)
    outcomes = [entry["outcome"] for entry in result["result"]["output"][SET]["results"]]
    assert outcomes == ["SUCCEEDED" if success else "FAILED"] * len(ITEMS)


@pytest.mark.parametrize("page", [Page(404), Page(error={"code": -32601, "message": "unknown tool"})])
async def test_only_unavailability_opens(desk, loja, page):
    loja.pages[CHECK] = repeat(page)
    d = await desk(policies={SET: {"pre_validation": {"fail_open": True}}})
    tx = await d.start(*F1)
    assert (tx.opened["status"], tx.opened["reason_code"]) == ("OUT_OF_SCOPE", "prevalidation_error")


async def test_the_tools_own_words_stay_where_ours_replace_them(desk, loja):
    loja.on["listar_faturas"] = {"success": True, "outcome": "APROVADO", "attempts": 9}
    result = await (await desk()).run("listar_faturas")
    output = result["result"]["output"]["listar_faturas"]
    assert output["outcome"] == "SUCCEEDED"
    assert output["tool_result"] == {"success": True, "outcome": "APROVADO", "attempts": 9}
