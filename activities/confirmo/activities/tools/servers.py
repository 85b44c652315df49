"""All tool servers of a worker behind one door."""

import asyncio
import json
import logging
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from confirmo.activities.tools.failures import REJECTED, UNREACHABLE, Phase, failed
from confirmo.activities.tools.guarding import Guard
from confirmo.activities.tools.http import RestServer
from confirmo.activities.tools.listing import ToolListing
from confirmo.activities.tools.mcp_server import McpServer
from confirmo.activities.tools.sse import connect_sse
from confirmo.activities.tools.stdio import connect_stdio
from confirmo.activities.tools.streamable_http import connect_streamable_http
from confirmo.policies.models import ToolAnswer
from confirmo.policies.tool_spec import ServerSpec


class _Server(Protocol):
    async def call(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        meta: Mapping[str, Any],
        key: str | None,
        timeout: float,
        grace: float,
        guard: Guard,
        patience: float | None,
        /,
    ) -> ToolAnswer: ...
    async def tools(self) -> tuple[ToolListing, ...]: ...
    async def reach(self) -> None: ...
    async def aclose(self) -> None: ...


_TRANSPORTS: Final[dict[str, Callable[[ServerSpec], _Server]]] = {
    "streamable_http": lambda spec: McpServer(spec, connect_streamable_http),
    "stdio": lambda spec: McpServer(spec, connect_stdio),
    "sse": lambda spec: McpServer(spec, connect_sse),
    "http": RestServer,
}
_NOISY_LOGGERS: Final = ("mcp", "client", "httpx2", "httpcore2")


def _nothing() -> None:
    return


class ToolServers:
    """Sessions to tool servers: one object per worker, used by all its activities on one event loop.

    Sessions are opened by the first call that needs them, shared, and opened again by the next call once
    lost. A call therefore takes at most the server's ``timeout_seconds`` for opening plus its own timeout,
    and twice that where the server has forgotten the session; waiting for a slot comes on top.
    """

    def __init__(self, servers: Mapping[str, ServerSpec]) -> None:
        """Open nothing yet.

        The loggers of the SDK and its HTTP library are turned off where nobody has set them: they write
        addresses with their queries, headers and whole messages.
        """
        self._servers = {
            name: _TRANSPORTS[spec.transport](spec) for name, spec in servers.items() if spec.enabled
        }
        self._disabled = frozenset(name for name, spec in servers.items() if not spec.enabled)
        self._closed = False
        for name in _NOISY_LOGGERS:
            noisy = logging.getLogger(name)
            if noisy.level == logging.NOTSET:
                noisy.setLevel(logging.CRITICAL + 1)

    async def call(
        self,
        server: str,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        meta: Mapping[str, Any],
        idempotency_key: str | None,
        timeout: float,
        grace: float = 0.0,
        guard: Guard = _nothing,
        patience: float | None = None,
    ) -> ToolAnswer:
        """Call a tool once.

        Args:
            server: Name of the server.
            tool: Name of the tool.
            arguments: Sent as they are; they must be JSON.
            meta: Travels as ``_meta`` (not over ``http``).
            idempotency_key: Travels as the header ``Idempotency-Key`` over ``http`` only; elsewhere it is in
                ``meta``.
            timeout: Seconds for the answer, counted from the sending. A ceiling: progress does not extend it.
            grace: Seconds for which an answer is listened for after that.
            guard: Called, and awaited where it is to be, right before the call is sent, once the session is open and
                the slot free; what it raises keeps it from being sent.
            patience: Seconds to wait until the server takes a call, by its limits and by what it asked for with
                ``Retry-After``; null means as long as it takes.

        Raises:
            CallFailed: there is no answer; the kind says what that proves. ``Overdue`` where it may still come.
        """
        target = self._server(server, Phase.CALL)
        if not (_is_json(arguments) and _is_json(meta)):
            raise failed(REJECTED, server, Phase.CALL, "the arguments cannot be written as JSON")
        return await target.call(tool, arguments, meta, idempotency_key, timeout, grace, guard, patience)

    async def tools(self, server: str) -> tuple[ToolListing, ...]:
        """Return what the server lists, asked for once per open session.

        An empty tuple from a server that lists nothing, which the transport ``http`` never does, means that
        its tools cannot be told, not that it has none. Nothing was executed, so the failure is never a doubt.

        Raises:
            CallFailed: the list could not be had.
            ListNeverEnds: the list was cut; its beginning is in the exception and can be used.
        """
        return await self._server(server, Phase.LIST).tools()

    async def reach(self, server: str) -> None:
        """Make sure that the server answers, without calling a tool.

        Raises:
            CallFailed: it does not.
        """
        await self._server(server, Phase.CONNECT).reach()

    async def aclose(self) -> None:
        """Close every session.

        Bounded; leaves no connection and no child process. Calls in flight are in doubt.
        """
        self._closed = True
        await asyncio.gather(*(server.aclose() for server in self._servers.values()), return_exceptions=True)

    def _server(self, name: str, phase: Phase) -> _Server:
        if self._closed:
            raise failed(UNREACHABLE, name, phase, "the worker is shutting down, nothing was sent")
        if name in self._disabled:
            raise failed(REJECTED, name, phase, "the server is disabled")
        if (server := self._servers.get(name)) is None:
            raise failed(REJECTED, name, phase, "there is no server of that name")
        return server


def _is_json(value: Mapping[str, Any]) -> bool:
    # The SDK would find out inside the session's task group, and every other call would pay for it.
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError):
        return False
    return True
