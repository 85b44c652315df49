"""Collecting arguments: what is missing or invalid is asked for, and waited for."""

from datetime import timedelta

from temporalio import workflow

from confirmo.policies.arguments import Collected
from confirmo.policies.events import EventName
from confirmo.policies.models import ReasonCode, Status
from confirmo.policies.questions import parameter_question
from confirmo.policies.tool_spec import ToolSpec
from confirmo.policies.wording import say
from confirmo.workflows.book import Book
from confirmo.workflows.steps import Next


async def check_collected(book: Book, collected: Collected, tool: ToolSpec) -> Next | None:
    """Note what was collected; ask for what is missing or invalid. Null means that all is there."""
    book.arguments = collected.arguments
    book.ignored = tuple(dict.fromkeys((*book.ignored, *collected.ignored)))
    book.missing, book.invalid = collected.missing, collected.invalid
    if not collected.missing and not collected.invalid:
        return None
    question = parameter_question(tool, collected.missing, collected.invalid, book.language)
    return await ask_parameters(book, question, tool)


async def ask_parameters(book: Book, question: str, tool: ToolSpec) -> Next:
    """Ask for parameters and wait; a question that nobody answers closes as ``EXPIRED``."""
    book.question = question
    book.deadline = workflow.now() + timedelta(seconds=tool.confirmation.expires_seconds)
    book.emit(EventName.PARAMETERS_REQUIRED, missing_count=len(book.missing), invalid_count=len(book.invalid))
    book.move(Status.COLLECTING_PARAMETERS)
    try:
        await workflow.wait_condition(
            lambda: book.changed or book.cancel_requested,
            timeout=tool.confirmation.expires_seconds,
            timeout_summary="collecting expires",
        )
    except TimeoutError:
        reason = say("collecting_expired", book.language)
        book.close(Status.EXPIRED, EventName.EXPIRED, reason, ReasonCode.EXPIRED)
        return Next.CLOSED
    return Next.AGAIN
