"""The failure table of CONTRACT.md section 5: what the facts of an exchange prove.

One sentence per failure, which names server, phase and cause, and never quotes a header, a token, an address
or an argument.
"""

from collections.abc import Iterable
from enum import StrEnum
from http import HTTPStatus
from typing import Final

from mcp.types import (
    CONNECTION_CLOSED,
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    UNSUPPORTED_PROTOCOL_VERSION,
    ErrorData,
)

from confirmo.activities.tools.causes import no_answer_in_time
from confirmo.activities.tools.exchange import Exchange
from confirmo.activities.tools.texts import snippet
from confirmo.policies.errors import CallFailed, CallFailureKind

UNREACHABLE: Final = CallFailureKind.UNREACHABLE
THROTTLED: Final = CallFailureKind.THROTTLED
REJECTED: Final = CallFailureKind.REJECTED
DOUBT: Final = CallFailureKind.DOUBT

STALE_STATUSES: Final = frozenset({401, 404})
"""Answers that a new session may cure: the session or its token has ended."""
AUTHORISATION_STATUSES: Final = frozenset({401, 403, 407})
THROTTLING_STATUSES: Final = frozenset({429, 503})
REFUSING_STATUSES: Final = frozenset(
    {*range(400, 408), *range(410, 418), 421, 422, 425, 426, 428, 431, 451, 300, 301, 302, 304, 305, 307, 308}
)
"""Answers given before anything is done.

408, 409, 423 and what is unknown say less, so they are doubt; so is 303, the usual answer after a thing was done.
"""
REFUSING_CODES: Final = frozenset(
    {METHOD_NOT_FOUND, INVALID_PARAMS, HEADER_MISMATCH, UNSUPPORTED_PROTOCOL_VERSION}
)
AMBIGUOUS_CODES: Final = frozenset({INVALID_REQUEST, PARSE_ERROR})
"""Refusals where the server says them; the SDK uses the same codes for answers that it cannot read."""


class Phase(StrEnum):
    """Where in a session's life something failed."""

    CONNECT = "connect"
    INITIALIZE = "initialize"
    LIST = "list"
    CALL = "call"


def failed(
    kind: CallFailureKind, server: str, phase: Phase, cause: str, retry_after: float | None = None
) -> CallFailed:
    """Return a failure whose sentence has the one form of all reasons."""
    return CallFailed(kind, _sentence(server, phase, cause), retry_after)


def _sentence(server: str, phase: Phase, cause: str) -> str:
    return f"Tool server {server!r}, {phase.value}: {cause}."


def failure(
    server: str, phase: Phase, exchange: Exchange, error: ErrorData | None = None, secrets: Iterable[str] = ()
) -> CallFailed:
    """Return what an exchange without a usable answer proves.

    Args:
        server: Name of the server.
        phase: Before the call nothing was sent that has an effect, so doubt becomes ``UNREACHABLE`` there.
        exchange: What was seen.
        error: The JSON-RPC error that the SDK reported, its own ones included.
        secrets: Texts that the sentence must not quote.
    """
    kind, cause = _read(exchange, error, secrets)
    if phase is not Phase.CALL and (kind is DOUBT or (kind is REJECTED and not _final(phase, exchange))):
        kind = UNREACHABLE
    return CallFailed(
        kind,
        _sentence(server, phase, cause),
        exchange.retry_after if kind is THROTTLED else None,
        http_status=exchange.status if exchange.lost is None else None,
        code=error.code if error is not None and _is_own_word(exchange, error) else None,
        overdue=kind is DOUBT and exchange.lost is not None and exchange.lost == no_answer_in_time(exchange),
    )


def ended_by_server(exchange: Exchange, error: ErrorData | None) -> bool:
    """Whether the server itself answered with an error, so that the call is over there."""
    if exchange.status is not None and exchange.status >= HTTPStatus.MULTIPLE_CHOICES:
        return True
    # With ``lost`` the error is the SDK's word for a deadline or a broken connection.
    return error is not None and exchange.lost is None and _is_own_word(exchange, error)


def _final(phase: Phase, exchange: Exchange) -> bool:
    return phase is Phase.LIST or exchange.status in AUTHORISATION_STATUSES


def _read(exchange: Exchange, error: ErrorData | None, secrets: Iterable[str]) -> tuple[CallFailureKind, str]:
    if exchange.status is not None and exchange.status >= HTTPStatus.MULTIPLE_CHOICES:
        return _read_status(exchange.status)
    if not exchange.sent:
        return UNREACHABLE, exchange.lost or "the connection is closed, nothing was sent"
    if exchange.lost is not None:
        return DOUBT, exchange.lost
    if error is not None and _is_own_word(exchange, error):
        return _read_code(error, secrets)
    return DOUBT, _unreadable(exchange, error, secrets)


def _read_status(status: int) -> tuple[CallFailureKind, str]:
    word = f"HTTP {status}"
    if status in THROTTLING_STATUSES:
        return THROTTLED, f"the server asks to come back later ({word})"
    if status in AUTHORISATION_STATUSES:
        return REJECTED, f"authentication was refused ({word})"
    if status == HTTPStatus.NOT_FOUND:
        return REJECTED, f"the session or the address is unknown to the server ({word})"
    if status < HTTPStatus.BAD_REQUEST:
        kind = REJECTED if status in REFUSING_STATUSES else DOUBT
        return kind, f"the server redirects elsewhere, which is not followed ({word})"
    if status in REFUSING_STATUSES:
        return REJECTED, f"the request was refused ({word})"
    return DOUBT, f"the server failed and the outcome is not known ({word})"


def _is_own_word(exchange: Exchange, error: ErrorData) -> bool:
    """Whether the error came from the server and was not made up by the SDK."""
    if exchange.status is None:
        return (error.code, error.message) != (CONNECTION_CLOSED, "Connection closed")
    proved = error.code not in AMBIGUOUS_CODES | {CONNECTION_CLOSED} or exchange.proves(error.code)
    return exchange.status == HTTPStatus.OK and proved


def _read_code(error: ErrorData, secrets: Iterable[str]) -> tuple[CallFailureKind, str]:
    # Some servers check a tool's output only after its effect and report that with the code of a wrong argument.
    after_effect = "output validation" in error.message.lower()
    refused = (error.code in REFUSING_CODES or error.code in AMBIGUOUS_CODES) and not after_effect
    cause = f"the server answered JSON-RPC error {error.code}"
    said = snippet(error.message, secrets)
    return (REJECTED if refused else DOUBT), f"{cause} ({said})" if said else cause


def _unreadable(exchange: Exchange, error: ErrorData | None, secrets: Iterable[str]) -> str:
    if error is not None and error.code == CONNECTION_CLOSED:
        return "the connection was lost before an answer came"
    if exchange.status is None:
        return "no readable answer came"
    if exchange.status != HTTPStatus.OK:
        return f"the server answered HTTP {exchange.status} without a result"
    if not exchange.body:
        return "the server's answer is empty"
    if "json" in exchange.content_type or exchange.content_type == "text/event-stream":
        return "the server's answer cannot be read"
    page = snippet(exchange.body.decode("utf-8", "replace"), secrets)
    media_type = snippet(exchange.content_type, secrets) or "an unnamed type"
    return f"the server answered {media_type} in place of JSON ({page})"
