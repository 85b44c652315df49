"""The way of a transaction, with no step back: prepare, ask, execute, undo where the policy says so, finish."""

from datetime import datetime, timedelta

from temporalio import workflow

from confirmo.policies.bounding import RESULT_BYTES, bound_result
from confirmo.policies.compensation import Undone
from confirmo.policies.events import EventName
from confirmo.policies.models import ReasonCode, Status, TransactionResult
from confirmo.policies.redriving import resolution_marks, resolved_items, resolved_outcomes
from confirmo.policies.results import build_result, closed_result, item_entries
from confirmo.policies.snapshot import set_digest
from confirmo.policies.wording import say
from confirmo.workflows.asking import Answer, ask
from confirmo.workflows.book import Book
from confirmo.workflows.execution import Execution
from confirmo.workflows.following import Following
from confirmo.workflows.preparation import Preparation
from confirmo.workflows.undoing import Undoing


class Course:
    """Drives a book from its start to its result."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._preparation = Preparation(book)
        self._execution: Execution | None = None
        self._following: Following | None = None
        self._undone: Undone | None = None
        self._validated_at: datetime = workflow.now()

    async def run(self) -> None:
        """Run to the end; the result is in the book then."""
        book = self._book
        book.emit(EventName.STARTED)
        redrive = book.request.redrive
        if redrive is not None and redrive.mode == "undo":
            await self._undo_only()
        elif redrive is not None and not redrive.item_ids and not redrive.whole_call:
            await self._resolve_only()
        elif await self._confirmed():
            await self._execute()
        self._finish()

    async def _confirmed(self) -> bool:
        """Prepare and ask until a set is confirmed or needs no yes; false where the transaction was closed."""
        book = self._book
        proceed = await self._preparation.run()
        while proceed:
            self._validated_at = workflow.now()
            if not book.must_confirm:
                return True
            await self._ask()
            if book.changed:
                proceed = await self._preparation.run()
                continue
            if book.closed:
                return False
            if not self._validation_is_old():
                return True
            before = self._set_digest()
            proceed = await self._preparation.run(keep_decision=True)
            if proceed and self._set_digest() == before:
                return True
        return False

    def _validation_is_old(self) -> bool:
        book = self._book
        limit = book.confirmation_policy.revalidate_after_seconds
        if limit is None or book.pre_validation is None:
            return False
        return workflow.now() - self._validated_at >= timedelta(seconds=limit)

    def _set_digest(self) -> str:
        book = self._book
        assert book.tool is not None
        return set_digest(book.tool, book.arguments, book.items)

    async def _ask(self) -> None:
        """Ask the one question; every end but a yes and a change closes the transaction."""
        book, locale = self._book, self._book.language
        assert book.tool is not None
        answer = await ask(book, book.tool, book.arguments, book.items, book.pre_validation)
        if answer is Answer.EXPIRED:
            book.close(Status.EXPIRED, EventName.EXPIRED, say("expired", locale), ReasonCode.EXPIRED)
        elif answer is Answer.CANCELLED:
            book.close(Status.CANCELLED, EventName.CANCELLED, book.cancel_reason, ReasonCode.CANCELLED)
        elif answer is Answer.REJECTED:
            reason = book.reject_comment or say("rejected", locale)
            book.close(Status.CANCELLED, EventName.REJECTED, reason, ReasonCode.REJECTED)

    async def _execute(self) -> None:
        book, tool = self._book, self._book.tool
        assert tool is not None
        if book.cancel_requested:
            book.close(Status.CANCELLED, EventName.CANCELLED, book.cancel_reason, ReasonCode.CANCELLED)
            return
        book.begin()
        self._execution = Execution(book, tool)
        await self._execution.run()
        if tool.compensate is not None:
            entries = {
                entry["item_id"]: entry
                for entry in item_entries(tool, book.selected(), book.outcomes, book.root)
            }
            self._undone = await Undoing(book, tool).run(entries)
        self._following = Following(book, tool, self._execution.reports)
        await self._following.run()

    async def _undo_only(self) -> None:
        """Undo what an earlier transaction did, on request."""
        book, redrive = self._book, self._book.request.redrive
        assert redrive is not None
        tool = await self._preparation.requested_tool()
        if tool is None:
            return
        wanted = set(redrive.item_ids)
        book.tool = tool
        book.items = tuple(item for item in redrive.known_items if item.item_id in wanted)
        if tool.compensate is None or not book.items:
            reason = say("nothing_to_undo", book.language)
            book.close(Status.BLOCKED, EventName.BLOCKED, reason, ReasonCode.NOTHING_TO_DO)
            return
        book.begin()
        entries = {
            item.item_id: (redrive.entries.get(item.item_id) or dict(item.data)) | {"success": True}
            for item in book.items
        }
        self._undone = await Undoing(book, tool).run(entries, on_request=True)
        if self._undone is not None and self._undone.skipped is not None:
            self._close_unasked(self._undone.skipped)

    def _close_unasked(self, skipped: str) -> None:
        book, locale = self._book, self._book.language
        if skipped == "expired":
            book.close(Status.EXPIRED, EventName.EXPIRED, say("expired", locale), ReasonCode.EXPIRED)
            return
        code = ReasonCode.REJECTED if skipped == "rejected" else ReasonCode.CANCELLED
        reason = book.reject_comment if skipped == "rejected" else book.cancel_reason
        book.close(Status.CANCELLED, EventName[code.name], reason or say(code.value, locale), code)

    async def _resolve_only(self) -> None:
        """Record what an operator found out; nothing is sent."""
        tool = await self._preparation.requested_tool()
        if tool is not None:
            self._book.tool = tool
            self._book.begin()

    def _finish(self) -> None:
        book = self._book
        closed = book.closed
        book.result = bound_result(
            closed_result(book.view(0), book.tool, book.language) if closed else self._result(),
            self._result_bytes(),
        )
        if not closed:
            book.status = book.result.transaction_status
            book.reason, book.reason_code = book.result.reason, book.result.reason_code
            name = EventName.COMPLETED if book.status is Status.COMPLETED else EventName.FAILED
            counts = book.progress().model_dump()
            if book.cancel_requested:
                book.emit(EventName.CANCELLED, reason_code=ReasonCode.CANCELLED.value)
            book.emit(name, multi_item_status=book.result.multi_item_status, **counts)
        book.publish()

    def _result_bytes(self) -> int:
        policy = self._book.policies.get(self._book.tool_name)
        return (policy.payload_bytes if policy else None) or RESULT_BYTES

    def _result(self) -> TransactionResult:
        book, redrive = self._book, self._book.request.redrive
        assert book.tool is not None
        tool, items, reports = book.tool, book.selected(), self._execution.reports if self._execution else []
        marks = {}
        if redrive is not None and redrive.mode == "undo" and self._undone is not None:
            tool = book.policies[tool.name].related[self._undone.tool]
            items, reports = (), [self._undone.report()]
        elif redrive is not None:
            items = (*items, *resolved_items(redrive))
            book.outcomes |= resolved_outcomes(redrive)
            marks = resolution_marks(redrive)
            book.executed = items
        return build_result(
            transaction_id=book.transaction_id,
            tool=tool,
            items=items,
            outcomes=book.outcomes,
            reports=reports,
            auxiliary=self._following.results if self._following else [],
            cancelled=book.cancel_requested,
            cancel_reason=book.cancel_reason,
            locale=book.language,
            undone=self._undone if self._execution else None,
            marks=marks,
            root=book.root,
        )
