"""A face that asks for tokens: who may see and decide, and tenants that do not exist for each other."""

import asyncio
import uuid
from datetime import timedelta

import httpx2
import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError

from confirmo.client import InvalidRequest, TransactionClient, TransactionNotFound
from confirmo.client.mcp_face import FaceOptions, build_server
from confirmo.policies.access import Anyone
from confirmo.policies.models import Actor, TransactionRequest
from confirmo.policies.snapshot import transaction_id_for
from harness.issuer import AUDIENCE
from harness.person import YES, Person
from harness.shop import F1, F2

SET, RETURN = F1[0], F2[0]
WAITING = "AWAITING_CONFIRMATION"


@pytest.fixture
def mode():
    """Tokens are of the transport, and so the same in both forms; where that is not plain, a test says both."""
    return "2026-07-28"


def asking(**confirmation):
    return {"policies": {SET: {"confirmation": confirmation}}}


def named(told):
    return {"transaction_id": told["transaction_id"], "digest": told["confirmation"]["digest"]}


def uses(told):
    """Every tool of the face that takes an id, with arguments that would do something."""
    id = {"transaction_id": told["transaction_id"]}
    return [
        ("transaction_status", id),
        ("transaction_status", id | {"items_from": 2}),
        ("transaction_confirm", named(told)),
        ("transaction_confirm", named(told) | {"item_ids": ["A-01"]}),
        ("transaction_reject", id),
        ("transaction_amend", id | {"arguments": {"motivo": "x"}}),
    ]


async def told_of(client, told):
    """What each use is answered with, the id itself aside."""
    answers = [await client.call_tool(*use) for use in uses(told)]
    return [
        answer.model_dump_json(exclude={"meta"}).replace(told["transaction_id"], "ID") for answer in answers
    ]


async def started(client, call=F1, **more):
    told = (await client.call_tool(*call, **more)).structured_content
    assert told["status"] == WAITING
    return told


def unknown(told):
    return told | {"transaction_id": f"tx-{uuid.uuid4().hex}"}


async def test_without_a_good_token_nobody_gets_in_and_is_told_where_to_get_one(network, loja):
    async with network(settings={"scopes": "confirmo"}) as net, httpx2.AsyncClient() as http:
        metadata = "https://confirmo.example/.well-known/oauth-protected-resource/mcp"
        wrong = [None, "x", net.issuer.token(aud="https://another.example"), net.issuer.token(tenant=None)]
        for token in wrong:
            headers = {"authorization": f"Bearer {token}"} if token else {}
            for method in ("POST", "GET", "DELETE"):
                answer = await http.request(method, net.url, headers=headers)
                assert answer.status_code == 401
                assert f'resource_metadata="{metadata}"' in answer.headers["www-authenticate"]
        narrow = {"authorization": f"Bearer {net.issuer.token(scope='other')}"}
        assert (await http.post(net.url, headers=narrow)).status_code == 403
        good = {"authorization": f"Bearer {net.issuer.token(scope='confirmo')}"}
        hosts = {"confirmo.example": 400, "evil.example": 421}
        for host, status in hosts.items():  # 400: it went through, and lacks a session
            assert (await http.get(net.url, headers=good | {"host": host})).status_code == status
        base = net.url.removesuffix("/mcp")
        told = (await http.get(f"{base}/.well-known/oauth-protected-resource/mcp")).json()
        assert (told["resource"], told["authorization_servers"]) == (AUDIENCE, [net.issuer.url])
        assert told["scopes_supported"] == ["confirmo"]
        async with net.as_("u-ana", scope="other confirmo") as ana:
            assert (await ana.list_tools()).tools
    assert loja.calls == []


