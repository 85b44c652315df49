"""The recipes on the real Temporal server, a real worker with the example's own files, and the real Retail server."""

import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
import pytest_asyncio
from temporalio.client import Client

from confirmo.client import Conversation, TransactionClient
from confirmo.examples import config_directory, retail
from confirmo.examples.ledger import Ledger
from confirmo.policies.catalog import load_catalog
from harness import Desk, serving
from harness.desk import open_desk
from recipes.__main__ import RECIPES, Say


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """What the Retail server did."""
    with Ledger(tmp_path / "retail.db") as ledger:
        yield ledger


@pytest_asyncio.fixture
async def shop(client: Client, ledger: Ledger) -> AsyncIterator[Desk]:
    """A worker with the example's catalogue beside the Retail server."""
    app = retail.create_server(ledger).streamable_http_app(streamable_http_path="/mcp", json_response=True)
    async with serving(app) as port:
        environ = {"RETAIL_URL": f"http://127.0.0.1:{port}/mcp", "CONTAS_URL": "http://127.0.0.1:9/mcp"}
        catalog = load_catalog(config_directory(), environ).catalog
        assert catalog is not None
        async with open_desk(client, catalog) as desk:
            yield desk


@pytest.fixture
def door(client: Client, shop: Desk) -> TransactionClient:
    """The client of an agent."""
    return TransactionClient(client, task_queue=shop.task_queue)


@pytest.fixture
def talk(door: TransactionClient) -> Conversation:
    """Confirmo, as a recipe gets it."""
    return Conversation(door)


class Talks:
    """Opens a recipe as ``python -m recipes`` does, any number of times on one store."""

    def __init__(self, recipe: str, talk: Conversation, store: Path) -> None:
        self.recipe, self.store, self.talk = recipe, store, talk

    def open(self) -> AbstractAsyncContextManager[Say]:
        return RECIPES[self.recipe](self.talk, self.store)

    async def say(self, *messages: str) -> list[str]:
        """Say each message to a recipe that was opened anew: nothing lives in memory between two."""
        told = []
        for message in messages:
            async with self.open() as say:
                told.append(await say(message))
        return told


@pytest.fixture(params=sorted(RECIPES))
def talks(request: pytest.FixtureRequest, talk: Conversation, tmp_path: Path) -> Talks:
    """Each framework's recipe in turn."""
    return Talks(request.param, talk, tmp_path / f"chat-{uuid.uuid4().hex}")
