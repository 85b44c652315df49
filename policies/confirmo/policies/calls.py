"""Arguments and answers of the activities."""

from typing import Any, ClassVar, Literal

from confirmo.policies.models import FrozenItem, ItemState, Progress, Status, Wire
from confirmo.policies.tool_spec import Channel, ToolSpec


class PrevalidateRequest(Wire):
    """Argument of ``prevalidate``; the answer is a ``Verdict``.

    Attributes:
        tool: The tool that the validator is asked about.
        validator: The validator itself.
        arguments: The collected arguments; ``target_tool`` is added by the activity.
        payload_bytes: What one payload may hold where there is a payload store, and so the answer; null where there is
            none.
        hand_on: A worker that has too many calls of the server under way may give the activity back, for the server's
            own task queue; so in the other requests.
    """

    transaction_id: str
    tool: ToolSpec
    validator: ToolSpec
    arguments: dict[str, Any] = {}
    payload_bytes: int | None = None
    hand_on: bool = False


class ConfirmationRequest(Wire):
    """Argument of ``confirm_signal``: the question as it is delivered to the agent runtime.

    ``delivery_id`` is stable over retries: the transaction's id and the number of the question.

    Attributes:
        items_count: Items of the question.
        items: The first of them, where the sink is a webhook; else empty.
        approvals_needed: How many people have to say yes.
        request_id: The caller's own id, at most 2,000 bytes.
    """

    delivery_id: str
    transaction_id: str
    tool_name: str
    message: str
    digest: str
    requested_at: str
    expires_at: str
    tenant: str = "default"
    session_id: str | None = None
    locale: str = "pt-BR"
    items_count: int = 0
    items: tuple[ItemState, ...] = ()
    approvals_needed: int = 1
    request_id: str | None = None


class Completion(Progress):
    """Argument of ``DeliveryWorkflow`` and of ``deliver_completion``: how a transaction ended, without its evidence.

    The counts are those of ``Progress``; every text is bounded.

    Attributes:
        delivery_id: Stable over retries: the transaction's id and ``/end``.
        completed_at: When the result was there, RFC 3339.
        message: The result's message, at most 16,000 bytes.
        truncated: Whether the message was longer.
    """

    delivery_id: str
    transaction_id: str
    status: Status
    tool_name: str
    requested_tool_name: str
    completed_at: str
    ok: bool
    multi_item_status: str | None = None
    partial_success: bool = False
    needs_review: bool = False
    reason: str | None = None
    reason_code: str | None = None
    message: str = ""
    truncated: bool = False
    tenant: str = "default"
    session_id: str | None = None
    request_id: str | None = None
    locale: str = "pt-BR"
    redrive_of: str | None = None
    channel: Channel = "any"


class Delivery(Wire):
    """Answer of ``confirm_signal`` and of ``deliver_completion``."""

    sink: str
    delivered: bool = True


class ExecuteItemRequest(Wire):
    """Argument of ``execute_item``; the answer is a ``CallReport``.

    Attributes:
        root: What idempotency keys are derived from.
        arguments: The collected arguments; the item's own is set by the activity.
        item: The item, or null for a call without items.
        attempts_before: Calls in which the item was already sent, in earlier activities.
        verify_first: The item may have been sent: ask the status tool, and send only when it says not found.
        ask_only: And do not send even then, because a cancel came.
        overdue: Its last call ran out of time: "not found" is believed only where that call is seen to have ended.
        status_item: The item that is undone, for the status tool of a compensating call; else null.
        tries_before: Attempts of earlier activities for the same call.
        return_unsent: Return what was provably not carried out as ``retryable``: the workflow waits and tries again,
            so that a cancel meanwhile knows that nothing was done. Doubt is raised for Temporal's retry as ever.
    """

    internal: ClassVar[bool] = True
    transaction_id: str
    root: str
    tool: ToolSpec
    status_tool: ToolSpec | None = None
    arguments: dict[str, Any] = {}
    item: FrozenItem | None = None
    attempts_before: int = 0
    verify_first: bool = False
    ask_only: bool = False
    overdue: bool = False
    status_item: FrozenItem | None = None
    tries_before: int = 0
    return_unsent: bool = False
    hand_on: bool = False


class Pace(Wire):
    """When a slice ends early; what it did not reach is left out of its report, and goes into the next one.

    Attributes:
        seconds: No new call is begun after this long.
        bytes: Nor once the evidence has so many bytes.
        claims: Every item is written down at the Temporal server right before it is sent, so that of a lost slice only
            what was under way is in doubt.
    """

    seconds: float = 3.0
    bytes: int = 500_000
    claims: bool = False


class ExecuteItemsRequest(Wire):
    """Argument of ``execute_items``; the answer is a ``CallReport`` with one outcome per item of ``items``.

    Attributes:
        call: ``whole`` sends all items in one call, ``per_item`` calls once per item, concurrently.
        items: The items to execute.
        all_items: The whole frozen set, where a whole call has to rebuild its arguments; else empty.
        resolved_items: Whether the items were resolved by a validator.
        overdue: Ids of the items whose last call ran out of time, as in ``ExecuteItemRequest``.
        tries_before: As in ``ExecuteItemRequest``; so is ``return_unsent``, of a whole call.
        pace: Of a slice that may end early; null for one that may not.
        leave_keys: Leave out the keys, which follow from ``root`` and the item.
    """

    internal: ClassVar[bool] = True
    transaction_id: str
    root: str
    tool: ToolSpec
    status_tool: ToolSpec | None = None
    arguments: dict[str, Any] = {}
    call: Literal["per_item", "whole"] = "whole"
    items: tuple[FrozenItem, ...] = ()
    all_items: tuple[FrozenItem, ...] = ()
    resolved_items: bool = False
    attempts_before: dict[str, int] = {}
    verify_first: bool = False
    ask_only: bool = False
    overdue: tuple[str, ...] = ()
    tries_before: int = 0
    return_unsent: bool = False
    pace: Pace | None = None
    leave_keys: bool = False
    hand_on: bool = False


class AuxiliaryRequest(Wire):
    """Argument of ``run_auxiliary``."""

    transaction_id: str
    tool: ToolSpec
    arguments: dict[str, Any] = {}
    idempotency_key: str = ""
    hand_on: bool = False


class AuxiliaryReport(Wire):
    """Answer of ``run_auxiliary``: what goes under ``output[<tool>]``."""

    success: bool
    error: str | None = None
    answer: dict[str, Any] = {}
