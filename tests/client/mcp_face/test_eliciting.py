"""A client that can ask its user: the user is asked, and only the user's yes to the shown question executes."""

import asyncio
import json
import re
from datetime import timedelta

import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError

from confirmo.client.mcp_face import FaceOptions
from confirmo.policies.models import Actor
from harness import failed
from harness.person import YES, Person
from harness.shop import F1, F2, PACKAGES

NO = types.ElicitResult(action="decline")
DISMISSED = types.ElicitResult(action="cancel")
UNTICKED = types.ElicitResult(action="accept", content={"confirm": False})
NOT_A_YES = [
    types.ElicitResult(action="accept"),
    types.ElicitResult(action="accept", content={"confirm": "true"}),
    types.ElicitResult(action="accept", content={"other": True}),
]


@pytest.mark.parametrize("transport", ["memory", "http", "stdio"])
async def test_the_user_is_shown_the_question_and_a_yes_executes(face, loja, transport):
    shown, person = await face(), Person([YES])
    async with shown.over_http() as url:
        to = {"memory": None, "http": url, "stdio": shown.over_stdio("--locale", "en")}[transport]
        async with shown.connect(person, to) as client:
            result = await client.call_tool(*F2)
    assert not result.is_error
    told = result.structured_content
    assert (told["status"], told["progress"]["items_succeeded_count"]) == ("COMPLETED", 3)
    assert [entry["item_id"] for entry in told["result"]["result"]["output"][F2[0]]["results"]] == PACKAGES
    assert told["result"]["message"] in result.content[0].text
    assert len(loja.called(F2[0])) == 1
    (form,) = person.shown
    assert all(label in form.message for label in PACKAGES)
    assert form.requested_schema["required"] == ["confirm"]


@pytest.mark.parametrize("reply", [NO, UNTICKED])
async def test_a_no_ends_it_and_is_no_error(face, loja, reply):
    async with (await face()).connect(Person([reply])) as client:
        result = await client.call_tool(*F2)
    assert (result.structured_content["status"], result.is_error) == ("CANCELLED", False)
    assert loja.called(F2[0]) == []


@pytest.mark.parametrize("reply", [DISMISSED, *NOT_A_YES])
async def test_whatever_is_no_answer_leaves_the_question_open(face, loja, reply):
    async with (await face()).connect(Person([reply])) as client:
        result = await client.call_tool(*F2)
    assert (result.structured_content["status"], result.is_error) == ("AWAITING_CONFIRMATION", False)
    assert "transaction_confirm" not in result.content[0].text
    assert loja.called(F2[0]) == []


async def test_an_agent_cannot_confirm_for_a_user_who_can_be_asked(face, loja):
    person = Person([DISMISSED, NO])
    async with (await face()).connect(person) as client:
        told = (await client.call_tool(*F2)).structured_content
        given = {"transaction_id": told["transaction_id"], "digest": told["confirmation"]["digest"]}
        result = await client.call_tool("transaction_confirm", given)
    assert result.structured_content["status"] == "CANCELLED"
    assert len(person.shown) == 2
    assert loja.called(F2[0]) == []


async def test_only_the_question_that_was_shown_is_confirmed(face, loja):
    shown = await face()

    async def changed_meanwhile() -> types.ElicitResult:
        (run,) = [
            each async for each in shown.desk.client.list_workflows(f'TaskQueue="{shown.desk.task_queue}"')
        ]
        await shown.client.amend(run.id, remove_item_ids=("ENC-7002",))
        return YES

    person = Person([changed_meanwhile, YES])
    async with shown.connect(person) as client:
        result = await client.call_tool(*F2)
    assert "ENC-7002" in person.shown[0].message
    assert "ENC-7002" not in person.shown[1].message
    assert result.structured_content["status"] == "COMPLETED"
    (call,) = loja.called(F2[0])
    assert call.arguments["encomenda_ids"] == ["ENC-7001", "ENC-7003"]


async def test_a_yes_without_a_worker_is_not_lost(face, loja):
    shown = await face(max_cached_workflows=0, patience=timedelta(seconds=1))

    async def after_the_worker_is_gone() -> types.ElicitResult:
        await shown.desk.stop_worker()
        return YES

    async with shown.connect(Person([after_the_worker_is_gone])) as client:
        result = await client.call_tool(*F2)
    assert (result.structured_content["status"], result.is_error) == ("AWAITING_CONFIRMATION", False)
    assert "on record" in result.content[0].text
    await shown.desk.start_worker()
    assert (await shown.client.result(result.structured_content["transaction_id"])).ok
    assert len(loja.called(F2[0])) == 1


