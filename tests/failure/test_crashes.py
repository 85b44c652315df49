"""Kills, with the ledger of the example servers as the judge."""

import asyncio
import signal

import pytest

from confirmo.examples.ledger import KnobKind
from harness.judging import all_agree, effects_of, until_called

VAS = {"subject": "TIM Fashion, Tamboro e Neymar Jr"}
NAMES = ["Neymar Jr", "TIM Fashion Mensal", "Tamboro Mensal"]


async def test_a_waiting_transaction_survives_a_killed_worker_and_executes_once(running):
    tx = await running.start("cancelar_vas_avulso", VAS)
    await running.kill("worker")
    await running.start_worker()
    await tx.confirm(digest=tx.opened["confirmation"]["digest"])
    result = await tx.result()
    assert result["multi_item_status"] == "SUCCESS"
    assert effects_of(running.ledger("contas"), "cancelar_vas_avulso") == NAMES


async def test_a_waiting_transaction_survives_a_killed_server(running):
    tx = await running.start("cancelar_pedido", {"order_id": "PED-1001"})
    await running.kill("server")
    await running.start_server()
    state = await tx.state()
    assert state["confirmation"]["digest"] == tx.opened["confirmation"]["digest"]
    await tx.confirm(digest=state["confirmation"]["digest"])
    assert (await tx.result())["ok"] is True
    assert effects_of(running.ledger("retail"), "cancelar_pedido") == ["PED-1001"]


async def test_cf_21_a_yes_sent_while_no_worker_is_up_executes_once_when_one_is_back(running):
    tx = await running.start("cancelar_pedido", {"order_id": "PED-1001"})
    await running.kill("worker", signal.SIGTERM)
    digest = tx.opened["confirmation"]["digest"]
    await tx.signal("confirm", {"decision": "confirm", "digest": digest})
    assert effects_of(running.ledger("retail"), "cancelar_pedido") == []
    await running.start_worker()
    assert (await tx.result())["ok"] is True
    assert effects_of(running.ledger("retail"), "cancelar_pedido") == ["PED-1001"]


async def test_ex_03_a_worker_killed_between_effect_and_record_repeats_nothing_with_a_keyed_tool(running):
    ledger = running.ledger("contas")
    ledger.knobs.turn(
        KnobKind.DELAY_AFTER, tool="cancelar_vas_avulso", item="Tamboro Mensal", seconds=3, times=1
    )
    tx = await running.start("cancelar_vas_avulso", VAS)
    await tx.confirm(digest=tx.opened["confirmation"]["digest"])
    await until_called(ledger, "cancelar_vas_avulso", 3)
    await running.kill("worker")
    await running.start_worker()
    result = await tx.result()
    assert result["multi_item_status"] == "SUCCESS"
    assert effects_of(ledger, "cancelar_vas_avulso") == NAMES
    assert ledger.repeated_effects() == []
    calls = [
        call
        for call in ledger.calls()
        if call.tool == "cancelar_vas_avulso" and call.item == "Tamboro Mensal"
    ]
    assert len(calls) >= 2
    assert len({call.idempotency_key for call in calls}) == 1


async def test_a_worker_killed_in_an_unsafe_call_asks_the_status_tool_and_never_calls_blindly_again(running):
    ledger = running.ledger("contas")
    ledger.knobs.turn(KnobKind.DELAY_AFTER, tool="contestar_cobranca", seconds=3, times=1)
    tx = await running.start("contestar_cobranca", {"subject": "Tamboro", "valor": "14,99"})
    await tx.confirm(digest=tx.opened["confirmation"]["digest"])
    await until_called(ledger, "contestar_cobranca", 1)
    await running.kill("worker")
    await running.start_worker()
    result = await tx.result()
    assert len(effects_of(ledger, "contestar_cobranca")) == 1
    all_agree(result, ledger, "contestar_cobranca")
    assert result["ok"] is True, result


@pytest.mark.parametrize("kind", [KnobKind.CRASH_BEFORE, KnobKind.CRASH_AFTER])
async def test_a_tool_server_that_dies_in_a_keyed_call_is_called_again_with_the_same_key(rig, kind):
    rig.be_patient("cancelar_pedido")
    running = await rig.start_all()
    ledger = running.ledger("retail")
    ledger.knobs.turn(kind, tool="cancelar_pedido", times=1)
    tx = await running.start("cancelar_pedido", {"order_id": "PED-1001"})
    await tx.confirm(digest=tx.opened["confirmation"]["digest"])
    async with asyncio.timeout(30):
        await running.processes["retail"].wait()
    running.processes.pop("retail")
    await running.start_tools("retail")
    result = await tx.result()
    all_agree(result, ledger, "cancelar_pedido")
    assert result["ok"] is True, result
    assert effects_of(ledger, "cancelar_pedido") == ["PED-1001"]


async def test_a_polite_shutdown_waits_for_the_call_under_way(running):
    ledger = running.ledger("retail")
    ledger.knobs.turn(KnobKind.DELAY_AFTER, tool="cancelar_pedido", seconds=2, times=1)
    tx = await running.start("cancelar_pedido", {"order_id": "PED-1001"})
    await tx.confirm(digest=tx.opened["confirmation"]["digest"])
    await until_called(ledger, "cancelar_pedido", 1)
    await running.kill("worker", signal.SIGTERM)
    await running.start_worker()
    result = await tx.result()
    assert result["ok"] is True
    assert [call.tool for call in ledger.calls()].count("cancelar_pedido") == 1
