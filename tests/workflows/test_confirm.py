"""The case collection, area *confirm*: what a question is, and which answer to it executes."""

import asyncio
from datetime import datetime
from itertools import repeat

import mcp_types as types
import pytest

from harness import Page, gone, refusal, text_answer
from harness.shop import F1, F2, ITEMS, PACKAGES

SET = "encerrar_assinaturas"
CHECK = "checar_assinaturas"
AGAIN = {"retry-after": "0.05"}


def decided(**decision):
    return {"eligible": True, "transaction_decision": decision}


async def test_cf_08_a_no_is_enforced_by_the_runtime_not_by_the_tool(desk, loja):
    tx = await (await desk()).start(*F1)
    state = await tx.reject(digest=tx.opened["confirmation"]["digest"], comment="mudei de ideia")
    assert (state["status"], state["reason"]) == ("CANCELLED", "mudei de ideia")
    result = await tx.result()
    assert (result["transaction_status"], result["ok"], result["reason_code"]) == (
        "CANCELLED",
        False,
        "rejected",
    )
    assert result["error"] == "mudei de ideia"
    assert result["result"] == {"status": "CANCELLED", "output": {}}
    assert await gone(tx.confirm())
    assert (await tx.state())["result"] == result
    assert loja.called(SET) == []


NO_DECISIONS = [
    {},
    None,
    {"confirmed": None},
    {"reason": "ok"},
    {"decision": None},
    {"decision": True},
    {"decision": "yes"},
    {"decision": "Confirm"},
    {"decision": "confirm "},
    {"decision": ["confirm"]},
    {"decision": "confirm"},
    {"decision": "confirm", "digest": ""},
    {"decision": "confirm", "digest": None},
    {"decision": "reject", "digest": 7},
    {"decision": "reject", "if": "it is cheap"},
    {"decision": "reject", "actor": "ana"},
    {"decision": "reject", "actor": {"roles": []}},
    {"decision": "reject", "item_ids": ["A-01"]},
    {"decision": "confirm", "digest": "DIGEST", "item_ids": ["A-01"]},
    {"decision": "confirm", "digest": "DIGEST", "item_ids": []},
    {"decision": "confirm", "digest": "DIGEST", "confirmed": True},
    {"decision": "confirm", "digest": "DIGEST", "condition": "only tomorrow"},
    "confirm",
    ["confirm"],
    True,
    [],
]


async def test_cf_09_what_is_not_a_decision_is_invalid_and_changes_nothing(desk, loja):
    tx = await (await desk()).start(*F1)
    digest = tx.opened["confirmation"]["digest"]
    before = await tx.state()
    for body in NO_DECISIONS:
        sent = (
            body | {"digest": digest} if isinstance(body, dict) and body.get("digest") == "DIGEST" else body
        )
        assert (await refusal(tx.update("confirm", sent))).type == "InvalidDecision", body
    assert await tx.state() == before
    assert before["status"] == "AWAITING_CONFIRMATION"
    assert loja.called(SET) == []
    await tx.confirm()
    assert (await tx.result())["multi_item_status"] == "SUCCESS"
    assert len(loja.called(SET)) == 3


@pytest.mark.parametrize("no_first", [True, False])
async def test_cf_12_two_open_questions_keep_their_own_answers(desk, loja, no_first):
    open_desk = await desk()
    subscriptions, packages = await asyncio.gather(
        open_desk.start(*F1, session_id="conversa-1"), open_desk.start(*F2, session_id="conversa-1")
    )
    answers = [subscriptions.reject, packages.confirm]
    for answer in answers if no_first else reversed(answers):
        await answer()
    refused, done = await asyncio.gather(subscriptions.result(), packages.result())
    assert (refused["transaction_status"], refused["reason_code"]) == ("CANCELLED", "rejected")
    assert (done["transaction_status"], done["multi_item_status"]) == ("COMPLETED", "SUCCESS")
    assert len(loja.called("devolver_encomendas")) == 1
    assert loja.called(SET) == []


async def test_cf_12_the_yes_to_another_question_is_no_yes_to_this_one(desk, loja):
    open_desk = await desk()
    one, other = await asyncio.gather(open_desk.start(*F1), open_desk.start(*F2))
    wrong = other.opened["confirmation"]["digest"]
    refused = await refusal(one.confirm(digest=wrong))
    assert refused.type == "DigestMismatch"
    assert (await refusal(one.reject(digest=wrong))).type == "DigestMismatch"
    assert (await one.state())["status"] == "AWAITING_CONFIRMATION"
    assert loja.called(SET) == []


