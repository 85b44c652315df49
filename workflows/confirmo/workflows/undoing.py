"""Undoing what succeeded, by the policy's ``compensate``: per item, last first, with keys of its own.

A failed undo is visible and never hides the primary evidence.
"""

from datetime import timedelta
from typing import Any, Final

from temporalio import workflow
from temporalio.exceptions import ActivityError
from temporalio.workflow import ActivityCancellationType

from confirmo.policies.calls import ExecuteItemRequest
from confirmo.policies.compensation import Undone, compensation_due, undo_arguments, undo_root
from confirmo.policies.doubt import report_of_failure, report_unsent_call
from confirmo.policies.events import EventName
from confirmo.policies.evidence import CallReport
from confirmo.policies.models import FrozenItem, Outcome, Status
from confirmo.policies.tool_spec import ToolSpec
from confirmo.workflows import activity_stubs, options
from confirmo.workflows.asking import Answer, ask
from confirmo.workflows.book import Book
from confirmo.workflows.failures import failure_of, handed_on

MOST_EVENTS: Final = 40_000
MOST_BYTES: Final = 40_000_000
"""Of a history, after which nothing more is undone; the server ends a run at 51,200 events or 50 MB."""


class Undoing:
    """Compensates the succeeded items of a book."""

    def __init__(self, book: Book, tool: ToolSpec) -> None:
        self._book = book
        self._tool = tool
        policy = self._policy = book.policies[tool.name]
        self._step = tool.compensate
        self._undo_tool = policy.related.get(tool.compensate.tool) if tool.compensate else None
        self._status_tool = (
            policy.related.get(self._undo_tool.execution.status_tool or "") if self._undo_tool else None
        )
        self._heartbeat = timedelta(seconds=policy.heartbeat_seconds)
        self._numbers = {item.item_id: number for number, item in enumerate(book.items, start=1)}

    async def run(self, entries: dict[str, dict[str, Any]], *, on_request: bool = False) -> Undone | None:
        """Undo what ``entries`` (evidence by item id) says has succeeded, where the policy's ``when`` holds.

        Returns:
            What became of it; null where nothing was to be undone.
        """
        book, tool = self._book, self._undo_tool
        done = [item for item in book.items if entries.get(item.item_id, {}).get("success") is True]
        due = compensation_due(self._tool, len(done), len(book.selected()), book.cancel_requested, on_request)
        if self._step is None or tool is None or not done or not due:
            return None
        if tool.require_confirmation:
            answer = await self._ask(tool, done)
            if answer is not Answer.CONFIRMED:
                return Undone(tool=tool.name, skipped=answer.name.lower())
            chosen = book.decided.item_ids if book.decided else None
            done = [item for item in done if chosen is None or item.item_id in chosen]
        reports = [(item, await self._bounded(item, entries[item.item_id])) for item in reversed(done)]
        undone = Undone.of(tool.name, reports)
        if not undone.success:
            book.emit(EventName.AUXILIARY_FAILED, auxiliary_tool=tool.name)
        return undone

    async def _ask(self, tool: ToolSpec, done: list[FrozenItem]) -> Answer:
        """Ask a person first; a cancel of the execution is no answer to this question."""
        book = self._book
        cancelled, book.cancel_requested = book.cancel_requested, False
        answer = await ask(book, tool, {}, done)
        book.cancel_requested = book.cancel_requested or cancelled
        book.move(Status.EXECUTING)
        return answer

    async def _bounded(self, item: FrozenItem, entry: dict[str, Any]) -> CallReport:
        """Undo an item, unless the history is so long that the server might end the run, and lose the evidence."""
        info = workflow.info()
        long = info.get_current_history_length() > MOST_EVENTS or info.get_current_history_size() > MOST_BYTES
        return report_unsent_call() if long and self._policy.sizes >= 2 else await self._undo(item, entry)

    async def _undo(self, item: FrozenItem, entry: dict[str, Any]) -> CallReport:
        assert self._step is not None
        assert self._undo_tool is not None
        report = await self._call(item, entry)
        for cycle in range(1, self._undo_tool.execution.max_attempts):
            lost = report.outcome is Outcome.UNKNOWN and report.verified_by is None
            if not lost or self._status_tool is None:
                break
            report = await self._call(item, entry, earlier=report, suffix=f"-verify-{cycle}")
        return report

    async def _call(
        self,
        item: FrozenItem,
        entry: dict[str, Any],
        *,
        earlier: CallReport | None = None,
        suffix: str = "",
        queue: str | None = None,
    ) -> CallReport:
        """Undo an item; where an ``earlier`` call left doubt, its status tool is asked first."""
        book, tool, step = self._book, self._undo_tool, self._step
        assert tool is not None
        assert step is not None
        number = self._numbers[item.item_id]
        queue = queue or self._policy.queue_of(tool)
        before, verify = (earlier.attempts if earlier else 0), earlier is not None
        try:
            return await workflow.execute_activity(
                activity_stubs.execute_item,
                ExecuteItemRequest(
                    transaction_id=book.transaction_id,
                    root=undo_root(book.root, item.item_id),
                    tool=tool,
                    status_tool=self._status_tool,
                    arguments=undo_arguments(step, book.transaction_id, self._tool.name, item, entry),
                    attempts_before=before,
                    verify_first=verify,
                    overdue=earlier is not None and earlier.overdue,
                    status_item=item,
                    hand_on=queue is None,
                ),
                activity_id=f"undo-{number}{suffix}",
                task_queue=queue,
                priority=book.priority,
                start_to_close_timeout=options.execute_timeout(tool, verify=verify, queue=queue),
                heartbeat_timeout=self._heartbeat,
                retry_policy=options.execute_retry(tool),
                cancellation_type=ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
                summary=f"undo with {tool.name}: item {number} of {len(book.items)}",
            )
        except ActivityError as error:
            if (other := handed_on(error)) is not None:
                return await self._call(item, entry, earlier=earlier, suffix=f"{suffix}-queued", queue=other)
            kind, reason = failure_of(error, tool)
            return report_of_failure(kind, reason, (), before + 1)
