"""Wire models: what travels between clients, the workflow and the activities.

All are frozen, ignore unknown fields and grow only by fields with defaults, so that recorded histories keep
replaying. Times are RFC 3339 text in UTC with ``Z``; durations are seconds. Shapes as in CONTRACT.md section 3.
"""

from enum import StrEnum
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, model_serializer, model_validator


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


class FrozenItem(Wire):
    """One item of the frozen set.

    Attributes:
        item_id: Identity, normalised text (CONTRACT.md section 5).
        label: What a person is shown.
        data: The entry as it was resolved or given: a map, a text or a number.
        aliases: Every identity field and label text by which a tool may name it.

    On the wire an item that is nothing but its own name is that text alone, and fields with their default are left
    out: a set of ten thousand has to fit beside all else.
    """

    item_id: str
    label: str
    eligible: bool = True
    reason: str | None = None
    data: Any = None
    aliases: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        if isinstance(value, str):
            return {"item_id": value, "label": value, "data": value, "aliases": (value,)}
        return value

    @model_serializer(mode="plain", when_used="json")
    def _compact(self) -> Any:
        name = self.item_id
        plain = self.eligible and self.reason is None and self.aliases == (name,)
        if plain and self.data == name and self.label == name and isinstance(self.data, str):
            return name
        wire: dict[str, Any] = {"item_id": name, "label": self.label}
        if not self.eligible:
            wire["eligible"] = False
        if self.reason is not None:
            wire["reason"] = self.reason
        if self.data is not None:
            wire["data"] = self.data
        if self.aliases:
            wire["aliases"] = self.aliases
        return wire


class Resolution(Wire):
    """What an operator found out about an item whose outcome nobody could say. Evidence of its own kind."""

    item_id: str
    outcome: Literal["succeeded", "failed"]
    note: str
    actor: str | None = None
    at: str


class Redrive(Wire):
    """What a transaction takes up from an earlier one.

    Attributes:
        of: The earlier transaction.
        root: The first one: idempotency keys are derived from it.
        mode: ``retry`` executes the named items again, ``undo`` compensates them.
        whole_call: The earlier transaction had no items: its one call is made again.
        item_ids: The items to act on.
        verify_item_ids: Those of them that may have been sent: the status tool is asked first, where there is one.
        verify_call: The same for a call without items.
        known_items: The earlier transaction's whole set.
        entries: The earlier evidence by item id.
        resolutions: What an operator found out; those items are not sent.
    """

    of: str
    root: str
    mode: Literal["retry", "undo"] = "retry"
    whole_call: bool = False
    item_ids: tuple[str, ...] = ()
    verify_item_ids: tuple[str, ...] = ()
    verify_call: bool = False
    known_items: tuple[FrozenItem, ...] = ()
    entries: dict[str, dict[str, Any]] = {}
    resolutions: tuple[Resolution, ...] = ()


class TransactionRequest(Wire):
    """Start of a transaction. ``redrive`` is set by our doors only."""

    tool_name: str
    arguments: dict[str, Any] = {}
    request_id: str | None = None
    tenant: str = "default"
    session_id: str | None = None
    requester: Actor | None = None
    locale: str = "pt-BR"
    metadata: dict[str, Any] = {}
    redrive: Redrive | None = None


