"""Nothing that travels grows above what Temporal carries: it is refused before the question, or cut and said so."""

import asyncio
import json
from itertools import repeat

from harness import Page
from harness.shop import F1

SET = "encerrar_assinaturas"
BACK = "devolver_encomendas"


def resolving(count, **extra):
    items = [{"id": f"I-{number:05}", "name": f"Item {number}"} | extra for number in range(count)]
    return {"eligible": True, "transaction_decision": {"resolved_arguments": {"items": items}}}


async def test_large_answers_are_cut_and_every_item_keeps_its_outcome(desk, loja):
    loja.on |= {
        "checar_assinaturas": resolving(300),
        SET: {"success": True, "protocolo": "EN-1", "extrato": "x" * 10_000},
    }
    d = await desk(policies={SET: {"execution": {"effect": "keyed"}}})
    result = await d.run(*F1)
    entries = result["result"]["output"][SET]["results"]
    assert len(entries) == 300
    assert {entry["outcome"] for entry in entries} == {"SUCCEEDED"}
    assert {entry["protocolo"] for entry in entries} == {"EN-1"}
    assert any(entry.get("truncated") for entry in entries)
    assert len(json.dumps(result)) < 1_900_000


async def test_one_huge_answer_is_cut_and_counts(desk, loja):
    loja.on |= {
        "checar_assinaturas": resolving(1),
        SET: {"success": True, "protocolo": "EN-1", "extrato": "x" * 3_000_000},
    }
    result = await (await desk()).run(*F1)
    [entry] = result["result"]["output"][SET]["results"]
    assert (entry["outcome"], entry["protocolo"]) == ("SUCCEEDED", "EN-1")
    assert result["ok"] is True


async def test_a_set_that_no_call_could_carry_is_blocked_before_any_question(desk, loja):
    policies = {BACK: {"pre_validation": {"enabled": False}}}
    tx = await (await desk(policies=policies)).start(
        BACK, {"encomenda_ids": [f"ENC-{n}" for n in range(11_000)]}
    )
    assert (tx.opened["status"], tx.opened["reason_code"]) == ("BLOCKED", "too_large")
    assert loja.calls == []


async def test_ten_thousand_short_items_need_no_payload_store_and_75_long_ones_do(desk, loja):
    d = await desk(policies={BACK: {"pre_validation": {"enabled": False}}})
    tx = await d.start(BACK, {"encomenda_ids": [f"ENC-{n:05}" for n in range(10_000)]})
    assert tx.opened["status"] == "AWAITING_CONFIRMATION"
    emoji = [{"id": f"E-{n}", "name": "👩" * 1_000} for n in range(75)]
    tx = await d.start(BACK, {"encomenda_ids": emoji})
    assert (tx.opened["status"], tx.opened["reason_code"]) == ("BLOCKED", "too_large")


async def test_a_validator_that_answers_too_much_is_malformed(desk, loja):
    loja.on["checar_assinaturas"] = resolving(1, nota="x" * 700_000)
    tx = await (await desk()).start(*F1)
    assert (tx.opened["status"], tx.opened["reason_code"]) == ("OUT_OF_SCOPE", "prevalidation_error")
    error = tx.opened["transaction_pre_validation"]["error"]
    assert "above the payload limit of 600,000" in error
    assert "CONFIRMO_PAYLOAD_STORE" in error


async def test_a_cancel_ends_the_wait_between_two_attempts(desk, loja):
    loja.on["checar_assinaturas"] = resolving(1)
    loja.pages[SET] = repeat(Page(503, headers={"Retry-After": "3600"}))
    tx = await (await desk()).start(*F1)
    await tx.confirm()
    async with asyncio.timeout(20):
        while not loja.requested(SET):
            await asyncio.sleep(0.02)
    await tx.update("cancel", {"reason": "chega"})
    result = await tx.result()
    assert (result["transaction_status"], result["reason_code"]) == ("FAILED", "cancelled")
    [entry] = result["result"]["output"][SET]["results"]
    assert (entry["outcome"], entry["reason_code"]) == ("FAILED", "not_executed")
    assert len(loja.requested(SET)) == 1


async def test_no_attempt_is_made_beyond_max_attempts_even_where_the_status_tool_knows_nothing(desk, loja):
    loja.on |= {"checar_assinaturas": resolving(1), "situacao": {"found": False}}
    loja.pages[SET] = repeat(Page(500))
    d = await desk(
        tools={"situacao": {"mcp_server": "loja", "tool_type": "internal"}},
        policies={
            "situacao": {"operation_type": "internal"},
            SET: {"execution": {"status_tool": "situacao", "max_attempts": 1}},
        },
    )
    result = await d.run(*F1)
    [entry] = result["result"]["output"][SET]["results"]
    assert (entry["outcome"], entry["reason_code"], entry["attempts"]) == ("FAILED", "not_executed", 1)
    assert len(loja.requested(SET)) == 1