@pytest.mark.parametrize("call", ["per_item", "whole"])
async def test_cf_14_what_is_shown_is_what_runs(desk, loja, call):
    resolved = {"alvo": "Rádio Maré, Clube Leitura", "items": ITEMS[:2]}
    loja.on[CHECK] = decided(resolved_arguments=resolved, target_tool=SET)
    open_desk = await desk(policies={SET: {"execution": {"call": call}}})
    tx = await open_desk.start(SET, {"alvo": "maré e leitura"})
    shown = tx.opened
    assert [(item["item_id"], item["label"]) for item in shown["items"]] == [
        ("A-01", "Rádio Maré"),
        ("A-02", "Clube Leitura"),
    ]
    assert "Rádio Maré" in shown["question"]
    assert "Clube Leitura" in shown["question"]
    assert "maré e leitura" not in shown["question"]
    assert shown["question"] == shown["confirmation"]["message"]
    assert shown["arguments"] == {"alvo": "Rádio Maré, Clube Leitura"}
    assert shown["transaction_pre_validation"]["requested_arguments"] == {"alvo": "maré e leitura"}
    answered = await tx.confirm()
    await tx.result()
    sent = [sent.arguments for sent in loja.called(SET)]
    if call == "whole":
        assert sent == [shown["arguments"] | {"items": ITEMS[:2]}]
    else:
        assert sorted(arguments["alvo"] for arguments in sent) == ["Clube Leitura", "Rádio Maré"]
        assert all(set(arguments) == {"alvo"} for arguments in sent)
    assert answered["confirmation"]["digest"] == shown["confirmation"]["digest"]


async def test_cf_14_an_array_arrives_value_by_value_as_it_was_shown(desk, loja):
    tx = await (await desk()).start("devolver_encomendas", {"encomenda_ids": PACKAGES, "valor": "19.90"})
    await tx.confirm()
    await tx.result()
    assert [sent.arguments for sent in loja.called("devolver_encomendas")] == [tx.opened["arguments"]]
    assert "19.90" in tx.opened["question"]


@pytest.mark.parametrize(
    "change",
    [
        {"resolved_arguments": {"alvo": "Rádio Maré", "items": ITEMS[:1]}},
        {"resolved_arguments": {"alvo": "Rádio Maré", "items": [ITEMS[0] | {"preco": "9.90"}]}},
        {"resolved_arguments": {"alvo": "Radio Mare", "items": ITEMS[:1]}},
        {"resolved_arguments": {"alvo": "Rádio Maré", "items": ITEMS[:2]}},
        {"resolved_arguments": {"alvo": "Rádio Maré", "items": ITEMS[:1], "motivo": "preço"}},
        {
            "resolved_arguments": {"alvo": "Rádio Maré", "items": ITEMS[:1]},
            "confirmation_message": "Rádio Maré?",
        },
    ],
)
async def test_cf_14_the_digest_covers_arguments_items_and_message(desk, loja, change):
    loja.on[CHECK] = decided(
        resolved_arguments={"alvo": "Rádio Maré", "items": [ITEMS[0] | {"preco": "9.91"}]}
    )
    open_desk = await desk()
    first = await open_desk.start(*F1)
    loja.on[CHECK] = decided(**change)
    second = await open_desk.start(*F1)
    assert first.opened["confirmation"]["digest"] != second.opened["confirmation"]["digest"]
    assert (
        await refusal(second.confirm(digest=first.opened["confirmation"]["digest"]))
    ).type == "DigestMismatch"


async def test_cf_23_no_then_yes_then_no_is_a_no(desk, loja):
    tx = await (await desk()).start(*F1)
    first = await tx.reject()
    recorded = await tx.result()
    assert await gone(tx.confirm(digest=tx.opened["confirmation"]["digest"]))
    assert await gone(tx.reject())
    state = await tx.state()
    assert (state["status"], state["result"]) == ("CANCELLED", recorded)
    assert first["result"] == recorded
    assert loja.called(SET) == []


