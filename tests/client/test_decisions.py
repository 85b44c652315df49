"""Deciding: which yes counts, what comes back the second time, and who hears why not."""

import asyncio
import logging
from datetime import timedelta

import pytest
from temporalio import workflow
from temporalio.client import WorkflowHistory

from confirmo.client import (
    AlreadyClosed,
    ConflictingDecision,
    DigestMismatch,
    InvalidArguments,
    InvalidDecision,
    NotAllowed,
    NotAwaitingConfirmation,
    NoWorker,
    TerminatedState,
    TransactionNotFound,
    UpdateRefused,
)
from confirmo.client.errors import refused
from confirmo.policies.errors import UpdateErrorType
from confirmo.policies.models import Actor, Decision
from harness import until
from harness.shop import F1, F2

RETURN = "devolver_encomendas"
ANA, BIA = Actor(id="ana"), Actor(id="bia")


def test_every_update_error_has_a_class_of_its_own():
    errors = [refused(type.value, "why") for type in UpdateErrorType]
    assert [error.type for error in errors] == list(UpdateErrorType)
    assert len({type(error) for error in errors}) == len(UpdateErrorType)
    assert type(refused("Else", "why")) is UpdateRefused


async def test_cf_01_the_same_yes_twice_at_once_executes_once(door, loja):
    shop = await door()
    state = await shop.start(*F2)
    answers = await asyncio.gather(*(shop.confirm(state, decision_id="click") for _ in range(5)))
    assert {answer.confirmation.digest for answer in answers} == {state.confirmation.digest}
    result = await shop.client.result(state.transaction_id)
    again = await shop.confirm(state, decision_id="click")
    assert (again.accepted_by, again.result) == ("record", result)
    assert len(loja.called(RETURN)) == 1
    assert [event.name for event in again.events].count("IC.TRANSACTION_CONFIRMED") == 1


async def test_another_digest_after_the_end_is_already_closed_and_carries_the_state(door):
    shop = await door()
    state = await shop.done(*F2)
    other = Decision(decision="confirm", digest="0" * 64)
    with pytest.raises(AlreadyClosed, match="COMPLETED") as caught:
        await shop.client.confirm(state.transaction_id, other)
    assert caught.value.state.status == "COMPLETED"
    with pytest.raises(AlreadyClosed):
        await shop.client.reject(state.transaction_id)
    with pytest.raises(AlreadyClosed):
        await shop.client.cancel(state.transaction_id)
    with pytest.raises(AlreadyClosed):
        await shop.client.amend(state.transaction_id, remove_item_ids=("ENC-7001",))
    with pytest.raises(AlreadyClosed):
        await shop.client.provide_parameters(state.transaction_id, {"valor": "1"})


async def test_cf_23_a_no_stands(door, loja):
    shop = await door()
    state = await shop.start(*F2)
    await shop.client.reject(state.transaction_id)
    await shop.client.result(state.transaction_id)
    with pytest.raises(AlreadyClosed, match="CANCELLED"):
        await shop.confirm(state)
    again = await shop.client.reject(state.transaction_id, digest=state.confirmation.digest)
    assert (again.status, again.reason_code, again.accepted_by) == ("CANCELLED", "rejected", "record")
    assert loja.called(RETURN) == []


async def test_cf_03_a_yes_after_the_deadline_says_when_that_was(door, loja):
    shop = await door(policies={RETURN: {"confirmation": {"expires_seconds": 1}}})
    state = await shop.start(*F2)
    result = await shop.client.result(state.transaction_id)
    assert result.transaction_status == "EXPIRED"
    with pytest.raises(AlreadyClosed, match=f"EXPIRED at {state.confirmation.expires_at}") as caught:
        await shop.confirm(state)
    assert caught.value.state.transaction_id == state.transaction_id
    assert loja.called(RETURN) == []


