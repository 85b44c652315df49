"""Executing a frozen set: fan-out, doubt, and the steps that come after.

An activity already started is never abandoned: a cancel stops what was not sent and waits for the rest.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from temporalio import workflow

from confirmo.policies import items as item_rules
from confirmo.policies import slicing
from confirmo.policies.doubt import (
    joined,
    may_verify,
    merge_reports,
    merge_retry,
    open_items,
    retry_delay,
    retryable_items,
)
from confirmo.policies.events import EventName
from confirmo.policies.evidence import CallReport, ItemOutcome, Known
from confirmo.policies.models import Effect, FrozenItem, ReasonCode
from confirmo.policies.results import (
    ineligible_outcome,
    unsent_outcome,
)
from confirmo.policies.tool_spec import ResolvedPolicy, ToolSpec
from confirmo.workflows.book import Book
from confirmo.workflows.calling import Calls, Part

SHOWN_EVERY = timedelta(milliseconds=200)
"""The Temporal UI shows what is done no more often while items end; looking through a large set takes its time."""
RETRIES_CLAIM = "retries-claim"
"""Id of a ``workflow.patched``: items of an unsafe slice are written down before each try, not only the first."""
_Send = Callable[[Part], Awaitable[CallReport]]


class Execution:
    """Executes the confirmed set of a book and collects what became of each item."""

    def __init__(self, book: Book, tool: ToolSpec) -> None:
        self._book = book
        self._tool = tool
        self._policy: ResolvedPolicy = book.policies[tool.name]
        self._calls = Calls(book, tool)
        self._status_tool = self._calls.status_tool
        redrive = book.request.redrive
        doubtful = redrive is not None and may_verify(tool, self._status_tool)
        self._verify_ids = frozenset(redrive.verify_item_ids) if redrive and doubtful else frozenset[str]()
        self._verify_call = bool(redrive and doubtful and redrive.verify_call)
        self._shown = datetime.min.replace(tzinfo=UTC)
        self.reports: list[CallReport] = []

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
        report = await self._calls.item(None, name, summary, Part((), verify=self._verify_call))
        for cycle in range(1, self._tool.execution.max_attempts):
            if not report.retryable:
                break
            await self._pause(retry_delay(report, cycle - 1))
            if self._book.cancel_requested:
                break
            part = Part((), suffix=f"-retry-{cycle}", tries=cycle)
            report = await self._calls.item(None, name, summary, part, report.attempts)
        for cycle in range(1, max(2, self._tool.execution.max_attempts)):
            lost = report.reason_code == ReasonCode.LOST_ANSWER.value and report.verified_by is None
            if not lost or not may_verify(self._tool, self._status_tool):
                break
            part = Part((), verify=True, suffix=f"-verify-{cycle}")
            report = await self._calls.item(
                None, name, summary, part, report.attempts, overdue=report.overdue
            )
        if report.unrequested:
            self._book.emit(EventName.UNREQUESTED_RESULT, count=len(report.unrequested))
        return report

    async def _whole(self, eligible: tuple[FrozenItem, ...]) -> None:
        async def send(part: Part) -> CallReport:
            return await self._calls.items(self._calls.request(part, "whole"), f"call{part.suffix}")

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
        async def send(part: Part) -> CallReport:
            before = part.attempts.get(item.item_id, 0)
            overdue = item.item_id in part.overdue
            return await self._calls.item(item, name, summary, part, before, overdue=overdue)

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

        unsafe = self._tool.execution.effect is Effect.UNSAFE

        async def send(part: Part) -> CallReport:
            if paced and unsafe and part.tries and workflow.patched(RETRIES_CLAIM):
                return await self._claimed_again(part, name + part.suffix)
            return await self._send_slice(part, name + part.suffix, paced=paced and not part.suffix)

        self._take(await self._until_known(items, send), items)

    async def _send_slice(self, part: Part, name: str, *, paced: bool) -> CallReport:
        request = self._calls.request(part, "per_item")
        request = request.model_copy(update={"arguments": self._calls.beside_items})
        if paced:
            request = request.model_copy(update={"pace": self._calls.pace(), "leave_keys": True})
        return await self._calls.items(request, name)

    async def _claimed_again(self, part: Part, name: str) -> CallReport:
        """Send items of an unsafe slice again; what one activity does not reach goes into the next one.

        What no activity reached is left out: as the report before says, it was never sent.
        """
        left, reports, barren = part.items, list[CallReport](), 0
        while left and not self._book.cancel_requested and barren < slicing.BARREN_SLICES:
            suffix = f"-more-{len(reports)}" if reports else ""
            reports.append(await self._send_slice(replace(part, items=left), name + suffix, paced=True))
            reached = {outcome.item_id for outcome in reports[-1].items}
            barren = 0 if reached else barren + 1
            left = tuple(item for item in left if item.item_id not in reached)
        rest = {item.item_id for item in left}
        return joined([item for item in part.items if item.item_id not in rest], *reports)

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
                    report, await send(Part(again, attempts, False, f"-retry-{cycle}", tries=cycle))
                )
            still = open_items(report, items) if may_verify(self._tool, self._status_tool) else ()
            if still:
                overdue = tuple(outcome.item_id for outcome in report.items if outcome.overdue)
                part = Part(still, attempts, True, f"-verify-{cycle}", overdue)
                report = merge_reports(report, await send(part))
            if book.cancel_requested or not (again or still):
                break
        return report

    async def _first(self, items: tuple[FrozenItem, ...], send: _Send) -> CallReport:
        """Send; items that an earlier transaction may have sent are asked about first."""
        doubtful = tuple(item for item in items if item.item_id in self._verify_ids)
        if not doubtful:
            return await send(Part(items))
        report = await send(Part(doubtful, {}, True, "-verify-0"))
        fresh = tuple(item for item in items if item.item_id not in self._verify_ids)
        return joined(items, report, await send(Part(fresh)) if fresh else CallReport())

    async def _pause(self, seconds: float) -> None:
        with contextlib.suppress(asyncio.TimeoutError):
            await workflow.wait_condition(
                lambda: self._book.cancel_requested,
                timeout=seconds,
                timeout_summary="before the next attempt",
            )

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
        if len(book.items) <= slicing.MAX_SLICE_ITEMS or workflow.now() - self._shown >= SHOWN_EVERY:
            self._shown = workflow.now()
            book.publish_details()

    def _keep(self, report: CallReport) -> None:
        """Keep what a report says beside its items; the outcomes are in the book."""
        self.reports.append(report if self._policy.sets < 2 else report.model_copy(update={"items": ()}))
