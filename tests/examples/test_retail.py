from typing import Any

import pytest
from mcp import Client

from confirmo.examples.ledger import Ledger

DELIVERED = "Pedido já entregue não pode ser cancelado por esta operação."


async def test_an_eligible_order_is_cancelled(retail_client: Client, ledger: Ledger, call: Any) -> None:
    arguments = {"order_id": "PED-1001", "target_tool": "cancelar_pedido"}
    async with retail_client as client:
        verdict = await call(client, "validar_cancelamento_pedido", arguments)
        assert ledger.effects() == []
        done = await call(client, "cancelar_pedido", {"order_id": "PED-1001"}, key="k")
        shown = await call(client, "consultar_pedido", {"order_id": "PED-1001"})
    assert verdict == {
        "eligible": True,
        "status": "ELIGIBLE",
        "order_id": "PED-1001",
        "metadata": {"side_effect_free": True},
    }
    assert done == {
        "order_id": "PED-1001",
        "success": True,
        "protocol": "CANCEL-2026-001",
        "status": "CANCELAMENTO_SOLICITADO",
    }
    assert shown["status"] == "CANCELAMENTO_SOLICITADO"
    assert shown["total"] == 349.9


@pytest.mark.parametrize("order_id", ["PED-ENTREGUE", "123"])
async def test_a_delivered_order_is_not_eligible(retail_client: Client, call: Any, order_id: str) -> None:
    async with retail_client as client:
        verdict = await call(client, "validar_cancelamento_pedido", {"order_id": order_id})
        refused = await call(client, "cancelar_pedido", {"order_id": order_id})
        shown = await call(client, "consultar_pedido", {"order_id": order_id})
    assert (verdict["eligible"], verdict["status"], verdict["reason"]) == (False, "NOT_ELIGIBLE", DELIVERED)
    assert (refused["success"], refused["reason"]) == (False, DELIVERED)
    assert shown["status"] == "ENTREGUE"


@pytest.mark.parametrize("order_id", ["PED-9", "", " ", "ped-1001", "P-00001"])
async def test_no_order_stands_for_an_unknown_or_missing_one(
    retail_client: Client, ledger: Ledger, call: Any, order_id: str
) -> None:
    async with retail_client as client:
        verdict = await call(client, "validar_cancelamento_pedido", {"order_id": order_id})
        refused = await call(client, "cancelar_pedido", {"order_id": order_id})
        shown = await call(client, "consultar_pedido", {"order_id": order_id})
        absent = await client.call_tool("cancelar_pedido", {})
    assert verdict["eligible"] is False
    assert verdict["reason"]
    assert refused == {"order_id": order_id, "success": False, "reason": "not_found"}
    assert shown == refused
    assert absent.is_error
    assert ledger.effects() == []


async def test_a_batch_reports_each_order(retail_client: Client, ledger: Ledger, call: Any) -> None:
    order_ids = ["P-100", "P-101", "P-102"]
    async with retail_client as client:
        verdict = await call(client, "validar_cancelamento_pedidos", {"order_ids": order_ids})
        done = await call(client, "cancelar_pedidos", {"order_ids": order_ids}, key="k")
    assert verdict["status"] == "ELIGIBLE"
    assert verdict["transaction_decision"]["resolved_arguments"]["items"] == [
        {"order_id": order_id, "eligible": True} for order_id in order_ids
    ]
    assert [entry["success"] for entry in done["results"]] == [True, False, True]
    assert done["results"][0]["protocol"] == "ABC1"
    assert done["results"][1] == {"order_id": "P-101", "success": False, "reason": "already_shipped"}
    assert done["results"][2]["protocol"] == "ABC3"
    assert [row.item for row in ledger.effects()] == ["P-100", "P-102"]


async def test_a_batch_with_refused_orders_is_partly_eligible(retail_client: Client, call: Any) -> None:
    async with retail_client as client:
        mixed = await call(client, "validar_cancelamento_pedidos", {"order_ids": ["P-100", "123", "X"]})
        none = await call(client, "validar_cancelamento_pedidos", {"order_ids": ["123", "X"]})
        one = await call(client, "validar_cancelamento_pedidos", {"order_ids": ["123"]})
        empty = await call(client, "validar_cancelamento_pedidos", {"order_ids": []})
    assert (mixed["eligible"], mixed["status"]) == (True, "PARTIALLY_ELIGIBLE")
    assert mixed["transaction_decision"]["resolved_arguments"]["items"] == [
        {"order_id": "P-100", "eligible": True},
        {"order_id": "123", "eligible": False, "reason": DELIVERED},
        {"order_id": "X", "eligible": False, "reason": "Pedido X não encontrado."},
    ]
    assert (none["eligible"], none["status"]) == (False, "NOT_ELIGIBLE")
    assert one["reason"] == DELIVERED
    assert empty["eligible"] is False


async def test_a_return_is_opened_once_per_order(retail_client: Client, ledger: Ledger, call: Any) -> None:
    async with retail_client as client:
        arguments = {"order_id": "PED-1001", "reason": "defeito"}
        first = await call(client, "solicitar_devolucao", arguments, key="a")
        second = await call(client, "solicitar_devolucao", arguments, key="b")
        unknown = await call(client, "solicitar_devolucao", {"order_id": "X", "reason": "defeito"})
    assert first == second
    assert first["protocol"] == "DEV-PED-1001"
    assert first["status"] == "REQUESTED"
    assert unknown["reason"] == "not_found"
    assert len(ledger.effects(tool="solicitar_devolucao")) == 1
    assert [row.replayed for row in ledger.calls(item="PED-1001")] == [False, True]