async def test_each_refusal_of_an_open_question_is_its_class(door, loja):
    shop = await door(policies={RETURN: {"confirmation": {"by": "requester"}}})
    state = await shop.start(*F2, requester=ANA)
    tx = state.transaction_id
    with pytest.raises(NotAllowed):
        await shop.confirm(state, actor=BIA)
    with pytest.raises(DigestMismatch):
        await shop.client.confirm(tx, Decision(decision="confirm", digest="0" * 64, actor=ANA))
    with pytest.raises(InvalidDecision):
        await shop.confirm(state, actor=ANA, item_ids=("ENC-7001",))
    with pytest.raises(InvalidArguments):
        await shop.client.amend(tx, remove_item_ids=("nenhum",), actor=ANA)
    with pytest.raises(NotAwaitingConfirmation):
        await shop.client.provide_parameters(tx, {"encomenda_ids": ["ENC-7002"]}, actor=ANA)
    assert loja.called(RETURN) == []


@pytest.mark.parametrize(
    "decision",
    [
        {},
        {"decision": "yes", "digest": "a"},
        {"decision": "confirm"},
        {"decision": "confirm", "digest": ""},
        {"decision": "confirm", "digest": "a", "if": "cheap"},
        Decision(decision="confirm"),
    ],
)
async def test_what_is_no_decision_is_not_sent(door, decision):
    with pytest.raises(InvalidDecision):
        await (await door()).client.confirm("tx-any", decision)


async def test_the_other_word_while_it_runs_conflicts(door, loja):
    going = asyncio.Event()

    async def slow(call):
        await going.wait()
        return {"results": [{"id": entry, "success": True} for entry in call.arguments["encomenda_ids"]]}

    loja.on[RETURN] = slow
    shop = await door()
    state = await shop.start(*F2)
    await shop.confirm(state)
    await until(lambda: loja.called(RETURN))
    with pytest.raises(ConflictingDecision):
        await shop.client.reject(state.transaction_id)
    assert (await shop.confirm(state)).status == "EXECUTING"
    cancelled = await shop.client.cancel(state.transaction_id, reason="mudou")
    assert cancelled.status == "EXECUTING"
    going.set()
    result = await shop.client.result(state.transaction_id)
    assert (result.transaction_status, result.reason_code) == ("COMPLETED", "cancelled")
    assert (await shop.client.cancel(state.transaction_id)).accepted_by == "record"
    assert (await shop.confirm(state)).accepted_by == "record"


async def test_two_approvals_with_one_digest_are_two(door, loja):
    shop = await door(policies={RETURN: {"confirmation": {"approvals": 2}}})
    state = await shop.start(*F2)
    first = await shop.confirm(state, actor=ANA)
    again = await shop.confirm(state, actor=ANA)
    assert len(first.confirmation.approvals) == len(again.confirmation.approvals) == 1
    await shop.confirm(state, actor=BIA)
    assert (await shop.client.result(state.transaction_id)).ok
    assert len(loja.called(RETURN)) == 1


async def test_another_subset_after_the_end_is_another_decision(door):
    shop = await door(policies={RETURN: {"confirmation": {"items": "any"}}})
    state = await shop.start(*F2)
    await shop.confirm(state, item_ids=("ENC-7001",))
    await shop.client.result(state.transaction_id)
    assert (await shop.confirm(state, item_ids=("ENC-7001",))).accepted_by == "record"
    for other in (None, ("ENC-7002",)):
        with pytest.raises(AlreadyClosed):
            await shop.confirm(state, item_ids=other)


async def test_an_answer_is_never_that_of_an_earlier_time(door):
    shop = await door()
    state = await shop.start(*F1)
    removed = await shop.client.amend(state.transaction_id, remove_item_ids=("A-02",))
    assert [item.item_id for item in removed.items] == ["A-01", "A-03"]
    with pytest.raises(DigestMismatch):
        await shop.confirm(state)
    await shop.confirm(removed)
    assert (await shop.client.awaiting(state.transaction_id)).status == "COMPLETED"
    assert (await shop.confirm(removed)).status == "COMPLETED"


