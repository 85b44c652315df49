"""What one message saw on its way: the facts from which a failure is read.

The SDK reports every failure as a JSON-RPC error, also those that it made up from an HTTP status, so the
status and what happened to the connection are kept here, beside it. The record travels in a ``ContextVar``:
the SDK runs each outgoing message in its sender's context.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final

BODY_SAMPLE: Final = 65_536
"""Bytes of an answer's body that are kept to tell a server's own error from one that the SDK made up."""


def _nothing() -> None:
    return


@dataclass
class Exchange:
    """One message and what came back.

    Attributes:
        deadline: Time of the running loop after which nobody waits for the answer any more.
        taken: A request has passed in this context; later ones (notifications, reconnections) are not the
            message.
        sent: Bytes of the message may have left. False proves that the server never saw it.
        status: HTTP status of the answer, null before there is one and on stdio.
        content_type: Media type of the answer without its parameters, in lower case.
        retry_after: Seconds that the server asked to wait.
        lost: Why there is no whole answer, in words, or null.
        body: First bytes of the answer's body.
        raw: The JSON-RPC result as it came, before any validation.
        give_up: Ends the wait of the sender at once.
    """

    deadline: float | None = None
    taken: bool = False
    sent: bool = False
    status: int | None = None
    content_type: str = ""
    retry_after: float | None = None
    lost: str | None = None
    body: bytearray = field(default_factory=bytearray)
    raw: dict[str, Any] | None = None
    give_up: Callable[[], None] = _nothing

    def keep(self, chunk: bytes) -> None:
        """Add a piece of the body to the sample."""
        if len(self.body) < BODY_SAMPLE:
            self.body += chunk[: BODY_SAMPLE - len(self.body)]

    def proves(self, code: int) -> bool:
        """Whether the body holds a JSON-RPC error with that code, so that it is the server's own word."""
        lines = (
            bytes(self.body).split(b"\n") if self.content_type == "text/event-stream" else [bytes(self.body)]
        )
        return any(_error_code(line.removeprefix(b"data:")) == code for line in lines)


def _error_code(text: bytes) -> int | None:
    try:
        return int(json.loads(text)["error"]["code"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


_current: ContextVar[Exchange | None] = ContextVar("confirmo_exchange", default=None)


def current_exchange() -> Exchange | None:
    """Return the record of the message that this context sends, or null."""
    return _current.get()


@contextmanager
def exchanging(exchange: Exchange) -> Iterator[Exchange]:
    """Make an exchange the current one for the messages sent in this block."""
    token = _current.set(exchange)
    try:
        yield exchange
    finally:
        _current.reset(token)
