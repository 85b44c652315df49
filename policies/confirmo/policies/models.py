"""Wire models: what travels between clients, the workflow and the activities.

All are frozen, ignore unknown fields and grow only by fields with defaults, so that recorded histories keep
replaying. Times are RFC 3339 text in UTC with ``Z``; durations are seconds. Shapes as in CONTRACT.md section 3.
Their base and words are in ``wire``, those of items in ``item_models``; all are re-exported here.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from confirmo.policies.item_models import (
    SUMMARY_ITEMS,
    WHOLE_SET_ITEMS,
    FrozenItem,
    ItemPage,
    ItemsAsked,
    ItemState,
    Progress,
    Redrive,
    Resolution,
)
from confirmo.policies.wire import (
    CLOSED_STATUSES,
    MAX_ACTOR_ID,
    WAITING_STATUSES,
    Actor,
    Effect,
    OperationType,
    Outcome,
    ReasonCode,
    Status,
    Wire,
)

__all__ = [
    "CLOSED_STATUSES",
    "MAX_ACTOR_ID",
    "SUMMARY_ITEMS",
    "WAITING_STATUSES",
    "WHOLE_SET_ITEMS",
    "Actor",
    "Amendment",
    "Approval",
    "Cancellation",
    "Confirmation",
    "Decision",
    "Effect",
    "Event",
    "FrozenItem",
    "InvalidParameter",
    "ItemPage",
    "ItemState",
    "ItemsAsked",
    "OperationType",
    "Outcome",
    "ParametersProvided",
    "PreValidationRecord",
    "Progress",
    "ReasonCode",
    "Redrive",
    "Resolution",
    "Status",
    "ToolAnswer",
    "TransactionRequest",
    "TransactionResult",
    "TransactionState",
    "Wire",
]


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


class TransactionState(Wire):
    """What a transaction looks like now.

    Attributes:
        items: All of them, up to 3,000; of a larger set, or one whose texts fill an answer, 500: what failed, what
            is unknown, and then the others.
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
