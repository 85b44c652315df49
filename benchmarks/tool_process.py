"""A tool server with trivial tools, in a process of its own."""

import sys
from pathlib import Path
from typing import Any

import uvicorn

TOOL_COMMAND = [sys.executable, str(Path(__file__).resolve())]


def application() -> Any:
    """Return the ASGI application: ``check`` resolves N items, ``act`` and ``execute`` do one."""
    from mcp.server import MCPServer

    server = MCPServer("bench")

    @server.tool()
    def check(subject: str) -> dict[str, Any]:
        """Resolve ``subject``, a number, to that many items."""
        items = [{"id": f"I-{number}", "name": f"Item {number}"} for number in range(1, int(subject) + 1)]
        return {"eligible": True, "transaction_decision": {"resolved_arguments": {"items": items}}}

    @server.tool()
    def act(subject: str) -> dict[str, Any]:
        """Do one item."""
        return {"subject": subject, "success": True}

    @server.tool()
    def execute(subjects: list[str]) -> dict[str, Any]:
        """Do one item, given as a list of one."""
        return {"subject": subjects[0], "success": True}

    return server.streamable_http_app(json_response=True)


if __name__ == "__main__":
    uvicorn.run(application(), host="127.0.0.1", port=int(sys.argv[1]), log_level="critical", ws="none")
