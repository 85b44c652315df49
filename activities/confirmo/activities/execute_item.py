"""Activity ``execute_item``: call the tool for one item, or once where there are none."""

from dataclasses import dataclass

from temporalio import activity

from confirmo.activities.attempt import Lease, Trail, heartbeating, is_overdue, retry_or_return, uninterrupted
from confirmo.activities.late_answers import LateAnswers
from confirmo.activities.sending import Sender, single_status_report, stamp, verified_outcome
from confirmo.activities.tools import ToolServers
from confirmo.policies import names
from confirmo.policies.bounding import bound_report
from confirmo.policies.calls import ExecuteItemRequest
from confirmo.policies.doubt import as_retryable, report_not_done, report_of_failure, report_overdue
from confirmo.policies.errors import CallFailed, CallFailureKind
from confirmo.policies.evidence import CallReport, report_items, report_single
from confirmo.policies.items import arguments_for_item
from confirmo.policies.models import FrozenItem


@dataclass(frozen=True)
class ExecuteItem:
    """Executes single items through the worker's tool servers."""

    servers: ToolServers
    late: LateAnswers

    @activity.defn(name=names.EXECUTE_ITEM)
    async def execute_item(self, request: ExecuteItemRequest) -> CallReport:
        """Return what became of the item. What Temporal may retry is raised; every other outcome is a value."""
        trail = Trail.of(request.attempts_before)
        async with heartbeating(trail.details) as lease:
            return bound_report(await uninterrupted(self._execute(request, trail, lease)))

    async def _execute(self, request: ExecuteItemRequest, trail: Trail, lease: Lease) -> CallReport:
        before = trail.sent

        def guard() -> None:
            lease.check()
            trail.sent += 1

        sender = Sender(self.servers, self.late, request.transaction_id, request.root, guard)
        items = (request.item,) if request.item is not None else ()
        if request.verify_first and request.status_tool is not None:
            known = await self._verify(request, sender, trail)
            if known is None and (request.ask_only or trail.sent >= request.tool.execution.max_attempts):
                known = stamp(report_not_done(request.status_tool.name, items), sender, {}, trail.sent)
            if known is not None:
                return known
        try:
            report = await self._call(request, sender, items)
        except CallFailed as failure:
            kind = trail.failed(failure, before)
            again = retry_or_return(
                failure,
                request.tool,
                trail.details(ended=True),
                in_doubt=kind is CallFailureKind.DOUBT,
                tries_before=request.tries_before,
                return_unsent=request.return_unsent,
            )
            overdue = is_overdue(failure, request.tool)
            report = report_of_failure(kind, failure.reason, items, trail.sent, overdue=overdue)
            report = as_retryable(report, failure.retry_after) if again else report
        return stamp(report, sender, {}, trail.sent)

    async def _call(
        self, request: ExecuteItemRequest, sender: Sender, items: tuple[FrozenItem, ...]
    ) -> CallReport:
        tool, item = request.tool, request.item
        arguments = request.arguments if item is None else arguments_for_item(tool, request.arguments, item)
        answer = await sender.send(tool, arguments, sender.key(item))
        return report_single(answer, tool) if item is None else report_items(answer, items, tool)

    async def _verify(self, request: ExecuteItemRequest, sender: Sender, trail: Trail) -> CallReport | None:
        """Ask what became of the item; null where it is certain that it may be sent again."""
        assert request.status_tool is not None
        tool, key = request.tool, sender.key(request.item)
        items = (request.item,) if request.item is not None else ()
        waited = False
        while True:
            answer = await sender.late_answer(tool, key, wait=waited)
            if answer is not None:
                report = report_items(answer, items, tool) if items else report_single(answer, tool)
                return stamp(report, sender, {}, trail.sent)
            verdict = await sender.ask_status(
                tool, request.status_tool, request.item, request.status_item, request.arguments
            )
            if verdict.kind != "not_found":
                break
            if waited or not sender.may_still_act(tool, key):
                if request.overdue and not sender.has_ended(tool, key):
                    return stamp(report_overdue(request.status_tool.name, items), sender, {}, trail.sent)
                trail.doubt = False
                return None
            # The first call may still be under way at the server: it must have ended before another one is sent.
            waited = True
        if request.item is None:
            return stamp(single_status_report(verdict, request.status_tool.name), sender, {}, trail.sent)
        outcome = verified_outcome(request.item, verdict, request.status_tool.name)
        return stamp(CallReport(items=(outcome,)), sender, {}, trail.sent)
