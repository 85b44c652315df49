"""The one workflow: a transaction from its request to its evidence.

It sequences and waits. A message sets state or is refused; the driver, a task of its own, moves the transaction on.
Temporal's own cancel reaches only the main coroutine, so nothing in flight is ever torn down by it.
"""

import asyncio
from datetime import timedelta
from typing import Any

from pydantic import ValidationError
from temporalio import workflow
from temporalio.exceptions import ActivityError, ApplicationError, is_cancelled_exception

from confirmo.policies import names
from confirmo.policies.amending import (
    Changed,
    apply_amendment,
    apply_parameters,
    parse_amendment,
    parse_parameters,
)
from confirmo.policies.calls import ConfirmationRequest
from confirmo.policies.decisions import (
    Decided,
    DecisionEffect,
    check_change,
    check_decision,
    check_may_change,
    check_not_closed,
    parse_decision,
)
from confirmo.policies.errors import INVALID_REQUEST, Refusal, UpdateErrorType
from confirmo.policies.events import EventName, timestamp
from confirmo.policies.models import (
    WAITING_STATUSES,
    Actor,
    Approval,
    Cancellation,
    Confirmation,
    Decision,
    ReasonCode,
    Status,
    TransactionRequest,
    TransactionResult,
    TransactionState,
)
from confirmo.policies.questions import confirmation_question
from confirmo.policies.results import build_result, closed_result
from confirmo.policies.snapshot import question_digest, request_digest, set_digest
from confirmo.policies.wording import say
from confirmo.workflows import activity_stubs, options
from confirmo.workflows.book import Book
from confirmo.workflows.execution import Execution
from confirmo.workflows.preparation import Preparation

_COLLECTING = frozenset({Status.COLLECTING_PARAMETERS})


