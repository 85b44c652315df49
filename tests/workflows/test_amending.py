"""Changing a set before the yes: it is validated again and becomes a new question, or nothing changes."""

import pytest

from harness import refusal
from harness.shop import F1, F2, ITEMS, PACKAGES

SET = "encerrar_assinaturas"
CHECK = "checar_assinaturas"
BACK = "devolver_encomendas"


def resolving(call):
    """A validator that resolves what it is given, and nothing else."""
    wanted = call.arguments["alvo"].casefold()
    items = [item for item in ITEMS if item["name"].casefold() in wanted]
    names = ", ".join(item["name"] for item in items)
    return {"eligible": True, "transaction_decision": {"resolved_arguments": {"alvo": names, "items": items}}}


def ids(state):
    return [item["item_id"] for item in state["items"]]


async def test_changed_arguments_are_validated_again_and_asked_anew(desk, loja):
    loja.on[CHECK] = resolving
    tx = await (await desk()).start(SET, {"alvo": "rádio maré"})
    amended = await tx.update("amend", {"arguments": {"alvo": "clube leitura", "motivo": "preço"}})
    assert (amended["status"], ids(amended)) == ("AWAITING_CONFIRMATION", ["A-02"])
    assert amended["arguments"] == {"alvo": "Clube Leitura", "motivo": "preço"}
    assert amended["confirmation"]["digest"] != tx.opened["confirmation"]["digest"]
    assert "Clube Leitura" in amended["question"]
    assert "Rádio Maré" not in amended["question"]
    assert len(loja.called(CHECK)) == 2
    assert (await refusal(tx.confirm(digest=tx.opened["confirmation"]["digest"]))).type == "DigestMismatch"
    await tx.confirm(digest=amended["confirmation"]["digest"])
    assert (await tx.result())["ok"] is True
    assert [call.arguments for call in loja.called(SET)] == [amended["arguments"]]
    assert await tx.event_names() == [
        "STARTED",
        "PREVALIDATION_REQUESTED",
        "PREVALIDATION_PASSED",
        "CONFIRMATION_REQUIRED",
        "AMENDED",
        "PREVALIDATION_REQUESTED",
        "PREVALIDATION_PASSED",
        "CONFIRMATION_REQUIRED",
        "CONFIRMED",
        "EXECUTION_STARTED",
        "ITEM_COMPLETED",
        "COMPLETED",
    ]


@pytest.mark.parametrize("validator", ["resolves what it is given", "resolves all, whatever it is given"])
@pytest.mark.parametrize("call", ["per_item", "whole"])
async def test_a_removed_item_is_never_sent(desk, loja, validator, call):
    if validator == "resolves what it is given":
        loja.on[CHECK] = resolving
    open_desk = await desk(policies={SET: {"execution": {"call": call}}})
    tx = await open_desk.start(SET, {"alvo": "rádio maré, clube leitura, cofre fotos 50"})
    amended = await tx.update("amend", {"remove_item_ids": ["A-02"]})
    assert (ids(tx.opened), ids(amended)) == (["A-01", "A-02", "A-03"], ["A-01", "A-03"])
    assert "Clube Leitura" not in amended["question"]
    assert loja.called(CHECK)[1].arguments["alvo"] == "Rádio Maré, Cofre Fotos 50"
    await tx.confirm()
    result = await tx.result()
    assert [e["item_id"] for e in result["result"]["output"][SET]["results"]] == ["A-01", "A-03"]
    assert result["metadata"]["multi_item"]["items_count"] == 2
    assert "Clube Leitura" not in str([sent.arguments for sent in loja.called(SET)])
    assert "Clube Leitura" not in str(amended["arguments"])


async def test_items_are_removed_and_added_in_an_array(desk, loja):
    tx = await (await desk()).start(*F2)
    amended = await tx.update(
        "amend", {"remove_item_ids": ["ENC-7001"], "add_items": ["ENC-8000", "ENC-7002"]}
    )
    assert ids(amended) == ["ENC-7002", "ENC-7003", "ENC-8000"]
    back = await tx.update("amend", {"add_items": ["ENC-7001"]})
    assert ids(back) == ["ENC-7002", "ENC-7003", "ENC-8000", "ENC-7001"]
    await tx.confirm()
    await tx.result()
    (sent,) = loja.called(BACK)
    assert list(dict.fromkeys(sent.arguments["encomenda_ids"])) == ids(back)
    assert (await tx.event_names()).count("AMENDED") == 2


async def test_an_item_is_added_to_a_scalar_by_its_label(desk, loja):
    loja.on[CHECK] = resolving
    tx = await (await desk()).start(SET, {"alvo": "rádio maré"})
    for added in ("Clube Leitura", {"id": "A-03", "name": "Cofre Fotos 50"}):
        state = await tx.update("amend", {"add_items": [added]})
    assert ids(state) == ["A-01", "A-02", "A-03"]


