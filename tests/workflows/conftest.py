"""Fixtures F1, F2, F3 and ``aux`` of the case collection, on a real server."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest_asyncio
from harness import Call, Desk, ToolServer
from harness.desk import catalog_of, open_desk
from temporalio.client import Client

ITEMS = [
    {"id": "A-01", "name": "Rádio Maré"},
    {"id": "A-02", "name": "Clube Leitura"},
    {"id": "A-03", "name": "Cofre Fotos 50"},
]
PACKAGES = ["ENC-7001", "ENC-7002", "ENC-7003"]

TOOLS: dict[str, Any] = {
    "encerrar_assinaturas": {
        "description": "Encerra assinaturas",
        "mcp_server": "loja",
        "tool_type": "action",
        "args_schema": {"alvo": {"type": "string", "label": "a assinatura"}, "motivo": {"type": "string"}},
    },
    "checar_assinaturas": {"mcp_server": "loja", "tool_type": "internal", "args_schema": {"alvo": "string"}},
    "devolver_encomendas": {
        "description": "Devolve encomendas",
        "mcp_server": "loja",
        "tool_type": "action",
        "args_schema": {
            "encomenda_ids": {"type": "array", "label": "as encomendas"},
            "valor": "string",
            "prazo": "string",
        },
    },
    "checar_encomendas": {
        "mcp_server": "loja",
        "tool_type": "internal",
        "args_schema": {"encomenda_ids": "array"},
    },
    "listar_faturas": {"description": "Lista faturas", "mcp_server": "loja", "tool_type": "read_only"},
    "avisar_cliente": {"mcp_server": "loja", "tool_type": "internal", "args_schema": {"canal": "string"}},
}
POLICIES: dict[str, Any] = {
    "encerrar_assinaturas": {
        "operation_type": "transactional",
        "require_confirmation": True,
        "requires": ["alvo"],
        "pre_validation": {"enabled": True, "tool": "checar_assinaturas", "fail_open": False},
    },
    "devolver_encomendas": {
        "operation_type": "transactional",
        "require_confirmation": True,
        "requires": ["encomenda_ids"],
        "pre_validation": {"enabled": True, "tool": "checar_encomendas", "fail_open": False},
    },
    "listar_faturas": {"operation_type": "read_only"},
    "avisar_cliente": {"operation_type": "internal"},
    "checar_assinaturas": {"operation_type": "internal"},
    "checar_encomendas": {"operation_type": "internal"},
}
F1 = ("encerrar_assinaturas", {"alvo": "rádio maré, clube leitura e cofre fotos"})
F2 = ("devolver_encomendas", {"encomenda_ids": PACKAGES})


def f1_check(_call: Call) -> dict[str, Any]:
    names = ", ".join(item["name"] for item in ITEMS)
    return {"eligible": True, "transaction_decision": {"resolved_arguments": {"alvo": names, "items": ITEMS}}}


def merged(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Deep merge; a null value removes the key."""
    result = dict(base)
    for key, value in changes.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict) and isinstance(result.get(key), dict):
            result[key] = merged(result[key], value)
        else:
            result[key] = value
    return result


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
