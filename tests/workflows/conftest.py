"""Fixtures F1, F2, F3 and ``aux`` of the case collection, on a real server."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest_asyncio
from temporalio.client import Client

from harness import Desk, ToolServer
from harness.desk import catalog_of, open_desk
from harness.shop import POLICIES, TOOLS, f1_check, merged

OpenDesk = Callable[..., Awaitable[Desk]]


@pytest_asyncio.fixture
async def loja(tools: ToolServer) -> ToolServer:
    """The tool server of the fixtures; every tool succeeds until a test says otherwise."""
    tools.on |= {
        "checar_assinaturas": f1_check,
        "checar_encomendas": lambda call: {
            "eligible": True,
            "transaction_decision": {
                "resolved_arguments": {"encomenda_ids": call.arguments["encomenda_ids"]}
            },
        },
        "encerrar_assinaturas": lambda call: {
            "subject": call.arguments["alvo"],
            "success": True,
            "protocolo": "EN-1",
        },
        "devolver_encomendas": lambda call: {
            "results": [{"id": entry, "success": True} for entry in call.arguments["encomenda_ids"]]
        },
        "listar_faturas": {"faturas": [{"mes": "2026-10", "total": "99.90"}]},
        "avisar_cliente": {"success": True},
    }
    return tools


@pytest_asyncio.fixture
async def desk(client: Client, loja: ToolServer) -> AsyncIterator[OpenDesk]:
    """Open a desk: ``await desk(tools=…, policies=…, **options)`` lays changes over the fixtures' files."""
    async with AsyncExitStack() as stack:

        async def open_one(
            tools: dict[str, Any] | None = None,
            policies: dict[str, Any] | None = None,
            servers: dict[str, Any] | None = None,
            **options: Any,
        ) -> Desk:
            catalog = catalog_of(
                merged(TOOLS, tools or {}),
                merged(POLICIES, policies or {}),
                {"loja": {"endpoint": loja.endpoint}} | (servers or {}),
            )
            return await stack.enter_async_context(open_desk(client, catalog, **options))

        yield open_one