async def test_cf_25_a_validator_that_cannot_be_asked_asks_no_question_and_calls_nothing(desk, loja):
    hung = asyncio.Event()

    async def hang(_call):
        await hung.wait()
        return text_answer("late")

    loja.on["checar_lento"] = hang
    loja.pages["checar_503"] = repeat(Page(503, headers=AGAIN))
    loja.pages["checar_32603"] = repeat(Page(error={"code": -32603, "message": "boom"}))
    internal = {"mcp_server": "loja", "tool_type": "internal", "args_schema": {"alvo": "string"}}
    names = {
        "checar_recusado": "recusado",
        "checar_503": "loja",
        "checar_lento": "loja",
        "checar_32603": "loja",
    }
    open_desk = await desk(
        tools={name: internal | {"mcp_server": server} for name, server in names.items()}
        | {
            f"alvo_{name}": {"mcp_server": "loja", "tool_type": "action", "args_schema": {"alvo": "string"}}
            for name in names
        },
        policies={
            f"alvo_{name}": {
                "operation_type": "transactional",
                "requires": ["alvo"],
                "pre_validation": {"enabled": True, "tool": name, "timeout_seconds": 0.3},
            }
            for name in names
        }
        | {name: {"operation_type": "internal"} for name in names},
        servers={"recusado": {"endpoint": "http://127.0.0.1:9/mcp"}},
    )
    closed = await asyncio.gather(*(open_desk.start(f"alvo_{name}", {"alvo": "x"}) for name in names))
    hung.set()
    for tx in closed:
        state = tx.opened
        assert (state["status"], state["reason_code"]) == ("OUT_OF_SCOPE", "prevalidation_error"), state
        assert state["question"] is None
        assert state["confirmation"] is None
        record = state["transaction_pre_validation"]
        assert (record["status"], record["eligible"], record["terminal"]) == (
            "PREVALIDATION_ERROR",
            False,
            True,
        )
        assert record["error"]
        assert "não pôde ser feita" in state["reason"]
        assert (await tx.event_names())[-1] == "PREVALIDATION_REJECTED"
        assert "CONFIRMATION_REQUIRED" not in await tx.event_names()
        assert {"alvo_checar_503": "503", "alvo_checar_32603": "-32603"}.get(
            state["tool_name"], ""
        ) in record["error"]
        assert loja.called(state["tool_name"]) == []
    attempts = [len(loja.requested(name)) for name in ("checar_503", "checar_lento", "checar_32603")]
    assert attempts == [3, 3, 3]


async def test_cf_27_a_bypass_is_asked_with_the_original_arguments_and_shown(desk, loja):
    loja.pages[CHECK] = repeat(Page(503, headers=AGAIN))
    tx = await (await desk(policies={SET: {"pre_validation": {"fail_open": True}}})).start(*F1)
    state = tx.opened
    assert (state["status"], state["arguments"]) == ("AWAITING_CONFIRMATION", F1[1])
    assert F1[1]["alvo"] in state["question"]
    assert "não foi verificad" in state["question"]
    record = state["transaction_pre_validation"]
    assert (record["bypassed"], record["status"]) == (True, "PREVALIDATION_ERROR")
    assert record["eligible"] is not True
    assert "503" in record["error"]
    events = await tx.event_names()
    assert "PREVALIDATION_PASSED" not in events
    assert events.count("PREVALIDATION_BYPASSED") == 1
    await tx.confirm()
    result = await tx.result()
    assert result["transaction_status"] == "COMPLETED"
    assert [call.arguments for call in loja.called(SET)] == [F1[1]]


MALFORMED = {
    "false": {"eligible": "false"},
    "False": {"eligible": "False"},
    "não": {"eligible": "não"},
    "true": {"eligible": "true"},
    "one": {"eligible": 1},
    "null": {"eligible": None},
    "a list": {"eligible": [True]},
    "nothing": {},
    "other flags": {"ok": True, "success": True},
    "no parameter": {"status": "NEEDS_PARAMETER"},
    "an undeclared parameter": {"status": "NEEDS_PARAMETER", "parameter": "cpf"},
    "a numeric target": decided(target_tool=7),
    "a textual flag": decided(requires_reconfirmation="yes"),
    "a text for items": decided(resolved_arguments={"items": "A-01"}),
    "prose": text_answer("eligible: true"),
    "duplicate keys": text_answer('{"eligible": true, "eligible": true}'),
    "NaN": text_answer('{"eligible": true, "limite": NaN}'),
    "isError": text_answer('{"eligible": true}', is_error=True),
    "copies that disagree": types.CallToolResult(
        content=text_answer('{"eligible": false}').content, structured_content={"eligible": True}
    ),
}


@pytest.mark.parametrize("fail_open", [False, True])
async def test_cf_29_a_malformed_answer_never_opens(desk, loja, fail_open):
    loja.on[CHECK] = lambda call: MALFORMED[call.arguments["alvo"]]
    open_desk = await desk(policies={SET: {"pre_validation": {"fail_open": fail_open}}})
    started = await asyncio.gather(*(open_desk.start(SET, {"alvo": case}) for case in MALFORMED))
    for case, tx in zip(MALFORMED, started, strict=True):
        state = tx.opened
        assert (state["status"], state["reason_code"]) == ("OUT_OF_SCOPE", "prevalidation_error"), case
        assert state["confirmation"] is None, case
        assert state["transaction_pre_validation"]["status"] == "PREVALIDATION_ERROR", case
        assert state["transaction_pre_validation"]["error"], case
        assert not state["transaction_pre_validation"]["bypassed"], case
    assert len(loja.called(CHECK)) == len(MALFORMED)
    assert loja.called(SET) == []


