"""Two at once, restarts, nobody there, and arguments that make no sense."""

import asyncio
import os
import random
import time
import uuid
from datetime import timedelta

import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError

from confirmo.client import TransactionClient
from confirmo.client.connection import address_of
from confirmo.client.mcp_face import FaceOptions, build_server
from confirmo.policies.models import Actor
from confirmo.policies.snapshot import transaction_id_for
from harness import until
from harness.person import YES, Person
from harness.proxy import Fault, Proxy
from harness.shop import F1, F2

RETURN = F2[0]
WAITING = "AWAITING_CONFIRMATION"


def named(told):
    return {"transaction_id": told["transaction_id"], "digest": told["confirmation"]["digest"]}


def fresh():
    return {"confirmo/request_id": uuid.uuid4().hex}


async def test_two_clients_with_one_request_share_its_transaction_and_it_is_done_once(face, loja):
    shown, meta = await face(), fresh()
    both = asyncio.Barrier(2)

    async def together() -> types.ElicitResult:
        await both.wait()
        return YES

    people = [Person([together]), Person([together])]
    async with shown.connect(people[0]) as one, shown.connect(people[1]) as other:
        results = await asyncio.gather(*(each.call_tool(*F2, meta=meta) for each in (one, other)))
    told = [result.structured_content for result in results]
    assert [(each["status"], result.is_error) for each, result in zip(told, results, strict=True)] == [
        ("COMPLETED", False)
    ] * 2
    assert told[0]["transaction_id"] == told[1]["transaction_id"]
    assert [len(person.shown) for person in people] == [1, 1]
    assert len(loja.called(RETURN)) == 1


async def test_two_calls_of_one_session_at_once_are_one_transaction(face, loja):
    async with (await face()).connect() as client:
        results = await asyncio.gather(*(client.call_tool(*F2) for _ in range(5)))
    assert len({result.structured_content["transaction_id"] for result in results}) == 1


async def test_after_a_restart_of_the_face_the_transaction_goes_on(face, loja):
    shown, meta = await face(), fresh()
    async with shown.as_process() as url, shown.connect(to=url) as client:
        told = (await client.call_tool(*F2, meta=meta)).structured_content
    async with shown.as_process() as url, shown.connect(to=url) as client:
        again = (await client.call_tool(*F2, meta=meta)).structured_content
        assert (again["transaction_id"], again["confirmation"]) == (
            told["transaction_id"],
            told["confirmation"],
        )
        done = await client.call_tool("transaction_confirm", named(told))
    assert done.structured_content["status"] == "COMPLETED"
    assert len(loja.called(RETURN)) == 1


async def test_a_client_that_gives_up_while_its_user_thinks_is_asked_again_about_the_same(face, loja, mode):
    shown, thinking = await face(), asyncio.Event()

    async def slow() -> types.ElicitResult:
        await thinking.wait()
        return YES

    person = Person([slow, YES])
    async with shown.connect(person) as client:
        given_up = asyncio.create_task(client.call_tool(*F2))
        await until(lambda: len(person.shown) == 1)
        given_up.cancel()
        await asyncio.wait({given_up})
        again = await client.call_tool(*F2)
        thinking.set()
    assert again.structured_content["status"] == "COMPLETED"
    assert person.shown[0].message == person.shown[1].message
    assert len(loja.called(RETURN)) == 1
    runs = [each async for each in shown.desk.client.list_workflows(f'TaskQueue="{shown.desk.task_queue}"')]
    assert len(runs) == 1


async def test_the_state_of_a_round_expires_with_its_question(face, loja, mode, monkeypatch):
    if mode == "legacy":
        pytest.skip("has no rounds")
    now, later = time.time, 900 + 61

    class Clock:
        shift = 0.0

        def time(self) -> float:
            return now() + self.shift

    clock = Clock()
    monkeypatch.setattr("mcp.server.request_state.time", clock)
    async with (await face()).connect(Person([])) as client:
        first = await client.session.call_tool(*F2, allow_input_required=True)
        clock.shift = later
        with pytest.raises(MCPError, match="expired requestState"):
            await client.session.call_tool(
                *F2, input_responses={"confirmation": YES}, request_state=first.request_state
            )
    assert loja.called(RETURN) == []


