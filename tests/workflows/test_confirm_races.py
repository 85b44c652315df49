"""The case collection, area *confirm*: answers that come twice, at once, too early, too late, or while nobody works."""

import asyncio
import random
from datetime import UTC, datetime, timedelta

import pytest
from temporalio.service import RPCError, RPCStatusCode

from harness import Refused, gone, refusal, until
from harness.shop import F1, ITEMS

SET = "encerrar_assinaturas"
CHECK = "checar_assinaturas"
ONE = ("cancelar_linha", {"linha": "L-1"})
LINE = {
    "tools": {
        "cancelar_linha": {
            "mcp_server": "loja",
            "tool_type": "action",
            "args_schema": {"linha": "string"},
        }
    },
    "policies": {"cancelar_linha": {"operation_type": "transactional", "requires": ["linha"]}},
}
"""A tool without a validator and without items."""
STOPPED = {"max_cached_workflows": 0, "task_timeout": timedelta(seconds=1)}
"""For desks whose worker is stopped: nothing waits for a task that went to the old one."""


async def held(tx, name, argument):
    """Send an update that nobody answers, because no worker runs; returns the task that waits for the answer."""
    task = asyncio.create_task(tx.update(name, argument))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(asyncio.shield(task), 0.3)
    return task


async def past(moment: str) -> None:
    deadline = datetime.fromisoformat(moment)
    await until(lambda: datetime.now(UTC) > deadline)


@pytest.mark.parametrize("cached", [1000, 0])
async def test_cf_01_the_same_yes_sent_twice_executes_once(desk, loja, cached):
    loja.on[SET] = lambda call: {
        "subject": call.arguments["alvo"],
        "success": True,
        "protocolo": f"EN-{len(loja.called(SET))}",
    }
    tx = await (await desk(max_cached_workflows=cached)).start(*F1)
    yes = {"digest": tx.opened["confirmation"]["digest"], "decision_id": "d-1", "actor": {"id": "ana"}}
    one, other = await asyncio.gather(tx.confirm(**yes), tx.confirm(**yes))
    for state in (one, other):
        assert state["status"] in ("EXECUTING", "COMPLETED")
        assert [approval["decision_id"] for approval in state["confirmation"]["approvals"]] == ["d-1"]
    first, second = await asyncio.gather(tx.result(), tx.result())
    assert first == second
    protocols = [entry["protocolo"] for entry in first["result"]["output"][SET]["results"]]
    assert sorted(protocols) == ["EN-1", "EN-2", "EN-3"]
    assert sorted(call.arguments["alvo"] for call in loja.called(SET)) == sorted(i["name"] for i in ITEMS)
    assert await tx.event_names() == [
        "STARTED",
        "PREVALIDATION_REQUESTED",
        "PREVALIDATION_PASSED",
        "CONFIRMATION_REQUIRED",
        "CONFIRMED",
        "EXECUTION_STARTED",
        "ITEM_COMPLETED",
        "ITEM_COMPLETED",
        "ITEM_COMPLETED",
        "COMPLETED",
    ]
    history = await tx.handle.fetch_history()
    kinds = [e.activity_task_scheduled_event_attributes.activity_type.name for e in history.events]
    assert kinds.count("confirm_signal") == 1


async def test_cf_01_a_yes_again_while_it_executes_answers_with_the_state(desk, loja):
    going = asyncio.Event()

    async def slow(_call):
        await going.wait()
        return {"success": True}

    loja.on["cancelar_linha"] = slow
    tx = await (await desk(**LINE)).start(*ONE)
    digest = tx.opened["confirmation"]["digest"]
    await tx.confirm(digest=digest)
    await until(lambda: loja.called("cancelar_linha"))
    again = await tx.confirm(digest=digest)
    assert again["status"] == "EXECUTING"
    assert len(again["confirmation"]["approvals"]) == 1
    assert (await refusal(tx.reject(digest=digest))).type == "ConflictingDecision"
    assert (await refusal(tx.confirm(digest="0" * 64))).type == "DigestMismatch"
    assert (
        await refusal(tx.update("amend", {"arguments": {"linha": "L-2"}}))
    ).type == "NotAwaitingConfirmation"
    going.set()
    assert (await tx.result())["ok"] is True
    assert len(loja.called("cancelar_linha")) == 1
    assert (await tx.event_names()).count("CONFIRMED") == 1


async def test_cf_03_a_yes_after_the_deadline_executes_nothing_and_says_expired(desk, loja):
    tx = await (await desk(policies={SET: {"confirmation": {"expires_seconds": 0.3}}})).start(*F1)
    confirmation = tx.opened["confirmation"]
    result = await tx.result()
    assert await gone(tx.confirm(digest=confirmation["digest"]))
    state = await tx.state()
    assert (state["status"], state["reason_code"], state["transaction_id"]) == ("EXPIRED", "expired", tx.id)
    assert state["confirmation"]["expires_at"] == confirmation["expires_at"]
    assert state["confirmation"]["approvals"] == []
    assert state["question"] is None
    assert (result["transaction_status"], result["ok"], result["error"]) == (
        "EXPIRED",
        False,
        state["reason"],
    )
    assert result["result"] == {"status": "EXPIRED", "output": {}}
    events = await tx.event_names()
    assert events[-1] == "EXPIRED"
    assert events.count("EXPIRED") == 1
    assert "CONFIRMED" not in events
    assert loja.called(SET) == []


