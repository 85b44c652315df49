"""The case collection, area *confirm*, through the MCP face: by the agent's tools, and by the user's own answer."""

import asyncio
import itertools
import random
import uuid
from datetime import timedelta

import mcp_types as types
import pytest

from confirmo.policies.snapshot import transaction_id_for
from harness import Page, until
from harness.person import YES, Person
from harness.shop import F1, F2, ITEMS

SET, CHECK, RETURN = F1[0], "checar_assinaturas", F2[0]
WAITING = "AWAITING_CONFIRMATION"
NO = types.ElicitResult(action="decline")
STOPPED = {
    "max_cached_workflows": 0,
    "task_timeout": timedelta(seconds=1),
    "patience": timedelta(seconds=1),
}
AGAIN = {"retry-after": "0.05"}

CASES = {
    "CF-01": "test_a_double_click_executes_once",
    "CF-03": "test_a_yes_after_the_deadline_executes_nothing_and_says_expired",
    "CF-06": "test_a_yes_that_races_with_a_cancel_is_one_of_the_two",
    "CF-08": "test_a_no_stands_and_a_later_yes_gets_the_recorded_refusal",
    "CF-09": "test_a_missing_decision_is_neither_yes_nor_no",
    "CF-12": "test_two_open_questions_get_their_own_answers_in_either_order",
    "CF-14": "test_what_is_shown_is_what_runs",
    "CF-18": "test_no_text_is_taken_for_a_yes",
    "CF-21": "test_a_yes_while_the_worker_is_down_executes_once_when_it_is_back",
    "CF-22": "test_nothing_before_the_question_runs_again_after_a_restart",
    "CF-23": "test_no_then_yes_then_no",
    "CF-24": "test_a_yes_before_the_question_never_executes",
    "CF-25": "test_a_validator_that_cannot_be_asked_asks_no_question",
    "CF-27": "test_a_bypassed_validation_is_said_in_the_question",
    "CF-29": "test_eligible_as_text_never_leads_to_a_question",
    "CF-32": "test_a_target_that_is_unknown_or_switched_off_is_never_reached",
    "CF-35": "test_one_ineligible_item_is_shown_and_the_others_run",
}
"""Every case of the area, and the test that runs it here. All of them can occur: of CF-18, which is for doors that take
texts, this door shows that it takes none."""
DOORS = {"agent": "legacy", "user during the call": "legacy", "user between rounds": "2026-07-28"}
NUMBERS = (1, 3, 6, 8, 9, 12, 14, 18, 21, 22, 23, 24, 25, 27, 29, 32, 35)


@pytest.fixture
def mode(request):
    """The protocol's form: of the person's own answer both, of all else one."""
    return DOORS[
        request.node.callspec.params.get("by", "agent") if hasattr(request.node, "callspec") else "agent"
    ]


def test_every_case_of_the_area_has_its_test():
    assert set(CASES) == {f"CF-{number:02}" for number in NUMBERS}
    tests = {name for name in globals() if name.startswith("test_")}
    assert set(CASES.values()) == tests - {"test_every_case_of_the_area_has_its_test"}


def named(told):
    return {"transaction_id": told["transaction_id"], "digest": told["confirmation"]["digest"]}


def id_of(told):
    return {"transaction_id": told["transaction_id"]}


async def started(client, call=F1, meta=None):
    told = (await client.call_tool(*call, meta=meta)).structured_content
    assert told["status"] == WAITING
    return told


async def confirmed(client, told):
    return await client.call_tool("transaction_confirm", named(told))


async def events_of(shown, told):
    state = await shown.client.state(told["transaction_id"])
    return [event.name.removeprefix("IC.TRANSACTION_") for event in state.events]


async def test_a_double_click_executes_once(face, loja):
    loja.on[SET] = lambda call: {
        "subject": call.arguments["alvo"],
        "success": True,
        "protocolo": uuid.uuid4().hex,
    }
    shown = await face()
    async with shown.connect() as client:
        told = await started(client)
        one, other = await asyncio.gather(confirmed(client, told), confirmed(client, told))
    for answer in (one, other):
        assert (answer.structured_content["status"], answer.is_error) == ("COMPLETED", False)
    assert one.structured_content["result"] == other.structured_content["result"]
    assert sorted(call.arguments["alvo"] for call in loja.called(SET)) == sorted(
        item["name"] for item in ITEMS
    )
    events = await events_of(shown, told)
    assert [events.count(name) for name in ("CONFIRMATION_REQUIRED", "CONFIRMED", "COMPLETED")] == [1, 1, 1]


