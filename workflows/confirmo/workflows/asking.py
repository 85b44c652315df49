"""One frozen question: delivered, and waited for until it is answered, changed, cancelled or expired."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import timedelta
from enum import Enum, auto
from typing import Any

from temporalio import workflow
from temporalio.exceptions import ActivityError, is_cancelled_exception
from temporalio.workflow import ActivityCancellationType

from confirmo.policies.calls import ConfirmationRequest
from confirmo.policies.deliveries import question_delivery_id, short_or_none, told_items
from confirmo.policies.events import EventName, timestamp
from confirmo.policies.models import Confirmation, FrozenItem, PreValidationRecord, Status
from confirmo.policies.questions import confirmation_question
from confirmo.policies.snapshot import frozen_question, question_digest
from confirmo.policies.tool_spec import ToolSpec, strictest_channel
from confirmo.workflows import activity_stubs, options
from confirmo.workflows.book import Book


class Answer(Enum):
    """How a question ended."""

    CONFIRMED = auto()
    REJECTED = auto()
    CHANGED = auto()
    CANCELLED = auto()
    EXPIRED = auto()


async def ask(
    book: Book,
    tool: ToolSpec,
    arguments: Mapping[str, Any],
    items: Sequence[FrozenItem],
    record: PreValidationRecord | None = None,
) -> Answer:
    """Freeze one question about calling ``tool``, deliver it and wait for its end."""
    _freeze(book, tool, arguments, items, record)
    delivery = asyncio.create_task(_deliver(book, items))
    book.deliveries.append(delivery)
    book.move(Status.AWAITING_CONFIRMATION)
    answer = await _answered(book, tool)
    if not delivery.done():
        delivery.cancel()
    book.question = None
    return answer


async def _answered(book: Book, tool: ToolSpec) -> Answer:
    try:
        await workflow.wait_condition(
            lambda: book.decided is not None or book.changed or book.cancel_requested,
            timeout=tool.confirmation.expires_seconds,
            timeout_summary="the question expires",
        )
    except TimeoutError:
        return Answer.EXPIRED
    if book.cancel_requested:
        return Answer.CANCELLED
    if book.decided is None:
        return Answer.CHANGED
    return Answer.REJECTED if book.decided.decision == "reject" else Answer.CONFIRMED


def _freeze(
    book: Book,
    tool: ToolSpec,
    arguments: Mapping[str, Any],
    items: Sequence[FrozenItem],
    record: PreValidationRecord | None,
) -> None:
    now = workflow.now()
    book.asking = tool
    book.decided = None
    book.deadline = now + timedelta(seconds=tool.confirmation.expires_seconds)
    message = confirmation_question(
        tool,
        arguments,
        items,
        validator_message=record.confirmation_message if record else None,
        bypassed=bool(record and record.bypassed),
        expires_at=timestamp(book.deadline),
        locale=book.language,
    )
    book.questions += 1
    book.question = message
    book.confirmation = Confirmation(
        message=message,
        digest=question_digest(tool, arguments, items, message, tool.version),
        requested_at=timestamp(now),
        expires_at=timestamp(book.deadline),
        approvals_needed=tool.confirmation.approvals,
        channel=strictest_channel(book.requested_tool.confirmation, tool.confirmation),
    )
    book.emit(EventName.CONFIRMATION_REQUIRED, items_count=len(items))
    book.tell(
        "question",
        undo=tool is not book.tool,
        frozen=frozen_question(tool.name, arguments, items, message, tool.version),
        confirmation=book.confirmation,
        policy=tool.confirmation,
    )


async def _deliver(book: Book, items: Sequence[FrozenItem]) -> None:
    """Deliver the question to the agent runtime. A sink that is down never holds up an answer."""
    confirmation = book.confirmation
    assert confirmation is not None
    assert book.asking is not None
    try:
        await workflow.execute_activity(
            activity_stubs.confirm_signal,
            ConfirmationRequest(
                delivery_id=question_delivery_id(book.transaction_id, book.questions),
                transaction_id=book.transaction_id,
                tool_name=book.asking.name,
                message=confirmation.message,
                digest=confirmation.digest,
                requested_at=confirmation.requested_at,
                expires_at=confirmation.expires_at,
                tenant=book.request.tenant,
                session_id=book.request.session_id,
                locale=book.request.locale,
                items_count=len(items),
                items=told_items(items) if book.webhook else (),
                approvals_needed=confirmation.approvals_needed,
                request_id=short_or_none(book.request.request_id),
                channel=confirmation.channel,
            ),
            activity_id=f"question-{book.questions}",
            priority=book.priority,
            start_to_close_timeout=options.DELIVERY_TIMEOUT,
            heartbeat_timeout=options.WEBHOOK_HEARTBEAT if book.webhook else None,
            retry_policy=options.WEBHOOK_RETRY if book.webhook else options.DELIVERY_RETRY,
            cancellation_type=ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
            summary="deliver the question",
        )
    except ActivityError as error:
        if not is_cancelled_exception(error):
            workflow.logger.warning(
                "The question could not be delivered; it stays open for every other door."
            )