async def test_keys_that_cannot_be_fetched_are_no_refusal(network):
    async with network() as net, httpx2.AsyncClient() as http:
        net.issuer.down = True
        answer = await http.post(net.url, headers={"authorization": f"Bearer {net.issuer.token()}"})
        assert (answer.status_code, "retry-after" in answer.headers) == (503, True)
        assert (await http.post(net.url)).status_code == 401


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_tenants_do_not_exist_for_each_other(network, loja, mode):
    meta = {"confirmo/request_id": uuid.uuid4().hex}
    async with (
        network(**asking(by="other", items="any")) as net,
        net.as_("u-ana", mode=mode) as ana,
        net.as_("u-rui", tenant="t-2", roles=["gerente"], mode=mode) as rui,
    ):
        hers = await started(ana, meta=meta)
        his = await started(rui, meta=meta)
        assert hers["transaction_id"] != his["transaction_id"]
        assert await told_of(rui, hers) == await told_of(rui, unknown(hers))
        assert await told_of(ana, his) == await told_of(ana, unknown(his))
        for client, told in ((ana, hers), (rui, his)):
            seen = await client.call_tool("transaction_status", {"transaction_id": told["transaction_id"]})
            assert (seen.structured_content["status"], seen.structured_content["confirmation"]) == (
                WAITING,
                told["confirmation"],
            )
        tenants = {(await net.face.client.state(one["transaction_id"])).tenant for one in (hers, his)}
        assert tenants == {"t-1", "t-2"}
        await net.face.client.reject(hers["transaction_id"], actor={"id": "u-ana"})
        await net.face.client.result(hers["transaction_id"])
        assert await told_of(rui, hers) == await told_of(rui, unknown(hers))
    assert loja.called(SET) == []


async def test_without_a_worker_a_foreign_id_is_told_as_soon_as_an_invented_one(network):
    async with network(patience=timedelta(seconds=20)) as net, net.as_("u-rui", tenant="t-2") as rui:
        async with net.as_("u-ana") as ana:
            hers = await started(ana)
        direct = await net.face.desk.begin(*F1, tenant="t-1", requester={"id": "u-ana"})
        other = await net.face.desk.client.start_workflow(
            "Another", id=f"other-{uuid.uuid4().hex}", task_queue="nobody"
        )
        await net.face.desk.stop_worker()
        async with asyncio.timeout(15):
            for id in (hers["transaction_id"], direct.id, other.id):
                foreign = hers | {"transaction_id": id}
                assert await told_of(rui, foreign) == await told_of(rui, unknown(hers))
        await other.terminate()


async def test_no_argument_names_another_person_tenant_or_role(network, loja):
    forged = {"tenant": "t-2", "requester": {"id": "u-rui"}, "actor": {"id": "u-rui", "roles": ["gerente"]}}
    async with network(**asking(by="role:gerente")) as net, net.as_("u-ana") as ana:
        told = await started(ana, (SET, F1[1] | forged), meta=forged | {"sub": "u-rui"})
        assert sorted(told["ignored_arguments"]) == sorted(forged)
        for key, value in forged.items():
            refused = await ana.call_tool("transaction_confirm", named(told) | {key: value})
            assert refused.is_error
        mine = await ana.call_tool("transaction_confirm", named(told), meta=forged)
        assert mine.is_error
        state = await net.face.client.state(told["transaction_id"])
        assert (state.tenant, state.requester.id, state.confirmation.approvals) == ("t-1", "u-ana", ())
        async with net.as_("u-dora", roles=["gerente"]) as dora:
            done = (await dora.call_tool("transaction_confirm", named(told))).structured_content
    assert done["status"] == "COMPLETED"
    assert done["confirmation"]["approvals"][0]["actor"] == {"id": "u-dora", "roles": ["gerente"]}


@pytest.mark.parametrize(
    ("by", "approvals", "may_read", "may_confirm"),
    [
        ("any", 1, {"u-ana"}, {"u-ana"}),
        ("any", 2, {"u-ana", "u-beto", "u-dora"}, {"u-ana", "u-beto", "u-dora"}),
        ("requester", 1, {"u-ana"}, {"u-ana"}),
        ("other", 1, {"u-ana", "u-beto", "u-dora"}, {"u-beto", "u-dora"}),
        ("role:gerente", 1, {"u-ana", "u-dora"}, {"u-dora"}),
    ],
)
async def test_within_a_tenant_policy_says_who_sees_and_decides(
    network, loja, by, approvals, may_read, may_confirm
):
    async with network(**asking(by=by, approvals=approvals)) as net, net.as_("u-ana") as ana:
        told = await started(ana)
        wrong = {"transaction_id": told["transaction_id"], "digest": "0" * 64}
        for sub in ("u-ana", "u-beto", "u-dora"):
            async with net.as_(sub, roles=["gerente"] if sub == "u-dora" else []) as client:
                seen = await client.call_tool(
                    "transaction_status", {"transaction_id": told["transaction_id"]}
                )
                assert (not seen.is_error) == (sub in may_read), sub
                # The digest is judged after who decides: the refusal tells how far a yes came.
                answer = await client.call_tool("transaction_confirm", wrong)
                text = "".join(part.text for part in answer.content)
                expected = (
                    "digest" if sub in may_confirm else "may not" if sub in may_read else "no transaction"
                )
                assert expected in text, (sub, text)
                if sub not in may_read:
                    assert await told_of(client, told) == await told_of(client, unknown(told))
        state = await net.face.client.state(told["transaction_id"])
    assert (state.status, state.confirmation.approvals) == (WAITING, ())
    assert loja.called(SET) == []


