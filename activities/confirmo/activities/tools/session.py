"""One open MCP session, owned by a task of its own.

The SDK's task groups must be left in the task that entered them, and a session outlives the activity that
first needed it. So a task opens it, says when it is ready, and waits until nobody needs it any more.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from contextvars import Context
from typing import Any, Final

from mcp import ClientSession, MCPError
from mcp.types import (
    CONNECTION_CLOSED,
    METHOD_NOT_FOUND,
    ClientRequest,
    ErrorData,
    Implementation,
)
from pydantic import BaseModel

from confirmo.activities.tools.causes import no_answer_in_time
from confirmo.activities.tools.exchange import Exchange, exchanging
from confirmo.activities.tools.failures import (
    REJECTED,
    STALE_STATUSES,
    UNREACHABLE,
    Phase,
    ended_by_server,
    failed,
    failure,
)
from confirmo.activities.tools.late import Late, Overdue
from confirmo.activities.tools.listing import ListNeverEnds, ToolListing
from confirmo.activities.tools.streams import Connection, RawDispatcher
from confirmo.activities.tools.texts import secrets_of
from confirmo.policies.errors import CallFailed
from confirmo.policies.tool_spec import ServerSpec

logger = logging.getLogger(__name__)

CLIENT_INFO: Final = Implementation(name="confirmo", version="1")
_UNKNOWN_SESSION_WORDS = (b"session", b"not initialized")


class _Unread(BaseModel):
    """Stands for any result; the raw one is in the exchange."""


class NotOffered(CallFailed):
    """The server does not know the method at all."""


class SessionGone(Exception):
    """The server does not know the session any more and has done nothing; a new one may be accepted."""

    def __init__(self, failure: CallFailed) -> None:
        """Keep the failure for the case that a new session is refused as well."""
        super().__init__(failure.reason)
        self.failure = failure


class Session:
    """A session from its opening, which starts at once, to its end.

    Attributes:
        task: The owner; done when nothing is left of the session, no child process and no connection.
        listing: What the server listed in this session, once somebody asked.
        listing_lock: Held by whoever asks for the list.
    """

    def __init__(self, spec: ServerSpec, connect: Callable[[ServerSpec], Connection]) -> None:
        """Start opening; at most ``spec.timeout_seconds``, connecting and handshake together."""
        self._spec = spec
        self._connect = connect
        self._secrets = secrets_of(spec)
        self._settled = asyncio.Event()
        self._end = asyncio.Event()
        self._client: ClientSession | None = None
        self._failure: CallFailed | None = None
        self._users = 0
        self._retired = False
        self.listing: tuple[ToolListing, ...] | ListNeverEnds | None = None
        self.listing_lock = asyncio.Lock()
        # An empty context: a session must not carry the trace, the activity or the exchange of whoever came
        # first.
        self.task = asyncio.create_task(self._own(), name=f"tool server {spec.name}", context=Context())
        # A task that is cancelled before its first step never runs, not even its "finally".
        self.task.add_done_callback(lambda _: self._over())

    @property
    def over(self) -> bool:
        """Whether a new call needs a new session."""
        return self._retired or self._end.is_set()

    async def ready(self) -> None:
        """Wait until the session is open.

        Raises:
            CallFailed: it could not be opened; every waiter gets the same answer.
        """
        await self._settled.wait()
        if self._client is None:
            closed = failed(UNREACHABLE, self._spec.name, Phase.CONNECT, "it was closed while it was opening")
            refused = self._failure or closed
            raise refused.again()

    def retire(self) -> None:
        """Take no further calls, and end when those in flight have their answers."""
        self._retired = True
        if self._users == 0:
            self._end.set()

    def stop(self) -> None:
        """End now; calls in flight are in doubt."""
        self._end.set()
        if not self._settled.is_set():
            self.task.cancel()

    async def request(
        self,
        request: ClientRequest,
        phase: Phase,
        deadline: float,
        secrets: frozenset[str] = frozenset(),
        grace: float = 0.0,
    ) -> dict[str, Any]:
        """Send one request and return the raw result, unvalidated.

        The deadline is a ceiling: progress never moves it. For ``grace`` seconds more the answer is listened for.

        Raises:
            CallFailed: as the failure table says; ``Overdue`` where the answer may still come.
            SessionGone: nothing was done, and a new session may help.
        """
        exchange = Exchange(deadline=deadline + grace)
        self._users += 1
        try:
            error, late = await self._send(request, exchange, deadline, grace)
        finally:
            self._users -= 1
            if self._retired:
                self.retire()
        if exchange.raw is not None:
            return exchange.raw
        refused = failure(self._spec.name, phase, exchange, error, self._secrets | secrets)
        if self._is_gone(exchange, error):
            raise SessionGone(refused)
        if error is not None and error.code == METHOD_NOT_FOUND and refused.kind is REJECTED:
            raise NotOffered(refused.kind, refused.reason, http_status=refused.http_status, code=refused.code)
        if late is None:
            raise refused
        exchange.lost = None  # told; from here on it says what ends the listening
        raise Overdue(refused, late)

    async def _send(
        self, request: ClientRequest, exchange: Exchange, deadline: float, grace: float
    ) -> tuple[ErrorData | None, Late | None]:
        loop = asyncio.get_running_loop()
        with exchanging(exchange):
            task = asyncio.create_task(self._exchanged(request))
        exchange.give_up = _cancelling(task)
        try:
            await asyncio.wait({task}, timeout=max(0.0, deadline - loop.time()))
        except asyncio.CancelledError:
            task.cancel()
            raise
        if task.done() and not task.cancelled():
            return task.result(), None
        if exchange.lost is None and (exchange.status is None or exchange.status < 300):
            exchange.lost = no_answer_in_time(exchange)
        if exchange.sent and grace > 0 and not task.done():
            loop.call_later(grace, task.cancel)
            return None, Late(task, lambda: exchange.raw, lambda error: ended_by_server(exchange, error))
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return None, None

    async def _exchanged(self, request: ClientRequest) -> ErrorData | None:
        assert self._client is not None
        try:
            await self._client.send_request(request, _Unread)
        except MCPError as error:
            return error.error
        except Exception as error:
            # The result broke even the protocol's own shape, or the session ended under the call. What came is
            # in the exchange.
            logger.debug("tool server %s: %s", self._spec.name, type(error).__name__)
        return None

    def _is_gone(self, exchange: Exchange, error: ErrorData | None) -> bool:
        if exchange.status in STALE_STATUSES:
            return not exchange.proves(METHOD_NOT_FOUND)
        if exchange.status == 400:
            # The TypeScript SDK's servers say 400 where the specification says 404.
            return any(word in bytes(exchange.body).lower() for word in _UNKNOWN_SESSION_WORDS)
        closed = error is None or error.code == CONNECTION_CLOSED
        return closed and not exchange.sent and not exchange.taken and exchange.lost is None

    async def _own(self) -> None:
        try:
            async with AsyncExitStack() as stack:
                try:
                    self._client = await self._open(stack)
                    self._settled.set()
                    await self._end.wait()
                except CallFailed as refused:
                    self._failure = refused
                finally:
                    # Before the cleaning up, which may take seconds: the next call opens a new session at once.
                    self._over()
        except Exception as error:
            logger.debug("tool server %s: the session ended with %s", self._spec.name, type(error).__name__)

    def _over(self) -> None:
        self._end.set()
        self._settled.set()

    async def _open(self, stack: AsyncExitStack) -> ClientSession:
        deadline = asyncio.get_running_loop().time() + self._spec.timeout_seconds
        exchange, phase = Exchange(deadline=deadline), Phase.CONNECT
        try:
            # Not a cancel scope of anyio: those must nest, and what is opened here stays open.
            async with asyncio.timeout_at(deadline) as limit:
                exchange.give_up = _giving_up(limit)
                with exchanging(exchange):
                    streams = await stack.enter_async_context(self._connect(self._spec))
                    dispatcher = RawDispatcher(streams, self._end.set)
                    client = ClientSession(dispatcher=dispatcher, client_info=CLIENT_INFO)
                    await stack.enter_async_context(client)
                exchange, phase = Exchange(deadline=deadline, give_up=exchange.give_up), Phase.INITIALIZE
                await _handshake(client, exchange)
                return client
        except Exception as error:
            raise self._opening_failed(error, phase, exchange) from None

    def _opening_failed(self, error: Exception, phase: Phase, exchange: Exchange) -> CallFailed:
        said = error.error if isinstance(error, MCPError) else None
        if exchange.lost is None and said is None:
            exchange.lost = _cause(error, exchange)
        return failure(self._spec.name, phase, exchange, said, self._secrets)


def _cancelling(task: asyncio.Task[Any]) -> Callable[[], None]:
    def give_up() -> None:
        task.cancel()

    return give_up


def _giving_up(limit: asyncio.Timeout) -> Callable[[], None]:
    def give_up() -> None:
        with suppress(RuntimeError):
            limit.reschedule(asyncio.get_running_loop().time())

    return give_up


async def _handshake(client: ClientSession, exchange: Exchange) -> None:
    """Open with ``initialize``; a server that refuses it is asked for the later, handshake-free revision.

    The SDK's own order (``mode="auto"``) is the other way round: it probes ``server/discover`` first and
    waits ten seconds for servers that drop what they do not know before the handshake.
    """
    with exchanging(exchange):
        try:
            await client.initialize()
            return
        except MCPError as error:
            refused = error
    if exchange.lost is not None or exchange.status not in (None, 200, 400, 404):
        raise refused
    with exchanging(Exchange(deadline=exchange.deadline)):
        try:
            await client.discover()
        except Exception:
            raise refused from None


def _cause(error: Exception, exchange: Exchange) -> str:
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, TimeoutError):
        return no_answer_in_time(exchange)
    if isinstance(error, OSError):
        return f"the command cannot be started ({type(error).__name__})"
    return f"the session cannot be opened ({type(error).__name__})"
