"""Wrappers around the SDK's message streams, and the dispatcher that keeps every raw result."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from anyio import TASK_STATUS_IGNORED, EndOfStream
from anyio.abc import TaskStatus
from mcp.shared.dispatcher import CallOptions, OnNotify, OnNotifyIntercept, OnRequest
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.shared.message import SessionMessage
from mcp.shared.transport_context import TransportContext
from mcp.types import RequestId, jsonrpc_message_adapter
from pydantic import ValidationError

from confirmo.activities.tools.exchange import current_exchange
from confirmo.activities.tools.texts import without_lone_surrogates

if TYPE_CHECKING:
    from mcp.client._transport import ReadStream, TransportStreams, WriteStream

Connection: TypeAlias = "AbstractAsyncContextManager[TransportStreams]"
"""An SDK transport that is not entered yet."""


class RawDispatcher(JSONRPCDispatcher[TransportContext]):
    """A dispatcher that keeps each result in its exchange before anything validates it.

    It never sends ``notifications/cancelled``: what a tool has begun it shall end, because an effect that is
    interrupted half way is worse than one whose answer is late. (Over HTTP the SDK would also hold up every
    other message of the session until the server has answered that notification.)
    """

    def __init__(self, streams: "TransportStreams", on_closed: Callable[[], None]) -> None:
        super().__init__(*streams)
        self._on_closed = on_closed

    async def send_raw_request(
        self,
        method: str,
        params: Mapping[str, Any] | None,
        opts: CallOptions | None = None,
        *,
        _related_request_id: RequestId | None = None,
    ) -> dict[str, Any]:
        """Send a request and keep its result."""
        options: CallOptions = {**(opts or {}), "cancel_on_abandon": False}
        raw = await super().send_raw_request(method, params, options, _related_request_id=_related_request_id)
        if (exchange := current_exchange()) is not None:
            exchange.raw = raw
        return raw

    async def run(
        self,
        on_request: OnRequest,
        on_notify: OnNotify,
        on_notify_intercept: OnNotifyIntercept | None = None,
        *,
        task_status: TaskStatus[None] = TASK_STATUS_IGNORED,
    ) -> None:
        """Receive until the stream ends, then say so."""
        try:
            await super().run(on_request, on_notify, on_notify_intercept, task_status=task_status)
        finally:
            self._on_closed()


class MarkingStream:
    """A write stream that notes in the exchange that the message is on its way; for stdio."""

    def __init__(self, inner: "WriteStream[SessionMessage]") -> None:
        self._inner = inner

    async def send(self, item: SessionMessage, /) -> None:
        """Pass a message on.

        A send that is cancelled may still have handed it over, so it is marked first.
        """
        if (exchange := current_exchange()) is not None:
            exchange.sent = True
        await self._inner.send(item)

    async def aclose(self) -> None:
        """Close the stream."""
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


class MendingStream:
    """A read stream that reads a message again which the SDK's parser refused for a lone surrogate."""

    def __init__(self, inner: "ReadStream[SessionMessage | Exception]") -> None:
        self._inner = inner

    @property
    def last_context(self) -> Any:
        """The sender's context of the last message, which the dispatcher looks for."""
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        """Return the next message."""
        return _mended(await self._inner.receive())

    async def aclose(self) -> None:
        """Close the stream."""
        await self._inner.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def _mended(item: SessionMessage | Exception) -> SessionMessage | Exception:
    if not isinstance(item, ValidationError):
        return item
    refused = item.errors()[0]
    if refused["type"] != "json_invalid" or not isinstance(refused["input"], str):
        return item
    try:
        text = without_lone_surrogates(refused["input"].encode())
        return SessionMessage(jsonrpc_message_adapter.validate_json(text, by_name=False))
    except ValueError:
        return item
