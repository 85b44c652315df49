"""Answers that come after their attempt gave up: used where they come in time, and never a second effect."""

import asyncio

import pytest

from confirmo.worker.settings import Settings
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


STATUS = {
    "situacao": {
        "mcp_server": "loja",
        "tool_type": "internal",
        "args_schema": {"idempotency_key": "string", "item_id": "string", "item": "object"},
    }
}


def askable(**execution):
    execution = {"status_tool": "situacao", "timeout_seconds": 0.3} | execution
    return {
        "tools": STATUS,
        "policies": {
            "situacao": {"operation_type": "internal"},
            "devolver_encomendas": {"execution": execution},
        },
    }


@pytest.mark.parametrize("shape", ["one by one", "slices", "whole"])
async def test_not_found_is_not_believed_of_an_unsafe_call_that_never_ended(desk, loja, shape):
    """The server works longer than anyone listens; its effect comes after the status tool was asked."""
    going = asyncio.Event()

    async def slow(_call: Call):
        await going.wait()
        return {"success": True}

    loja.on |= {"devolver_encomendas": slow, "situacao": {"found": False}}
    d = await desk(
        **askable(call="whole" if shape == "whole" else "per_item"),
        settings=Settings(item_activities=0 if shape == "slices" else 20),
    )
    result = await d.run("devolver_encomendas", {"encomenda_ids": ["ENC-1", "ENC-2"]})
    going.set()
    for entry in result["result"]["output"]["devolver_encomendas"]["results"]:
        assert (entry["outcome"], entry["reason_code"]) == ("UNKNOWN", "lost_answer")
        assert (entry["verified_by"], entry["attempts"]) == ("situacao", 1)
    assert len(loja.called("devolver_encomendas")) == (1 if shape == "whole" else 2)
    assert result["metadata"]["needs_review"] is True


@pytest.mark.parametrize("shape", ["one by one", "slices", "whole"])
async def test_a_late_answer_of_an_unsafe_call_counts_where_the_status_tool_does_not_know_it(
    desk, loja, shape
):
    asked, both = asyncio.Event(), ["ENC-1", "ENC-2"]

    async def slow(call: Call):
        await asked.wait()
        return {"results": [{"id": each, "success": True} for each in call.arguments["encomenda_ids"]]}

    def status(_call: Call):
        asked.set()
        return {"found": False}

    loja.on |= {"devolver_encomendas": slow, "situacao": status}
    d = await desk(
        **askable(call="whole" if shape == "whole" else "per_item", timeout_seconds=1),
        settings=Settings(item_activities=0 if shape == "slices" else 20),
    )
    result = await d.run("devolver_encomendas", {"encomenda_ids": both})
    entries = result["result"]["output"]["devolver_encomendas"]["results"]
    assert [(entry["outcome"], entry["attempts"]) for entry in entries] == [("SUCCEEDED", 1)] * 2
    assert len(loja.called("devolver_encomendas")) == (1 if shape == "whole" else 2)
    assert result["metadata"]["needs_review"] is False


async def test_not_found_is_not_believed_of_an_unsafe_call_without_items(desk, loja):
    going = asyncio.Event()

    async def slow(_call: Call):
        await going.wait()
        return {"success": True}

    loja.on |= {"encerrar_assinaturas": slow, "situacao": {"found": False}}
    changes = askable()
    changes["policies"]["encerrar_assinaturas"] = changes["policies"].pop("devolver_encomendas") | {
        "pre_validation": None
    }
    result = await (await desk(**changes)).run(*F1)
    going.set()
    output = result["result"]["output"]["encerrar_assinaturas"]
    assert (output["outcome"], output["verified_by"], output["attempts"]) == ("UNKNOWN", "situacao", 1)
    assert len(loja.called("encerrar_assinaturas")) == 1


async def test_a_call_that_its_server_ended_with_an_error_may_be_sent_again(desk, loja):
    """The answer came late and is an error: the call is over, and "not found" is believed."""
    asked, calls = asyncio.Event(), []

    async def slow(call: Call):
        calls.append(call)
        if len(calls) == 1:
            await asked.wait()
            raise RuntimeError("disco cheio")
        return {"success": True}

    def status(_call: Call):
        asked.set()
        return {"found": False}

    loja.on |= {"devolver_encomendas": slow, "situacao": status}
    d = await desk(**askable(call="per_item", timeout_seconds=1))
    result = await d.run("devolver_encomendas", {"encomenda_ids": ["ENC-1"]})
    [entry] = result["result"]["output"]["devolver_encomendas"]["results"]
    assert (entry["outcome"], entry["attempts"]) == ("SUCCEEDED", 2)
