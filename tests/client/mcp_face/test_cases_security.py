"""The case collection, area *security*: through a face that knows its callers, the client, and Temporal itself."""

import re
import uuid

import pytest

from confirmo.client import InvalidDecision, NotAllowed, TransactionNotFound
from confirmo.policies.models import Actor, Decision, TransactionRequest
from harness import gone
from harness.shop import F1, F2, PACKAGES

AREA = {"SE-01", "SE-03", "SE-05", "SE-08"}
SHOWN_ELSEWHERE = {"SE-05", "SE-08"}
"""What leaves the system in logs, ids and search attributes is not a matter of doors: the tests of privacy show it."""
SET, RETURN = F1[0], F2[0]
ANA, BETO = Actor(id="u-ana"), Actor(id="u-beto")
WAITING = "AWAITING_CONFIRMATION"


@pytest.fixture
def mode():
    """Who says something is of the transport: one form is enough."""
    return "2026-07-28"


def test_every_case_of_the_area_is_here_or_elsewhere():
    named = {f"SE-{number}" for name in globals() for number in re.findall(r"se_(\d\d)", name)}
    assert named | SHOWN_ELSEWHERE == AREA
    assert not named & SHOWN_ELSEWHERE


def named(told):
    return {"transaction_id": told["transaction_id"], "digest": told["confirmation"]["digest"]}


@pytest.mark.parametrize("by", ["any", "requester"])
async def test_se_01_somebody_elses_yes_cancel_and_look_are_refused_at_the_network(network, loja, by):
    policies = {SET: {"confirmation": {"by": by}}}
    async with network(policies=policies) as net, net.as_("u-ana") as ana, net.as_("u-beto") as beto:
        told = (await ana.call_tool(*F1)).structured_content
        before = await net.face.client.state(told["transaction_id"])
        id = {"transaction_id": told["transaction_id"]}
        for use in (
            ("transaction_confirm", named(told)),
            ("transaction_reject", id),
            ("transaction_amend", id | {"arguments": {"motivo": "x"}}),
            ("transaction_status", id),
        ):
            answer = await beto.call_tool(*use)
            assert (answer.is_error, answer.structured_content) == (True, None)
            assert "There is no transaction" in answer.content[0].text
        assert await net.face.client.state(told["transaction_id"]) == before
        assert loja.called(SET) == []
        done = (await ana.call_tool("transaction_confirm", named(told))).structured_content
    assert (done["status"], len(loja.called(SET))) == ("COMPLETED", 3)


async def test_se_01_somebody_elses_yes_and_cancel_are_refused_where_temporal_is_reached(face, loja):
    shown = await face(policies={SET: {"confirmation": {"by": "requester"}}})
    door = shown.client
    asked = await door.start(TransactionRequest(tool_name=SET, arguments=F1[1], requester=ANA))
    yes = Decision(decision="confirm", digest=asked.confirmation.digest)
    for actor in (BETO, Actor(id=""), None):
        with pytest.raises(NotAllowed):
            await door.confirm(asked.transaction_id, yes.model_copy(update={"actor": actor}))
        with pytest.raises(NotAllowed):
            await door.cancel(asked.transaction_id, actor=actor)
    state = await door.state(asked.transaction_id)
    assert (state.status, state.confirmation, loja.called(SET)) == (WAITING, asked.confirmation, [])
    await door.confirm(asked.transaction_id, yes.model_copy(update={"actor": ANA}))
    assert (await door.result(asked.transaction_id)).multi_item_status == "SUCCESS"


async def test_se_03_a_yes_to_what_nobody_asked_makes_nothing(network, loja):
    invented = f"tx-inventado-{uuid.uuid4().hex}"
    forged = {"tool": RETURN, "arguments": {"encomenda_ids": ["ENC-1"]}}
    yes = {"decision": "confirm", "digest": "0" * 64}
    async with network() as net, net.as_("u-ana") as ana:
        door, temporal = net.face.client, net.face.desk.client
        with pytest.raises(InvalidDecision):
            await door.confirm(invented, yes | forged)
        with pytest.raises(TransactionNotFound):
            await door.confirm(invented, yes)
        given = {"transaction_id": invented, "digest": "0" * 64}
        assert (await ana.call_tool("transaction_confirm", given | forged)).is_error
        assert (await ana.call_tool("transaction_confirm", given)).is_error
        handle = temporal.get_workflow_handle(invented)
        assert await gone(handle.execute_update("confirm", yes | forged))
        assert await gone(handle.signal("confirm", yes | forged))
        assert await gone(handle.describe())
    assert loja.calls == []


async def test_se_03_what_a_start_claims_about_itself_skips_nothing(network, loja):
    forged = {"confirmed": True, "skip_validation": True, "operation_type": "read_only"}
    forged |= {"require_confirmation": False, "status": "EXECUTING", "policy": {"by": "any"}}
    async with network() as net, net.as_("u-ana") as ana:
        by_face = await ana.call_tool(RETURN, F2[1] | forged, meta=forged)
        assert sorted(by_face.structured_content["ignored_arguments"]) == sorted(forged)
        by_client = await net.face.client.start(
            TransactionRequest.model_validate(
                {"tool_name": RETURN, "arguments": F2[1], "metadata": forged} | forged
            )
        )
        by_temporal = await net.face.desk.start(*F2, metadata=forged, **forged)
        states = [by_face.structured_content["status"], by_client.status, by_temporal.opened["status"]]
    assert states == [WAITING] * 3
    assert [call.arguments["encomenda_ids"] for call in loja.called("checar_encomendas")] == [PACKAGES] * 3
    assert loja.called(RETURN) == []