async def test_cf_03_a_yes_that_meets_the_deadline_itself_is_refused_with_the_time(desk, loja):
    open_desk = await desk(
        policies={SET: {"confirmation": {"expires_seconds": 0.6, "by": "requester"}}}, **STOPPED
    )
    tx = await open_desk.start(*F1, requester={"id": "ana"})
    confirmation = tx.opened["confirmation"]
    await open_desk.stop_worker()
    await past(confirmation["expires_at"])
    await tx.signal(
        "confirm", {"decision": "confirm", "digest": confirmation["digest"], "actor": {"id": "ana"}}
    )
    wrong = {"decision": "confirm", "digest": "0" * 64, "actor": {"id": "beto"}}
    late = await asyncio.gather(
        held(tx, "confirm", wrong),
        held(tx, "amend", {"arguments": {"alvo": "tudo"}, "actor": {"id": "beto"}}),
    )
    await open_desk.start_worker()
    refusals = await asyncio.gather(*(refusal(task) for task in late))
    assert [refused.type for refused in refusals] == ["ConfirmationExpired"] * 2
    assert all(confirmation["expires_at"] in refused.message for refused in refusals)
    assert (await tx.result())["transaction_status"] == "EXPIRED"
    events = (await tx.state())["events"]
    refused = [event for event in events if event["name"] == "IC.TRANSACTION_DECISION_REFUSED"]
    assert [event["type"] for event in refused] == ["ConfirmationExpired"]
    assert loja.called(SET) == []


async def test_cf_06_a_yes_racing_with_a_cancel_has_one_winner(desk, loja):
    loja.on["cancelar_linha"] = {"success": True}
    open_desk = await desk(**LINE)
    chance = random.Random(6)

    def called(number):
        return [call for call in loja.called("cancelar_linha") if call.arguments["linha"] == f"L-{number}"]

    async def race(number):
        tx = await open_desk.start("cancelar_linha", {"linha": f"L-{number}"})
        answers = {}

        async def say(word, answer):
            try:
                answers[word] = (await answer)["status"]
            except Refused as refused:
                answers[word] = refused.message if refused.type == "AlreadyClosed" else refused.type
            except RPCError as error:
                answers[word] = error.status

        async def cancel():
            if number % 10 == 0:  # on a busy machine the cancel would win every race
                await until(lambda: called(number))
            return await tx.update("cancel", {"reason": "desisti"})

        both = [
            say("yes", tx.confirm(digest=tx.opened["confirmation"]["digest"])),
            say("cancel", cancel()),
        ]
        await asyncio.gather(*chance.sample(both, 2))
        result, state = await tx.result(), await tx.state()
        return result, state, called(number), answers

    won = set()
    for start in range(0, 50, 25):
        for result, state, calls, answers in await asyncio.gather(*map(race, range(start, start + 25))):
            won.add(state["status"])
            if state["status"] == "CANCELLED":
                assert calls == []
                assert result["result"]["output"] == {}
                assert answers["cancel"] == "CANCELLED"
                assert answers["yes"] is RPCStatusCode.NOT_FOUND or "CANCELLED" in answers["yes"]
            else:
                assert len(calls) == 1
                assert (state["status"], result["ok"]) == ("COMPLETED", True)
                assert result["result"]["output"]["cancelar_linha"]["outcome"] == "SUCCEEDED"
                assert answers["yes"] in ("EXECUTING", "COMPLETED")
                assert answers["cancel"] in ("EXECUTING", "COMPLETED", RPCStatusCode.NOT_FOUND)
    assert won == {"CANCELLED", "COMPLETED"}


async def test_cf_06_a_yes_behind_a_cancel_is_too_late_and_names_the_winner(desk, loja):
    open_desk = await desk(**STOPPED)
    tx = await open_desk.start(*F1)
    await open_desk.stop_worker()
    await tx.signal("cancel", {"reason": "desisti"})
    yes = {"decision": "confirm", "digest": tx.opened["confirmation"]["digest"]}
    late = await asyncio.gather(
        held(tx, "confirm", yes), held(tx, "amend", {"arguments": {"alvo": "x"}}), held(tx, "cancel", {})
    )
    await open_desk.start_worker()
    refusals = await asyncio.gather(*(refusal(task) for task in late[:2]))
    assert [refused.type for refused in refusals] == ["AlreadyClosed"] * 2
    assert all("CANCELLED" in refused.message for refused in refusals)
    assert (await late[2])["status"] == "CANCELLED"
    result = await tx.result()
    assert (result["transaction_status"], result["reason"]) == ("CANCELLED", "desisti")
    assert "CONFIRMED" not in await tx.event_names()
    assert loja.called(SET) == []


