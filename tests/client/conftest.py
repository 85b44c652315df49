"""The door, on the real server and a real tool server."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
import pytest_asyncio
from temporalio.client import Client

from confirmo.client import AnsweredState, Conversation, TransactionClient, Turn, delivery
from confirmo.client.connection import address_of
from confirmo.client.main import run
from confirmo.policies.models import Decision, TransactionRequest
from confirmo.policies.names import TASK_QUEUE
from harness import Desk, ToolServer
from harness.desk import catalog_of
from harness.retail import RETAIL_POLICIES, RETAIL_TOOLS, retail_behaviour
from harness.shop import POLICIES, TOOLS, base_behaviour, merged, open_shop

SILENCE = timedelta(seconds=1)
"""How long the doors of these tests wait for a worker."""


@dataclass
class Door:
    """A client and the worker behind it."""

    client: TransactionClient
    desk: Desk

    async def start(
        self, tool_name: str, arguments: dict[str, Any] | None = None, *, id: str | None = None, **more: Any
    ) -> AnsweredState:
        request = TransactionRequest(tool_name=tool_name, arguments=arguments or {}, **more)
        return await self.client.start(request, id=id)

    async def confirm(self, state: Any, **more: Any) -> AnsweredState:
        decision = Decision(decision="confirm", digest=state.confirmation.digest, **more)
        return await self.client.confirm(state.transaction_id, decision)

    async def done(self, tool_name: str, arguments: dict[str, Any], **more: Any) -> AnsweredState:
        """Start, say yes, wait for the end; return the question's state."""
        state = await self.start(tool_name, arguments, **more)
        await self.confirm(state)
        await self.client.result(state.transaction_id)
        return state


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A start waits for a worker as long as a decision does in these tests, not ten seconds."""
    monkeypatch.setattr(delivery, "START_PATIENCE", SILENCE)


OpenDoor = Callable[..., Awaitable[Door]]


@pytest_asyncio.fixture
async def loja(tools: ToolServer) -> ToolServer:
    tools.on |= base_behaviour()
    return tools


@pytest_asyncio.fixture
async def door(client: Client, loja: ToolServer) -> AsyncIterator[OpenDoor]:
    """Open a door: ``await door(policies=…)`` lays changes over the shop's files."""
    async with AsyncExitStack() as stack:

        async def open_one(**options: Any) -> Door:
            desk = await stack.enter_async_context(open_shop(client, loja, **options))
            return Door(TransactionClient(client, task_queue=desk.task_queue, worker_patience=SILENCE), desk)

        yield open_one


@dataclass
class Chat:
    """A conversation and the door that it uses."""

    conversation: Conversation
    shop: Door

    async def turn(self, *arguments: Any, **more: Any) -> Turn:
        return await self.conversation.turn(*arguments, **more)


@pytest.fixture
def talk(door: OpenDoor, loja: ToolServer) -> Callable[..., Awaitable[Chat]]:
    """Open a conversation in the shop and the Retail scenario: ``await talk(on_new_subject=…)``."""

    async def open_one(policies: dict[str, Any] | None = None, **options: Any) -> Chat:
        loja.on |= {name: answer for name, answer in retail_behaviour().items() if name not in loja.on}
        shop = await door(tools=RETAIL_TOOLS, policies=RETAIL_POLICIES | (policies or {}))
        return Chat(Conversation(shop.client, **options), shop)

    return open_one


@pytest_asyncio.fixture
async def shop(client: Client, loja: ToolServer) -> AsyncIterator[Desk]:
    """A worker where the command line looks for one."""
    catalog = catalog_of(merged(TOOLS, {}), merged(POLICIES, {}), {"loja": {"endpoint": loja.endpoint}})
    desk = Desk(client, catalog, TASK_QUEUE, search_attributes=True)
    await desk.start_worker()
    yield desk
    await desk.stop_worker()


@dataclass(frozen=True)
class Ran:
    """What one command left behind."""

    code: int
    out: str
    err: str


Cli = Callable[..., Awaitable[Ran]]


@pytest.fixture
def cli(client: Client, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Run a command in this process, in a thread of its own, against the session's server."""
    monkeypatch.setenv("TEMPORAL_ADDRESS", address_of(client))
    monkeypatch.setenv("COLUMNS", "100")

    async def run_one(*arguments: str) -> Ran:
        capsys.readouterr()
        async with asyncio.timeout(60):
            code = await asyncio.to_thread(run, arguments)
        captured = capsys.readouterr()
        return Ran(int(code), captured.out, captured.err)

    return run_one
