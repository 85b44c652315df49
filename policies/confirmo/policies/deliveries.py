"""What a webhook is told: ids, bodies and how much of each. Bodies follow Standard Webhooks: type, timestamp, data."""

import hashlib
import re
from collections.abc import Sequence
from typing import Any, Final

from confirmo.policies.calls import Completion, ConfirmationRequest
from confirmo.policies.json_text import cut
from confirmo.policies.models import FrozenItem, ItemState, Progress, TransactionRequest, TransactionResult
from confirmo.policies.texts import clean_text

MAX_ITEMS: Final = 50
"""Items told with a question; ``items_count`` counts all."""
ID_BYTES: Final = 200
TEXT_BYTES: Final = 2_000
MESSAGE_BYTES: Final = 16_000
QUESTION: Final = "confirmation.requested"
_PLAIN_ID: Final = re.compile(r"[A-Za-z0-9_/:-]{1,200}")


def question_delivery_id(transaction_id: str, number: int) -> str:
    """Return the id of a transaction's ``number``-th question; a question that is asked anew has another one."""
    return f"{transaction_id}/{number}"


def completion_delivery_id(transaction_id: str) -> str:
    """Return the id under which the end of a transaction is told; it ends once."""
    return f"{transaction_id}/end"


def delivery_workflow_id(transaction_id: str) -> str:
    """Return the workflow id of that delivery. A long id is hashed: one that Temporal refuses would stop the run."""
    told = completion_delivery_id(transaction_id)
    return told if len(told.encode("utf-8", "replace")) <= ID_BYTES else f"end-{_digest(told)}"


def webhook_id(delivery_id: str) -> str:
    """Return the header ``webhook-id``: the delivery's id, or a digest where that is no plain text for a header.

    The full stop separates what is signed, so that an id must not hold one.
    """
    return delivery_id if _PLAIN_ID.fullmatch(delivery_id) else f"msg_{_digest(delivery_id)}"


def told_items(items: Sequence[FrozenItem]) -> tuple[ItemState, ...]:
    """Return the first items of a question as they are told."""
    return tuple(
        ItemState(
            item_id=cut(item.item_id, ID_BYTES),
            label=cut(clean_text(item.label), ID_BYTES),
            eligible=item.eligible,
            reason=None if item.reason is None else cut(clean_text(item.reason), TEXT_BYTES),
        )
        for item in items[:MAX_ITEMS]
    )


def completion_of(
    request: TransactionRequest, result: TransactionResult, progress: Progress, completed_at: str
) -> Completion:
    """Return what is told of an end: how it ended, in counts and one message. The evidence stays with the result."""
    return Completion(
        delivery_id=completion_delivery_id(result.transaction_id),
        transaction_id=result.transaction_id,
        status=result.transaction_status,
        tool_name=result.tool_name,
        requested_tool_name=request.tool_name,
        completed_at=completed_at,
        ok=result.ok,
        multi_item_status=result.multi_item_status,
        partial_success=result.partial_success,
        needs_review=bool(result.metadata.get("needs_review")),
        reason=short_or_none(result.reason or result.error),
        reason_code=result.reason_code,
        message=cut(result.message, MESSAGE_BYTES),
        truncated=len(result.message.encode("utf-8", "replace")) > MESSAGE_BYTES,
        tenant=cut(request.tenant, ID_BYTES),
        session_id=short_or_none(request.session_id),
        request_id=short_or_none(request.request_id),
        locale=cut(request.locale, ID_BYTES),
        redrive_of=request.redrive.of if request.redrive else None,
        **progress.model_dump(),
    )


def question_body(request: ConfirmationRequest) -> dict[str, Any]:
    """Return the body for a question. What stood beside ``type`` before there was ``data`` still stands there."""
    data = request.model_dump(mode="json")
    first = {
        name: value for name, value in data.items() if name not in ("items", "approvals_needed", "request_id")
    }
    return {"type": QUESTION, "timestamp": request.requested_at, "data": data} | first


def completion_body(completion: Completion) -> dict[str, Any]:
    """Return the body for an end; its type is ``transaction.`` and the status in small letters."""
    return {
        "type": f"transaction.{completion.status.value.lower()}",
        "timestamp": completion.completed_at,
        "data": completion.model_dump(mode="json"),
    }


def short_or_none(text: str | None) -> str | None:
    """Return at most ``TEXT_BYTES`` of a text that may be absent."""
    return None if text is None else cut(text, TEXT_BYTES)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:40]
