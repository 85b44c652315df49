"""Error words: what a refused update is called, and what a failed tool call proves.

A failure is permanent or retryable by its ``ApplicationError.type``, never by its text.
"""

from enum import StrEnum


class UpdateErrorType(StrEnum):
    """``ApplicationError.type`` of a refused update, in the order in which they are checked."""

    INVALID_DECISION = "InvalidDecision"
    INVALID_ARGUMENTS = "InvalidArguments"
    ALREADY_CLOSED = "AlreadyClosed"
    NOT_AWAITING_CONFIRMATION = "NotAwaitingConfirmation"
    CONFIRMATION_EXPIRED = "ConfirmationExpired"
    NOT_ALLOWED = "NotAllowed"
    DIGEST_MISMATCH = "DigestMismatch"
    CONFLICTING_DECISION = "ConflictingDecision"
    REQUEST_MISMATCH = "RequestMismatch"


class Refusal(Exception):
    """A message that the transaction does not take.

    Raised by the pure rules; the workflow turns it into an ``ApplicationError`` of the same type.
    """

    def __init__(self, type: UpdateErrorType, message: str) -> None:
        """Args: type: the update error type; message: one sentence without argument values."""
        super().__init__(message)
        self.type = type
        self.message = message


INVALID_REQUEST = "InvalidRequest"
"""``ApplicationError.type`` of a start payload that cannot be decoded."""


class CallFailureKind(StrEnum):
    """What a failed tool call proves about the effect.

    ``UNREACHABLE``, ``THROTTLED`` and ``REJECTED`` prove that nothing was done; ``DOUBT`` proves nothing.
    """

    UNREACHABLE = "NeverSent"
    """Never sent and worth another try: connection refused, server not up, session could not be opened."""
    THROTTLED = "Throttled"
    """429 or 503: counted as an attempt, nothing done, tried again after ``retry_after``."""
    REJECTED = "Rejected"
    """Never carried out and not worth another try: 401/404 after reopening, 403, -32601, -32602, 4xx."""
    DOUBT = "Doubt"
    """Sent, and nobody can say: timeout, connection lost, 500/502/504, -32603, 202, HTML, nothing."""


RETRYABLE_FAILURES = frozenset({CallFailureKind.UNREACHABLE, CallFailureKind.THROTTLED})
"""Kinds that are retried whatever the tool's ``effect``."""

HANDED_ON = "HandedOn"
"""First detail of a failure by which a worker gives an activity back, untouched; the second is the queue to go to."""

TIMEOUT_START_TO_CLOSE = "TemporalTimeout:StartToClose"
TIMEOUT_HEARTBEAT = "TemporalTimeout:Heartbeat"
"""Names under which the Temporal server lists its own timeouts in ``non_retryable_error_types``.

They keep it from re-sending an unsafe call whose worker was lost. See ``TimeoutFailureTypePrefix`` in
https://github.com/temporalio/temporal/blob/main/common/retrypolicy/retry_policy.go
"""


class CallFailed(Exception):
    """A tool call that brought no answer.

    Attributes:
        kind: What it proves.
        reason: One sentence: server, phase (connect, initialize, call) and cause. Never a secret, at most 500
            characters.
        retry_after: Seconds that the server asked to wait, or null.
        http_status: Status of the HTTP answer, where one came.
        code: JSON-RPC error code that the server itself sent, where it did.
        overdue: The call was sent and its time ran out: the server may still be at work on it.
    """

    def __init__(
        self,
        kind: CallFailureKind,
        reason: str,
        retry_after: float | None = None,
        *,
        http_status: int | None = None,
        code: int | None = None,
        overdue: bool = False,
    ) -> None:
        """Keep the facts; ``reason`` is cut at 500 characters."""
        super().__init__(reason[:500])
        self.kind = kind
        self.reason = reason[:500]
        self.retry_after = retry_after
        self.http_status = http_status
        self.code = code
        self.overdue = overdue

    def again(self) -> "CallFailed":
        """Return the same failure as a new exception, for another waiter."""
        return CallFailed(
            self.kind,
            self.reason,
            self.retry_after,
            http_status=self.http_status,
            code=self.code,
            overdue=self.overdue,
        )