async def test_the_state_of_one_transaction_is_no_yes_to_another(face, loja, mode):
    if mode == "legacy":
        pytest.skip("has no rounds")
    shown, replies = await face(), {"confirmation": YES}
    async with shown.connect(Person([])) as client:
        first, second = [
            await client.session.call_tool(*call, allow_input_required=True) for call in (F1, F2)
        ]
        told = [await shown.client.state(run.id) async for run in runs_of(shown)]
        ids = [{"transaction_id": state.transaction_id} for state in told]
        digests = [{"digest": state.confirmation.digest} for state in told]
        asks = [
            await client.session.call_tool("transaction_confirm", id | digest, allow_input_required=True)
            for id, digest in zip(ids, digests, strict=True)
        ]
        attempts = [
            (F1, second.request_state),
            (F2, first.request_state),
            (("transaction_confirm", ids[0] | digests[0]), asks[1].request_state),
            (("transaction_confirm", ids[0] | digests[0]), first.request_state),
            (("transaction_status", ids[0]), asks[0].request_state),
        ]
        for call, state in attempts:
            with pytest.raises(MCPError, match="requestState"):
                await client.session.call_tool(*call, input_responses=replies, request_state=state)
    assert loja.called(RETURN) == loja.called(F1[0]) == []


async def runs_of(shown):
    await until_listed(shown, 2)
    async for run in shown.desk.client.list_workflows(f'TaskQueue="{shown.desk.task_queue}"'):
        yield run


async def until_listed(shown, count):
    async with asyncio.timeout(20):
        while (await shown.desk.client.count_workflows(f'TaskQueue="{shown.desk.task_queue}"')).count < count:
            await asyncio.sleep(0.05)


async def test_without_a_worker_a_call_is_on_record_and_found_again(opened, loja, impatient):
    shown, meta = await opened(max_cached_workflows=0, patience=timedelta(seconds=1)), fresh()
    await shown.desk.stop_worker()
    async with shown.connect() as client:
        nobody = await client.call_tool(*F2, meta=meta)
        id = transaction_id_for("default", meta["confirmo/request_id"])
        assert nobody.is_error
        assert f"The transaction {id} is on record" in nobody.content[0].text
        await shown.desk.start_worker()
        found = await client.call_tool(*F2, meta=meta)
    assert found.structured_content["transaction_id"] == id
    assert found.structured_content["status"] == WAITING


async def test_without_temporal_a_call_is_a_sentence_and_the_face_lives_on(opened, loja):
    shown = await opened()
    async with Proxy(int(address_of(shown.desk.client).rpartition(":")[2])).running() as proxy:
        given = shown.over_stdio("--locale", "en")
        given.env |= {"TEMPORAL_ADDRESS": f"127.0.0.1:{proxy.port}"}
        async with shown.connect(to=given) as client:
            told = (await client.call_tool(*F2)).structured_content
            proxy.fault = Fault.REFUSE
            proxy.reset()
            async with asyncio.timeout(60):
                away = await client.call_tool("transaction_confirm", named(told))
            assert away.is_error
            assert away.structured_content is None
            assert "Traceback" not in away.content[0].text
            assert loja.called(RETURN) == []
            proxy.fault = Fault.NONE
            async with asyncio.timeout(60):
                done = await client.call_tool("transaction_confirm", named(told))
    assert done.structured_content["status"] == "COMPLETED"
    assert len(loja.called(RETURN)) == 1


