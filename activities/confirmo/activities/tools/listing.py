"""A server's list of tools: pages, bounded, whatever the server does."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from confirmo.policies.json_text import clean

MAX_PAGES: Final = 200
MAX_PAGES_WITHOUT_NEWS: Final = 3


@dataclass(frozen=True)
class ToolListing:
    """One tool as its server describes it; a hint is null where the server does not give it as a boolean."""

    name: str
    description: str = ""
    input_schema: dict[str, Any] | None = None
    output_schema: dict[str, Any] | None = None
    title: str | None = None
    read_only_hint: bool | None = None
    destructive_hint: bool | None = None
    idempotent_hint: bool | None = None
    open_world_hint: bool | None = None


class ListNeverEnds(Exception):
    """A list of tools that was cut because it does not come to an end.

    Attributes:
        tools: What was listed until then, each tool once. It can be used.
        reason: One sentence that names the server.
    """

    def __init__(self, server: str, tools: tuple[ToolListing, ...]) -> None:
        """Say which server it was."""
        self.tools = tools
        self.reason = f"Tool server {server!r}, list: the list of tools never ends; {len(tools)} were taken."
        super().__init__(self.reason)


Page = Callable[[str | None], Awaitable[dict[str, Any]]]
"""Asks for the page at a cursor and returns the raw result."""


async def list_tools(server: str, page: Page, deadline: float) -> tuple[ToolListing, ...]:
    """Return all tools of a server, each name once, in the server's order.

    Args:
        server: Name of the server, for the message.
        page: Asks for one page.
        deadline: Time of the running loop after which no further page is asked for.

    Raises:
        ListNeverEnds: a cursor came again, ``MAX_PAGES_WITHOUT_NEWS`` pages in a row brought no new tool,
            there are more than ``MAX_PAGES`` pages, or the deadline passed between two pages.
    """
    tools: dict[str, ToolListing] = {}
    cursors: set[str | None] = {None}
    cursor: str | None = None
    without_news = 0
    for _ in range(MAX_PAGES):
        raw = await page(cursor)
        known = len(tools)
        for listing in _listings(raw):
            tools.setdefault(listing.name, listing)
        cursor = raw.get("nextCursor")
        if not isinstance(cursor, str) or not cursor:
            return tuple(tools.values())
        without_news = 0 if len(tools) > known else without_news + 1
        late = asyncio.get_running_loop().time() >= deadline
        if cursor in cursors or without_news >= MAX_PAGES_WITHOUT_NEWS or late:
            break
        cursors.add(cursor)
    raise ListNeverEnds(server, tuple(tools.values()))


def _listings(raw: dict[str, Any]) -> list[ToolListing]:
    entries = raw.get("tools")
    named = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    return [_listing(clean(entry)) for entry in named if isinstance(entry.get("name"), str)]


def _listing(entry: dict[str, Any]) -> ToolListing:
    annotations = _map(entry.get("annotations")) or {}
    return ToolListing(
        name=entry["name"],
        description=_text(entry.get("description")) or "",
        input_schema=_map(entry.get("inputSchema")),
        output_schema=_map(entry.get("outputSchema")),
        title=_text(entry.get("title")) or _text(annotations.get("title")),
        read_only_hint=_flag(annotations.get("readOnlyHint")),
        destructive_hint=_flag(annotations.get("destructiveHint")),
        idempotent_hint=_flag(annotations.get("idempotentHint")),
        open_world_hint=_flag(annotations.get("openWorldHint")),
    )


def _map(value: Any) -> dict[str, Any] | None:
    return value if isinstance(value, dict) else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None
