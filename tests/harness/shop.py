"""The shop of the case collection: fixtures F1, F2, F3 and ``aux`` as files, and what its validators answer."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from temporalio.client import Client

from confirmo.policies.tool_spec import TextOverrides
from confirmo.workflows.converter import storing_converter
from harness.desk import Desk, catalog_of, open_desk
from harness.tool_server import Call, ToolServer

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


def base_behaviour() -> dict[str, Any]:
    """Every tool of the shop succeeds until a test says otherwise."""
    return {
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


@asynccontextmanager
async def open_shop(
    client: Client,
    loja: ToolServer,
    tools: dict[str, Any] | None = None,
    policies: dict[str, Any] | None = None,
    servers: dict[str, Any] | None = None,
    texts: dict[str, TextOverrides] | None = None,
    payload_store: str | None = None,
    **options: Any,
) -> AsyncIterator[Desk]:
    """A desk for the shop, with changes laid over its files, and perhaps texts and a payload store of its own."""
    if payload_store is not None:
        address = client.service_client.config.target_host
        client = await Client.connect(address, data_converter=storing_converter(payload_store))
    catalog = catalog_of(
        merged(TOOLS, tools or {}),
        merged(POLICIES, policies or {}),
        {"loja": {"endpoint": loja.endpoint}} | (servers or {}),
    )
    catalog = catalog.model_copy(update={"texts": texts or {}})
    async with open_desk(client, catalog, **options) as desk:
        yield desk