async def test_se_03_a_confirm_of_what_never_was_creates_nothing(door):
    shop = await door()
    shop_client, yes = shop.client, {"decision": "confirm", "digest": "a"}
    for call in (
        shop_client.confirm("tx-inventado", yes),
        shop_client.reject("tx-inventado"),
        shop_client.cancel("tx-inventado"),
        shop_client.amend("tx-inventado", arguments={"valor": "1"}),
        shop_client.provide_parameters("tx-inventado", {"valor": "1"}),
        shop_client.awaiting("tx-inventado"),
        shop_client.state("tx-inventado"),
        shop_client.result("tx-inventado"),
        shop_client.export_history("tx-inventado"),
        shop_client.confirm("", yes),
        shop_client.state(""),
    ):
        with pytest.raises(TransactionNotFound):
            await call
    found = [run async for run in shop.desk.client.list_workflows("WorkflowId = 'tx-inventado'")]
    assert found == []


async def test_cf_21_a_yes_without_a_worker_goes_as_a_signal_and_executes_once(door, loja, caplog):
    caplog.set_level(logging.WARNING, logger="confirmo.client")
    shop = await door(max_cached_workflows=0)
    state = await shop.start(*F2)
    await shop.desk.stop_worker()
    answer = await shop.confirm(state)
    assert (answer.status, answer.accepted_by) == ("AWAITING_CONFIRMATION", "signal")
    assert answer.confirmation.digest == state.confirmation.digest
    assert "signal" in caplog.text
    assert (await shop.confirm(state)).accepted_by == "signal"
    with pytest.raises(NoWorker):
        await shop.client.amend(state.transaction_id, remove_item_ids=("ENC-7001",))
    await shop.desk.start_worker()
    assert (await shop.client.result(state.transaction_id)).ok
    assert len(loja.called(RETURN)) == 1
    assert (await shop.confirm(state)).accepted_by == "record"


async def test_a_cancel_without_a_worker_goes_as_a_signal(door, loja):
    shop = await door(max_cached_workflows=0)
    state = await shop.start(*F2)
    await shop.desk.stop_worker()
    assert (await shop.client.cancel(state.transaction_id)).accepted_by == "signal"
    await shop.desk.start_worker()
    result = await shop.client.result(state.transaction_id)
    assert (result.transaction_status, result.reason_code) == ("CANCELLED", "cancelled")
    assert loja.called(RETURN) == []


async def test_op_06_a_run_that_an_operator_ends_is_told_as_such(door, loja):
    shop = await door()
    state = await shop.start(*F2)
    await shop.desk.client.get_workflow_handle(state.transaction_id).terminate(reason="engano")
    with pytest.raises(AlreadyClosed, match="TERMINATED") as caught:
        await shop.confirm(state)
    assert isinstance(caught.value.state, TerminatedState)
    assert loja.called(RETURN) == []


@workflow.defn(name="Other", sandboxed=False)
class Other:
    @workflow.run
    async def run(self) -> None:
        await workflow.wait_condition(lambda: False)


async def test_a_workflow_that_is_no_transaction_gets_no_signal(door):
    shop = await door()
    handle = await shop.desk.client.start_workflow(
        Other.run,
        id=f"other-{shop.desk.task_queue}",
        task_queue="nobody",
        execution_timeout=timedelta(minutes=5),
    )
    with pytest.raises(TransactionNotFound):
        await shop.client.confirm(handle.id, {"decision": "confirm", "digest": "a"})
    with pytest.raises(TransactionNotFound):
        await shop.client.result(handle.id)
    history: WorkflowHistory = await handle.fetch_history()
    assert not any(event.HasField("workflow_execution_signaled_event_attributes") for event in history.events)
    await handle.terminate()


async def test_without_a_worker_the_door_itself_says_who_may_not(door, loja):
    shop = await door(policies={RETURN: {"confirmation": {"by": "requester"}}})
    state = await shop.start(*F2, requester=ANA)
    await shop.desk.stop_worker()
    for actor in (BIA, None):
        with pytest.raises(NotAllowed):
            await shop.confirm(state, actor=actor)
        with pytest.raises(NotAllowed):
            await shop.client.cancel(state.transaction_id, actor=actor)
    history = await shop.client.export_history(state.transaction_id)
    assert "WORKFLOW_EXECUTION_SIGNALED" not in history
    assert (await shop.confirm(state, actor=ANA)).accepted_by == "signal"
    await shop.desk.start_worker()
    assert (await shop.client.result(state.transaction_id)).ok
    assert len(loja.called(RETURN)) == 1
