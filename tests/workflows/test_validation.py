"""What a validator may change: arguments, items, the tool itself; and when it is asked again."""

import pytest

from harness import Page, refusal
from harness.shop import F1, F2, ITEMS, PACKAGES

SET = "encerrar_assinaturas"
CHECK = "checar_assinaturas"
MANY = {"items": ITEMS[:2]}


def passed(**decision):
    return {"eligible": True, "transaction_decision": decision}


def step(name, **policy):
    """A tool ``name`` with a validator ``checar_<name>``."""
    schema = {"alvo": "string", "motivo": "string", "contrato": {"type": "string", "label": "o contrato"}}
    return {
        "tools": {
            name: {"mcp_server": "loja", "tool_type": "action", "args_schema": schema},
            f"checar_{name}": {"mcp_server": "loja", "tool_type": "internal"},
        },
        "policies": {
            name: {"operation_type": "transactional", "requires": ["alvo"]}
            | {"pre_validation": {"enabled": True, "tool": f"checar_{name}"}}
            | policy,
            f"checar_{name}": {"operation_type": "internal"},
        },
    }


def several(*steps):
    return {
        "tools": {name: tool for each in steps for name, tool in each["tools"].items()},
        "policies": {name: policy for each in steps for name, policy in each["policies"].items()},
    }


async def test_resolved_arguments_set_clear_and_drop(desk, loja):
    loja.on[CHECK] = passed(
        resolved_arguments={"alvo": "Rádio Maré", "motivo": None, "confirmed": True, "cpf": "1"}
    )
    tx = await (await desk()).start(SET, {"alvo": "radio", "motivo": "preço"})
    state = tx.opened
    assert (state["arguments"], state["ignored_arguments"]) == ({"alvo": "Rádio Maré"}, ["confirmed", "cpf"])
    record = state["transaction_pre_validation"]
    assert record["requested_arguments"] == {"alvo": "radio", "motivo": "preço"}
    assert record["resolved_arguments"] == {"alvo": "Rádio Maré"}
    assert (record["eligible"], record["bypassed"], record["action_changed"]) == (True, False, False)
    assert record["effective_tool_name"] == SET
    await tx.confirm()
    await tx.result()
    assert [call.arguments for call in loja.called(SET)] == [{"alvo": "Rádio Maré"}]


async def test_a_required_argument_that_the_validator_clears_is_asked_for(desk, loja):
    loja.on[CHECK] = passed(resolved_arguments={"alvo": None})
    tx = await (await desk()).start(*F1)
    assert (tx.opened["status"], tx.opened["missing_parameters"]) == ("COLLECTING_PARAMETERS", ["alvo"])


async def test_an_array_resolved_to_nothing_is_out_of_scope(desk, loja):
    loja.on["checar_encomendas"] = passed(resolved_arguments={"encomenda_ids": []})
    tx = await (await desk()).start(*F2)
    assert (tx.opened["status"], tx.opened["reason_code"]) == ("OUT_OF_SCOPE", "nothing_to_do")
    assert "PREVALIDATION_PASSED" not in await tx.event_names()


async def test_items_that_contradict_the_array_argument_are_malformed(desk, loja):
    items = [{"id": entry} for entry in PACKAGES]
    loja.on["checar_encomendas"] = passed(resolved_arguments={"encomenda_ids": PACKAGES[:2], "items": items})
    open_desk = await desk()
    tx = await open_desk.start(*F2)
    assert (tx.opened["status"], tx.opened["reason_code"]) == ("OUT_OF_SCOPE", "prevalidation_error")
    items[2]["eligible"] = False
    tx = await open_desk.start(*F2)
    assert (tx.opened["status"], len(tx.opened["items"])) == ("AWAITING_CONFIRMATION", 3)


async def test_a_validator_may_force_a_question_where_the_policy_asks_none(desk, loja):
    open_desk = await desk(policies={SET: {"require_confirmation": False}})
    unasked = await open_desk.start(*F1)
    assert unasked.opened["status"] == "COMPLETED"
    loja.on[CHECK] = passed(requires_reconfirmation=True, resolved_arguments={"items": ITEMS[:1]})
    asked = await open_desk.start(*F1)
    assert asked.opened["status"] == "AWAITING_CONFIRMATION"
    assert asked.opened["transaction_pre_validation"]["requires_reconfirmation"] is True
    assert len(loja.called(SET)) == 3


