"""The one workflow: a transaction from its request to its evidence.

It sequences and waits. A message sets state or is refused; the driver, a task of its own, moves the transaction on.
Temporal's own cancel reaches only the main coroutine, so nothing in flight is ever torn down by it.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pydantic import ValidationError
from temporalio import workflow
from temporalio.exceptions import ApplicationError

from confirmo.policies import names
from confirmo.policies.amending import Changed
from confirmo.policies.bounding import bytes_of
from confirmo.policies.errors import INVALID_REQUEST, Refusal, UpdateErrorType
from confirmo.policies.events import EventName
from confirmo.policies.measures import refused_decision
from confirmo.policies.models import (
    ItemPage,
    ItemsAsked,
    Status,
    TransactionRequest,
    TransactionResult,
    TransactionState,
)
from confirmo.policies.snapshot import request_digest
from confirmo.workflows import messages
from confirmo.workflows.book import Book
from confirmo.workflows.counting import count
from confirmo.workflows.course import Course
from confirmo.workflows.telling import tell_end

T = TypeVar("T")

DELIVERIES_END_FIRST = "deliveries-end-first"
"""Id of a ``workflow.patched``."""
ENDS_ARE_TOLD = "ends-are-told"
"""Id of another one: a run whose policy was frozen by a newer worker may have been closed by an older one."""


def _or_refuse(rule: Callable[..., T], *arguments: Any) -> T:
    """Return what a rule says; its refusal becomes the update's error, and is counted."""
    try:
        return rule(*arguments)
    except Refusal as refusal:
        count([refused_decision(refusal.type.value, "update")])
        raise messages.refused(refusal) from None


