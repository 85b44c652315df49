"""Handing one call, or a slice of calls, to a worker, and what it means where no answer comes back."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Literal

from temporalio import workflow
from temporalio.exceptions import ActivityError
from temporalio.workflow import ActivityCancellationType

from confirmo.policies import items as item_rules
from confirmo.policies import slicing
from confirmo.policies.bounding import bytes_of
from confirmo.policies.calls import ExecuteItemRequest, ExecuteItemsRequest, Pace
from confirmo.policies.doubt import report_of_failure
from confirmo.policies.evidence import CallReport
from confirmo.policies.models import Effect, FrozenItem
from confirmo.policies.tool_spec import ToolSpec
from confirmo.workflows import activity_stubs, options
from confirmo.workflows.book import Book
from confirmo.workflows.failures import failure_of, handed_on, lost_slice

CANCEL_ENDS_WAITING = "cancel-ends-waiting"
"""Id of a ``workflow.patched``: a cancel also ends the time between two attempts of a single call."""


@dataclass(frozen=True)
class Part:
    """Items of one activity: how often each was sent before, and whether to ask about them first.

    Attributes:
        overdue: Ids of items whose last call ran out of time.
        tries: Attempts that earlier activities made for the same call.
        queue: Task queue that a crowded worker handed the call on to.
    """

    items: tuple[FrozenItem, ...]
    attempts: dict[str, int] = field(default_factory=dict)
    verify: bool = False
    suffix: str = ""
    overdue: tuple[str, ...] = ()
    tries: int = 0
    queue: str | None = None


class Calls:
    """Hands the calls of one tool to workers.

    Attributes:
        status_tool: The tool's, as workers need it; null where it has none.
        heartbeat: Heartbeat timeout of a call.
        beside_items: The arguments that a call for one item needs.
    """

    def __init__(self, book: Book, tool: ToolSpec) -> None:
        self._book = book
        self._tool = tool
        self._policy = book.policies[tool.name]
        self._queue = self._policy.queue_of(tool)
        status_tool = self._policy.related.get(tool.execution.status_tool or "")
        self._called = tool.for_calls()
        self.status_tool = status_tool.for_calls() if status_tool is not None else None
        # The set itself is not sent with each of its parts.
        self.beside_items = (
            item_rules.arguments_beside_items(tool, book.arguments)
            if self._policy.sets >= 2
            else book.arguments
        )
        own = bytes_of(tool) + (bytes_of(self.status_tool) if self.status_tool else 0)
        self._bytes, self._bytes_beside = own + bytes_of(book.arguments), own + bytes_of(self.beside_items)
        self.heartbeat = timedelta(seconds=self._policy.heartbeat_seconds)
        # Temporal says nothing about the attempts of a call that is cancelled between two of them. An unsafe one has
        # another only where the one before did nothing; of the others, doubt alone is left to Temporal's retry.
        self._returns_unsent = tool.execution.effect is not Effect.UNSAFE

    async def item(
        self,
        item: FrozenItem | None,
        name: str,
        summary: str,
        part: Part,
        before: int = 0,
        *,
        overdue: bool = False,
    ) -> CallReport:
        """Call the tool for one item, or once where ``item`` is null.

        Args:
            item: The item.
            name: Activity id, before the part's suffix.
            summary: Of the activity, in the Temporal UI.
            part: How.
            before: Calls in which the item was sent before.
            overdue: The last of them ran out of time.
        """
        book, verify, queue = self._book, part.verify, part.queue or self._queue
        room = self._bytes if item is None else self._bytes_beside + self._bytes_of((item,))
        await book.budget.take(room)
        handle = workflow.start_activity(
            activity_stubs.execute_item,
            ExecuteItemRequest(
                transaction_id=book.transaction_id,
                root=book.root,
                tool=self._called,
                status_tool=self.status_tool,
                arguments=book.arguments if item is None else self.beside_items,
                item=item,
                attempts_before=before,
                verify_first=verify,
                ask_only=verify and book.cancel_requested,
                overdue=overdue,
                tries_before=part.tries,
                return_unsent=self._returns_unsent,
                hand_on=queue is None,
            ),
            activity_id=name + part.suffix,
            task_queue=queue,
            priority=book.priority,
            start_to_close_timeout=options.execute_timeout(self._tool, verify=verify, queue=queue),
            heartbeat_timeout=self.heartbeat,
            retry_policy=options.execute_retry(self._tool, part.tries),
            cancellation_type=ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
            summary=summary + self._asking(verify),
        )
        await self._stoppable(handle)
        try:
            return await handle
        except ActivityError as error:
            other = handed_on(error)
            if other is not None and (verify or not book.cancel_requested):
                part = replace(part, queue=other, suffix=f"{part.suffix}-queued")
                return await self.item(item, name, summary, part, before, overdue=overdue)
            kind, reason = failure_of(error, self._tool)
            return report_of_failure(kind, reason, (item,) if item else (), before + 1)

    def _bytes_of(self, items: Iterable[FrozenItem]) -> int:
        return sum(item_rules.bytes_of_item(item, self._policy.sizes) for item in items)

    async def _stoppable(
        self, handle: "workflow.ActivityHandle[CallReport]", *, slice_of_items: bool = False
    ) -> None:
        """Wait for an activity; a cancel ends a slice between two items, and any waiting for another attempt.

        A call under way goes on to its end.
        """
        if self._book.cancel_requested and not slice_of_items:
            return
        await workflow.wait_condition(lambda: handle.done() or self._book.cancel_requested)
        # Transactions begun before 0.2 waited for the attempts of single calls. The marker must not depend on whether
        # the call is over: a replay may take two workflow tasks for one.
        ends = self._book.cancel_requested and (slice_of_items or workflow.patched(CANCEL_ENDS_WAITING))
        if ends and not handle.done():
            handle.cancel()

    def _asking(self, verify: bool) -> str:
        return f" ({self.status_tool.name} is asked first)" if verify and self.status_tool else ""

    def request(self, part: Part, call: Literal["per_item", "whole"]) -> ExecuteItemsRequest:
        """Return the request to call the tool for a part of the set."""
        book = self._book
        return ExecuteItemsRequest(
            transaction_id=book.transaction_id,
            root=book.root,
            tool=self._called,
            status_tool=self.status_tool,
            arguments=book.arguments,
            call=call,
            items=part.items,
            all_items=book.items if call == "whole" else (),
            resolved_items=book.items_resolved,
            attempts_before=part.attempts,
            verify_first=part.verify,
            ask_only=part.verify and book.cancel_requested,
            overdue=part.overdue,
            tries_before=part.tries if call == "whole" else 0,
            return_unsent=call == "whole" and self._returns_unsent,
        )

    async def items(self, request: ExecuteItemsRequest, name: str, queue: str | None = None) -> CallReport:
        """Call the tool for several items; those that a lost slice had not begun are left out of the report."""
        verify, queue = request.verify_first, queue or self._queue
        calls = len(request.items) if request.call == "per_item" or verify else 1
        room = self._bytes if request.call == "whole" else self._bytes_beside
        room += self._bytes_of((*request.items, *request.all_items))
        await self._book.budget.take(room)
        handle = workflow.start_activity(
            activity_stubs.execute_items,
            request.model_copy(update={"hand_on": queue is None}),
            activity_id=name,
            task_queue=queue,
            priority=self._book.priority,
            start_to_close_timeout=options.execute_timeout(self._tool, calls, verify=verify, queue=queue),
            heartbeat_timeout=self._heartbeat_of(request),
            retry_policy=options.execute_retry(self._tool, request.tries_before),
            cancellation_type=ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
            summary=f"{self._tool.name}: {len(request.items)} items" + self._asking(verify),
        )
        await self._stoppable(handle, slice_of_items=request.call == "per_item")
        try:
            return await handle
        except ActivityError as error:
            other, cancelled = handed_on(error), self._book.cancel_requested
            if other is not None and (verify or not cancelled):
                request = request.model_copy(update={"ask_only": verify and cancelled})
                return await self.items(request, f"{name}-queued", other)
            kind, reason = failure_of(error, self._tool)
            slice_of = lost_slice(error)
            known = {outcome.item_id: outcome for outcome in slice_of.outcomes}
            sent = slice_of.claimed
            rest = [
                item
                for item in request.items
                if item.item_id not in known and (sent is None or item.item_id in sent)
            ]
            attempts = 1 + max(request.attempts_before.values(), default=0)
            lost = report_of_failure(kind, reason, rest, attempts)
            by_id = known | {outcome.item_id: outcome for outcome in lost.items}
            items = (by_id[item.item_id] for item in request.items if item.item_id in by_id)
            return CallReport(items=tuple(items))

    def _heartbeat_of(self, request: ExecuteItemsRequest) -> timedelta:
        """Return the heartbeat timeout of a slice.

        One that claims heartbeats by calls of its own, of which the SDK knows nothing: it would give the slice up.
        """
        if request.pace is None or not request.pace.claims:
            return self.heartbeat
        longest = timedelta(seconds=request.pace.seconds + self._tool.execution.timeout_seconds)
        return max(self.heartbeat, longest + options.CLAIM_MARGIN)

    def pace(self) -> Pace:
        """Return when a slice ends early."""
        unsafe = self._tool.execution.effect is Effect.UNSAFE
        return Pace(seconds=self._policy.slice_seconds, bytes=slicing.EVIDENCE_BYTES, claims=unsafe)
