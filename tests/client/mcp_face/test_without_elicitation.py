"""A client that cannot ask its user: the agent gets the question, and confirms only where policy lets it."""

import pytest

from confirmo.policies.models import TransactionRequest
from harness.person import YES, Person
from harness.shop import F2

WAITING = "AWAITING_CONFIRMATION"


def named(told):
    return {"transaction_id": told["transaction_id"], "digest": told["confirmation"]["digest"]}


@pytest.mark.parametrize("transport", ["memory", "http", "stdio"])
async def test_the_question_comes_back_and_transaction_confirm_executes(face, loja, transport):
    shown = await face()
    async with shown.over_http() as url:
        to = {"memory": None, "http": url, "stdio": shown.over_stdio()}[transport]
        async with shown.connect(to=to) as client:
            asked = await client.call_tool(*F2)
            told = asked.structured_content
            assert (told["status"], asked.is_error) == (WAITING, False)
            assert told["question"] in asked.content[0].text
            assert told["confirmation"]["digest"] in asked.content[0].text
            assert loja.called(F2[0]) == []
            done = await client.call_tool("transaction_confirm", named(told))
    assert (done.structured_content["status"], done.is_error) == ("COMPLETED", False)
    assert len(loja.called(F2[0])) == 1


async def test_another_digest_confirms_nothing(face, loja):
    async with (await face()).connect() as client:
        told = (await client.call_tool(*F2)).structured_content
        wrong = await client.call_tool("transaction_confirm", named(told) | {"digest": "0" * 64})
        assert (wrong.is_error, wrong.structured_content["status"]) == (True, WAITING)
        for bad in ({}, {"transaction_id": told["transaction_id"]}, named(told) | {"decision": "confirm"}):
            assert (await client.call_tool("transaction_confirm", bad)).is_error
    assert loja.called(F2[0]) == []


async def test_an_agent_cannot_confirm_where_the_policy_wants_the_user(face, loja):
    shown = await face(policies={F2[0]: {"confirmation": {"channel": "elicitation"}}})
    async with shown.connect() as client:
        asked = await client.call_tool(*F2)
        told = asked.structured_content
        refused = await client.call_tool("transaction_confirm", named(told))
        assert (refused.is_error, refused.structured_content["status"]) == (True, WAITING)
        assert "takes a yes from the user alone" in refused.content[0].text
        assert "takes a yes from the user alone" in asked.content[0].text
    assert loja.called(F2[0]) == []
    async with shown.connect(Person([YES])) as client:
        done = await client.call_tool("transaction_confirm", named(told))
    assert done.structured_content["status"] == "COMPLETED"


async def test_reject_amend_and_status(face, loja):
    async with (await face()).connect() as client:
        told = (await client.call_tool(*F2)).structured_content
        id = {"transaction_id": told["transaction_id"]}
        changed = (
            await client.call_tool("transaction_amend", id | {"remove_item_ids": ["ENC-7001"]})
        ).structured_content
        assert [item["item_id"] for item in changed["items"]] == ["ENC-7002", "ENC-7003"]
        assert changed["confirmation"]["digest"] != told["confirmation"]["digest"]
        status = (await client.call_tool("transaction_status", id)).structured_content
        assert status["confirmation"] == changed["confirmation"]
        no = await client.call_tool("transaction_reject", id | {"comment": "não"})
        assert (no.structured_content["status"], no.is_error) == ("CANCELLED", False)
        late = await client.call_tool("transaction_confirm", named(changed))
        assert (late.is_error, late.structured_content["status"]) == (True, "CANCELLED")
        assert (await client.call_tool("transaction_amend", id | {"remove_item_ids": "x"})).is_error
    assert loja.called(F2[0]) == []


async def test_missing_arguments_are_asked_for_and_given_with_amend(face):
    async with (await face()).connect() as client:
        told = (await client.call_tool(F2[0], {})).structured_content
        assert (told["status"], told["missing_parameters"]) == ("COLLECTING_PARAMETERS", ["encomenda_ids"])
        given = {"transaction_id": told["transaction_id"], "arguments": F2[1]}
        assert (await client.call_tool("transaction_amend", given)).structured_content["status"] == WAITING


async def test_a_read_only_tool_answers_at_once_with_its_evidence(face):
    async with (await face()).connect() as client:
        result = await client.call_tool("listar_faturas", {})
    told = result.structured_content
    assert (told["status"], result.is_error) == ("COMPLETED", False)
    assert told["result"]["result"]["output"]["listar_faturas"]["faturas"][0]["mes"] == "2026-10"
    assert "2026-10" in result.content[1].text


async def test_a_validators_no_is_an_error_with_its_reason(face, loja):
    loja.on["checar_encomendas"] = {"eligible": False, "reason": "prazo encerrado"}
    async with (await face()).connect() as client:
        result = await client.call_tool(*F2)
    assert (result.structured_content["status"], result.is_error) == ("OUT_OF_SCOPE", True)
    assert "prazo encerrado" in result.content[0].text


async def test_transactions_of_another_tenant_do_not_exist_here(face):
    shown = await face()
    request = TransactionRequest(tool_name=F2[0], arguments=F2[1], tenant="outra")
    state = await shown.client.start(request)
    given = {"transaction_id": state.transaction_id, "digest": state.confirmation.digest}
    async with shown.connect() as client:
        for tool, arguments in (
            ("transaction_confirm", given),
            ("transaction_reject", {"transaction_id": state.transaction_id}),
            ("transaction_status", {"transaction_id": state.transaction_id}),
            ("transaction_status", {"transaction_id": "tx-none"}),
        ):
            result = await client.call_tool(tool, arguments)
            assert (result.is_error, result.structured_content) == (True, None)
    assert (await shown.client.state(state.transaction_id)).status == WAITING