def _refused(refusal: Refusal) -> ApplicationError:
    return ApplicationError(refusal.message, type=refusal.type.value, non_retryable=True)


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
        self._preparation = Preparation(self._book)
        self._executing: Execution | None = None
        self._revalidated_at = workflow.now()

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
        driver = asyncio.create_task(self._drive())
        await self._shielded(driver)
        driver.result()
        assert book.result is not None
        await self._shielded(asyncio.create_task(workflow.wait_condition(workflow.all_handlers_finished)))
        return book.result

    async def _shielded(self, task: asyncio.Task[None]) -> None:
        """Wait for ``task``; Temporal's own cancel becomes a cancel of the transaction."""
        while not task.done():
            try:
                await workflow.wait_condition(task.done)
            except asyncio.CancelledError:
                self._request_cancel(None)

    # The way of a transaction

    async def _drive(self) -> None:
        book = self._book
        book.emit(EventName.STARTED)
        proceed = await self._preparation.run()
        while proceed:
            self._revalidated_at = workflow.now()
            if not book.must_confirm:
                break
            await self._ask()
            if book.changed:
                proceed = await self._preparation.run()
                continue
            if book.closed:
                break
            if not self._validation_is_old():
                break
            before = self._set_digest()
            proceed = await self._preparation.run(keep_decision=True)
            if proceed and self._set_digest() == before:
                break
        if not book.closed:
            await self._execute()
        self._finish()

    def _validation_is_old(self) -> bool:
        book = self._book
        limit = book.confirmation_policy.revalidate_after_seconds
        validated = book.tool is not None and book.pre_validation is not None
        if limit is None or not validated:
            return False
        return workflow.now() - self._revalidated_at >= timedelta(seconds=limit)

    def _set_digest(self) -> str:
        book = self._book
        assert book.tool is not None
        return set_digest(book.tool, book.arguments, book.items)

    async def _ask(self) -> None:
        """Freeze one question, deliver it and wait for its answer, a change, a cancel or its expiry."""
        book = self._book
        self._freeze_question()
        delivery = asyncio.create_task(self._deliver())
        book.move(Status.AWAITING_CONFIRMATION)
        try:
            await workflow.wait_condition(
                lambda: book.decided is not None or book.changed or book.cancel_requested,
                timeout=book.confirmation_policy.expires_seconds,
                timeout_summary="the question expires",
            )
        except TimeoutError:
            reason = say("expired", book.request.locale)
            book.close(Status.EXPIRED, EventName.EXPIRED, reason, ReasonCode.EXPIRED)
        if not delivery.done():
            delivery.cancel()
        book.question = None
        if book.cancel_requested:
            book.close(Status.CANCELLED, EventName.CANCELLED, book.cancel_reason, ReasonCode.CANCELLED)
        elif book.decided is not None and book.decided.decision == "reject":
            reason = book.cancel_reason or say("rejected", book.request.locale)
            book.close(Status.CANCELLED, EventName.REJECTED, reason, ReasonCode.REJECTED)

    def _freeze_question(self) -> None:
        book, tool = self._book, self._book.tool
        assert tool is not None
        now = workflow.now()
        book.decided = None
        book.deadline = now + timedelta(seconds=tool.confirmation.expires_seconds)
        record = book.pre_validation
        message = confirmation_question(
            tool,
            book.arguments,
            book.items,
            validator_message=record.confirmation_message if record else None,
            bypassed=bool(record and record.bypassed),
            expires_at=timestamp(book.deadline),
            locale=book.request.locale,
        )
        book.questions += 1
        book.question = message
        book.confirmation = Confirmation(
            message=message,
            digest=question_digest(tool, book.arguments, book.items, message, tool.version),
            requested_at=timestamp(now),
            expires_at=timestamp(book.deadline),
            approvals_needed=tool.confirmation.approvals,
        )
        book.emit(EventName.CONFIRMATION_REQUIRED, items_count=len(book.items))

    async def _deliver(self) -> None:
        """Deliver the question to the agent runtime. A sink that is down never holds up an answer."""
        book, confirmation = self._book, self._book.confirmation
        assert confirmation is not None
        try:
            await workflow.execute_activity(
                activity_stubs.confirm_signal,
                ConfirmationRequest(
                    delivery_id=f"{book.transaction_id}/{book.questions}",
                    transaction_id=book.transaction_id,
                    tool_name=book.tool_name,
                    message=confirmation.message,
                    digest=confirmation.digest,
                    requested_at=confirmation.requested_at,
                    expires_at=confirmation.expires_at,
                    tenant=book.request.tenant,
                    session_id=book.request.session_id,
                    locale=book.request.locale,
                    items_count=len(book.items),
                ),
                activity_id=f"question-{book.questions}",
                start_to_close_timeout=options.DELIVERY_TIMEOUT,
                retry_policy=options.DELIVERY_RETRY,
                summary="deliver the question",
            )
        except ActivityError as error:
            if not is_cancelled_exception(error):
                workflow.logger.warning(
                    "The question could not be delivered; it stays open for every other door."
                )

    async def _execute(self) -> None:
        book, tool = self._book, self._book.tool
        assert tool is not None
        if book.cancel_requested:
            book.close(Status.CANCELLED, EventName.CANCELLED, book.cancel_reason, ReasonCode.CANCELLED)
            return
        book.move(Status.EXECUTING)
        book.emit(EventName.EXECUTION_STARTED, items_count=len(book.selected()))
        self._executing = Execution(book, tool)
        await self._executing.run()

    def _finish(self) -> None:
        book = self._book
        if self._executing is None:
            book.result = closed_result(book.view(), book.tool, book.request.locale)
        else:
            book.result = build_result(
                transaction_id=book.transaction_id,
                tool=self._executing._tool,
                items=book.selected(),
                outcomes=book.outcomes,
                reports=self._executing.reports,
                auxiliary=self._executing.auxiliary,
                cancelled=book.cancel_requested,
                cancel_reason=book.cancel_reason,
                locale=book.request.locale,
            )
            book.status = book.result.transaction_status
            book.reason, book.reason_code = book.result.reason, book.result.reason_code
            name = EventName.COMPLETED if book.status is Status.COMPLETED else EventName.FAILED
            counts = book.progress().model_dump()
            if book.cancel_requested:
                book.emit(EventName.CANCELLED, reason_code=ReasonCode.CANCELLED.value)
            book.emit(name, multi_item_status=book.result.multi_item_status, **counts)
        book.publish()

    # Messages

    @workflow.query(name=names.QUERY_STATE, description="What the transaction looks like now")
    def state(self) -> TransactionState:
        """Return the current state."""
        return self._book.view()

    @workflow.update(
        name=names.UPDATE_AWAITING, description="Answers as soon as someone outside is needed, or it is over"
    )
    async def awaiting(self, request: Any = None) -> TransactionState:
        """Return the state as soon as someone outside is needed, or the transaction is over."""
        await workflow.wait_condition(lambda: self._book.waiting)
        return self._book.view()

    @awaiting.validator
    def _check_awaiting(self, request: Any = None) -> None:
        if request is None:
            return
        try:
            parsed = TransactionRequest.model_validate(request)
        except ValidationError:
            refusal = Refusal(
                UpdateErrorType.INVALID_ARGUMENTS, "awaiting takes a TransactionRequest or null."
            )
            raise _refused(refusal) from None
        if request_digest(parsed) != request_digest(self._book.request):
            raise _refused(
                Refusal(
                    UpdateErrorType.REQUEST_MISMATCH,
                    "This id belongs to a transaction with another tool, arguments, tenant or requester. "
                    "Use a new request_id for a new request.",
                )
            )

    @workflow.update(name=names.CONFIRM, description="A person's answer to the question")
    async def confirm(self, decision: Any = None) -> TransactionState:
        """Take a decision; answers as soon as the transaction has moved on, not when it is done."""
        book = self._book
        try:
            self._decide(decision)
        except Refusal as refusal:
            raise _refused(refusal) from None
        if book.decided is not None:
            await workflow.wait_condition(
                lambda: (
                    book.status is not Status.AWAITING_CONFIRMATION
                    and (not book.closed or book.result is not None)
                )
            )
        return book.view()

    @confirm.validator
    def _check_confirm(self, decision: Any = None) -> None:
        try:
            check_decision(parse_decision(decision), self._book.asked(), workflow.now())
        except Refusal as refusal:
            raise _refused(refusal) from None

    @workflow.signal(name=names.CONFIRM, description="A person's answer to the question")
    def confirm_by_signal(self, decision: Any = None) -> None:
        """Take a decision; one that is refused leaves an event and never executes."""
        try:
            self._decide(decision)
        except Refusal as refusal:
            self._book.emit(EventName.DECISION_REFUSED, type=refusal.type.value)

    def _decide(self, raw: Any) -> None:
        book = self._book
        decision = parse_decision(raw)
        effect = check_decision(decision, book.asked(), workflow.now())
        if effect is DecisionEffect.NOTHING:
            return
        assert book.confirmation is not None
        if effect is not DecisionEffect.REJECTED:
            self._approve(decision)
        if effect is DecisionEffect.APPROVED:
            book.publish_details()
            return
        book.decided = Decided(
            decision=decision.decision, digest=book.confirmation.digest, item_ids=decision.item_ids
        )
        if effect is DecisionEffect.REJECTED:
            book.cancel_reason = decision.comment
        else:
            book.emit(EventName.CONFIRMED, approvals=len(book.confirmation.approvals))

    def _approve(self, decision: Decision) -> None:
        book = self._book
        assert book.confirmation is not None
        approval = Approval(
            actor=decision.actor,
            at=timestamp(workflow.now()),
            decision_id=decision.decision_id,
            comment=decision.comment,
            item_ids=decision.item_ids,
        )
        book.confirmation = book.confirmation.model_copy(
            update={"approvals": (*book.confirmation.approvals, approval)}
        )

    @workflow.update(name=names.UPDATE_PROVIDE_PARAMETERS, description="Arguments that were asked for")
    async def provide_parameters(self, provided: Any = None) -> TransactionState:
        """Add arguments and answer after they were validated."""
        return await self._change(self._provided(provided))

    @provide_parameters.validator
    def _check_provide(self, provided: Any = None) -> None:
        self._provided(provided)

    def _provided(self, raw: Any) -> Changed | None:
        book = self._book
        try:
            parameters = parse_parameters(raw)
            if {**book.given, **parameters.arguments} == book.given:
                self._check_open(parameters.actor)
                return None
            advice = "No parameters are being asked for: use amend instead."
            check_change(book.asked(), _COLLECTING, parameters.actor, workflow.now(), advice)
            return apply_parameters(parameters, book.given, frozenset(book.removed_ids), book.requested_tool)
        except Refusal as refusal:
            raise _refused(refusal) from None

    @workflow.update(name=names.UPDATE_AMEND, description="A change of the set before the yes")
    async def amend(self, amendment: Any = None) -> TransactionState:
        """Change the set, validate it again and freeze a new question."""
        changed = self._amended(amendment)
        self._book.emit(EventName.AMENDED)
        return await self._change(changed)

    @amend.validator
    def _check_amend(self, amendment: Any = None) -> None:
        self._amended(amendment)

    def _amended(self, raw: Any) -> Changed:
        book = self._book
        try:
            amendment = parse_amendment(raw)
            advice = "Nothing can be amended now."
            check_change(book.asked(), WAITING_STATUSES, amendment.actor, workflow.now(), advice)
            return apply_amendment(
                amendment,
                book.items,
                book.given,
                book.requested_tool,
                book.tool or book.requested_tool,
                frozenset(book.removed_ids),
                locale=book.request.locale,
            )
        except Refusal as refusal:
            raise _refused(refusal) from None

    def _check_open(self, actor: Actor | None) -> None:
        book = self._book
        if book.closed:
            check_not_closed(book.asked())
        check_may_change(actor, book.requester, book.confirmation_policy)

    async def _change(self, changed: Changed | None) -> TransactionState:
        """Take over changed arguments and answer when someone outside is needed again."""
        book = self._book
        if changed is not None:
            book.given = changed.arguments
            book.removed_ids = set(changed.removed_ids)
            book.changed = True
            book.status = Status.VALIDATING
        await workflow.wait_condition(lambda: book.waiting)
        return book.view()

    @workflow.update(name=names.CANCEL, description="Stop: nothing more is sent")
    async def cancel(self, cancellation: Any = None) -> TransactionState:
        """Stop what was not sent yet and answer with what is so."""
        book = self._book
        self._request_cancel(self._cancellation(cancellation))
        if book.status is not Status.EXECUTING:
            await workflow.wait_condition(
                lambda: (book.closed and book.result is not None) or book.status is Status.EXECUTING
            )
        return book.view()

    @cancel.validator
    def _check_cancel(self, cancellation: Any = None) -> None:
        try:
            self._check_open(self._cancellation(cancellation).actor)
        except Refusal as refusal:
            raise _refused(refusal) from None

    @workflow.signal(name=names.CANCEL, description="Stop: nothing more is sent")
    def cancel_by_signal(self, cancellation: Any = None) -> None:
        """Stop what was not sent yet; a refused cancel leaves an event."""
        try:
            parsed = self._cancellation(cancellation)
            self._check_open(parsed.actor)
        except Refusal as refusal:
            self._book.emit(EventName.DECISION_REFUSED, type=refusal.type.value)
            return
        except ApplicationError as error:
            self._book.emit(EventName.DECISION_REFUSED, type=error.type)
            return
        self._request_cancel(parsed)

    def _cancellation(self, raw: Any) -> Cancellation:
        try:
            return Cancellation.model_validate(raw if raw is not None else {})
        except ValidationError:
            refusal = Refusal(
                UpdateErrorType.INVALID_ARGUMENTS, "cancel takes a JSON object with reason and actor."
            )
            raise _refused(refusal) from None

    def _request_cancel(self, cancellation: Cancellation | None) -> None:
        book = self._book
        if book.cancel_requested or book.closed:
            return
        book.cancel_requested = True
        book.cancel_reason = (cancellation.reason if cancellation else None) or say(
            "cancelled", book.request.locale
        )
