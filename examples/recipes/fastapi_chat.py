"""FastAPI: a chat backend of one route, on the orders of the Retail example.

A dictionary of pending calls is lost with the process, takes "sim, mas…" for a yes and acts twice on a double click;
here a session is one row of ids and digests, and Confirmo keeps the rest.

Beside ``confirmo dev``: ``uvicorn --factory recipes.fastapi_chat:create_app``, then
``curl localhost:8000/chat --json '{"session_id": "1", "message": "quero cancelar o pedido PED-1001"}'``.
"""

import re
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel, Field

from confirmo.client import Conversation, Session, ToolCall, TransactionClient, agent_state

ORDER = re.compile(r"\bP(?:ED)?-\w+", re.IGNORECASE)
HELLO = "Posso cancelar pedidos. Por exemplo: quero cancelar o pedido PED-1001"


class Message(BaseModel):
    """One message of a person. Who speaks is your login's to say: give it to ``Session(requester=…)``."""

    session_id: str = Field(min_length=1, max_length=100)
    message: str = Field(max_length=2000)


def pick(message: str) -> ToolCall | None:
    """Pick a tool; your agent and its model go here."""
    orders = [order.upper() for order in ORDER.findall(message)]
    if "cancel" not in message.lower() or not (orders or "pedido" in message.lower()):
        return None
    if len(orders) > 1:
        return ToolCall(tool_name="cancelar_pedidos", arguments={"order_ids": orders})
    return ToolCall(tool_name="cancelar_pedido", arguments={"order_id": orders[0]} if orders else {})


def create_app(
    connect: Callable[[], Awaitable[TransactionClient]] = TransactionClient.connect,
    database: str = "chat.db",
) -> FastAPI:
    """Return the backend; ``connect`` finds Temporal through ``TEMPORAL_ADDRESS`` and the like."""
    rows = sqlite3.connect(database, isolation_level=None, check_same_thread=False)
    rows.execute("CREATE TABLE IF NOT EXISTS session (id TEXT PRIMARY KEY, body TEXT NOT NULL)")

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.talk = Conversation(await connect())
        yield
        rows.close()

    app = FastAPI(title="Chat", lifespan=lifespan)

    @app.post("/chat")
    async def chat(body: Message) -> dict[str, Any]:
        row = rows.execute("SELECT body FROM session WHERE id = ?", (body.session_id,)).fetchone()
        session = Session.model_validate_json(row[0]) if row else Session(session_id=body.session_id)
        turn = await app.state.talk.turn(session, body.message, pick(body.message))
        stored = (body.session_id, session.model_dump_json())
        rows.execute("INSERT OR REPLACE INTO session VALUES (?, ?)", stored)
        facts = agent_state(turn.state, agent="retail_agent")
        return {"text": turn.text or HELLO, "wants": turn.wants, **facts}

    return app