@workflow.defn(name=names.TRANSACTION_WORKFLOW)
class TransactionWorkflow:
    """One confirmed logical operation of an agent: one tool, 1 or N items.

    Arguments of handlers arrive as plain JSON and are read here, so that a payload of the wrong shape is answered
    with a sentence and never fails a workflow task for ever.
    """

    @workflow.init
    def __init__(self, request: Any = None, *_surplus: Any) -> None:
        """Set up the state that messages may find before ``run`` has begun."""
        self._error: str | None = None
        try:
            parsed = TransactionRequest.model_validate(request)
        except ValidationError as error:
            fields = sorted(
                {".".join(str(part) for part in item["loc"]) or "request" for item in error.errors()}
            )
            self._error = f"The start payload is not a TransactionRequest: look at {', '.join(fields)[:200]}."
            parsed = TransactionRequest(tool_name="")
        if _surplus and self._error is None:
            self._error = "The workflow takes one argument, a TransactionRequest."
        self._book = Book(workflow.info().workflow_id, parsed, given=dict(parsed.arguments))
        self._course = Course(self._book)

    @workflow.run
    async def run(self, request: Any = None, *_surplus: Any) -> TransactionResult:
        """Drive the transaction to its end.

        Raises:
            ApplicationError: ``InvalidRequest`` where the start payload cannot be decoded.
        """
        if self._error is not None:
            raise ApplicationError(self._error, type=INVALID_REQUEST, non_retryable=True)
        book = self._book
        if names.MEMO_REQUEST_DIGEST not in workflow.memo():
            workflow.upsert_memo({names.MEMO_REQUEST_DIGEST: request_digest(book.request)})
        driver = asyncio.create_task(self._course.run())
        await self._shielded(driver)
        driver.result()
        assert book.result is not None
        if book.tells_end and workflow.patched(ENDS_ARE_TOLD):
            await self._shielded(asyncio.create_task(tell_end(book)))
        await self._deliveries_ended()
        await self._shielded(asyncio.create_task(workflow.wait_condition(workflow.all_handlers_finished)))
        while book.budget.used and not book.budget.fits(bytes_of(book.result)):
            if not await self._next_task():
                break
        return book.result

    def watched_by(self, watch: Callable[[str, Mapping[str, Any]], None]) -> None:
        """Tell ``watch`` what the transaction does; for who replays its history."""
        self._book.watch = watch

    async def _next_task(self) -> bool:
        """Let the answers of this task go first, then those of messages that came meanwhile."""
        waiting = asyncio.create_task(self._book.budget.next_task())
        await self._shielded(waiting)
        await self._shielded(asyncio.create_task(workflow.wait_condition(workflow.all_handlers_finished)))
        return waiting.result()

    async def _deliveries_ended(self) -> None:
        """Let no delivery end in the very task that closes the run: it would lose the messages of that task.

        Transactions begun before 0.2 did not wait, those of its first workers with a marker. The marker must not depend
        on what is pending: a replay may take two workflow tasks for one (https://github.com/temporalio/sdk-rust/issues/1606).
        """
        deliveries = self._book.deliveries
        if not deliveries or not (self._book.waits_for_deliveries or workflow.patched(DELIVERIES_END_FIRST)):
            return
        waiting = workflow.wait_condition(lambda: all(delivery.done() for delivery in deliveries))
        await self._shielded(asyncio.create_task(waiting))

    async def _shielded(self, task: asyncio.Task[Any]) -> None:
        """Wait for ``task``; Temporal's own cancel becomes a cancel of the transaction."""
        while not task.done():
            try:
                await workflow.wait_condition(task.done)
            except asyncio.CancelledError:
                messages.request_cancel(self._book, None)

    # Messages

    @workflow.query(name=names.QUERY_STATE, description="What the transaction looks like now")
    def state(self) -> TransactionState:
        """Return the current state."""
        return self._book.answer()

    @workflow.query(name=names.QUERY_WHOLE_STATE, description="The state with every item")
    def whole_state(self) -> TransactionState:
        """Return the current state with every item, however large; for who takes up a transaction again."""
        return self._book.view()

    @workflow.query(name=names.QUERY_ITEMS, description="A page of the items with their evidence")
    def items(self, asked: Any = None) -> ItemPage:
        """Return a page of the items; ``asked`` is an ``ItemsAsked``, null for the first page.

        Raises:
            ApplicationError: ``InvalidArguments`` where it is none.
        """
        try:
            page = ItemsAsked.model_validate(asked if asked is not None else {})
        except ValidationError:
            refusal = Refusal(
                UpdateErrorType.INVALID_ARGUMENTS,
                "items takes a JSON object with cursor (0 or more), limit (1 to 1000) and outcome.",
            )
            raise messages.refused(refusal) from None
        return self._book.page(page)

    @workflow.update(
        name=names.UPDATE_AWAITING, description="Answers as soon as someone outside is needed, or it is over"
    )
    async def awaiting(self, request: Any = None, *surplus: Any) -> TransactionState:
        """Return the state as soon as someone outside is needed, or the transaction is over."""
        await workflow.wait_condition(lambda: self._book.waiting)
        return await self._book.reply()

    @awaiting.validator
    def _check_awaiting(self, request: Any = None, *surplus: Any) -> None:
        _or_refuse(messages.check_same_request, self._book, request, *surplus)

    @workflow.update(name=names.CONFIRM, description="A person's answer to the question")
    async def confirm(self, decision: Any = None, *surplus: Any) -> TransactionState:
        """Take a decision; answers as soon as the transaction has moved on, not when it is done."""
        book = self._book
        _or_refuse(messages.decide, book, decision, *surplus)
        if book.decided is not None:
            await workflow.wait_condition(
                lambda: (
                    book.status is not Status.AWAITING_CONFIRMATION
                    and (not book.closed or book.result is not None)
                )
            )
        return await book.reply()

    @confirm.validator
    def _check_confirm(self, decision: Any = None, *surplus: Any) -> None:
        _or_refuse(messages.check, self._book, decision, *surplus)

    @workflow.signal(name=names.CONFIRM, description="A person's answer to the question")
    def confirm_by_signal(self, decision: Any = None, *surplus: Any) -> None:
        """Take a decision; one that is refused leaves an event and never executes."""
        try:
            messages.decide(self._book, decision, *surplus)
        except Refusal as refusal:
            self._book.tell("decision", effect="refused", refusal=refusal)
            self._book.emit(EventName.DECISION_REFUSED, type=refusal.type.value)

    @workflow.update(name=names.UPDATE_PROVIDE_PARAMETERS, description="Arguments that were asked for")
    async def provide_parameters(self, provided: Any = None, *surplus: Any) -> TransactionState:
        """Add arguments and answer after they were validated."""
        return await self._change(_or_refuse(messages.provided, self._book, provided, *surplus))

    @provide_parameters.validator
    def _check_provide(self, provided: Any = None, *surplus: Any) -> None:
        _or_refuse(messages.provided, self._book, provided, *surplus)

    @workflow.update(name=names.UPDATE_AMEND, description="A change of the set before the yes")
    async def amend(self, amendment: Any = None, *surplus: Any) -> TransactionState:
        """Change the set, validate it again and freeze a new question."""
        changed = _or_refuse(messages.amended, self._book, amendment, *surplus)
        self._book.emit(EventName.AMENDED)
        return await self._change(changed)

    @amend.validator
    def _check_amend(self, amendment: Any = None, *surplus: Any) -> None:
        _or_refuse(messages.amended, self._book, amendment, *surplus)

    async def _change(self, changed: Changed | None) -> TransactionState:
        """Take over changed arguments and answer when someone outside is needed again."""
        book = self._book
        if changed is not None:
            messages.take_over(book, changed)
        await workflow.wait_condition(lambda: book.waiting)
        return await book.reply()

    @workflow.update(name=names.CANCEL, description="Stop: nothing more is sent")
    async def cancel(self, cancellation: Any = None, *surplus: Any) -> TransactionState:
        """Stop what was not sent yet and answer with what is so."""
        book = self._book
        messages.request_cancel(book, _or_refuse(messages.parse_cancellation, cancellation, *surplus).reason)
        if book.status is not Status.EXECUTING:
            await workflow.wait_condition(
                lambda: (book.closed and book.result is not None) or book.status is Status.EXECUTING
            )
        return await book.reply()

    @cancel.validator
    def _check_cancel(self, cancellation: Any = None, *surplus: Any) -> None:
        parsed = _or_refuse(messages.parse_cancellation, cancellation, *surplus)
        _or_refuse(messages.check_open, self._book, parsed.actor)

    @workflow.signal(name=names.CANCEL, description="Stop: nothing more is sent")
    def cancel_by_signal(self, cancellation: Any = None, *surplus: Any) -> None:
        """Stop what was not sent yet; a refused cancel leaves an event."""
        try:
            parsed = messages.parse_cancellation(cancellation, *surplus)
            messages.check_open(self._book, parsed.actor)
        except Refusal as refusal:
            self._book.emit(EventName.DECISION_REFUSED, type=refusal.type.value)
            return
        messages.request_cancel(self._book, parsed.reason)
