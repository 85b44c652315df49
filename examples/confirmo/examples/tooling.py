"""How a tool is offered: its hints, its description, its structured answer."""

import json
from collections.abc import Callable
from typing import Any

from mcp.server import MCPServer
from mcp.types import CallToolResult, TextContent, ToolAnnotations

from confirmo.examples.ledger import Answer

READ_ONLY = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
DESTRUCTIVE = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=False
)
"""It undoes something that exists. Without a key, twice is twice: hence not idempotent."""
ADDITIVE = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
)
ADDITIVE_ONCE = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)

Tool = tuple[Callable[..., Any], ToolAnnotations, str]
"""The function, its hints, its description in pt-BR."""


def build_server(name: str, instructions: str, tools: list[Tool]) -> MCPServer[Any]:
    """Return an MCP server with these tools; a tool's name is its function's name."""
    # Warnings only: a log line for each request costs more than the request.
    server = MCPServer[Any](name, instructions=instructions, log_level="WARNING")
    for function, annotations, description in tools:
        server.add_tool(function, annotations=annotations, description=description)
    return server


def structured(answer: Answer) -> CallToolResult:
    """Return the answer as structured content, and as JSON text for clients that read only text."""
    text = json.dumps(answer, ensure_ascii=False)
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=answer)


def failed(text: str) -> CallToolResult:
    """Return a tool error that says exactly this."""
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)
