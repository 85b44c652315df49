"""Reading: with a worker, without one, and runs that did not end as a transaction does."""

import asyncio
import itertools
import uuid
from datetime import timedelta
from typing import Any

import pytest
from temporalio import workflow
from temporalio.client import WorkflowHistory
from temporalio.worker import Worker

from confirmo.client import (
    InvalidRequest,
    NoWorker,
    TerminatedState,
    TransactionClient,
    TransactionTerminated,
    UnreadableRecord,
)
from confirmo.policies.models import TransactionState
from harness import until
from harness.shop import F1, F2

SET = "encerrar_assinaturas"


def without_time(state: TransactionState) -> dict[str, Any]:
    """What history alone can tell: all but the last events and the moment of the approval."""
    seen = state.model_dump(mode="json", exclude={"events"})
    for approval in (seen["confirmation"] or {}).get("approvals", []):
        del approval["at"]
    return seen


async def test_a_closed_run_reads_the_same_without_a_worker(door, loja):
    loja.on[SET] = lambda call: {
        "subject": call.arguments["alvo"],
        "success": call.arguments["alvo"] != "Clube Leitura",
        "reason": "débito",
    }
    shop = await door(max_cached_workflows=0)
    asked = await shop.start(*F1)
    amended = await shop.client.amend(asked.transaction_id, remove_item_ids=("A-03",))
    await shop.confirm(amended)
    await shop.client.result(asked.transaction_id)
    with_worker = await shop.client.state(asked.transaction_id)
    await shop.desk.stop_worker()
    alone = await shop.client.state(asked.transaction_id)
    assert [(item.item_id, item.outcome) for item in alone.items] == [
        ("A-01", "SUCCEEDED"),
        ("A-02", "FAILED"),
    ]
    assert without_time(alone) == without_time(with_worker)
    assert (await shop.confirm(amended)).accepted_by == "record"


async def test_an_open_run_without_a_worker_says_so_and_carries_what_is_on_record(door):
    shop = await door()
    asked = await shop.start(*F2)
    await shop.desk.stop_worker()
    with pytest.raises(NoWorker, match=asked.transaction_id) as caught:
        await shop.client.state(asked.transaction_id)
    assert caught.value.state is not None
    assert without_time(caught.value.state) == without_time(asked)
    with pytest.raises(NoWorker):
        await shop.client.awaiting(asked.transaction_id)


async def test_a_terminated_run_shows_what_was_done(door, loja):
    stuck = asyncio.Event()

    async def one_hangs(call):
        if call.arguments["alvo"] == "Cofre Fotos 50":
            await stuck.wait()
        return {"subject": call.arguments["alvo"], "success": True}

    loja.on[SET] = one_hangs
    shop = await door()
    asked = await shop.start(*F1)
    await shop.confirm(asked)
    await until(lambda: len(loja.called(SET)) == 3)
    async with asyncio.timeout(20):
        async for state in shop.client.watch(asked.transaction_id):
            if state.progress.items_done_count == 2:
                break
    await shop.desk.client.get_workflow_handle(asked.transaction_id).terminate(reason="engano")
    stuck.set()
    for worker in ("answers", "is away"):
        state = await shop.client.state(asked.transaction_id)
        assert isinstance(state, TerminatedState), worker
        assert (state.status.value, state.reason, state.result) == ("TERMINATED", "engano", None)
        assert [item.outcome for item in state.items] == ["SUCCEEDED", "SUCCEEDED", None]
        assert state.progress.items_done_count == 2
        await shop.desk.stop_worker()
    with pytest.raises(TransactionTerminated, match="engano"):
        await shop.client.result(asked.transaction_id)
    assert [state.status async for state in shop.client.watch(asked.transaction_id)] == ["TERMINATED"]


@pytest.mark.parametrize("payload", [["text"], [{"arguments": {}}], [None], []])
async def test_a_run_that_no_request_started_is_failed_and_readable(door, payload):
    shop = await door()
    tx = await shop.desk.begin_raw(*payload)
    with pytest.raises(InvalidRequest):
        await shop.client.result(tx.id)
    state = await shop.client.state(tx.id)
    assert (state.status, state.reason_code) == ("FAILED", "InvalidRequest")
    assert [seen.status async for seen in shop.client.watch(tx.id)] == ["FAILED"]
    assert (await shop.client.awaiting(tx.id)).status == "FAILED"


async def test_watch_yields_each_change_once_and_ends(door, loja):
    shop = await door()
    asked = await shop.start(*F1)
    seen = []
    async with asyncio.timeout(30):
        async for state in shop.client.watch(asked.transaction_id, interval=timedelta(milliseconds=20)):
            seen.append(state)
            if len(seen) == 1:
                await shop.confirm(asked)
    assert (seen[0].status, seen[-1].status) == ("AWAITING_CONFIRMATION", "COMPLETED")
    assert seen[-1].result is not None
    assert all(one != other for one, other in itertools.pairwise(seen))


async def test_awaiting_answers_as_soon_as_someone_is_needed(door):
    shop = await door()
    asked = await shop.start(*F2)
    assert await shop.client.awaiting(asked.transaction_id) == asked
    await shop.confirm(asked)
    async with asyncio.timeout(20):
        assert (await shop.client.awaiting(asked.transaction_id)).result is not None


@workflow.defn(name="TransactionWorkflow", sandboxed=False)
class Stranger:
    """Of the right name, with an answer that is no result."""

    @workflow.run
    async def run(self, answer: Any) -> Any:
        return answer


@pytest.mark.parametrize("answer", ["text", {"ok": True}, None, [1]])
async def test_a_result_that_is_none_never_crashes_a_reader(client, answer):
    queue = f"stranger-{uuid.uuid4().hex}"
    async with Worker(client, task_queue=queue, workflows=[Stranger]):
        handle = await client.start_workflow(Stranger.run, answer, id=queue, task_queue=queue)
        await handle.result()
    door = TransactionClient(client, worker_patience=timedelta(milliseconds=300))
    with pytest.raises(UnreadableRecord):
        await door.result(queue)
    assert (await door.state(queue)).result is None


async def test_an_exported_history_is_temporals_own(door):
    shop = await door()
    asked = await shop.done(*F2)
    history = WorkflowHistory.from_json(
        asked.transaction_id, await shop.client.export_history(asked.transaction_id)
    )
    assert history.workflow_id == asked.transaction_id
    assert history.events[-1].HasField("workflow_execution_completed_event_attributes")