@pytest.mark.parametrize("by", DOORS)
async def test_a_yes_after_the_deadline_executes_nothing_and_says_expired(face, loja, by):
    shown = await face(policies={SET: {"confirmation": {"expires_seconds": 0.5}}})
    meta = {"confirmo/request_id": uuid.uuid4().hex}
    id = transaction_id_for("default", meta["confirmo/request_id"])

    async def too_late() -> types.ElicitResult:
        await shown.client.result(id)
        return YES

    if by != "agent":
        async with shown.connect(Person([too_late])) as client:
            late = await client.call_tool(*F1, meta=meta)
    else:
        async with shown.connect() as client:
            told = await started(client, meta=meta)
            await shown.client.result(id)
            late = await confirmed(client, told)
    content = late.structured_content
    assert (content["status"], content["transaction_id"]) == ("EXPIRED", id)
    assert late.is_error
    state = await shown.client.state(id)
    assert content["confirmation"]["expires_at"] == state.confirmation.expires_at
    assert "CONFIRMED" not in await events_of(shown, content)
    assert loja.called(SET) == []


async def test_a_yes_that_races_with_a_cancel_is_one_of_the_two(face, loja):
    shown, chance = await face(), random.Random(6)
    async with shown.connect() as client:
        for round in range(10):
            told = await started(client, (RETURN, {"encomenda_ids": [f"ENC-{round}"]}))
            calls = [confirmed(client, told), client.call_tool("transaction_reject", id_of(told))]
            chance.shuffle(calls)
            answers = await asyncio.gather(*calls)
            end = await shown.client.result(told["transaction_id"])
            sent = [
                call for call in loja.called(RETURN) if call.arguments["encomenda_ids"] == [f"ENC-{round}"]
            ]
            assert (end.transaction_status, len(sent)) in (("CANCELLED", 0), ("COMPLETED", 1))
            assert {answer.structured_content["status"] for answer in answers} <= {
                end.transaction_status.value,
                "EXECUTING",
            }


@pytest.mark.parametrize("by", DOORS)
async def test_a_no_stands_and_a_later_yes_gets_the_recorded_refusal(face, loja, by):
    shown = await face()
    async with shown.connect(Person([NO]) if by != "agent" else None) as client:
        told = (await client.call_tool(*F1)).structured_content
        if by == "agent":
            no = await client.call_tool("transaction_reject", id_of(told))
            assert (no.structured_content["status"], no.is_error) == ("CANCELLED", False)
        digest = (await shown.client.state(told["transaction_id"])).confirmation.digest
        late = await client.call_tool("transaction_confirm", id_of(told) | {"digest": digest})
    assert late.structured_content["status"] == "CANCELLED"
    assert loja.called(SET) == []


async def test_a_missing_decision_is_neither_yes_nor_no(face, loja):
    shown = await face()
    async with shown.connect() as client:
        told = await started(client)
        for body in (
            {},
            {"confirmed": None},
            {"reason": "ok"},
            {"digest": None},
            {"digest": ""},
            {"digest": 7},
        ):
            for given in (body, id_of(told) | body):
                assert (await client.call_tool("transaction_confirm", given)).is_error
        assert (await client.call_tool("transaction_confirm")).is_error
        assert (await client.call_tool("transaction_status", id_of(told))).structured_content[
            "status"
        ] == WAITING
        assert loja.called(SET) == []
        assert (await confirmed(client, told)).structured_content["status"] == "COMPLETED"


@pytest.mark.parametrize("order", ["yes first", "no first"])
async def test_two_open_questions_get_their_own_answers_in_either_order(face, loja, order):
    shown = await face()
    async with shown.connect() as client:
        first, second = await started(client, F1), await started(client, F2)
        answers = [
            lambda: confirmed(client, second),
            lambda: client.call_tool("transaction_reject", id_of(first)),
        ]
        for answer in answers if order == "yes first" else reversed(answers):
            await answer()
        states = [(await client.call_tool("transaction_status", id_of(told))) for told in (first, second)]
    assert [state.structured_content["status"] for state in states] == ["CANCELLED", "COMPLETED"]
    assert (len(loja.called(RETURN)), loja.called(SET)) == (1, [])


