"""Sessions to tool servers, one file per transport."""

from confirmo.activities.tools.compare import Finding, ServerReport, compare
from confirmo.activities.tools.late import Late, Overdue
from confirmo.activities.tools.listing import ListNeverEnds, ToolListing
from confirmo.activities.tools.servers import ToolServers

__all__ = [
    "Finding",
    "Late",
    "ListNeverEnds",
    "Overdue",
    "ServerReport",
    "ToolListing",
    "ToolServers",
    "compare",
]
