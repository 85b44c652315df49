"""One MCP server as all activities of a worker share it: its session, its limits, its list of tools."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, TypeVar

from mcp.types import (
    CallToolRequest,
    CallToolRequestParams,
    ListToolsRequest,
    PaginatedRequestParams,
)

from confirmo.activities.tools.answers import UnreadableAnswer, answer_of
from confirmo.activities.tools.failures import DOUBT, Phase, failed
from confirmo.activities.tools.guarding import Guard, passed
from confirmo.activities.tools.late import Overdue
from confirmo.activities.tools.limits import Limits
from confirmo.activities.tools.listing import ListNeverEnds, ToolListing, list_tools
from confirmo.activities.tools.session import NotOffered, Session, SessionGone
from confirmo.activities.tools.streams import Connection
from confirmo.activities.tools.texts import scalars
from confirmo.policies.models import ToolAnswer
from confirmo.policies.tool_spec import ServerSpec

STOP_SECONDS: Final = 8.0
"""Above the SDK's own bounds for a child process: 2 s to leave, 2 s after SIGTERM, 2 s after SIGKILL."""

T = TypeVar("T")


class McpServer:
    """A server that speaks the Model Context Protocol over any of its transports."""

    def __init__(self, spec: ServerSpec, connect: Callable[[ServerSpec], Connection]) -> None:
        """Open nothing yet."""
        self._spec = spec
        self._connect = connect
        self._limits = Limits(spec)
        self._session: Session | None = None
        self._sessions: set[Session] = set()

    async def call(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        meta: Mapping[str, Any],
        _key: str | None,
        timeout: float,
        grace: float,
        guard: Guard,
        patience: float | None,
    ) -> ToolAnswer:
        """Call a tool; ``timeout`` seconds from the moment in which the slot is free and the session open."""
        params = CallToolRequestParams.model_validate(
            {"name": tool, "arguments": dict(arguments), "_meta": dict(meta) or None}, by_alias=True
        )
        request = CallToolRequest(params=params)
        secrets = scalars(arguments)

        async def send(session: Session) -> dict[str, Any]:
            await passed(guard)
            return await session.request(request, Phase.CALL, self._now() + timeout, secrets, grace)

        # Before the slot: while a server cannot be reached, all its callers shall wait for one attempt
        # together.
        began = self._now()
        async with self._limits.heeding(Phase.CONNECT, patience):
            await self.reach()
        left = None if patience is None else max(0.0, patience - (self._now() - began))
        try:
            async with self._limits.slot(left):
                raw = await self._on_session(send)
        except Overdue as overdue:
            overdue.late.reading(answer_of)
            raise
        try:
            return answer_of(raw)
        except UnreadableAnswer as unreadable:
            raise failed(DOUBT, self._spec.name, Phase.CALL, str(unreadable)) from None

    async def tools(self) -> tuple[ToolListing, ...]:
        """Return the server's tools, asked for once per session; none where it does not list them."""
        async with self._limits.heeding(Phase.LIST, self._spec.timeout_seconds):
            return await self._on_session(self._tools)

    async def reach(self) -> None:
        """Open the session, where it is not open."""
        await self._open()

    async def aclose(self) -> None:
        """End every session. Bounded; no child process is left."""
        for session in self._sessions:
            session.stop()
        tasks = {session.task for session in self._sessions}
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=STOP_SECONDS)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def _open(self) -> Session:
        session = self._session
        if session is None or session.over:
            session = self._session = Session(self._spec, self._connect)
            self._sessions.add(session)
            session.task.add_done_callback(lambda _: self._sessions.discard(session))
        await session.ready()
        return session

    async def _on_session(self, use: Callable[[Session], Awaitable[T]]) -> T:
        """Use the session; where the server has forgotten it, once more on a new one."""
        session = await self._open()
        try:
            return await use(session)
        except SessionGone:
            session.retire()
        session = await self._open()
        try:
            return await use(session)
        except SessionGone as gone:
            session.retire()
            raise gone.failure from None

    async def _tools(self, session: Session) -> tuple[ToolListing, ...]:
        async with session.listing_lock:
            if session.listing is None:
                session.listing = await self._list(session)
        if isinstance(session.listing, ListNeverEnds):
            raise ListNeverEnds(self._spec.name, session.listing.tools)
        return session.listing

    async def _list(self, session: Session) -> tuple[ToolListing, ...] | ListNeverEnds:
        deadline = self._now() + self._spec.timeout_seconds

        async def page(cursor: str | None) -> dict[str, Any]:
            params = None if cursor is None else PaginatedRequestParams(cursor=cursor)
            return await session.request(ListToolsRequest(params=params), Phase.LIST, deadline)

        try:
            return await list_tools(self._spec.name, page, deadline)
        except ListNeverEnds as endless:
            return endless
        except NotOffered:
            return ()

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()
