"""Transport ``streamable_http``."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from mcp.client.streamable_http import streamable_http_client

from confirmo.activities.tools.causes import MAX_ANSWER_BYTES
from confirmo.activities.tools.recording import http_client
from confirmo.policies.tool_spec import ServerSpec

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams


@asynccontextmanager
async def connect_streamable_http(spec: ServerSpec) -> "AsyncIterator[TransportStreams]":
    """Open the streams of a streamable HTTP server. Nothing is sent yet."""
    endpoint = spec.endpoint or ""
    async with (
        http_client(endpoint, spec.headers, spec.timeout_seconds) as client,
        streamable_http_client(endpoint, http_client=client, max_sse_event_size=MAX_ANSWER_BYTES) as streams,
    ):
        yield streams
