"""Transport ``sse``, the HTTP transport of the protocol's first revision.

The SDK takes answers of up to 1 MiB here and sends one message after the other.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import httpx2
from mcp.client.sse import sse_client

from confirmo.activities.tools.recording import http_client
from confirmo.activities.tools.streams import MendingStream
from confirmo.policies.tool_spec import ServerSpec

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams


@asynccontextmanager
async def connect_sse(spec: ServerSpec) -> "AsyncIterator[TransportStreams]":
    """Open a server's event stream and wait for the address to write to."""
    endpoint = spec.endpoint or ""

    def client(
        headers: dict[str, str] | None = None,
        timeout: httpx2.Timeout | None = None,
        auth: httpx2.Auth | None = None,
    ) -> httpx2.AsyncClient:
        # The SDK's own timeouts (300 s between two events) would end a session that is merely idle.
        return http_client(endpoint, spec.headers, spec.timeout_seconds, hide_refusals=True)

    async with sse_client(endpoint, httpx_client_factory=client) as (read, write):
        yield MendingStream(read), write