@pytest.mark.parametrize("by", DOORS)
async def test_what_is_shown_is_what_runs(face, loja, by):
    resolved = {"alvo": "Rádio Maré, Clube Leitura", "items": ITEMS[:2]}
    loja.on[CHECK] = {
        "eligible": True,
        "transaction_decision": {"resolved_arguments": resolved, "target_tool": SET},
    }
    person = Person([YES])
    async with (await face()).connect(person if by != "agent" else None) as client:
        asked = await client.call_tool(SET, {"alvo": "maré e leitura"})
        told = asked.structured_content
        question = person.shown[0].message if by != "agent" else asked.content[0].text
        done = told if by != "agent" else (await confirmed(client, told)).structured_content
    names = [item["name"] for item in ITEMS[:2]]
    assert all(name in question for name in names)
    assert ITEMS[2]["name"] not in question
    assert [item["label"] for item in told["items"]] == names
    assert sorted(call.arguments["alvo"] for call in loja.called(SET)) == sorted(names)
    assert done["confirmation"]["digest"] == told["confirmation"]["digest"]


TEXTS = [
    "sim",
    "SIM",
    " sim ",
    "não",
    "",
    "simulação",
    "sintoma",
    "nada feito ainda?",
    "s1m",
    "🤔",
    "true",
    "yes",
]


async def test_no_text_is_taken_for_a_yes(face, loja):
    replies = [types.ElicitResult(action="accept", content={"confirm": text}) for text in TEXTS]
    async with (await face()).connect(Person(replies)) as client:
        told = (await client.call_tool(*F1)).structured_content
        for _ in TEXTS[1:]:
            again = await client.call_tool("transaction_confirm", named(told))
            assert again.structured_content["status"] == WAITING
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert tools["transaction_confirm"].input_schema["properties"].keys() == {
        "transaction_id",
        "digest",
        "item_ids",
    }
    assert loja.called(SET) == []


async def test_a_yes_while_the_worker_is_down_executes_once_when_it_is_back(face, loja):
    shown = await face(**STOPPED)
    async with shown.connect() as client:
        told = await started(client)
        await shown.desk.stop_worker()
        early = await confirmed(client, told)
        again = await confirmed(client, told)
        for answer in (early, again):
            assert (answer.structured_content["status"], answer.is_error) == (WAITING, False)
            assert "on record" in answer.content[0].text
        assert loja.called(SET) == []
        await shown.desk.start_worker()
        assert (await shown.client.result(told["transaction_id"])).multi_item_status == "SUCCESS"
        late = await confirmed(client, told)
    assert (late.structured_content["status"], late.is_error) == ("COMPLETED", False)
    assert len(loja.called(SET)) == 3
    events = await events_of(shown, told)
    assert [events.count(name) for name in ("CONFIRMATION_REQUIRED", "CONFIRMED")] == [1, 1]


async def test_nothing_before_the_question_runs_again_after_a_restart(face, loja):
    shown = await face(**STOPPED)
    async with shown.connect() as client:
        told = await started(client)
        await shown.desk.stop_worker()
        await shown.desk.start_worker()
        assert (await confirmed(client, told)).structured_content["status"] == "COMPLETED"
    events = await events_of(shown, told)
    assert len(events) == len(set(events)) + 2  # three items, everything else once
    assert (len(loja.called(CHECK)), len(loja.called(SET))) == (1, 3)


async def test_no_then_yes_then_no(face, loja):
    async with (await face()).connect() as client:
        told = await started(client)
        first = await client.call_tool("transaction_reject", id_of(told))
        second = await confirmed(client, told)
        third = await client.call_tool("transaction_reject", id_of(told))
    answers = (first, second, third)
    assert {answer.structured_content["status"] for answer in answers} == {"CANCELLED"}
    assert [answer.is_error for answer in answers] == [False, True, False]
    assert loja.called(SET) == []


async def test_a_yes_before_the_question_never_executes(face, loja):
    answering, shown = asyncio.Event(), await face()

    async def slow(_call):
        await answering.wait()
        return {"eligible": False, "reason": "há um débito aberto"}

    loja.on[CHECK] = slow
    meta = {"confirmo/request_id": uuid.uuid4().hex}
    early = {"transaction_id": transaction_id_for("default", meta["confirmo/request_id"]), "digest": "0" * 64}
    async with shown.connect() as client, shown.connect() as other:
        start = asyncio.create_task(client.call_tool(*F1, meta=meta))
        await until(lambda: bool(loja.called(CHECK)))
        refused_early = asyncio.create_task(other.call_tool("transaction_confirm", early))
        refused = await refused_early
        answering.set()
        end = await start
    assert refused.is_error
    assert (end.structured_content["status"], end.is_error) == ("OUT_OF_SCOPE", True)
    assert "débito aberto" in end.content[0].text
    assert loja.called(SET) == []


