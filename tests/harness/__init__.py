"""What the tests share: a scriptable MCP tool server with a ledger, and a desk that runs transactions for real."""

from harness.desk import Desk, Tx
from harness.serving import serving
from harness.tool_server import Call, ToolServer, answered, failed, text_answer

__all__ = ["Call", "Desk", "ToolServer", "Tx", "answered", "failed", "serving", "text_answer"]
