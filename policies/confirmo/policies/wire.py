"""The base of all wire models, and the words in them. Import them from ``models``."""

from enum import StrEnum
from typing import ClassVar

from pydantic import BaseModel, ConfigDict


class Wire(BaseModel):
    """Base of all wire models: frozen, unknown fields ignored, new fields always with defaults.

    Attributes:
        internal: Travels between the workflow and its activities only, so that nobody else has to be able to read it.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")
    internal: ClassVar[bool] = False


class Status(StrEnum):
    """Where a transaction stands. See the table in CONTRACT.md, TransactionState."""

    COLLECTING_PARAMETERS = "COLLECTING_PARAMETERS"
    VALIDATING = "VALIDATING"
    AWAITING_CONFIRMATION = "AWAITING_CONFIRMATION"
    EXECUTING = "EXECUTING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"
    EXPIRED = "EXPIRED"
    OUT_OF_SCOPE = "OUT_OF_SCOPE"
    BLOCKED = "BLOCKED"


WAITING_STATUSES = frozenset({Status.COLLECTING_PARAMETERS, Status.AWAITING_CONFIRMATION})
"""Statuses in which someone outside is needed."""

CLOSED_STATUSES = frozenset(
    {Status.COMPLETED, Status.FAILED, Status.CANCELLED, Status.EXPIRED, Status.OUT_OF_SCOPE, Status.BLOCKED}
)


class Outcome(StrEnum):
    """What became of an item; ``UNKNOWN``: it was sent and nobody can say."""

    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    UNKNOWN = "UNKNOWN"


class ReasonCode(StrEnum):
    """Stable words beside a ``reason`` text (CONTRACT.md section 9)."""

    REJECTED = "rejected"
    CANCELLED = "cancelled"
    EXPIRED = "expired"
    NOT_ELIGIBLE = "not_eligible"
    PREVALIDATION_ERROR = "prevalidation_error"
    NOTHING_TO_DO = "nothing_to_do"
    UNKNOWN_TOOL = "unknown_tool"
    TOOL_DISABLED = "tool_disabled"
    TARGET_NOT_ALLOWED = "target_not_allowed"
    TOO_LARGE = "too_large"
    TOO_MANY_ATTEMPTS = "too_many_attempts"
    REQUESTER_REQUIRED = "requester_required"
    NOT_EXECUTED = "not_executed"
    LOST_ANSWER = "lost_answer"
    MISSING_RESULT = "missing_result"
    INVALID_FLAG = "invalid_flag"
    CONFLICTING_EVIDENCE = "conflicting_evidence"
    UNRECOGNISED_ANSWER = "unrecognised_answer"


class OperationType(StrEnum):
    """What a tool does; only ``transactional`` asks for confirmation by default."""

    READ_ONLY = "read_only"
    TRANSACTIONAL = "transactional"
    CONVERSATIONAL = "conversational"
    INTERNAL = "internal"


class Effect(StrEnum):
    """What a second identical call does: nothing new, nothing new with the same key, or harm."""

    IDEMPOTENT = "idempotent"
    KEYED = "keyed"
    UNSAFE = "unsafe"


MAX_ACTOR_ID = 512
"""Characters of an id that a state carries."""


class Actor(Wire):
    """Who says something. ``id`` is the caller's word on the direct Temporal path."""

    id: str
    roles: tuple[str, ...] = ()
