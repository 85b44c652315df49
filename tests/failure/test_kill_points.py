"""A worker killed at each point of an execution: before the call, in it, between items, before an auxiliary step."""

import asyncio

import pytest

from confirmo.examples.ledger import KnobKind
from harness.judging import all_agree, effects_of, until_called

THREE = {"subject": "TIM Fashion, Tamboro e Neymar Jr"}
NAMES = ["Neymar Jr", "TIM Fashion Mensal", "Tamboro Mensal"]
TOOL = "cancelar_vas_avulso"


async def confirmed(rig, tool, arguments):
    tx = await rig.start(tool, arguments)
    await tx.confirm(digest=tx.opened["confirmation"]["digest"])
    return tx


async def replaced(rig):
    await rig.kill("worker")
    await rig.start_worker()


async def until(condition):
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.02)


async def test_a_worker_killed_before_the_tool_acted_repeats_nothing(running):
    ledger = running.ledger("contas")
    ledger.knobs.turn(KnobKind.DELAY_BEFORE, tool=TOOL, seconds=1.5, times=3)
    tx = await confirmed(running, TOOL, THREE)
    await tx.until("EXECUTING")
    await replaced(running)
    result = await tx.result()
    all_agree(result, ledger, TOOL)
    assert effects_of(ledger, TOOL) == NAMES
    assert result["multi_item_status"] == "SUCCESS"


async def test_a_worker_killed_between_items_keeps_what_was_done(running):
    ledger = running.ledger("contas")
    ledger.knobs.turn(KnobKind.DELAY_BEFORE, tool=TOOL, item="Neymar Jr", seconds=2, times=1)
    tx = await confirmed(running, TOOL, THREE)
    await until_called(ledger, TOOL, 2)
    await replaced(running)
    result = await tx.result()
    all_agree(result, ledger, TOOL)
    assert effects_of(ledger, TOOL) == NAMES


async def test_a_worker_killed_between_primary_and_auxiliary_keeps_the_evidence_and_notifies_once(running):
    ledger = running.ledger("contas")
    ledger.knobs.turn(KnobKind.DELAY_AFTER, tool="notificar_cliente", seconds=2, times=1)
    tx = await confirmed(running, TOOL, THREE)
    await until_called(ledger, "notificar_cliente", 1)
    await replaced(running)
    result = await tx.result()
    all_agree(result, ledger, TOOL)
    assert result["multi_item_status"] == "SUCCESS"
    assert result["result"]["output"]["notificar_cliente"]["success"] is True
    assert len(effects_of(ledger, "notificar_cliente")) == 1


async def test_a_worker_killed_in_a_slice_goes_on_from_its_heartbeats(running):
    ledger = running.ledger("contas")
    names = [f"VAS-{number}" for number in range(20_000, 20_060)]
    ledger.knobs.turn(KnobKind.DELAY_AFTER, tool=TOOL, seconds=0.15)
    tx = await confirmed(running, TOOL, {"subject": ", ".join(names)})
    await until_called(ledger, TOOL, 20)
    await running.kill("worker")
    ledger.knobs.reset()
    await running.start_worker()
    result = await tx.result()
    all_agree(result, ledger, TOOL)
    assert effects_of(ledger, TOOL) == sorted(names)
    assert ledger.repeated_effects() == []
    entries = result["result"]["output"][TOOL]["results"]
    assert [entry["outcome"] for entry in entries] == ["SUCCEEDED"] * 60


@pytest.mark.parametrize("tool", ["cancelar_produtos", "cancelar_pedidos"])
async def test_a_worker_killed_in_a_whole_call_repeats_no_item(running, tool):
    name = "contas" if tool == "cancelar_produtos" else "retail"
    arguments = {
        "cancelar_produtos": {"items": [{"id": "1001"}, {"id": "1002"}]},
        "cancelar_pedidos": {"order_ids": ["P-100", "P-102"]},
    }[tool]
    ledger = running.ledger(name)
    ledger.knobs.turn(KnobKind.DELAY_AFTER, tool=tool, seconds=2, times=1)
    tx = await confirmed(running, tool, arguments)
    await until_called(ledger, tool, 2)
    await replaced(running)
    result = await tx.result()
    all_agree(result, ledger, tool)
    assert len(effects_of(ledger, tool)) == 2
    assert result["multi_item_status"] == "SUCCESS"


async def test_the_server_killed_while_executing_loses_nothing(running):
    ledger = running.ledger("contas")
    ledger.knobs.turn(KnobKind.DELAY_AFTER, tool=TOOL, seconds=1, times=3)
    tx = await confirmed(running, TOOL, THREE)
    await until_called(ledger, TOOL, 1)
    await running.kill("server")
    await running.start_server()
    result = await tx.result()
    all_agree(result, ledger, TOOL)
    assert effects_of(ledger, TOOL) == NAMES
