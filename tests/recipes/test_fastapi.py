"""The chat backend, over HTTP: the Retail scenario of seed 002."""

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from confirmo.client import TransactionClient
from confirmo.examples.ledger import Ledger
from harness import serving
from recipes.fastapi_chat import HELLO, create_app

ONE = "quero cancelar o pedido PED-1001"
Backend = Callable[[], AbstractAsyncContextManager["Browser"]]


class Browser:
    """One person's side of a session."""

    def __init__(self, http: httpx2.AsyncClient, session_id: str) -> None:
        self.http, self.session_id = http, session_id

    async def post(self, message: Any) -> httpx2.Response:
        return await self.http.post("/chat", json={"session_id": self.session_id, "message": message})

    async def say(self, message: str) -> dict[str, Any]:
        answer = await self.post(message)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())


@pytest.fixture
def backend(door: TransactionClient, tmp_path: Path) -> Backend:
    """Start the backend; started again, it has nothing but its database."""
    session_id = uuid.uuid4().hex

    async def connect() -> TransactionClient:
        return door

    @asynccontextmanager
    async def start() -> AsyncIterator[Browser]:
        app = create_app(connect, str(tmp_path / "chat.db"))
        async with (
            serving(app) as port,
            httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as http,
        ):
            yield Browser(http, session_id)

    return start


async def test_seed_002_an_eligible_order_is_asked_about_and_cancelled(
    backend: Backend, ledger: Ledger
) -> None:
    async with backend() as browser:
        asked = await browser.say(ONE)
        assert asked["wants"] == "answer"
        assert "PED-1001" in asked["text"]
        assert asked["transaction_status"] == "AWAITING_CONFIRMATION"
        assert asked["next_state"] == "WAITING_RETAIL_CONFIRMATION"
        assert asked["pending_tool_call"] == {
            "tool_name": "cancelar_pedido",
            "arguments": {"order_id": "PED-1001"},
        }
        assert ledger.calls(tool="cancelar_pedido") == []
        done = await browser.say("sim")
    assert (done["wants"], done["transaction_status"], done["next_state"]) == ("nothing", "COMPLETED", None)
    assert "CANCEL-2026-001" in done["text"]
    assert done["transaction_evidence"][0]["tool_name"] == "cancelar_pedido"
    assert [row.item for row in ledger.effects()] == ["PED-1001"]


async def test_seed_002_a_delivered_order_is_refused_and_the_next_turn_is_free(
    backend: Backend, ledger: Ledger
) -> None:
    async with backend() as browser:
        refused = await browser.say("quero cancelar o pedido PED-ENTREGUE")
        assert (refused["wants"], refused["transaction_status"]) == ("nothing", "OUT_OF_SCOPE")
        assert (refused["next_state"], refused["pending_tool_call"]) == (None, {})
        assert refused["transaction_pre_validation"]["eligible"] is False
        assert refused["transaction_evidence"] == []
        free = await browser.say("bom dia")
        assert (free["text"], free["wants"]) == (HELLO, "agent")
        assert (await browser.say(ONE))["wants"] == "answer"
    assert ledger.calls(tool="cancelar_pedido") == []


async def test_a_restart_between_question_and_answer_loses_nothing(backend: Backend, ledger: Ledger) -> None:
    async with backend() as browser:
        await browser.say(ONE)
    async with backend() as browser:
        done = await browser.say("sim")
    assert "CANCEL-2026-001" in done["text"]
    assert len(ledger.effects()) == 1


async def test_yes_but_only_the_first_amends(backend: Backend, ledger: Ledger) -> None:
    async with backend() as browser:
        await browser.say("quero cancelar os pedidos P-100 e P-102")
        again = await browser.say("sim, mas só o primeiro")
        assert (again["wants"], again["transaction_status"]) == ("answer", "AWAITING_CONFIRMATION")
        assert ledger.effects() == []
        assert (await browser.say("sim"))["transaction_status"] == "COMPLETED"
    assert [row.item for row in ledger.effects()] == ["P-100"]


async def test_a_no_executes_nothing(backend: Backend, ledger: Ledger) -> None:
    async with backend() as browser:
        await browser.say(ONE)
        assert (await browser.say("não"))["transaction_status"] == "CANCELLED"
    assert ledger.calls(tool="cancelar_pedido") == []


async def test_a_double_click_on_yes_executes_once(backend: Backend, ledger: Ledger) -> None:
    async with backend() as browser:
        await browser.say(ONE)
        told = await asyncio.gather(*(browser.say("sim") for _ in range(5)))
    assert any("CANCEL-2026-001" in each["text"] for each in told)
    assert len(ledger.effects()) == 1


async def test_people_do_not_answer_for_each_other(backend: Backend, ledger: Ledger) -> None:
    async with backend() as browser:
        await browser.say(ONE)
        other = Browser(browser.http, uuid.uuid4().hex)
        assert (await other.say("sim"))["wants"] == "agent"
    assert ledger.calls(tool="cancelar_pedido") == []


@pytest.mark.parametrize("message", [None, 5, "x" * 3000])
async def test_what_is_no_message_is_refused(backend: Backend, message: Any) -> None:
    async with backend() as browser:
        assert (await browser.post(message)).status_code == 422


async def test_a_session_is_a_row_of_ids_and_digests(backend: Backend, tmp_path: Path) -> None:
    import sqlite3

    async with backend() as browser:
        await browser.say(ONE)
    (row,) = sqlite3.connect(tmp_path / "chat.db").execute("SELECT body FROM session").fetchall()
    kept = json.loads(row[0])
    assert kept["transaction_id"]
    assert kept["shown_digest"]
    assert "PED-1001" not in row[0]
