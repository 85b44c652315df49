"""What the tests share: a scriptable MCP tool server with a ledger, and a desk that runs transactions for real."""

from harness.desk import Desk, Refused, Tx, gone, refusal, until
from harness.front import Page
from harness.receiver import Delivered, WebhookReceiver
from harness.serving import serving
from harness.tool_server import Call, ToolServer, answered, failed, text_answer

__all__ = [
    "Call",
    "Delivered",
    "Desk",
    "Page",
    "Refused",
    "ToolServer",
    "Tx",
    "WebhookReceiver",
    "answered",
    "failed",
    "gone",
    "refusal",
    "serving",
    "text_answer",
    "until",
]
