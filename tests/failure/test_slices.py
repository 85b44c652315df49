"""Workers killed and stopped in the middle of a slice: what is in doubt is what was under way, and nothing else."""

import asyncio
import signal

from confirmo.examples.ledger import KnobKind
from harness.judging import all_agree, effects_of, until_called
from harness.proxy import Fault, Proxy

BOUND = 60.0

TOOL = "cancelar_vas_avulso"
NAMES = [f"VAS-{number}" for number in range(20_000, 20_060)]


def unsafe(rig):
    """The same files with a tool whose second call would do harm."""
    rig.change_policy(TOOL, "effect: keyed", "effect: unsafe", "timeout_seconds: 5")


async def started(rig, names=NAMES):
    await rig.start_all()
    ledger = rig.ledger("contas")
    ledger.knobs.turn(KnobKind.DELAY_AFTER, tool=TOOL, seconds=0.15)
    tx = await rig.start(TOOL, {"subject": ", ".join(names)})
    await tx.confirm(digest=tx.opened["confirmation"]["digest"])
    await until_called(ledger, TOOL, 20)
    return tx, ledger


def entries_of(result):
    return result["result"]["output"][TOOL]["results"]


def calls_of(ledger):
    return [call.item for call in ledger.calls() if call.tool == TOOL]


async def test_of_a_lost_unsafe_slice_only_what_was_under_way_is_in_doubt(rig):
    unsafe(rig)
    tx, ledger = await started(rig)
    await rig.kill("worker")
    ledger.knobs.reset()
    await rig.start_worker()
    result = await tx.result()
    all_agree(result, ledger, TOOL)
    unknown = [entry for entry in entries_of(result) if entry["outcome"] == "UNKNOWN"]
    assert 0 < len(unknown) <= 8, len(unknown)
    assert {entry["reason_code"] for entry in unknown} == {"lost_answer"}
    assert len(calls_of(ledger)) == len(set(calls_of(ledger)))
    assert len(effects_of(ledger, TOOL)) >= 60 - len(unknown)


async def test_a_worker_that_stops_politely_leaves_the_rest_of_a_slice_to_the_next_one(rig):
    unsafe(rig)
    tx, ledger = await started(rig)
    await rig.kill("worker", signal.SIGTERM)
    ledger.knobs.reset()
    await rig.start_worker()
    result = await tx.result()
    all_agree(result, ledger, TOOL)
    assert {entry["outcome"] for entry in entries_of(result)} == {"SUCCEEDED"}
    assert sorted(calls_of(ledger)) == sorted(NAMES)


async def test_a_server_that_is_lost_in_a_slice_makes_no_item_go_out_twice(rig):
    unsafe(rig)
    tx, ledger = await started(rig)
    await rig.kill("server")
    await rig.start_server()
    result = await tx.result()
    all_agree(result, ledger, TOOL)
    assert len(calls_of(ledger)) == len(set(calls_of(ledger)))
    assert len(entries_of(result)) == 60


async def test_items_that_go_out_again_are_in_doubt_only_where_they_were_under_way(rig):
    unsafe(rig)
    await asyncio.gather(rig.start_server(), rig.start_tools("contas"), rig.start_tools("retail"))
    ledger = rig.ledger("contas")
    async with Proxy(rig.ports["contas"]).running() as proxy:
        rig.ports["contas"] = proxy.port
        await rig.start_worker()
        tx = await rig.start(TOOL, {"subject": ", ".join(NAMES)})
        proxy.fault = Fault.REFUSE
        proxy.reset()
        await tx.confirm(digest=tx.opened["confirmation"]["digest"])
        await until_completed(tx, "items-1-60")
        ledger.knobs.turn(KnobKind.DELAY_AFTER, tool=TOOL, seconds=0.15)
        proxy.fault = Fault.NONE
        await until_called(ledger, TOOL, 20)
        await rig.kill("worker")
        ledger.knobs.reset()
        await rig.start_worker()
        result = await tx.result()
    all_agree(result, ledger, TOOL)
    entries = entries_of(result)
    unknown = [entry for entry in entries if entry["outcome"] == "UNKNOWN"]
    assert 0 < len(unknown) <= 8, len(unknown)
    assert {entry["outcome"] for entry in entries if entry not in unknown} == {"SUCCEEDED"}
    assert len(calls_of(ledger)) == len(set(calls_of(ledger)))


async def until_completed(tx, activity_id):
    """Wait until an activity of the transaction has reported."""
    async with asyncio.timeout(BOUND):
        while True:
            events = (await tx.handle.fetch_history()).events
            scheduled = {
                event.event_id
                for event in events
                if event.activity_task_scheduled_event_attributes.activity_id == activity_id
            }
            if any(
                event.activity_task_completed_event_attributes.scheduled_event_id in scheduled
                for event in events
            ):
                return
            await asyncio.sleep(0.02)
