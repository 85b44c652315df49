"""The desk of the workflow tests, with search attributes as in production."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest_asyncio
from temporalio.client import Client

from harness import Desk, ToolServer
from harness.shop import base_behaviour, open_shop


@pytest_asyncio.fixture
async def loja(tools: ToolServer) -> ToolServer:
    tools.on |= base_behaviour()
    return tools


@pytest_asyncio.fixture
async def desk(client: Client, loja: ToolServer) -> AsyncIterator[Any]:
    async with AsyncExitStack() as stack:

        async def open_one(**changes: Any) -> Desk:
            return await stack.enter_async_context(open_shop(client, loja, search_attributes=True, **changes))

        yield open_one