class Decision(BaseModel):
    """A person's answer to one frozen question. The only wire model that refuses unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    decision: Literal["confirm", "reject"]
    digest: str | None = None
    decision_id: str | None = None
    actor: Actor | None = None
    item_ids: tuple[str, ...] | None = Field(default=None, strict=False)
    comment: str | None = None


WHOLE_SET_ITEMS = 3_000
"""A set of up to so many items stands in every state whole."""
SUMMARY_ITEMS = 500
"""So many items stand in the state of a larger one."""


class ItemState(Wire):
    """One item as the outside sees it."""

    item_id: str
    label: str
    eligible: bool = True
    reason: str | None = None
    outcome: Outcome | None = None


class Approval(Wire):
    """One accepted yes."""

    actor: Actor | None = None
    at: str
    decision_id: str | None = None
    comment: str | None = None
    item_ids: tuple[str, ...] | None = None


class Confirmation(Wire):
    """The frozen question.

    Attributes:
        channel: Who may pass a yes on: ``any`` door, only one that asks the person itself (``elicitation``), or none
            that an agent has a part in (``out_of_band``). Doors keep to it; the workflow cannot see where a yes
            came from.
    """

    message: str
    digest: str
    requested_at: str
    expires_at: str
    approvals_needed: int = 1
    approvals: tuple[Approval, ...] = ()
    channel: Literal["any", "elicitation", "out_of_band"] = "any"


class PreValidationRecord(Wire):
    """What the validator said; kept for audit after the transaction closed."""

    tool_name: str
    validator_tool: str
    eligible: bool | None = None
    status: str | None = None
    reason: str | None = None
    error: str | None = None
    terminal: bool = False
    bypassed: bool = False
    result: Any = None
    requested_arguments: dict[str, Any] = {}
    resolved_arguments: dict[str, Any] = {}
    ignored_arguments: tuple[str, ...] = ()
    effective_tool_name: str | None = None
    action_changed: bool = False
    requires_reconfirmation: bool = False
    confirmation_message: str | None = None


class InvalidParameter(Wire):
    """An argument that could not be taken; ``reason`` never quotes its value."""

    name: str
    reason: str


class Progress(Wire):
    """Counts of the frozen set."""

    items_count: int = 0
    items_done_count: int = 0
    items_succeeded_count: int = 0
    items_failed_count: int = 0
    items_unknown_count: int = 0


class Event(Wire):
    """One transition (CONTRACT.md section 7). Never an argument value."""

    model_config = ConfigDict(frozen=True, extra="allow")

    event_id: str
    name: str
    time: str
    transaction_id: str
    tool_name: str
    tenant: str = "default"
    session_id: str | None = None


class TransactionResult(Wire):
    """How a transaction ended. ``result.output[tool].results`` is the evidence."""

    transaction_id: str
    tool_name: str
    ok: bool
    original_ok: bool | None = None
    error: str | None = None
    multi_item_status: str | None = None
    partial_success: bool = False
    secondary_error: str | None = None
    result: dict[str, Any] = {}
    metadata: dict[str, Any] = {}
    transaction_status: Status
    message: str = ""
    composition: dict[str, Any] = {}
    reason: str | None = None
    reason_code: str | None = None


class ItemPage(Wire):
    """Answer of the query ``items``: a part of the set, each with the evidence that there is.

    Attributes:
        items: ``results[]`` entries where there is an outcome, else what the set says of the item.
        items_count: Items that the filter lets pass, over all pages.
        next_cursor: Where the next page begins; null on the last one.
    """

    items: tuple[dict[str, Any], ...] = ()
    items_count: int = 0
    next_cursor: int | None = None


class ItemsAsked(Wire):
    """Argument of the query ``items``.

    Attributes:
        cursor: ``next_cursor`` of the page before; 0 for the first.
        limit: Items of one page, 1 to 1,000.
        outcome: Only those; null for all.
    """

    cursor: int = Field(default=0, ge=0)
    limit: int = Field(default=200, ge=1, le=1000)
    outcome: Outcome | None = None


class TransactionState(Wire):
    """What a transaction looks like now.

    Attributes:
        items: All of them, up to 3,000; of a larger set 500: what failed, what is unknown, and then the others.
        items_omitted: Items that are not in ``items``; the query ``items`` has all of them, page by page.
        parameter_types: Declared type words of the missing and invalid parameters.
        tenant: Whose it is; null from a worker of before 0.2, as the next two.
        requester: Who asked, without roles; null where nobody was named.
        confirmation_by: ``confirmation.by`` of the tool that is asked about or will run; null where none is known yet.
    """

    transaction_id: str
    status: Status
    tool_name: str
    requested_tool_name: str
    arguments: dict[str, Any] = {}
    ignored_arguments: tuple[str, ...] = ()
    missing_parameters: tuple[str, ...] = ()
    invalid_parameters: tuple[InvalidParameter, ...] = ()
    question: str | None = None
    items: tuple[ItemState, ...] = ()
    items_omitted: int = 0
    confirmation: Confirmation | None = None
    transaction_pre_validation: PreValidationRecord | None = None
    progress: Progress = Progress()
    result: TransactionResult | None = None
    reason: str | None = None
    reason_code: str | None = None
    events: tuple[Event, ...] = ()
    redrive_of: str | None = None
    redriven_as: str | None = None
    parameter_types: dict[str, str] = {}
    tenant: str | None = None
    requester: Actor | None = None
    confirmation_by: str | None = None


class ParametersProvided(Wire):
    """Argument of ``provide_parameters``."""

    arguments: dict[str, Any] = {}
    actor: Actor | None = None


class Amendment(Wire):
    """Argument of ``amend``."""

    arguments: dict[str, Any] | None = None
    remove_item_ids: tuple[str, ...] = ()
    add_items: tuple[Any, ...] = ()
    actor: Actor | None = None


class Cancellation(Wire):
    """Argument of ``cancel``."""

    reason: str | None = None
    actor: Actor | None = None


class ToolAnswer(Wire):
    """What a tool server answered, unread.

    Attributes:
        structured: Structured content; null where ``has_structured`` is false.
        texts: Text blocks in order.
        is_error: MCP's ``isError``.
    """

    structured: Any = None
    has_structured: bool = False
    texts: tuple[str, ...] = ()
    is_error: bool = False
