"""Clients of other projects, old and new, against ``confirmo mcp`` as a process, on both transports."""

import pytest

from harness.peer import KINDS, peer
from harness.shop import F1, F2, PACKAGES

YES = {"action": "accept", "content": {"confirm": True}}
UNTICKED = {"action": "accept", "content": {"confirm": False}}
NO = {"action": "decline"}
DISMISSED = {"action": "cancel"}
CONTROL = {"transaction_confirm", "transaction_reject", "transaction_amend", "transaction_status"}
WAITING = "AWAITING_CONFIRMATION"

pytestmark = pytest.mark.parametrize("kind", KINDS, ids=str)


def named(told):
    return {"transaction_id": told["transaction_id"], "digest": told["confirmation"]["digest"]}


async def test_over_stdio_its_user_is_asked_and_a_yes_executes(opened, loja, kind):
    shown = await opened()
    async with peer(kind, shown.over_stdio("--locale", "en"), [YES]) as client:
        assert set(await client.tools()) == {F1[0], F2[0], "listar_faturas"} | CONTROL
        done = await client.call(*F1)
    assert (done.is_error, done.structured["status"]) == (False, "COMPLETED")
    assert done.structured["progress"]["items_succeeded_count"] == 3
    assert done.structured["result"]["message"] in done.text
    (question,) = done.shown
    assert all(name in question for name in ("Rádio Maré", "Clube Leitura", "Cofre Fotos 50"))
    assert len(loja.called(F1[0])) == 3


async def test_over_http_every_reply_of_its_user_means_what_it_says(opened, loja, kind):
    shown = await opened()
    async with shown.as_process() as url, peer(kind, url, [NO, UNTICKED, DISMISSED, YES]) as client:
        declined, unticked, dismissed = [await client.call(*F2) for _ in range(3)]
        assert loja.called(F2[0]) == []
        asked_again = await client.call("transaction_confirm", named(dismissed.structured))
    for no in (declined, unticked):
        assert (no.structured["status"], no.is_error) == ("CANCELLED", False)
    assert (dismissed.structured["status"], dismissed.is_error) == (WAITING, False)
    assert "transaction_confirm" not in dismissed.text
    assert asked_again.structured["status"] == "COMPLETED"
    assert len(asked_again.shown) == 4
    assert len(loja.called(F2[0])) == 1


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_without_a_user_to_ask_the_agent_gets_the_question_and_confirms(opened, loja, kind, transport):
    shown = await opened()
    async with shown.as_process() as url:
        to = {"stdio": shown.over_stdio(), "http": url}[transport]
        async with peer(kind, to) as client:
            asked = await client.call(*F2)
            assert (asked.structured["status"], asked.is_error) == (WAITING, False)
            assert asked.structured["question"] in asked.text
            assert asked.structured["confirmation"]["digest"] in asked.text
            id = {"transaction_id": asked.structured["transaction_id"]}
            changed = await client.call("transaction_amend", id | {"remove_item_ids": [PACKAGES[0]]})
            stale = await client.call("transaction_confirm", named(asked.structured))
            assert (stale.is_error, loja.called(F2[0])) == (True, [])
            status = await client.call("transaction_status", id)
            assert status.structured["confirmation"] == changed.structured["confirmation"]
            done = await client.call("transaction_confirm", named(status.structured))
            assert (done.structured["status"], done.is_error) == ("COMPLETED", False)
            refused = await client.call("transaction_reject", id)
            assert refused.structured["status"] == "COMPLETED"
    (call,) = loja.called(F2[0])
    assert call.arguments["encomenda_ids"] == PACKAGES[1:]


async def test_no_client_confirms_for_its_user_where_the_policy_wants_the_user(opened, loja, kind):
    strict = {F1[0]: "elicitation", F2[0]: "out_of_band"}
    shown = await opened(
        policies={name: {"confirmation": {"channel": word}} for name, word in strict.items()}
    )
    async with shown.as_process() as url, peer(kind, url) as client:
        for call in (F1, F2):
            asked = await client.call(*call)
            refused = await client.call("transaction_confirm", named(asked.structured))
            assert refused.is_error
            assert "transaction_confirm refuses it" in refused.text
            id = {"transaction_id": asked.structured["transaction_id"]}
            assert (await client.call("transaction_status", id)).structured["status"] == WAITING
    assert loja.called(F1[0]) == loja.called(F2[0]) == []


async def test_progress_is_told_while_items_are_done(opened, kind):
    shown = await opened()
    async with shown.as_process() as url, peer(kind, url, [YES]) as client:
        await client.call(*F1)
        heard = (await client.call("listar_faturas", {})).heard
    assert [0.0, 3.0] in heard
    assert [3.0, 3.0] in heard
