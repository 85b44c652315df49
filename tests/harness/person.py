"""The user behind an MCP client."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import mcp_types as types

YES = types.ElicitResult(action="accept", content={"confirm": True})


@dataclass
class Person:
    """The user behind a client: gives its replies in order, and keeps what it was shown."""

    replies: list[types.ElicitResult | Callable[[], Awaitable[types.ElicitResult]]]
    shown: list[types.ElicitRequestFormParams] = field(default_factory=list)

    async def __call__(self, _context: Any, params: Any) -> types.ElicitResult:
        self.shown.append(params)
        reply = self.replies.pop(0)
        return reply if isinstance(reply, types.ElicitResult) else await reply()
