"""Why there is no whole answer, in words of ours: an exception's own text may quote an address or a token."""

import socket
import ssl
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Final

import httpx2

from confirmo.activities.tools.exchange import Exchange

MAX_ANSWER_BYTES: Final = 32 * 1024 * 1024


class AnswerTooLarge(Exception):
    """An answer above ``MAX_ANSWER_BYTES``."""


def no_answer_in_time(exchange: Exchange) -> str:
    """Say that the deadline passed, and whether the message had left."""
    return "no answer came in time" if exchange.sent else "no connection was made in time, nothing was sent"


def describe(error: BaseException) -> str:
    """Say what went wrong with a connection."""
    cause = _root(error)
    if isinstance(cause, ConnectionRefusedError):
        return "the connection was refused"
    if isinstance(cause, socket.gaierror):
        return "the host name cannot be resolved"
    if isinstance(cause, ssl.SSLError):
        return "the TLS connection could not be made"
    if isinstance(error, httpx2.ConnectTimeout):
        return "no connection was made in time"
    if isinstance(error, httpx2.ConnectError):
        return "no connection could be made"
    if isinstance(error, AnswerTooLarge):
        return f"the answer is larger than {MAX_ANSWER_BYTES} bytes"
    if isinstance(error, httpx2.DecodingError):
        return "the answer's body cannot be decoded"
    if isinstance(error, httpx2.TransportError):
        return f"the connection was lost ({type(error).__name__})"
    return f"the request failed ({type(error).__name__})"


def _root(error: BaseException) -> BaseException:
    while (below := error.__cause__ or error.__context__) is not None:
        if isinstance(error, OSError) and not isinstance(below, OSError):
            break
        error = below
    return error


def retry_after(value: str | None) -> float | None:
    """Read a ``Retry-After`` header, seconds or HTTP date, as seconds from now; null where it is neither."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            date = parsedate_to_datetime(value)
        except ValueError:
            return None
        seconds = (date.replace(tzinfo=date.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return max(seconds, 0.0) if isfinite(seconds) else None
