"""The Retail scenario of seed 002 beside the shop, and the tool calls that an agent picks in conversations."""

from typing import Any

from harness.shop import F1, F2
from harness.tool_server import Call

RETAIL_TOOLS: dict[str, Any] = {
    "cancelar_pedido": {
        "description": "Cancela um pedido",
        "mcp_server": "loja",
        "tool_type": "action",
        "args_schema": {
            "order_id": {"type": "string", "label": "o número do pedido"},
            "motivo": "string",
            "avisar": {"type": "boolean", "label": "se devo avisar por e-mail"},
        },
    },
    "validar_cancelamento_pedido": {
        "mcp_server": "loja",
        "tool_type": "internal",
        "args_schema": {"order_id": "string"},
    },
}
RETAIL_POLICIES: dict[str, Any] = {
    "cancelar_pedido": {
        "operation_type": "transactional",
        "require_confirmation": True,
        "requires": ["order_id"],
        "pre_validation": {"enabled": True, "tool": "validar_cancelamento_pedido", "fail_open": False},
    },
    "validar_cancelamento_pedido": {"operation_type": "internal"},
}
DELIVERED = "Pedido já entregue não pode ser cancelado por esta operação."
RETURN = "devolver_encomendas"
END = "encerrar_assinaturas"
F1_CALL = {"tool_name": F1[0], "arguments": F1[1]}
F2_CALL = {"tool_name": F2[0], "arguments": F2[1]}
READ_CALL = {"tool_name": "listar_faturas"}


def cancel_order(order_id: str | None = None, **more: Any) -> dict[str, Any]:
    return {"tool_name": "cancelar_pedido", "arguments": ({"order_id": order_id} if order_id else {}) | more}


def check_order(call: Call) -> dict[str, Any]:
    if call.arguments["order_id"] == "PED-ENTREGUE":
        return {"eligible": False, "status": "NOT_ELIGIBLE", "reason": DELIVERED}
    return {"eligible": True, "status": "ELIGIBLE", "order_id": call.arguments["order_id"]}


def retail_behaviour() -> dict[str, Any]:
    """The validator of the seed, and a tool that cancels."""
    return {
        "validar_cancelamento_pedido": check_order,
        "cancelar_pedido": lambda call: {
            "order_id": call.arguments["order_id"],
            "success": True,
            "protocol": "C-1",
        },
    }
