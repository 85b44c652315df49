"""Answers that come after their attempt gave up: used where they come in time, and never a second effect."""

import asyncio

from harness import Call
from harness.shop import F1


def one_item(alvo="Rádio Maré"):
    return {
        "eligible": True,
        "transaction_decision": {"resolved_arguments": {"items": [{"id": "A-01", "name": alvo}]}},
    }


async def test_a_late_answer_of_a_keyed_call_is_used_and_the_tool_is_not_called_again(desk, loja):
    async def slow(call: Call):
        if len(loja.called("encerrar_assinaturas")) == 1:
            await asyncio.sleep(1.2)
        return {"success": True, "protocolo": f"EN-{len(loja.called('encerrar_assinaturas'))}"}

    loja.on |= {"checar_assinaturas": one_item(), "encerrar_assinaturas": slow}
    d = await desk(
        policies={"encerrar_assinaturas": {"execution": {"effect": "keyed", "timeout_seconds": 1}}}
    )
    result = await d.run(*F1)
    [entry] = result["result"]["output"]["encerrar_assinaturas"]["results"]
    assert entry["outcome"] == "SUCCEEDED"
    assert entry["attempts"] == 1
    assert len(loja.called("encerrar_assinaturas")) == 1


async def test_an_unsafe_call_still_under_way_is_not_overlapped_by_a_second_one(desk, loja):
    """The status tool says "not found" while the first call still runs: it must end before another one is sent."""
    done = []

    async def slow(call: Call):
        await asyncio.sleep(1.5)
        done.append(call.key)
        return {"success": True, "protocolo": "EN-1"}

    loja.on |= {
        "checar_assinaturas": one_item(),
        "encerrar_assinaturas": slow,
        "situacao": lambda call: {"found": True, "success": True} if done else {"found": False},
    }
    d = await desk(
        tools={"situacao": {"mcp_server": "loja", "tool_type": "internal"}},
        policies={
            "situacao": {"operation_type": "internal"},
            "encerrar_assinaturas": {"execution": {"status_tool": "situacao", "timeout_seconds": 1}},
        },
    )
    result = await d.run(*F1)
    [entry] = result["result"]["output"]["encerrar_assinaturas"]["results"]
    assert entry["outcome"] == "SUCCEEDED"
    assert len(done) == 1