async def test_with_any_for_the_tenant_a_colleague_may_do_it_all(network, loja):
    async with network(anyone=Anyone.TENANT) as net, net.as_("u-ana") as ana, net.as_("u-beto") as beto:
        told = await started(ana)
        done = (await beto.call_tool("transaction_confirm", named(told))).structured_content
    assert done["status"] == "COMPLETED"


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_four_eyes_are_two_people_who_are_each_asked(network, loja, mode):
    people = {sub: Person([YES]) for sub in ("u-beto", "u-caio")}
    nobody = Person([])
    async with network(**asking(by="other", approvals=2)) as net:
        async with net.as_("u-ana", nobody, mode) as ana:
            told = await started(ana)
        for sub, given in (("u-beto", 1), ("u-beto", 1), ("u-caio", 2)):
            async with net.as_(sub, people[sub], mode) as client:
                answer = await client.call_tool("transaction_confirm", named(told))
                state = answer.structured_content
                assert len(state["confirmation"]["approvals"]) == given
                if given == 1:
                    assert state["status"] == WAITING
                    assert "someone else's is needed" in answer.content[0].text
                    assert loja.called(SET) == []
    assert state["status"] == "COMPLETED"
    assert [len(person.shown) for person in (nobody, *people.values())] == [0, 1, 1]


async def test_the_same_request_id_of_two_people_is_two_transactions(network):
    meta = {"confirmo/request_id": uuid.uuid4().hex}
    async with network() as net, net.as_("u-ana") as ana, net.as_("u-beto") as beto:
        hers, his = await started(ana, meta=meta), await started(beto, meta=meta)
        assert hers["transaction_id"] != his["transaction_id"]
        assert (await started(ana, meta=meta))["transaction_id"] == hers["transaction_id"]
        other = await beto.call_tool(*F2, meta=meta)
    assert other.is_error


async def test_a_round_is_finished_by_the_person_who_was_shown_the_question(network, loja):
    async with network() as net, net.as_("u-ana", Person([])) as ana, net.as_("u-beto", Person([])) as beto:
        first = await ana.session.call_tool(*F2, allow_input_required=True)
        assert isinstance(first, types.InputRequiredResult)
        answer = {"input_responses": {"confirmation": YES}, "request_state": first.request_state}
        with pytest.raises(MCPError, match="requestState"):
            await beto.session.call_tool(*F2, **answer)
        assert loja.called(RETURN) == []
        async with net.as_("u-ana", Person([]), tenant="t-2") as moved:
            assert (await moved.session.call_tool(*F2, **answer)).is_error
        assert loja.called(RETURN) == []
        done = await ana.session.call_tool(*F2, **answer)
    assert done.structured_content["status"] == "COMPLETED"


