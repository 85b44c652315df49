"""Sessions to tool servers, one file per transport."""

from confirmo.activities.tools.compare import Finding, ServerReport, compare
from confirmo.activities.tools.listing import ListNeverEnds, ToolListing
from confirmo.activities.tools.servers import ToolServers

__all__ = ["Finding", "ListNeverEnds", "ServerReport", "ToolListing", "ToolServers", "compare"]
