"""Executing a frozen set: fan-out, doubt, and the steps that come after.

An activity already started is never abandoned: a cancel stops what was not sent and waits for the rest.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from temporalio import workflow
from temporalio.exceptions import ActivityError
from temporalio.workflow import ActivityCancellationType

from confirmo.policies import items as item_rules
from confirmo.policies import slicing
from confirmo.policies.bounding import bytes_of
from confirmo.policies.calls import (
    AuxiliaryReport,
    AuxiliaryRequest,
    ExecuteItemRequest,
    ExecuteItemsRequest,
    Pace,
)
from confirmo.policies.doubt import (
    joined,
    may_verify,
    merge_reports,
    merge_retry,
    open_items,
    report_of_failure,
    retry_delay,
    retryable_items,
)
from confirmo.policies.events import EventName
from confirmo.policies.evidence import CallReport, ItemOutcome, Known
from confirmo.policies.models import Effect, FrozenItem, ReasonCode
from confirmo.policies.results import (
    AuxiliaryResult,
    auxiliary_due,
    ineligible_outcome,
    step_names,
    unsent_outcome,
)
from confirmo.policies.templates import is_template, render
from confirmo.policies.tool_spec import AuxiliaryStep, ResolvedPolicy, ToolSpec
from confirmo.workflows import activity_stubs, options
from confirmo.workflows.book import Book
from confirmo.workflows.failures import failure_of, handed_on, lost_slice

SHOWN_EVERY = timedelta(milliseconds=200)
"""The Temporal UI shows what is done no more often while items end; looking through a large set takes its time."""
CANCEL_ENDS_WAITING = "cancel-ends-waiting"
"""Id of a ``workflow.patched``: a cancel also ends the time between two attempts of a single call."""


@dataclass(frozen=True)
class _Part:
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


_Send = Callable[[_Part], Awaitable[CallReport]]


class Execution:
    """Executes the confirmed set of a book and collects what became of each item."""

    def __init__(self, book: Book, tool: ToolSpec) -> None:
        self._book = book
        self._tool = tool
        self._policy: ResolvedPolicy = book.policies[tool.name]
        self._queue = self._policy.queue_of(tool)
        status_tool = self._policy.related.get(tool.execution.status_tool or "")
        self._called = tool.for_calls()
        self._status_tool = status_tool.for_calls() if status_tool is not None else None
        redrive = book.request.redrive
        doubtful = redrive is not None and may_verify(tool, self._status_tool)
        self._verify_ids = frozenset(redrive.verify_item_ids) if redrive and doubtful else frozenset[str]()
        self._verify_call = bool(redrive and doubtful and redrive.verify_call)
        # The set itself is not sent with each of its parts.
        self._others = (
            item_rules.arguments_beside_items(tool, book.arguments)
            if self._policy.sets >= 2
            else book.arguments
        )
        own = bytes_of(tool) + (bytes_of(self._status_tool) if self._status_tool else 0)
        self._bytes, self._bytes_beside = own + bytes_of(book.arguments), own + bytes_of(self._others)
        self._heartbeat = timedelta(seconds=self._policy.heartbeat_seconds)
        # Temporal says nothing about the attempts of a call that is cancelled between two of them. An unsafe one has
        # another only where the one before did nothing; of the others, doubt alone is left to Temporal's retry.
        self._returns_unsent = tool.execution.effect is not Effect.UNSAFE
        self._shown = datetime.min.replace(tzinfo=UTC)
        self.reports: list[CallReport] = []
        self.auxiliary: list[AuxiliaryResult] = []

    async def run(self) -> None:
        """Execute the confirmed set."""
        items = self._book.selected()
        eligible = tuple(item for item in items if item.eligible)
        for item in items:
            if not item.eligible:
                self._book.outcomes[item.item_id] = ineligible_outcome(item)
        call = item_rules.call_of(self._tool, bool(items))
        if call == "single":
            self.reports.append(await self._single())
        elif call == "whole":
            await self._whole(eligible)
        elif len(eligible) <= self._policy.item_activities:
            await self._one_by_one(eligible)
        elif self._policy.sets < 2:
            await self._fixed_slices(eligible)
        else:
            await self._slices(eligible)
        for item in eligible:
            if item.item_id not in self._book.outcomes:
                self._book.outcomes[item.item_id] = unsent_outcome(item, self._book.language)

    async def _single(self) -> CallReport:
        name, summary = "call", self._tool.name
        report = await self._execute_item(None, name, summary, _Part((), verify=self._verify_call))
        for cycle in range(1, self._tool.execution.max_attempts):
            if not report.retryable:
                break
            await self._pause(retry_delay(report, cycle - 1))
            if self._book.cancel_requested:
                break
            part = _Part((), suffix=f"-retry-{cycle}", tries=cycle)
            report = await self._execute_item(None, name, summary, part, report.attempts)
        for cycle in range(1, max(2, self._tool.execution.max_attempts)):
            lost = report.reason_code == ReasonCode.LOST_ANSWER.value and report.verified_by is None
            if not lost or not may_verify(self._tool, self._status_tool):
                break
            part = _Part((), verify=True, suffix=f"-verify-{cycle}")
            report = await self._execute_item(
                None, name, summary, part, report.attempts, overdue=report.overdue
            )
        if report.unrequested:
            self._book.emit(EventName.UNREQUESTED_RESULT, count=len(report.unrequested))
        return report

    async def _whole(self, eligible: tuple[FrozenItem, ...]) -> None:
        async def send(part: _Part) -> CallReport:
            return await self._execute_items(self._items_request(part, "whole"), f"call{part.suffix}")

        self._take(await self._until_known(eligible, send), eligible)

    async def _one_by_one(self, eligible: tuple[FrozenItem, ...]) -> None:
        queue = deque(enumerate(eligible, start=1))
        total = len(eligible)

        async def lane() -> None:
            while queue and not self._book.cancel_requested:
                number, item = queue.popleft()
                await self._one(item, f"item-{number}", f"{self._tool.name}: item {number} of {total}")

        await asyncio.gather(*(lane() for _ in range(min(self._tool.execution.max_concurrency, total))))

    async def _one(self, item: FrozenItem, name: str, summary: str) -> None:
        async def send(part: _Part) -> CallReport:
            before = part.attempts.get(item.item_id, 0)
            overdue = item.item_id in part.overdue
            return await self._execute_item(item, name, summary, part, before, overdue=overdue)

        self._take(await self._until_known((item,), send), (item,))

    async def _slices(self, eligible: tuple[FrozenItem, ...]) -> None:
        """Execute slice after slice; a slice that ends early leaves the rest to the next one."""
        size, barren, left = self._policy.slice_items, 0, list(eligible)
        number = {item.item_id: position for position, item in enumerate(eligible, start=1)}
        while left and not self._book.cancel_requested and barren < slicing.BARREN_SLICES:
            end = slicing.next_slice(left, 0, size)
            items, rest = tuple(left[:end]), left[end:]
            name = f"items-{number[items[0].item_id]}-{number[items[-1].item_id]}"
            began = workflow.now()
            await self._slice(items, f"{name}-again-{barren}" if barren else name, paced=True)
            missed = [item for item in items if item.item_id not in self._book.outcomes]
            reached = len(items) - len(missed)
            size = slicing.next_size(size, reached, (workflow.now() - began).total_seconds())
            barren = 0 if reached else barren + 1
            left = missed + rest

    async def _fixed_slices(self, eligible: tuple[FrozenItem, ...]) -> None:
        """Execute slices of one size, as transactions begun before 0.2 do."""
        unsafe = self._tool.execution.effect is Effect.UNSAFE
        # All items of a lost unsafe slice are in doubt, so such a slice holds no more than what is in flight at once.
        size = self._tool.execution.max_concurrency if unsafe else self._policy.slice_items
        for start in range(0, len(eligible), size):
            if self._book.cancel_requested:
                return
            items = eligible[start : start + size]
            await self._slice(items, f"items-{start + 1}-{start + len(items)}")

    async def _slice(self, items: tuple[FrozenItem, ...], name: str, *, paced: bool = False) -> None:
        # What is asked about first, or sent again, is not left to another slice: its attempts are counted here.
        paced = paced and not any(item.item_id in self._verify_ids for item in items)

        async def send(part: _Part) -> CallReport:
            request = self._items_request(part, "per_item")
            if paced and not part.suffix:
                request = request.model_copy(update={"pace": self._pace(), "leave_keys": True})
            request = request.model_copy(update={"arguments": self._others})
            return await self._execute_items(request, name + part.suffix)

        self._take(await self._until_known(items, send), items)

    def _pace(self) -> Pace:
        unsafe = self._tool.execution.effect is Effect.UNSAFE
        return Pace(seconds=self._policy.slice_seconds, bytes=slicing.EVIDENCE_BYTES, claims=unsafe)

    async def _until_known(self, items: tuple[FrozenItem, ...], send: _Send) -> CallReport:
        """Send, and go on with what is still open as long as the failure table and ``max_attempts`` allow."""
        book = self._book
        report = await self._first(items, send)
        for cycle in range(1, max(2, self._tool.execution.max_attempts)):
            attempts = {outcome.item_id: outcome.attempts for outcome in report.items}
            again = retryable_items(report, items) if cycle < self._tool.execution.max_attempts else ()
            if again:
                await self._pause(retry_delay(report, cycle - 1))
            if again and not book.cancel_requested:
                report = merge_retry(
                    report, await send(_Part(again, attempts, False, f"-retry-{cycle}", tries=cycle))
                )
            still = open_items(report, items) if may_verify(self._tool, self._status_tool) else ()
            if still:
                overdue = tuple(outcome.item_id for outcome in report.items if outcome.overdue)
                part = _Part(still, attempts, True, f"-verify-{cycle}", overdue)
                report = merge_reports(report, await send(part))
            if book.cancel_requested or not (again or still):
                break
        return report

    async def _first(self, items: tuple[FrozenItem, ...], send: _Send) -> CallReport:
        """Send; items that an earlier transaction may have sent are asked about first."""
        doubtful = tuple(item for item in items if item.item_id in self._verify_ids)
        if not doubtful:
            return await send(_Part(items))
        report = await send(_Part(doubtful, {}, True, "-verify-0"))
        fresh = tuple(item for item in items if item.item_id not in self._verify_ids)
        return joined(items, report, await send(_Part(fresh)) if fresh else CallReport())

    async def _pause(self, seconds: float) -> None:
        with contextlib.suppress(asyncio.TimeoutError):
            await workflow.wait_condition(
                lambda: self._book.cancel_requested,
                timeout=seconds,
                timeout_summary="before the next attempt",
            )

    async def _execute_item(
        self,
        item: FrozenItem | None,
        name: str,
        summary: str,
        part: _Part,
        before: int = 0,
        *,
        overdue: bool = False,
    ) -> CallReport:
        book, verify, queue = self._book, part.verify, part.queue or self._queue
        room = self._bytes if item is None else self._bytes_beside + item_rules.bytes_of_item(item)
        await book.budget.take(room)
        handle = workflow.start_activity(
            activity_stubs.execute_item,
            ExecuteItemRequest(
                transaction_id=book.transaction_id,
                root=book.root,
                tool=self._called,
                status_tool=self._status_tool,
                arguments=book.arguments if item is None else self._others,
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
            heartbeat_timeout=self._heartbeat,
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
                return await self._execute_item(item, name, summary, part, before, overdue=overdue)
            kind, reason = failure_of(error, self._tool)
            return report_of_failure(kind, reason, (item,) if item else (), before + 1)

    async def _stoppable(
        self, handle: "workflow.ActivityHandle[CallReport]", *, slice_of_items: bool = False
    ) -> None:
        """Wait for an activity; a cancel ends a slice between two items, and any waiting for another attempt.

        A call under way goes on to its end.
        """
        if self._book.cancel_requested and not slice_of_items:
            return
        await workflow.wait_condition(lambda: handle.done() or self._book.cancel_requested)
        # Transactions begun before 0.2 waited for the attempts of single calls.
        if not handle.done() and (slice_of_items or workflow.patched(CANCEL_ENDS_WAITING)):
            handle.cancel()

    def _asking(self, verify: bool) -> str:
        return f" ({self._status_tool.name} is asked first)" if verify and self._status_tool else ""

    def _items_request(self, part: _Part, call: Literal["per_item", "whole"]) -> ExecuteItemsRequest:
        book = self._book
        return ExecuteItemsRequest(
            transaction_id=book.transaction_id,
            root=book.root,
            tool=self._called,
            status_tool=self._status_tool,
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

    async def _execute_items(
        self, request: ExecuteItemsRequest, name: str, queue: str | None = None
    ) -> CallReport:
        verify, queue = request.verify_first, queue or self._queue
        calls = len(request.items) if request.call == "per_item" or verify else 1
        room = self._bytes if request.call == "whole" else self._bytes_beside
        room += sum(map(item_rules.bytes_of_item, (*request.items, *request.all_items)))
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
                return await self._execute_items(request, f"{name}-queued", other)
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
            return self._heartbeat
        longest = timedelta(seconds=request.pace.seconds + self._tool.execution.timeout_seconds)
        return max(self._heartbeat, longest + options.CONNECT_ALLOWANCE / 4)

    def _take(self, report: CallReport, items: Sequence[FrozenItem]) -> None:
        book = self._book
        self._keep(report)
        known: dict[str, ItemOutcome] = {outcome.item_id: outcome for outcome in report.items}
        taken = {item.item_id: Known.of(known[item.item_id]) for item in items if item.item_id in known}
        done = len(book.outcomes)
        book.outcomes |= taken
        book.emit_each(
            EventName.ITEM_COMPLETED,
            [
                {"outcome": outcome.outcome.value, "items_done_count": done + number}
                for number, outcome in enumerate(taken.values(), start=1)
            ],
        )
        if report.unrequested:
            book.emit(EventName.UNREQUESTED_RESULT, count=len(report.unrequested))
        if workflow.now() - self._shown >= SHOWN_EVERY:
            self._shown = workflow.now()
            book.publish_details()

    def _keep(self, report: CallReport) -> None:
        """Keep what a report says beside its items; the outcomes are in the book."""
        self.reports.append(report if self._policy.sets < 2 else report.model_copy(update={"items": ()}))

    async def after(self) -> None:
        """Run the auxiliary steps whose ``when`` holds."""
        for number, step in enumerate(self._tool.after, start=1):
            if not auxiliary_due(step, tuple(self._book.outcomes.values()), self.reports):
                continue
            result = await self._auxiliary(step, number)
            self.auxiliary.append(AuxiliaryResult(tool=step.tool, report=result))
            if not result.success:
                self._book.emit(EventName.AUXILIARY_FAILED, auxiliary_tool=step.tool)

    def _step_arguments(self, step: AuxiliaryStep) -> dict[str, Any]:
        if not is_template(step.arguments):
            return step.arguments
        book = self._book
        names = step_names(
            book.transaction_id, self._tool, book.selected(), book.outcomes, self.reports, book.root
        )
        rendered = render(step.arguments, names)
        return {name: value for name, value in rendered.items() if value is not None}

    async def _auxiliary(self, step: AuxiliaryStep, number: int, queue: str | None = None) -> AuxiliaryReport:
        tool = self._policy.related.get(step.tool)
        if tool is None:
            return AuxiliaryReport(success=False, error=f"{step.tool} is not part of the frozen policy")
        suffix, queue = "-queued" if queue else "", queue or self._policy.queue_of(tool)
        try:
            return await workflow.execute_activity(
                activity_stubs.run_auxiliary,
                AuxiliaryRequest(
                    transaction_id=self._book.transaction_id,
                    tool=tool,
                    arguments=self._step_arguments(step),
                    idempotency_key=item_rules.item_key(self._book.root, f"after/{number}/{step.tool}"),
                    hand_on=queue is None,
                ),
                activity_id=f"after-{number}{suffix}",
                task_queue=queue,
                priority=self._book.priority,
                start_to_close_timeout=options.execute_timeout(tool, queue=queue),
                heartbeat_timeout=self._heartbeat,
                retry_policy=options.execute_retry(tool),
                cancellation_type=ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
                summary=f"after: {step.tool}",
            )
        except ActivityError as error:
            if (other := handed_on(error)) is not None:
                return await self._auxiliary(step, number, other)
            return AuxiliaryReport(success=False, error=failure_of(error, tool)[1])
