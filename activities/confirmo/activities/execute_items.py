"""Activity ``execute_items``: a whole set in one call, or a slice of a large set with one call per item."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial

from temporalio import activity

from confirmo.activities.attempt import (
    Lease,
    Trail,
    heartbeating,
    is_overdue,
    may_retry,
    retry_or_return,
    uninterrupted,
)
from confirmo.activities.claims import Claims, NotClaimed
from confirmo.activities.late_answers import LateAnswers
from confirmo.activities.sending import Sender, keys_of, sent_by, stamp, verified_outcome
from confirmo.activities.slices import Slice
from confirmo.activities.tools import ToolServers
from confirmo.policies import names
from confirmo.policies.bounding import bound_report
from confirmo.policies.calls import ExecuteItemsRequest
from confirmo.policies.doubt import (
    as_retryable,
    report_not_done,
    report_of_failure,
    report_overdue,
)
from confirmo.policies.errors import CallFailed, CallFailureKind
from confirmo.policies.evidence import CallReport, ItemOutcome, report_items
from confirmo.policies.items import arguments_for_all, arguments_for_item
from confirmo.policies.models import FrozenItem


@dataclass(frozen=True)
class ExecuteItems:
    """Executes several items through the worker's tool servers."""

    servers: ToolServers
    late: LateAnswers

    @activity.defn(name=names.EXECUTE_ITEMS)
    async def execute_items(self, request: ExecuteItemsRequest) -> CallReport:
        """Return one outcome per item. A cancel stops what was not sent and waits for what is under way."""
        trail = Trail.of(max(request.attempts_before.values(), default=0))
        state = Slice.of(request, _recorded(), trail)
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(_watching_for_shutdown(state))
            if request.pace is None or not request.pace.claims:
                lease = await stack.enter_async_context(heartbeating(state.details))
                work = self._execute(request, state, lease, None)
                return bound_report(await uninterrupted(work, state.stop, state.details))
            lease = Lease.of_activity()
            claims = await stack.enter_async_context(Claims.open(state.details, state.stop, lease))
            work = self._execute(request, state, lease, claims)
            report = bound_report(await uninterrupted(work, state.stop, claims.details))
            await claims.finish()
            return report

    async def _execute(
        self, request: ExecuteItemsRequest, state: Slice, lease: Lease, claims: Claims | None
    ) -> CallReport:
        if claims is not None and (
            lost := [item for item in request.items if item.item_id in _claimed(state)]
        ):
            # An earlier attempt of this very slice may have sent them.
            state.record(report_of_failure(CallFailureKind.DOUBT, "an earlier attempt was lost", lost, 1))
        sender = Sender(self.servers, self.late, request.transaction_id, request.root, lease.check)
        items = [item for item in request.items if item.item_id not in state.outcomes]
        if request.verify_first and request.status_tool is not None:
            await self._each(items, request, state, lambda item: self._verify(request, sender, state, item))
            await self._disbelieve(request, sender, state)
            items = [item for item in items if item.item_id not in state.outcomes]
        if request.call == "whole":
            if items:
                state.record(await self._whole(request, sender, state.trail, items))
        else:
            await self._each(
                items, request, state, lambda item: self._claimed(request, sender, state, item, claims)
            )
        return state.report(request.items)

    async def _each(self, items, request, state, work) -> None:  # type: ignore[no-untyped-def]
        queue = deque(items)

        async def lane() -> None:
            while queue and not state.full:
                await work(queue.popleft())

        lanes = min(request.tool.execution.max_concurrency, len(items))
        await asyncio.gather(*(lane() for _ in range(lanes)))

    async def _verify(
        self, request: ExecuteItemsRequest, sender: Sender, state: Slice, item: FrozenItem
    ) -> None:
        assert request.status_tool is not None
        verdict = await sender.ask_status(request.tool, request.status_tool, item)
        before = request.attempts_before.get(item.item_id, 0)
        if verdict.kind != "not_found":
            outcome = verified_outcome(item, verdict, request.status_tool.name)
            state.record(stamp(CallReport(items=(outcome,)), sender, {}, before))
        elif item.item_id in request.overdue:
            state.not_found.append(item)
        elif request.ask_only or before >= request.tool.execution.max_attempts:
            report = report_not_done(request.status_tool.name, (item,))
            state.record(stamp(report, sender, {}, before))

    async def _disbelieve(self, request: ExecuteItemsRequest, sender: Sender, state: Slice) -> None:
        """Wait for the calls that ran out of time; one that is not seen to end leaves its items unknown."""
        assert request.status_tool is not None
        tool, waiting = request.tool, tuple(state.not_found)
        calls = [(item,) for item in waiting] if request.call == "per_item" else [waiting] if waiting else []
        for items in calls:
            key = sender.key(items[0] if request.call == "per_item" else None)
            before = {item.item_id: request.attempts_before.get(item.item_id, 0) for item in items}
            answer = await sender.late_answer(tool, key, wait=True)
            if answer is not None:
                report = report_items(answer, items if request.call == "per_item" else request.items, tool)
                mine = tuple(outcome for outcome in report.items if outcome.item_id in before)
                report = report.model_copy(update={"items": mine})
            elif not sender.has_ended(tool, key):
                report = report_overdue(request.status_tool.name, items)
            else:
                spent = [
                    i for i in items if request.ask_only or before[i.item_id] >= tool.execution.max_attempts
                ]
                report = report_not_done(request.status_tool.name, spent) if spent else CallReport()
            state.record(stamp(report, sender, before, 0))

    async def _claimed(
        self,
        request: ExecuteItemsRequest,
        sender: Sender,
        state: Slice,
        item: FrozenItem,
        claims: Claims | None,
    ) -> None:
        try:
            await self._one(request, sender, state, item, claims)
        except NotClaimed:
            return
        if claims is not None:
            claims.settle(item.item_id)

    async def _one(
        self,
        request: ExecuteItemsRequest,
        sender: Sender,
        state: Slice,
        item: FrozenItem,
        claims: Claims | None,
    ) -> None:
        tool, sent = request.tool, request.attempts_before.get(item.item_id, 0)
        try:
            arguments = arguments_for_item(tool, request.arguments, item)
            claim = partial(claims.claim, item.item_id) if claims is not None else None
            answer = await sender.send(tool, arguments, sender.key(item), claim=claim)
            sent += 1
            report = report_items(answer, (item,), tool)
        except NotClaimed:
            raise
        except CallFailed as failure:
            sent += sent_by(failure)
            again = may_retry(failure.kind, tool)
            # A slice raises nothing, so an earlier attempt of it was lost with its worker and may have sent this item.
            kind = CallFailureKind.DOUBT if state.trail.doubt else failure.kind
            overdue = is_overdue(failure, tool)
            report = report_of_failure(kind, failure.reason, (item,), sent, overdue=overdue)
            report = as_retryable(report, failure.retry_after) if again else report
        state.record(stamp(report, sender, {}, sent, leave_keys=request.leave_keys))

    async def _whole(
        self, request: ExecuteItemsRequest, sender: Sender, trail: Trail, items: list[FrozenItem]
    ) -> CallReport:
        tool, before = request.tool, trail.sent
        wanted = {item.item_id for item in items}
        every = [
            item if item.item_id in wanted else item.model_copy(update={"eligible": False})
            for item in request.all_items or request.items
        ]
        arguments = arguments_for_all(tool, request.arguments, every, request.resolved_items)
        try:
            answer = await sender.send(tool, arguments, sender.key(None), keys_of(sender, items))
            return stamp(report_items(answer, items, tool), sender, {}, before + 1)
        except CallFailed as failure:
            kind = trail.failed(failure, before)
            again = retry_or_return(
                failure,
                tool,
                trail.details(ended=True),
                in_doubt=kind is CallFailureKind.DOUBT,
                tries_before=request.tries_before,
                return_unsent=request.return_unsent,
            )
            overdue = is_overdue(failure, tool)
            report = report_of_failure(kind, failure.reason, items, trail.sent, overdue=overdue)
            report = as_retryable(report, failure.retry_after) if again else report
            return stamp(report, sender, {}, trail.sent)


@asynccontextmanager
async def _watching_for_shutdown(state: Slice) -> AsyncIterator[None]:
    """Let a slice begin nothing new once its worker stops."""

    async def watch() -> None:
        await activity.wait_for_worker_shutdown()
        state.shutdown = True

    task = asyncio.create_task(watch())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def _claimed(state: Slice) -> set[str]:
    """Return the ids that an earlier attempt claimed and left without an outcome."""
    details = activity.info().heartbeat_details
    claimed = details[0].get("claimed", []) if details and isinstance(details[0], dict) else []
    return set(claimed) - state.outcomes.keys()


def _recorded() -> dict[str, ItemOutcome]:
    details = activity.info().heartbeat_details
    recorded = details[0].get("outcomes", []) if details and isinstance(details[0], dict) else []
    outcomes = (ItemOutcome.model_validate(entry) for entry in recorded)
    return {outcome.item_id: outcome for outcome in outcomes}
