"""Arguments and answers of the activities."""

from typing import Any, Literal

from confirmo.policies.models import FrozenItem, Wire
from confirmo.policies.tool_spec import ToolSpec


class PrevalidateRequest(Wire):
    """Argument of ``prevalidate``; the answer is a ``Verdict``.

    Attributes:
        tool: The tool that the validator is asked about.
        validator: The validator itself.
        arguments: The collected arguments; ``target_tool`` is added by the activity.
        hand_on: A worker that has too many calls of the server under way may give the activity back, for the server's
            own task queue; so in the other requests.
    """

    transaction_id: str
    tool: ToolSpec
    validator: ToolSpec
    arguments: dict[str, Any] = {}
    hand_on: bool = False


class ConfirmationRequest(Wire):
    """Argument of ``confirm_signal``: the question as it is delivered to the agent runtime.

    ``delivery_id`` is stable over retries: the transaction's id and the number of the question.
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


class Delivery(Wire):
    """Answer of ``confirm_signal``."""

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


class ExecuteItemsRequest(Wire):
    """Argument of ``execute_items``; the answer is a ``CallReport`` with one outcome per item of ``items``.

    Attributes:
        call: ``whole`` sends all items in one call, ``per_item`` calls once per item, concurrently.
        items: The items to execute.
        all_items: The whole frozen set, where a whole call has to rebuild its arguments; else empty.
        resolved_items: Whether the items were resolved by a validator.
        overdue: Ids of the items whose last call ran out of time, as in ``ExecuteItemRequest``.
        tries_before: As in ``ExecuteItemRequest``; so is ``return_unsent``, of a whole call.
    """

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