async def test_a_partial_success_is_no_error_and_a_whole_failure_is_one(face, loja):
    loja.on[F1[0]] = lambda call: (
        {"success": True, "protocolo": "EN-1"} if "Maré" in call.arguments["alvo"] else failed("no")
    )
    shown = await face()
    async with shown.connect(Person([YES, YES])) as client:
        part = await client.call_tool(*F1)
        assert (part.is_error, part.structured_content["progress"]["items_failed_count"]) == (False, 2)
        assert part.structured_content["result"]["multi_item_status"] == "PARTIAL_SUCCESS"
        loja.on[F1[0]] = failed("no")
        none = await client.call_tool(*F1)
        assert (none.is_error, none.structured_content["status"]) == (True, "FAILED")


async def test_progress_is_told_while_it_runs(face, loja):
    heard: list[tuple[float, float | None]] = []

    async def hear(progress: float, total: float | None, _message: str | None) -> None:
        heard.append((progress, total))

    async with (await face()).connect(Person([YES])) as client:
        await client.call_tool(*F1, progress_callback=hear)
        async with asyncio.timeout(10):
            while heard[-1:] != [(3.0, 3.0)]:
                await asyncio.sleep(0.01)
    done = [progress for progress, _ in heard]
    assert done == sorted(done)  # each of two rounds begins with none
    assert done[0] == 0.0  # of how many is told where the validator has answered by then


async def test_out_of_band_asks_nobody_here(face, loja):
    person = Person([])
    shown = await face(policies={F2[0]: {"confirmation": {"channel": "out_of_band"}}})
    async with shown.connect(person) as client:
        result = await client.call_tool(*F2)
        told = result.structured_content
        given = {"transaction_id": told["transaction_id"], "digest": told["confirmation"]["digest"]}
        refused = await client.call_tool("transaction_confirm", given)
        assert (refused.is_error, person.shown) == (True, [])
        assert "outside this conversation" in refused.content[0].text
        await shown.client.confirm(
            given["transaction_id"], {"decision": "confirm", "digest": given["digest"]}
        )
        await shown.client.result(given["transaction_id"])
        status = await client.call_tool("transaction_status", {"transaction_id": given["transaction_id"]})
    assert status.structured_content["status"] == "COMPLETED"


async def test_a_user_who_may_not_confirm_is_not_asked(face):
    person = Person([])
    shown = await face(
        policies={F2[0]: {"confirmation": {"by": "other"}}},
        options=FaceOptions(locale="en", actor=Actor(id="ana")),
    )
    async with shown.connect(person) as client:
        result = await client.call_tool(*F2)
    assert (result.structured_content["status"], person.shown) == ("AWAITING_CONFIRMATION", [])
    assert "Someone else" in result.content[0].text


async def test_the_state_between_two_rounds_is_sealed(face, loja, mode):
    if mode == "legacy":
        pytest.skip("has no rounds")
    async with (await face()).connect(Person([])) as client:
        first = await client.session.call_tool(*F2, allow_input_required=True)
        assert isinstance(first, types.InputRequiredResult)
        assert not re.search(r"tx-[0-9a-f]{32}", first.request_state)
        forged = json.dumps({"transaction_id": "tx-1", "digest": "x"})
        replies = {"confirmation": YES}
        for state, arguments in ((forged, F2[1]), (first.request_state, {"encomenda_ids": ["ENC-1"]})):
            with pytest.raises(MCPError, match="requestState"):
                await client.session.call_tool(F2[0], arguments, input_responses=replies, request_state=state)
        assert loja.called(F2[0]) == []
        done = await client.session.call_tool(*F2, input_responses=replies, request_state=first.request_state)
        again = await client.session.call_tool(
            *F2, input_responses=replies, request_state=first.request_state
        )
    assert done.structured_content["status"] == again.structured_content["status"] == "COMPLETED"
    assert len(loja.called(F2[0])) == 1


async def test_another_instance_with_the_same_key_goes_on(face, loja, mode):
    if mode == "legacy":
        pytest.skip("has no rounds")
    shown = await face()
    from confirmo.client.mcp_face import build_server

    one, two = (
        build_server(shown.client, shown.desk.catalog, FaceOptions(state_key=b"k" * 32)) for _ in range(2)
    )
    async with shown.connect(Person([]), one) as client:
        first = await client.session.call_tool(*F2, allow_input_required=True)
    async with shown.connect(Person([]), two) as client:
        replies = {"confirmation": YES}
        done = await client.session.call_tool(*F2, input_responses=replies, request_state=first.request_state)
    assert done.structured_content["status"] == "COMPLETED"
