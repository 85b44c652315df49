"""Asking a tool's validator, and what follows where it does not say yes."""

import asyncio
from typing import Any

from temporalio import workflow
from temporalio.exceptions import ActivityError, is_cancelled_exception

from confirmo.policies import prevalidation as rules
from confirmo.policies.calls import PrevalidateRequest
from confirmo.policies.events import EventName
from confirmo.policies.models import ReasonCode, Status
from confirmo.policies.prevalidation import Verdict, VerdictKind
from confirmo.policies.questions import clean_text, parameter_question
from confirmo.policies.tool_spec import ToolSpec
from confirmo.policies.wording import say
from confirmo.workflows import activity_stubs, options
from confirmo.workflows.book import Book
from confirmo.workflows.collecting import ask_parameters
from confirmo.workflows.failures import handed_on
from confirmo.workflows.steps import Next
from confirmo.workflows.verdicts import record


def _read(task: asyncio.Task[Verdict]) -> None:
    """Read how a task ended that nobody waits for any more."""
    if not task.cancelled():
        task.exception()


async def validate(book: Book, tool: ToolSpec, arguments: dict[str, Any]) -> Verdict | None:
    """Ask the tool's validator; null where a cancel came first."""
    validator = book.policies[tool.name].related.get(tool.pre_validation.tool or "")
    if validator is None:
        return rules.malformed("the validator is not part of the frozen policy")
    book.emit(EventName.PREVALIDATION_REQUESTED, validator_tool=validator.name)
    task = asyncio.create_task(_asked(book, tool, validator, arguments))
    await workflow.wait_condition(lambda: task.done() or book.cancel_requested)
    if not task.done():
        task.add_done_callback(_read)
        task.cancel()
        return None
    return task.result()


async def _asked(
    book: Book, tool: ToolSpec, validator: ToolSpec, arguments: dict[str, Any], queue: str | None = None
) -> Verdict:
    queue = queue or book.policies[tool.name].queue_of(validator)
    try:
        return await workflow.execute_activity(
            activity_stubs.prevalidate,
            PrevalidateRequest(
                transaction_id=book.transaction_id,
                tool=tool,
                validator=validator,
                arguments=arguments,
                payload_bytes=book.policies[tool.name].payload_bytes,
                hand_on=queue is None,
            ),
            task_queue=queue,
            priority=book.priority,
            start_to_close_timeout=options.prevalidate_timeout(tool.pre_validation, queue),
            retry_policy=options.prevalidate_retry(),
            summary=f"{validator.name}: may {tool.name} be asked?",
        )
    except ActivityError as error:
        if is_cancelled_exception(error):
            raise
        if (other := handed_on(error)) is not None:
            return await _asked(book, tool, validator, arguments, other)
        return rules.unavailable(f"{validator.name} could not be asked: the attempts ran out of time")


def opens(book: Book, verdict: Verdict, tool: ToolSpec) -> bool:
    """Only unavailability opens, and only where the policy says so; it is recorded and shown."""
    if verdict.kind is not VerdictKind.UNAVAILABLE or not tool.pre_validation.fail_open:
        return False
    record(book, verdict, tool, bypassed=True)
    book.emit(EventName.PREVALIDATION_BYPASSED, validator_tool=tool.pre_validation.tool)
    return True


async def not_passed(book: Book, verdict: Verdict, tool: ToolSpec) -> Next:
    """Close as ``OUT_OF_SCOPE``, or ask for the parameter that the validator wants."""
    locale = book.language
    if verdict.kind is VerdictKind.NEEDS_PARAMETER:
        return await _ask_again(book, verdict, tool)
    record(book, verdict, tool, terminal=True)
    if verdict.kind is VerdictKind.REJECTED:
        reason = clean_text(verdict.reason or "") or say("not_eligible", locale)
        code = ReasonCode.NOT_ELIGIBLE
    else:
        reason, code = say("not_verified", locale), ReasonCode.PREVALIDATION_ERROR
    book.close(Status.OUT_OF_SCOPE, None, reason, code)
    book.emit(
        EventName.PREVALIDATION_REJECTED,
        validator_tool=tool.pre_validation.tool,
        status=(verdict.status or "")[:100],
        reason_code=code.value,
    )
    return Next.CLOSED


async def _ask_again(book: Book, verdict: Verdict, tool: ToolSpec) -> Next:
    parameter = verdict.parameter or ""
    record(book, verdict, tool)
    book.emit(
        EventName.PREVALIDATION_PARAMETER_REJECTED,
        validator_tool=tool.pre_validation.tool,
        parameter=parameter[:100],
    )
    book.parameter_questions += 1
    if book.parameter_questions > rules.MAX_PARAMETER_QUESTIONS:
        reason = say("too_many_attempts", book.language)
        book.close(
            Status.OUT_OF_SCOPE, EventName.PREVALIDATION_REJECTED, reason, ReasonCode.TOO_MANY_ATTEMPTS
        )
        return Next.CLOSED
    book.given.pop(parameter, None)
    book.arguments = {name: value for name, value in book.arguments.items() if name != parameter}
    book.missing = (parameter,)
    question = clean_text(verdict.parameter_message or "") or parameter_question(
        tool, book.missing, (), book.language
    )
    return await ask_parameters(book, question, tool)
