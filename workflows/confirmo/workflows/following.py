"""The steps that come after an execution; what one of them does never changes the primary evidence."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.exceptions import ActivityError
from temporalio.workflow import ActivityCancellationType

from confirmo.policies import items as item_rules
from confirmo.policies.calls import AuxiliaryReport, AuxiliaryRequest
from confirmo.policies.events import EventName
from confirmo.policies.evidence import CallReport
from confirmo.policies.results import AuxiliaryResult, auxiliary_due, step_names
from confirmo.policies.templates import is_template, render
from confirmo.policies.tool_spec import AuxiliaryStep, ToolSpec
from confirmo.workflows import activity_stubs, options
from confirmo.workflows.book import Book
from confirmo.workflows.failures import failure_of, handed_on


class Following:
    """Runs the auxiliary steps of a tool.

    Attributes:
        results: What each step that ran reported.
    """

    def __init__(self, book: Book, tool: ToolSpec, reports: Sequence[CallReport]) -> None:
        self._book = book
        self._tool = tool
        self._reports = reports
        self._policy = book.policies[tool.name]
        self._heartbeat = timedelta(seconds=self._policy.heartbeat_seconds)
        self.results: list[AuxiliaryResult] = []

    async def run(self) -> None:
        """Run the auxiliary steps whose ``when`` holds."""
        for number, step in enumerate(self._tool.after, start=1):
            if not auxiliary_due(step, tuple(self._book.outcomes.values()), self._reports):
                continue
            result = await self._auxiliary(step, number)
            self.results.append(AuxiliaryResult(tool=step.tool, report=result))
            if not result.success:
                self._book.emit(EventName.AUXILIARY_FAILED, auxiliary_tool=step.tool)

    def _step_arguments(self, step: AuxiliaryStep) -> dict[str, Any]:
        if not is_template(step.arguments):
            return step.arguments
        book = self._book
        names = step_names(
            book.transaction_id, self._tool, book.selected(), book.outcomes, self._reports, book.root
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