async def test_a_face_for_one_person_shows_what_policy_lets_that_person_see(face):
    """As over stdio, where the command's options say who it is; ``by: any`` is everybody there, as it always was."""
    shown = await face(**asking(by="requester"))
    ana, beto, nobody = (
        build_server(
            shown.client, shown.desk.catalog, FaceOptions(actor=Actor(id=id) if id else None, locale="en")
        )
        for id in ("u-ana", "u-beto", None)
    )
    async with (
        shown.connect(to=ana) as hers,
        shown.connect(to=beto) as his,
        shown.connect(to=nobody) as theirs,
    ):
        told = await started(hers)
        assert await told_of(his, told) == await told_of(his, unknown(told))
        open_to_all = await started(his, F2)
        for client in (hers, theirs):
            id = {"transaction_id": open_to_all["transaction_id"]}
            assert not (await client.call_tool("transaction_status", id)).is_error
        refused = await theirs.call_tool("transaction_confirm", named(told))
        assert "may not decide" in refused.content[0].text
        assert (await hers.call_tool("transaction_confirm", named(told))).structured_content[
            "status"
        ] == "COMPLETED"


async def test_the_session_of_somebody_else_is_none(network, loja):
    accepts = {"accept": "application/json, text/event-stream"}
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    call = {"name": F1[0], "arguments": F1[1]}

    def message(method, params):
        return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}

    async with network() as net, httpx2.AsyncClient(timeout=60) as http:
        ana, beto, moved = (
            accepts | {"authorization": f"Bearer {token}"}
            for token in (
                net.issuer.token(),
                net.issuer.token("u-beto"),
                net.issuer.token(iss="https://x.example"),
            )
        )
        opened = await http.post(net.url, headers=ana, json=message("initialize", hello))
        session = {"mcp-session-id": opened.headers["mcp-session-id"]}
        for headers, status in ((beto, 404), (moved, 401), (accepts, 401)):
            for method in ("POST", "GET", "DELETE"):
                body = message("tools/call", call) if method == "POST" else None
                answer = await http.request(method, net.url, headers=headers | session, json=body)
                assert answer.status_code == status, (method, answer.text)
        assert loja.calls == []
        mine = await http.post(net.url, headers=ana | session, json=message("tools/call", call))
    assert (mine.status_code, WAITING in mine.text) == (200, True)


async def test_a_face_that_asks_for_tokens_does_nothing_over_a_transport_without(face, loja):
    shown = await face(options=FaceOptions(tokens=True, actor=Actor(id="u-ana")))
    async with shown.connect() as client:
        refused = await client.call_tool(*F1)
    assert (refused.is_error, "verified token" in refused.content[0].text) == (True, True)
    assert loja.calls == []


async def test_a_client_of_one_tenant_finds_no_other(face, loja):
    shown = await face()
    queue = shown.desk.task_queue
    one, two = (TransactionClient(shown.desk.client, task_queue=queue, tenant=t) for t in ("t-1", "t-2"))
    request = TransactionRequest(tool_name=F1[0], arguments=F1[1], request_id=uuid.uuid4().hex)
    mine = await one.start(request)
    assert mine.transaction_id == transaction_id_for("t-1", request.request_id)
    assert (await one.state(mine.transaction_id)).tenant == "t-1"
    decision = {"decision": "confirm", "digest": mine.confirmation.digest}

    async def refusals(id):
        uses = (
            two.state(id),
            two.awaiting(id),
            two.confirm(id, decision),
            two.reject(id),
            two.cancel(id),
            two.amend(id, remove_item_ids=("A-01",)),
            two.provide_parameters(id, {}),
            two.result(id),
            two.redrive(id),
            two.export_history(id),
            anext(two.items(id)),
            anext(two.watch(id)),
        )
        told = []
        for use in uses:
            with pytest.raises(TransactionNotFound) as refused:
                await use
            told.append(str(refused.value).replace(id, "ID"))
        return told

    assert await refusals(mine.transaction_id) == await refusals(f"tx-{uuid.uuid4().hex}")
    for id in (mine.transaction_id, "tx-of-my-choice"):
        with pytest.raises(InvalidRequest, match="makes ids itself"):
            await two.start(request, id=id)
    with pytest.raises(InvalidRequest, match="another tenant"):
        await two.start(request.model_copy(update={"tenant": "t-1"}))
    with pytest.raises(InvalidRequest, match="NUL"):
        await TransactionClient(shown.desk.client, tenant="t\x00-1").start(request)
    with pytest.raises(InvalidRequest):
        await two.find("WorkflowType = 'TransactionWorkflow'")
    assert await two.list(tenant="t-1") == ()
    assert (await one.confirm(mine.transaction_id, decision)).status != WAITING
