"""The shop's orders, and what its rules say of them. Pure: no state, no effect.

PED-1001 may be cancelled; PED-ENTREGUE and 123 are delivered; P-100, P-101 and P-102 look fine, but P-101
turns out to have left the warehouse when it is cancelled. P-10000 to P-99999 exist for large batches.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from confirmo.examples.ledger import Answer, Outcome

DELIVERED = "Pedido já entregue não pode ser cancelado por esta operação."
ALREADY_CANCELLED = "Pedido já cancelado."


@dataclass(frozen=True, slots=True)
class Order:
    """One order.

    Attributes:
        status: Before any cancellation.
        protocol: Given when it is cancelled; null for the usual ``CANCEL-2026-<order>``.
        refusal: What the warehouse says when it is cancelled, although the rules allow it; null for "done".
    """

    order_id: str
    status: str = "EM_SEPARACAO"
    protocol: str | None = None
    refusal: str | None = None


_ORDERS = {
    order.order_id: order
    for order in (
        Order("PED-1001", "EM_TRANSPORTE", protocol="CANCEL-2026-001"),
        Order("PED-ENTREGUE", "ENTREGUE"),
        Order("123", "ENTREGUE"),
        Order("P-100", protocol="ABC1"),
        Order("P-101", "EM_TRANSPORTE", refusal="already_shipped"),
        Order("P-102", protocol="ABC3"),
    )
}
_GENERATED = re.compile(r"P-[1-9]\d{4}")


def find_order(order_id: str) -> Order | None:
    """Return the order of exactly this id, or null. No id stands for another, and none for a missing one."""
    if _GENERATED.fullmatch(order_id):
        return Order(order_id)
    return _ORDERS.get(order_id)


def describe(order: Order, is_cancelled: Callable[[str], bool]) -> Answer:
    """Return an order as the shop shows it."""
    return {
        "order_id": order.order_id,
        "success": True,
        "status": "CANCELAMENTO_SOLICITADO" if is_cancelled(order.order_id) else order.status,
        "customer_id": "CLIENTE-001",
        "items": [{"sku": "LIV-001", "price": 199.90}, {"sku": "CAB-USB", "price": 150.00}],
        "total": 349.90,
    }


def why_not_cancellable(order_id: str, is_refused: Callable[[str], bool]) -> str | None:
    """Return in pt-BR why an order may not be cancelled, or null where it may.

    Args:
        order_id: The order.
        is_refused: Tells whether it must be refused as cancelled already.
    """
    if not order_id.strip():
        return "Informe o número do pedido."
    order = find_order(order_id)
    if order is None:
        return f"Pedido {order_id} não encontrado."
    if order.status == "ENTREGUE":
        return DELIVERED
    return ALREADY_CANCELLED if is_refused(order_id) else None


def cancel(order_id: str, is_refused: Callable[[str], bool]) -> Outcome:
    """Cancel one order."""
    order = find_order(order_id)
    if order is None:
        return _no(order_id, "not_found")
    reason = why_not_cancellable(order_id, is_refused) or order.refusal
    if reason is not None:
        return _no(order_id, reason)
    answer = {
        "order_id": order_id,
        "success": True,
        "protocol": order.protocol or f"CANCEL-2026-{order_id}",
        "status": "CANCELAMENTO_SOLICITADO",
    }
    return Outcome(answer, effect=True)


def request_return(order_id: str, reason: str) -> Outcome:
    """Open the return of one order; an order has at most one."""
    if find_order(order_id) is None:
        return _no(order_id, "not_found")
    answer = {
        "order_id": order_id,
        "success": True,
        "protocol": f"DEV-{order_id}",
        "status": "REQUESTED",
        "motivo": reason,
    }
    return Outcome(answer, effect=True)


def _no(order_id: str, reason: str) -> Outcome:
    return Outcome({"order_id": order_id, "success": False, "reason": reason}, effect=False)