async def test_cf_06_a_cancel_behind_a_yes_and_before_the_first_call_cancels(desk, loja):
    open_desk = await desk(**STOPPED)
    tx = await open_desk.start(*F1)
    await open_desk.stop_worker()
    await tx.signal("confirm", {"decision": "confirm", "digest": tx.opened["confirmation"]["digest"]})
    await tx.signal("cancel", {"reason": "desisti", "actor": {"id": "ana"}})
    await open_desk.start_worker()
    result = await tx.result()
    assert (result["transaction_status"], result["reason_code"]) == ("CANCELLED", "cancelled")
    assert (result["reason"], result["result"]["output"]) == ("desisti", {})
    assert (await tx.event_names())[-2:] == ["CONFIRMED", "CANCELLED"]
    assert loja.called(SET) == []


async def test_cf_21_a_yes_while_the_worker_is_down_executes_once_when_it_is_back(desk, loja):
    open_desk = await desk(**STOPPED)
    tx = await open_desk.start(*F1)
    yes = {"decision": "confirm", "digest": tx.opened["confirmation"]["digest"], "decision_id": "d-1"}
    await open_desk.stop_worker()
    unanswered = await held(tx, "confirm", yes)
    await tx.signal("confirm", yes)
    assert loja.called(SET) == []
    await open_desk.start_worker()
    answer, again = await asyncio.gather(unanswered, tx.update("confirm", yes), return_exceptions=True)
    assert answer["status"] in ("EXECUTING", "COMPLETED")
    assert isinstance(again, RPCError) or again["status"] in ("EXECUTING", "COMPLETED")
    assert (await tx.result())["multi_item_status"] == "SUCCESS"
    assert len(loja.called(SET)) == 3
    events = await tx.event_names()
    assert [events.count(name) for name in ("CONFIRMATION_REQUIRED", "CONFIRMED")] == [1, 1]


@pytest.mark.parametrize("cached", [1000, 0])
async def test_cf_22_nothing_before_the_question_runs_again_after_the_answer(desk, loja, cached):
    open_desk = await desk(max_cached_workflows=cached, task_timeout=STOPPED["task_timeout"])
    tx = await open_desk.start(*F1)
    await open_desk.stop_worker()
    await open_desk.start_worker()
    assert await tx.state() == tx.opened
    await tx.confirm()
    await tx.result()
    events = await tx.event_names()
    assert len(events) == len(set(events)) + 2  # three items, everything else once
    assert events.count("ITEM_COMPLETED") == 3
    assert len(loja.called(CHECK)) == 1
    assert len(loja.called(SET)) == 3


async def test_cf_22_every_event_keeps_its_id_and_time_over_a_replay(desk):
    open_desk = await desk(**STOPPED)
    tx = await open_desk.start(*F1, tenant="t-1", session_id="s-1")
    before = tx.opened["events"]
    await tx.confirm()
    await tx.result()
    after = (await tx.state())["events"]
    assert after[: len(before)] == before
    assert len({event["event_id"] for event in after}) == len(after)
    expected = {"transaction_id": tx.id, "tool_name": SET, "tenant": "t-1", "session_id": "s-1"}
    assert all(event.items() >= expected.items() for event in after)
    assert [event["time"] for event in after] == sorted(event["time"] for event in after)


async def test_cf_24_a_yes_before_the_question_never_executes(desk, loja):
    answering = asyncio.Event()

    async def slow(_call):
        await answering.wait()
        return {"eligible": False, "reason": "há um débito aberto"}

    loja.on[CHECK] = slow
    tx = await (await desk()).begin(*F1)
    early = {"decision": "confirm", "digest": "0" * 64}
    assert (await refusal(tx.update("confirm", early))).type == "NotAwaitingConfirmation"
    await until(lambda: loja.called(CHECK))
    assert (await refusal(tx.update("confirm", early))).type == "NotAwaitingConfirmation"
    await tx.signal("confirm", early)
    answering.set()
    result = await tx.result()
    assert (result["transaction_status"], result["reason_code"]) == ("OUT_OF_SCOPE", "not_eligible")
    assert result["reason"] == "há um débito aberto"
    assert await tx.event_names() == [
        "STARTED",
        "PREVALIDATION_REQUESTED",
        "DECISION_REFUSED",
        "PREVALIDATION_REJECTED",
    ]
    assert loja.called(SET) == []


async def test_cf_24_a_signal_in_the_very_first_task_finds_everything_set_up(desk, loja):
    open_desk = await desk(**STOPPED)
    await open_desk.stop_worker()
    tx = await open_desk.begin(*F1)
    await tx.signal("confirm", {"decision": "confirm", "digest": "0" * 64})
    await tx.signal("confirm", None)
    await open_desk.start_worker()
    state = await tx.awaiting()
    assert state["status"] == "AWAITING_CONFIRMATION"
    refused = [event["type"] for event in state["events"] if event["name"].endswith("DECISION_REFUSED")]
    assert refused == ["NotAwaitingConfirmation", "InvalidDecision"]
    assert loja.called(SET) == []