@pytest.mark.parametrize("target", ["apagar_conta", "encerrar_assinaturas_antigo"])
async def test_cf_32_a_target_that_is_unknown_or_switched_off_is_never_reached(desk, loja, target):
    loja.on["apagar_conta"] = {"success": True}
    loja.on["encerrar_assinaturas_antigo"] = {"success": True}
    loja.on[CHECK] = decided(target_tool=target)
    old = {
        "mcp_server": "loja",
        "tool_type": "action",
        "enabled": False,
        "args_schema": {"alvo": "string"},
    }
    open_desk = await desk(
        tools={"encerrar_assinaturas_antigo": old},
        policies={"encerrar_assinaturas_antigo": {"operation_type": "transactional"}},
    )
    tx = await open_desk.start(*F1)
    state = tx.opened
    assert (state["status"], state["reason_code"]) == ("BLOCKED", "target_not_allowed")
    assert target in state["reason"]
    assert state["confirmation"] is None
    assert (await tx.event_names())[-1] == "BLOCKED"
    result = await tx.result()
    assert (result["error"], result["result"]["output"]) == (state["reason"], {})
    assert loja.called(target) == loja.called(SET) == []


@pytest.mark.parametrize("call", ["per_item", "whole"])
async def test_cf_35_one_ineligible_item_is_shown_and_the_others_run(desk, loja, call):
    items = [
        ITEMS[0] | {"eligible": True},
        ITEMS[1] | {"eligible": False, "reason": "fidelidade"},
        ITEMS[2] | {"eligible": True},
    ]
    message = "Rádio Maré e Cofre Fotos 50 serão encerrados; Clube Leitura tem fidelidade. Confirma?"
    loja.on[CHECK] = {
        "status": "PARTIALLY_ELIGIBLE",
        **decided(resolved_arguments={"items": items}, confirmation_message=message),
    }
    results = [
        {"id": "A-01", "success": True},
        {"id": "A-02", "success": False, "reason": "fidelidade"},
        {"id": "A-03", "success": True},
    ]
    if call == "whole":
        loja.on[SET] = {"results": results}
    open_desk = await desk(policies={SET: {"execution": {"call": call}}})
    tx = await open_desk.start(*F1)
    assert tx.opened["status"] == "AWAITING_CONFIRMATION"
    assert tx.opened["question"].startswith(message)
    assert [(item["eligible"], item["reason"]) for item in tx.opened["items"]] == [
        (True, None),
        (False, "fidelidade"),
        (True, None),
    ]
    await tx.confirm()
    result = await tx.result()
    assert (result["multi_item_status"], result["transaction_status"]) == ("PARTIAL_SUCCESS", "COMPLETED")
    assert (result["ok"], result["partial_success"]) == (True, True)
    assert result["metadata"]["multi_item"] == {
        "status": "PARTIAL_SUCCESS",
        "items_count": 3,
        "items_succeeded_count": 2,
        "items_failed_count": 1,
        "primary_tool": SET,
    }
    entries = result["result"]["output"][SET]["results"]
    assert [(e["item_id"], e["success"], e.get("reason")) for e in entries] == [
        ("A-01", True, None),
        ("A-02", False, "fidelidade"),
        ("A-03", True, None),
    ]
    assert entries[1]["attempts"] == 0
    assert "Clube Leitura" in result["message"]
    assert "fidelidade" in result["message"]
    assert all("Clube Leitura" not in call.arguments["alvo"] for call in loja.called(SET))
    assert all(
        "A-02" not in [item["id"] for item in call.arguments.get("items", [])] for call in loja.called(SET)
    )
    assert (await tx.event_names()).count("CONFIRMATION_REQUIRED") == 1


async def test_no_item_that_is_eligible_is_a_no_with_every_reason(desk, loja):
    loja.on[CHECK] = decided(
        resolved_arguments={
            "items": [
                ITEMS[0] | {"eligible": False, "reason": "fidelidade"},
                ITEMS[1] | {"eligible": "true", "reason": "débito"},
            ]
        }
    )
    tx = await (await desk()).start(*F1)
    assert (tx.opened["status"], tx.opened["reason_code"]) == ("OUT_OF_SCOPE", "not_eligible")
    assert "fidelidade" in tx.opened["reason"]
    assert "débito" in tx.opened["reason"]
    assert loja.called(SET) == []


async def test_every_time_is_rfc_3339_in_utc(desk):
    state = (await (await desk()).start(*F1)).opened
    asked, expires = (state["confirmation"][name] for name in ("requested_at", "expires_at"))
    assert all(time.endswith("Z") for time in (asked, expires, *(event["time"] for event in state["events"])))
    assert (datetime.fromisoformat(expires) - datetime.fromisoformat(asked)).total_seconds() == 900
