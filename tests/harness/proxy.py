"""A TCP proxy that delays, cuts and drops what passes through it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import StrEnum


class Fault(StrEnum):
    """What happens to traffic; set it at any time, it acts at once."""

    NONE = "none"
    DROP_ANSWERS = "drop_answers"
    """What the server says is swallowed; the connection stays open."""
    CUT_ANSWERS = "cut_answers"
    """The connection is reset as soon as the server answers."""
    CUT_REQUESTS = "cut_requests"
    """The connection is reset before anything reaches the server."""
    REFUSE = "refuse"
    """New connections are closed at once, and the open ones are reset."""


@dataclass
class Proxy:
    """Stands between a client and ``target``; ``fault`` and ``delay`` may change while it runs."""

    target: int
    fault: Fault = Fault.NONE
    delay: float = 0.0
    port: int = 0
    came: int = 0
    """Times that something came in, from either side."""
    struck: int = 0
    """Times that a fault cut or refused a connection."""
    _writers: set[asyncio.StreamWriter] = field(default_factory=set)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Proxy"]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            self.reset()
            for task in tuple(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def reset(self) -> None:
        """Reset every open connection."""
        for writer in tuple(self._writers):
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        with contextlib.suppress(OSError, asyncio.CancelledError):
            if self.fault is Fault.REFUSE:
                self.struck += 1
                writer.transport.abort()
                return
            above = await asyncio.open_connection("127.0.0.1", self.target)
            self._writers |= {writer, above[1]}
            try:
                ways = (
                    self._pass(reader, above[1], answers=False),
                    self._pass(above[0], writer, answers=True),
                )
                await asyncio.gather(*ways)
            finally:
                for end in (writer, above[1]):
                    self._writers.discard(end)
                    end.transport.abort()
        self._tasks.discard(task)

    async def _pass(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, answers: bool
    ) -> None:
        while data := await reader.read(65_536):
            self.came += 1
            if self.delay:
                await asyncio.sleep(self.delay)
            if self.fault is Fault.DROP_ANSWERS and answers:
                continue
            cut = Fault.CUT_ANSWERS if answers else Fault.CUT_REQUESTS
            if self.fault in (cut, Fault.REFUSE):
                self.struck += 1
                raise ConnectionResetError
            writer.write(data)
            await writer.drain()
        with contextlib.suppress(OSError):
            writer.write_eof()
