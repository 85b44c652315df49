"""An MCP server that knows nothing of Confirmo; what it does goes into the file that it is given."""

import sys
from pathlib import Path

from mcp.server import MCPServer
from mcp_types import ToolAnnotations


def build(ledger: Path) -> MCPServer:
    server = MCPServer("plain")

    @server.tool(annotations=ToolAnnotations(read_only_hint=True))
    def list_labels() -> list[str]:
        """List all labels."""
        return ["a", "b"]

    @server.tool(annotations=ToolAnnotations(read_only_hint=True, destructive_hint=True))
    def odd() -> str:
        """Says that it only reads, and that it destroys."""
        return "done"

    @server.tool(title="Add labels")
    def add_labels(issue: int, labels: list[str], note: str | None = None) -> str:
        """Add labels to an issue."""
        with ledger.open("a") as file:
            file.write(f"{issue} {','.join(labels)} {note}\n")
        return f"{len(labels)} added"

    @server.tool()
    def break_down(issue: int) -> str:
        """Fail."""
        raise ValueError("no")

    return server


if __name__ == "__main__":
    build(Path(sys.argv[1])).run("stdio")