async def test_a_target_takes_over_with_its_own_policy_validator_and_question(desk, loja):
    open_desk = await desk(
        **several(step("tratar_fidelidade", require_confirmation=False, confirmation={"by": "role:retencao"}))
    )
    loja.on[CHECK] = passed(
        target_tool="tratar_fidelidade",
        action_changed=True,
        confirmation_message="Rádio Maré tem fidelidade. Posso tratar a retenção?",
        resolved_arguments={"alvo": "Rádio Maré"},
    )
    loja.on["checar_tratar_fidelidade"] = passed()
    loja.on["tratar_fidelidade"] = {"success": True, "protocolo": "RT-1"}
    tx = await open_desk.start(SET, {"alvo": "radio"})
    state = tx.opened
    assert (state["status"], state["tool_name"], state["requested_tool_name"]) == (
        "AWAITING_CONFIRMATION",
        "tratar_fidelidade",
        SET,
    )
    assert "Posso tratar a retenção?" in state["question"]
    record = state["transaction_pre_validation"]
    assert (record["action_changed"], record["effective_tool_name"]) == (True, "tratar_fidelidade")
    assert record["requested_arguments"] == {"alvo": "radio"}
    assert loja.called("checar_tratar_fidelidade")[0].arguments == {
        "alvo": "Rádio Maré",
        "target_tool": "tratar_fidelidade",
    }
    assert (await refusal(tx.confirm(actor={"id": "ana"}))).type == "NotAllowed"
    await tx.confirm(actor={"id": "ana", "roles": ["retencao"]})
    result = await tx.result()
    assert (result["tool_name"], list(result["result"]["output"])) == (
        "tratar_fidelidade",
        ["tratar_fidelidade"],
    )
    assert [call.arguments for call in loja.called("tratar_fidelidade")] == [{"alvo": "Rádio Maré"}]
    assert loja.called(SET) == []
    events = await tx.event_names()
    assert events.count("RETARGETED") == 1
    assert events.count("PREVALIDATION_REQUESTED") == 2


@pytest.mark.parametrize(("hops", "status"), [(2, "AWAITING_CONFIRMATION"), (3, "BLOCKED")])
async def test_a_second_hop_is_allowed_and_a_third_is_not(desk, loja, hops, status):
    names = ["passo_1", "passo_2", "passo_3"]
    open_desk = await desk(**several(*map(step, names)))
    loja.on[CHECK] = passed(target_tool="passo_1", resolved_arguments=MANY)
    loja.on["checar_passo_1"] = passed(target_tool="passo_2")
    loja.on["checar_passo_2"] = passed(target_tool="passo_3") if hops == 3 else passed()
    loja.on |= {"checar_passo_3": passed()} | {name: {"success": True} for name in names}
    tx = await open_desk.start(*F1)
    assert tx.opened["status"] == status
    assert (await tx.event_names()).count("RETARGETED") == 2
    if status == "BLOCKED":
        assert tx.opened["reason_code"] == "target_not_allowed"
        assert "passo_3" in tx.opened["reason"]
        assert not any(loja.called(name) for name in (SET, "checar_passo_3", *names))
        return
    assert [item["item_id"] for item in tx.opened["items"]] == ["A-01", "A-02"]
    await tx.confirm()
    result = await tx.result()
    assert (result["multi_item_status"], result["tool_name"]) == ("SUCCESS", "passo_2")
    assert len(loja.called("passo_2")) == 2


async def test_two_tools_that_point_at_each_other_come_to_an_end(desk, loja):
    open_desk = await desk(**step("passo_1"))
    loja.on[CHECK] = passed(target_tool="passo_1")
    loja.on["checar_passo_1"] = passed(target_tool=SET)
    tx = await open_desk.start(*F1)
    assert (tx.opened["status"], tx.opened["reason_code"]) == ("BLOCKED", "target_not_allowed")
    assert len(loja.called(CHECK)) == 2


async def test_a_target_that_requires_more_asks_for_it(desk, loja):
    open_desk = await desk(**step("tratar_fidelidade", requires=["alvo", "contrato"]))
    loja.on[CHECK] = passed(target_tool="tratar_fidelidade")
    loja.on["checar_tratar_fidelidade"] = passed()
    loja.on["tratar_fidelidade"] = {"success": True}
    tx = await open_desk.start(*F1)
    assert (tx.opened["status"], tx.opened["missing_parameters"]) == ("COLLECTING_PARAMETERS", ["contrato"])
    assert tx.opened["question"] == "Para prosseguir, informe o contrato."
    assert tx.opened["tool_name"] == "tratar_fidelidade"
    state = await tx.update("provide_parameters", {"arguments": {"contrato": "CT-9"}})
    assert (state["status"], state["arguments"]) == ("AWAITING_CONFIRMATION", F1[1] | {"contrato": "CT-9"})
    assert state["ignored_arguments"] == []
    await tx.confirm()
    await tx.result()
    assert [call.arguments for call in loja.called("tratar_fidelidade")] == [state["arguments"]]