async def test_a_face_without_temporal_does_not_start(opened):
    given = (await opened()).over_stdio()
    process = await asyncio.create_subprocess_exec(
        given.command,
        *given.args,
        env=os.environ | given.env | {"TEMPORAL_ADDRESS": "127.0.0.1:1"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(60):
        output, errors = await process.communicate()
    assert (process.returncode, output) == (4, b"")
    assert b"127.0.0.1:1" in errors
    assert len(errors.splitlines()) == 1


async def test_tenant_requester_and_session_are_the_faces_and_no_argument_changes_them(face, loja):
    options = FaceOptions(locale="en", tenant="loja-7", actor=Actor(id="ana", roles=("gerente",)))
    shown = await face(options=options, policies={RETURN: {"confirmation": {"by": "role:gerente"}}})
    meta = fresh() | {"tenant": "x", "session_id": "x"}
    forged = {"tenant": "outra", "requester": {"id": "rui"}, "actor": {"id": "rui"}, "session_id": "x"}
    async with shown.connect() as client:
        told = (await client.call_tool(RETURN, F2[1] | forged, meta=meta)).structured_content
        assert sorted(told["ignored_arguments"]) == sorted(forged)
        for key, value in forged.items():
            assert (await client.call_tool("transaction_confirm", named(told) | {key: value})).is_error
        done = (await client.call_tool("transaction_confirm", named(told))).structured_content
    assert done["status"] == "COMPLETED"
    assert done["confirmation"]["approvals"][0]["actor"]["id"] == "ana"
    id = transaction_id_for("loja-7", meta["confirmo/request_id"])
    state = await shown.client.state(id)
    assert {event.tenant for event in state.events} == {"loja-7"}
    (session,) = {event.session_id for event in state.events}
    assert session.startswith("mcp-")


def nonsense(chance, depth=0):
    """Any JSON, and texts that trip parsers."""
    scalars = [
        None,
        True,
        0,
        -1,
        2**70,
        1e308,
        "",
        " ",
        "\u0000",
        "\u202e",
        "tx-" + "0" * 32,
        "[",
        '{"a":',
        "sim",
    ]
    if depth > 3 or chance.random() < 0.6:
        return chance.choice(scalars)
    entries = [nonsense(chance, depth + 1) for _ in range(chance.randrange(4))]
    if chance.random() < 0.5:
        return entries
    keys = ["transaction_id", "digest", "item_ids", "encomenda_ids", "alvo", "__proto__", "", "é" * 50]
    return {chance.choice(keys): entry for entry in entries}


NAMES = [
    "transaction_confirm",
    "transaction_reject",
    "transaction_amend",
    "transaction_status",
    F1[0],
    RETURN,
]
KEYS = [
    "transaction_id",
    "digest",
    "item_ids",
    "comment",
    "arguments",
    "remove_item_ids",
    "add_items",
    "items_from",
]


@pytest.mark.parametrize("seed", range(3))
async def test_no_argument_breaks_the_face_or_executes_anything(face, loja, seed):
    chance, shown = random.Random(seed), await face()
    async with shown.connect() as client:
        told = (await client.call_tool(*F2)).structured_content
        for _ in range(60):
            name = chance.choice(NAMES)
            if name in NAMES[:4]:
                given = {key: nonsense(chance) for key in chance.sample(KEYS, chance.randrange(5))}
                if chance.random() < 0.7 and name != "transaction_reject":
                    given["transaction_id"] = told["transaction_id"]
            else:
                given = {chance.choice(["alvo", "encomenda_ids", "x"]): nonsense(chance) for _ in range(2)}
            result = await client.call_tool(name, given)
            text = result.content[0].text
            assert text, (name, given)
            assert "Traceback" not in text, (name, given)
            assert len(text) < 5_000, (name, given)
        state = await shown.client.state(told["transaction_id"])
        assert state.confirmation.approvals == ()
    assert loja.called(RETURN) == loja.called(F1[0]) == []


async def test_faces_of_two_processes_do_not_share_what_a_session_repeats(opened):
    shown = await opened()
    other = build_server(
        TransactionClient(shown.desk.client, task_queue=shown.desk.task_queue),
        shown.desk.catalog,
        FaceOptions(locale="en"),
    )
    async with shown.connect() as one, shown.connect(to=other) as two:
        ids = {(await client.call_tool(*F2)).structured_content["transaction_id"] for client in (one, two)}
    assert len(ids) == 2
