"""Transport ``stdio``: a child process of the worker, spawned with the session and gone with it."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from mcp.client.stdio import StdioServerParameters, stdio_client

from confirmo.activities.tools.streams import MarkingStream, MendingStream
from confirmo.policies.tool_spec import ServerSpec

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams


@asynccontextmanager
async def connect_stdio(spec: ServerSpec) -> "AsyncIterator[TransportStreams]":
    """Spawn a server's command.

    Its environment is what the file names and the SDK's safe default (``PATH``, ``HOME`` and the like). What
    it writes to stderr is dropped: it may quote anything, and the terminal is not its own.
    """
    command = StdioServerParameters(
        command=spec.command or "",
        args=list(spec.args),
        env=dict(spec.env),
        # With "strict" one bad byte would end the session and every call in flight.
        encoding_error_handler="replace",
    )
    with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: ASYNC230 - never blocks
        async with stdio_client(command, errlog=nowhere) as (read, write):
            yield MendingStream(read), MarkingStream(write)
