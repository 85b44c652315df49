"""Clients of other projects, old and new, against ``confirmo mcp`` as a process, on both transports."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import Any

import pytest
import pytest_asyncio

from harness import ToolServer
from harness.peer import KINDS, Peer, Peers
from harness.shop import F1, F2, PACKAGES

YES = {"action": "accept", "content": {"confirm": True}}
UNTICKED = {"action": "accept", "content": {"confirm": False}}
NO = {"action": "decline"}
DISMISSED = {"action": "cancel"}
CONTROL = {"transaction_confirm", "transaction_reject", "transaction_amend", "transaction_status"}
WAITING = "AWAITING_CONFIRMATION"
STRICT = {
    name: {"mcp_server": "loja", "tool_type": "action", "args_schema": {"alvo": "string"}}
    for name in ("so_na_pergunta", "so_por_fora")
}
STRICT_POLICIES: dict[str, Any] = {
    name: {"operation_type": "transactional", "require_confirmation": True, "confirmation": {"channel": word}}
    for name, word in zip(STRICT, ("elicitation", "out_of_band"), strict=True)
}

OVER = [(kind, "http") for kind in KINDS] + [(kind, "stdio") for kind in KINDS[1:3]]
"""Clients without a user; over stdio one of each environment, as another test says that each speaks it."""


every_kind = pytest.mark.parametrize("kind", KINDS, ids=str)


@pytest_asyncio.fixture(scope="module")
async def peer() -> AsyncIterator[Callable[..., AbstractAsyncContextManager[Peer]]]:
    """Connect a client to a face: ``async with peer(kind, to, replies)``."""
    peers = Peers()
    yield peers.connected
    await peers.aclose()


def named(told):
    return {"transaction_id": told["transaction_id"], "digest": told["confirmation"]["digest"]}


@every_kind
async def test_over_stdio_its_user_is_asked_and_a_yes_executes(opened, peer, loja, kind):
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


@every_kind
async def test_over_http_every_reply_of_its_user_means_what_it_says_and_progress_is_told(
    opened, peer, loja, kind
):
    shown = await opened()
    async with shown.as_process() as url, peer(kind, url, [NO, UNTICKED, DISMISSED, YES, YES]) as client:
        declined, unticked, dismissed = [await client.call(*F2) for _ in range(3)]
        assert loja.called(F2[0]) == []
        asked_again = await client.call("transaction_confirm", named(dismissed.structured))
        before = len((await client.call("listar_faturas", {})).heard)
        await client.call(*F1)
        heard = (await client.call("listar_faturas", {})).heard[before:]
    for no in (declined, unticked):
        assert (no.structured["status"], no.is_error) == ("CANCELLED", False)
    assert (dismissed.structured["status"], dismissed.is_error) == (WAITING, False)
    assert "transaction_confirm" not in dismissed.text
    assert asked_again.structured["status"] == "COMPLETED"
    assert len(asked_again.shown) == 4
    assert len(loja.called(F2[0])) == 1
    assert heard[0][0] == 0.0
    assert [3.0, 3.0] in heard


@pytest.mark.parametrize(("kind", "transport"), OVER, ids=str)
async def test_without_a_user_to_ask_the_agent_confirms_where_the_policy_lets_it(
    opened, peer, loja, kind, transport
):
    shown = await opened(tools=STRICT, policies=STRICT_POLICIES)
    async with AsyncExitStack() as stack:
        over_http = transport == "http"
        to = await stack.enter_async_context(shown.as_process()) if over_http else shown.over_stdio()
        client = await stack.enter_async_context(peer(kind, to))
        await _confirms_itself(client, loja)
        for name in STRICT if over_http else ():
            await _is_refused(client, name)
    (call,) = loja.called(F2[0])
    assert call.arguments["encomenda_ids"] == PACKAGES[1:]
    assert [call.tool for call in loja.calls if call.tool in STRICT] == []


async def _confirms_itself(client: Peer, loja: ToolServer) -> None:
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


async def _is_refused(client: Peer, name: str) -> None:
    """The policy wants the user: no client confirms for one."""
    asked = await client.call(name, {"alvo": "Rádio Maré"})
    refused = await client.call("transaction_confirm", named(asked.structured))
    assert refused.is_error
    assert "transaction_confirm refuses it" in refused.text
    id = {"transaction_id": asked.structured["transaction_id"]}
    assert (await client.call("transaction_status", id)).structured["status"] == WAITING