async def test_a_target_that_needs_the_requester_is_blocked_without_one(desk, loja):
    open_desk = await desk(**step("tratar_fidelidade", confirmation={"by": "requester"}))
    loja.on[CHECK] = passed(target_tool="tratar_fidelidade")
    loja.on["checar_tratar_fidelidade"] = passed()
    tx = await open_desk.start(*F1)
    assert (tx.opened["status"], tx.opened["reason_code"]) == ("BLOCKED", "requester_required")
    tx = await open_desk.start(*F1, requester={"id": "ana"})
    assert tx.opened["status"] == "AWAITING_CONFIRMATION"


def aged(**changes):
    return {"policies": {SET: {"confirmation": {"revalidate_after_seconds": 0.001}} | changes}}


async def test_an_old_set_that_is_still_the_same_executes_without_another_question(desk, loja):
    tx = await (await desk(**aged())).start(*F1)
    await tx.confirm()
    assert (await tx.result())["multi_item_status"] == "SUCCESS"
    assert len(loja.called(CHECK)) == 2
    assert len(loja.called(SET)) == 3
    assert await tx.event_names() == [
        "STARTED",
        "PREVALIDATION_REQUESTED",
        "PREVALIDATION_PASSED",
        "CONFIRMATION_REQUIRED",
        "CONFIRMED",
        "PREVALIDATION_REQUESTED",
        "PREVALIDATION_PASSED",
        "EXECUTION_STARTED",
        "ITEM_COMPLETED",
        "ITEM_COMPLETED",
        "ITEM_COMPLETED",
        "COMPLETED",
    ]


async def test_a_young_set_is_not_validated_again(desk, loja):
    tx = await (await desk(policies={SET: {"confirmation": {"revalidate_after_seconds": 600}}})).start(*F1)
    await tx.confirm()
    await tx.result()
    assert len(loja.called(CHECK)) == 1


@pytest.mark.parametrize(
    ("second", "code"),
    [
        ({"eligible": False, "reason": "há um débito aberto"}, "not_eligible"),
        ({"eligible": "yes"}, "prevalidation_error"),
    ],
)
async def test_a_no_after_the_yes_is_out_of_scope(desk, loja, second, code):
    tx = await (await desk(**aged())).start(*F1)
    loja.on[CHECK] = second
    await tx.confirm()
    result = await tx.result()
    assert (result["transaction_status"], result["reason_code"]) == ("OUT_OF_SCOPE", code)
    assert loja.called(SET) == []
    assert (await tx.event_names())[-3:] == ["CONFIRMED", "PREVALIDATION_REQUESTED", "PREVALIDATION_REJECTED"]


@pytest.mark.parametrize("cached", [1000, 0])
async def test_a_changed_set_after_the_yes_is_a_new_question(desk, loja, cached):
    tx = await (await desk(**aged(), max_cached_workflows=cached)).start(*F1)
    old = tx.opened["confirmation"]["digest"]
    loja.on[CHECK] = passed(resolved_arguments=MANY)
    await tx.confirm(digest=old)
    state = await tx.awaiting()
    assert (state["status"], state["confirmation"]["approvals"]) == ("AWAITING_CONFIRMATION", [])
    assert [item["item_id"] for item in state["items"]] == ["A-01", "A-02"]
    assert (await refusal(tx.confirm(digest=old))).type == "DigestMismatch"
    assert loja.called(SET) == []
    await tx.confirm()
    result = await tx.result()
    assert result["metadata"]["multi_item"]["items_count"] == 2
    assert len(loja.called(SET)) == 2
    events = await tx.event_names()
    assert [events.count(name) for name in ("CONFIRMATION_REQUIRED", "CONFIRMED")] == [2, 2]


async def test_a_subset_that_was_chosen_outlives_an_unchanged_validation(desk, loja):
    tx = await (await desk(**aged(confirmation={"revalidate_after_seconds": 0.001, "items": "any"}))).start(
        *F1
    )
    await tx.confirm(item_ids=["A-02"])
    entries = (await tx.result())["result"]["output"][SET]["results"]
    assert [entry["item_id"] for entry in entries] == ["A-02"]
    assert [call.arguments["alvo"] for call in loja.called(SET)] == ["Clube Leitura"]


async def test_a_validator_that_is_down_after_the_yes_opens_to_nothing(desk, loja):
    tx = await (await desk(**aged())).start(*F1)
    loja.pages[CHECK] = iter([Page(503, headers={"retry-after": "0.05"})] * 3)
    await tx.confirm()
    result = await tx.result()
    assert (result["transaction_status"], result["reason_code"]) == ("OUT_OF_SCOPE", "prevalidation_error")
    assert loja.called(SET) == []
