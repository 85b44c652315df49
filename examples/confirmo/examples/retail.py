"""The Retail tool server: orders of a shop, their cancellation and their return.

``python -m confirmo.examples.retail`` starts it on port 8200.
"""

import sys
from collections.abc import Sequence
from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from pydantic import Field

from confirmo.examples import orders
from confirmo.examples.desk import Desk, call_key, item_keys
from confirmo.examples.ledger import Answer, Dedupe, Demand, KnobKind, Ledger, Outcome
from confirmo.examples.serve import run
from confirmo.examples.tooling import ADDITIVE_ONCE, DESTRUCTIVE, READ_ONLY, build_server

PORT = 8200
CANCEL_TOOLS = ("cancelar_pedido", "cancelar_pedidos")

OrderId = Annotated[str, Field(description="Número do pedido.")]
OrderIds = Annotated[list[str], Field(description="Números dos pedidos.")]
Key = Annotated[
    str | None, Field(description="Chave de idempotência: a mesma chave nunca executa duas vezes.")
]


class Retail:
    """The tools; a method's name is the tool's name."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._ledger = desk.ledger

    async def consultar_pedido(self, context: Context, order_id: OrderId) -> Answer:
        """Show one order."""
        order = orders.find_order(order_id)
        missing: Answer = {"order_id": order_id, "success": False, "reason": "not_found"}
        answer = orders.describe(order, self._is_cancelled) if order else missing
        return self._desk.answer(context, "consultar_pedido", order_id, answer)

    async def validar_cancelamento_pedido(
        self, context: Context, order_id: OrderId, target_tool: str | None = None
    ) -> Answer:
        """Say whether an order may be cancelled."""
        reason = orders.why_not_cancellable(order_id, self._is_refused)
        answer = _verdict(reason is None) | {"order_id": order_id} | ({"reason": reason} if reason else {})
        return self._desk.answer(context, "validar_cancelamento_pedido", order_id, answer)

    async def validar_cancelamento_pedidos(
        self, context: Context, order_ids: OrderIds, target_tool: str | None = None
    ) -> Answer:
        """Say of each order whether it may be cancelled; what only the warehouse knows comes out later."""
        reasons = {order_id: orders.why_not_cancellable(order_id, self._is_refused) for order_id in order_ids}
        items: list[Answer] = [
            {"order_id": order_id, "eligible": reason is None} | ({"reason": reason} if reason else {})
            for order_id, reason in reasons.items()
        ]
        refused = [reason for reason in reasons.values() if reason]
        if len(refused) == len(items):
            reason = refused[0] if len(refused) == 1 else "Nenhum dos pedidos pode ser cancelado."
            answer = _verdict(False) | {"reason": reason, "items": items}
        else:
            decision = {"resolved_arguments": {"items": items}}
            answer = _verdict(True) | {"transaction_decision": decision}
            answer["status"] = "PARTIALLY_ELIGIBLE" if refused else "ELIGIBLE"
        return self._desk.answer(context, "validar_cancelamento_pedidos", ",".join(order_ids), answer)

    async def cancelar_pedido(
        self, context: Context, order_id: OrderId, idempotency_key: Key = None
    ) -> Answer:
        """Cancel one order."""
        demand = Demand(order_id, call_key(context, idempotency_key))
        return await self._desk.act(context, "cancelar_pedido", demand, self._cancel)

    async def cancelar_pedidos(self, context: Context, order_ids: OrderIds) -> Answer:
        """Cancel several orders in one call; one entry in ``results`` each, in the given order."""
        distinct = list(dict.fromkeys(order_ids))
        demands = [Demand(*pair) for pair in zip(distinct, item_keys(context, distinct), strict=True)]
        return {"results": await self._desk.act_on_all(context, "cancelar_pedidos", demands, self._cancel)}

    async def solicitar_devolucao(
        self, context: Context, order_id: OrderId, reason: Annotated[str, Field(description="Motivo.")]
    ) -> Answer:
        """Open the return of one order. A second request finds the first: the order itself is the key."""
        demand = Demand(order_id, call_key(context))
        return await self._desk.act(
            context,
            "solicitar_devolucao",
            demand,
            lambda order: orders.request_return(order, reason),
            dedupe=Dedupe.ITEM,
        )

    def _cancel(self, order_id: str) -> Outcome:
        return orders.cancel(order_id, self._is_refused)

    def _is_cancelled(self, order_id: str) -> bool:
        return self._ledger.has_effect(CANCEL_TOOLS, order_id)

    def _is_refused(self, order_id: str) -> bool:
        refuses = self._ledger.knobs.armed([KnobKind.REFUSE_REPEATED], CANCEL_TOOLS[0])
        return bool(refuses) and self._is_cancelled(order_id)


def create_server(ledger: Ledger) -> MCPServer[Any]:
    """Return the Retail server on this ledger; closing the ledger is the caller's."""
    retail = Retail(Desk(ledger))
    return build_server(
        "retail",
        "Pedidos de uma loja: consulta, cancelamento e devolução.",
        [
            (retail.consultar_pedido, READ_ONLY, "Mostra um pedido."),
            (retail.validar_cancelamento_pedido, READ_ONLY, "Diz se um pedido pode ser cancelado."),
            (retail.validar_cancelamento_pedidos, READ_ONLY, "Diz de cada pedido se pode ser cancelado."),
            (retail.cancelar_pedido, DESTRUCTIVE, "Cancela um pedido."),
            (retail.cancelar_pedidos, DESTRUCTIVE, "Cancela um ou mais pedidos de uma só vez."),
            (retail.solicitar_devolucao, ADDITIVE_ONCE, "Solicita a devolução de um pedido."),
        ],
    )


def _verdict(eligible: bool) -> Answer:
    return {
        "eligible": eligible,
        "status": "ELIGIBLE" if eligible else "NOT_ELIGIBLE",
        "metadata": {"side_effect_free": True},
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the server until it is told to stop; returns the exit code."""
    return run("retail", create_server, PORT, arguments)


if __name__ == "__main__":
    sys.exit(main())