async def test_naming_the_set_anew_brings_a_removed_item_back(desk, loja):
    loja.on[CHECK] = resolving
    tx = await (await desk()).start(SET, {"alvo": "rádio maré e clube leitura"})
    assert ids(await tx.update("amend", {"remove_item_ids": ["A-02"]})) == ["A-01"]
    state = await tx.update("amend", {"arguments": {"alvo": "só o clube leitura"}})
    assert (state["status"], ids(state)) == ("AWAITING_CONFIRMATION", ["A-02"])


async def test_an_amendment_that_the_validator_refuses_ends_the_transaction(desk, loja):
    tx = await (await desk()).start(*F1)
    loja.on[CHECK] = {"eligible": False, "reason": "fidelidade"}
    state = await tx.update("amend", {"arguments": {"alvo": "outra"}})
    assert (state["status"], state["reason"]) == ("OUT_OF_SCOPE", "fidelidade")
    assert loja.called(SET) == []


async def test_an_amendment_may_take_a_required_argument_away_and_is_asked_for_it(desk):
    tx = await (await desk()).start(*F1)
    state = await tx.update("amend", {"arguments": {"alvo": None}})
    assert (state["status"], state["missing_parameters"]) == ("COLLECTING_PARAMETERS", ["alvo"])
    assert state["confirmation"] is None
    state = await tx.update("amend", {"arguments": {"alvo": "rádio maré"}})
    assert state["status"] == "AWAITING_CONFIRMATION"


@pytest.mark.parametrize("cached", [1000, 0])
async def test_an_invalid_amendment_changes_nothing(desk, loja, cached):
    open_desk = await desk(tools={BACK: {"args_schema": {"urgente": "boolean"}}}, max_cached_workflows=cached)
    tx = await open_desk.start(*F2)
    before = await tx.state()
    for amendment in (
        None,
        [],
        "tudo",
        {},
        {"arguments": {}},
        {"remove_item_ids": []},
        {"arguments": "alvo"},
        {"arguments": {"cpf": "1"}},
        {"arguments": {"urgente": "talvez"}},
        {"arguments": {"encomenda_ids": '["ENC-1", '}},
        {"remove_item_ids": "ENC-7001"},
        {"remove_item_ids": [7001]},
        {"remove_item_ids": ["ENC-9999"]},
        {"remove_item_ids": ["ENC-7001", "ENC-9999"], "add_items": ["ENC-8000"]},
        {"remove_item_ids": PACKAGES},
        {"add_items": "ENC-8000"},
        {"add_items": [""]},
        {"add_items": [None]},
        {"add_items": [["ENC-8000"]]},
        {"add_items": [True]},
        {"arguments": {"valor": "1"}, "actor": "ana"},
    ):
        assert (await refusal(tx.update("amend", amendment))).type == "InvalidArguments", amendment
    assert await tx.state() == before
    assert len(loja.called("checar_encomendas")) == 1
    await tx.confirm(digest=before["confirmation"]["digest"])
    assert (await tx.result())["multi_item_status"] == "SUCCESS"


async def test_the_deadline_starts_again_with_a_new_question(desk):
    tx = await (await desk()).start(*F1)
    amended = await tx.update("amend", {"arguments": {"motivo": "x"}})
    assert amended["confirmation"]["expires_at"] > tx.opened["confirmation"]["expires_at"]


async def test_what_a_retargeted_question_stands_for_can_be_amended(desk, loja):
    target = {
        "mcp_server": "loja",
        "tool_type": "action",
        "args_schema": {"alvo": "string", "brinde": "string"},
    }
    open_desk = await desk(
        tools={"tratar_fidelidade": target},
        policies={"tratar_fidelidade": {"operation_type": "transactional", "requires": ["alvo"]}},
    )
    loja.on[CHECK] = lambda call: {
        "eligible": True,
        "transaction_decision": {
            "target_tool": "tratar_fidelidade",
            "resolved_arguments": {"alvo": call.arguments["alvo"]},
        },
    }
    loja.on["tratar_fidelidade"] = {"success": True}
    tx = await open_desk.start(SET, {"alvo": "rádio"})
    state = await tx.update("amend", {"arguments": {"brinde": "1 mês", "alvo": "clube"}})
    assert (state["tool_name"], state["arguments"]) == (
        "tratar_fidelidade",
        {"alvo": "clube", "brinde": "1 mês"},
    )
    await tx.confirm()
    await tx.result()
    assert [call.arguments for call in loja.called("tratar_fidelidade")] == [state["arguments"]]