BROKEN = {
    "503": itertools.repeat(Page(503, headers=AGAIN)),
    "-32603": itertools.repeat(Page(error={"code": -32603, "message": "boom"})),
    "refused": None,
    "timeout": None,
}


@pytest.mark.parametrize("how", BROKEN)
async def test_a_validator_that_cannot_be_asked_asks_no_question(face, loja, how):
    changes = {}
    if BROKEN[how]:
        loja.pages[CHECK] = BROKEN[how]
    elif how == "refused":
        changes = {
            "servers": {"weg": {"endpoint": "http://127.0.0.1:1/mcp"}},
            "tools": {CHECK: {"mcp_server": "weg"}},
        }
    else:
        loja.on[CHECK] = lambda _: asyncio.Event().wait()
        changes = {"policies": {SET: {"pre_validation": {"timeout_seconds": 0.1}}}}
    person, shown = Person([]), await face(**changes)
    async with shown.connect(person) as client:
        result = await client.call_tool(*F1)
        free = await client.call_tool("listar_faturas", {})
    told = result.structured_content
    assert (told["status"], told["reason_code"], result.is_error) == (
        "OUT_OF_SCOPE",
        "prevalidation_error",
        True,
    )
    assert (person.shown, loja.called(SET), free.is_error) == ([], [], False)


async def test_a_bypassed_validation_is_said_in_the_question(face, loja):
    loja.pages[CHECK] = itertools.repeat(Page(503, headers=AGAIN))
    shown = await face(policies={SET: {"pre_validation": {"fail_open": True}}})
    async with shown.connect() as client:
        asked = await client.call_tool(*F1)
    told = asked.structured_content
    assert told["status"] == WAITING
    assert F1[1]["alvo"] in told["question"]
    assert "not verified" in asked.content[0].text
    record = (await shown.client.state(told["transaction_id"])).transaction_pre_validation
    assert record.bypassed
    assert "503" in record.error
    assert "PREVALIDATION_PASSED" not in await events_of(shown, told)


@pytest.mark.parametrize("eligible", ["false", "False", "não", "true"])
async def test_eligible_as_text_never_leads_to_a_question(face, loja, eligible):
    loja.on[CHECK], person = {"eligible": eligible}, Person([])
    async with (await face()).connect(person) as client:
        told = (await client.call_tool(*F1)).structured_content
    assert (told["status"], told["reason_code"]) == ("OUT_OF_SCOPE", "prevalidation_error")
    assert (person.shown, loja.called(SET)) == ([], [])


@pytest.mark.parametrize("target", ["apagar_conta", "encerrar_assinaturas_antigo"])
async def test_a_target_that_is_unknown_or_switched_off_is_never_reached(face, loja, target):
    loja.on[target] = {"success": True}
    loja.on[CHECK], person = {"eligible": True, "transaction_decision": {"target_tool": target}}, Person([])
    old = {"mcp_server": "loja", "tool_type": "action", "enabled": False}
    async with (await face(tools={"encerrar_assinaturas_antigo": old})).connect(person) as client:
        result = await client.call_tool(*F1)
    assert (result.structured_content["status"], result.is_error) == ("BLOCKED", True)
    assert target in result.content[0].text
    assert (person.shown, loja.called(SET), loja.called(target)) == ([], [], [])


@pytest.mark.parametrize("by", DOORS)
async def test_one_ineligible_item_is_shown_and_the_others_run(face, loja, by):
    items = [item | {"eligible": item["id"] != "A-02"} for item in ITEMS]
    items[1]["reason"] = "fidelidade"
    message = "Rádio Maré e Cofre Fotos 50 serão encerrados; Clube Leitura tem fidelidade. Confirma?"
    decision = {"resolved_arguments": {"items": items}, "confirmation_message": message}
    loja.on[CHECK] = {"eligible": True, "status": "PARTIALLY_ELIGIBLE", "transaction_decision": decision}
    person = Person([YES])
    async with (await face()).connect(person if by != "agent" else None) as client:
        asked = await client.call_tool(*F1)
        done = asked if by != "agent" else await confirmed(client, asked.structured_content)
    question = person.shown[0].message if by != "agent" else asked.content[0].text
    assert message in question
    told = done.structured_content
    counts = [told["progress"][f"items_{word}count"] for word in ("", "succeeded_", "failed_")]
    assert (told["result"]["multi_item_status"], counts) == ("PARTIAL_SUCCESS", [3, 2, 1])
    assert "fidelidade" in done.content[0].text
    assert sorted(call.arguments["alvo"] for call in loja.called(SET)) == ["Cofre Fotos 50", "Rádio Maré"]
