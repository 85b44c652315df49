"""Activity ``run_auxiliary``: call an auxiliary tool. Its failure never changes what the primary tool did."""

from dataclasses import dataclass

from temporalio import activity

from confirmo.activities.attempt import Lease, heartbeating, retry_or_return, uninterrupted
from confirmo.activities.late_answers import LateAnswers
from confirmo.activities.sending import Sender
from confirmo.activities.tools import ToolServers
from confirmo.policies import names
from confirmo.policies.bounding import ITEM_BYTES, bound_entry
from confirmo.policies.calls import AuxiliaryReport, AuxiliaryRequest
from confirmo.policies.errors import CallFailed
from confirmo.policies.evidence import report_single
from confirmo.policies.models import Outcome


@dataclass(frozen=True)
class RunAuxiliary:
    """Calls auxiliary tools through the worker's tool servers."""

    servers: ToolServers
    late: LateAnswers

    @activity.defn(name=names.RUN_AUXILIARY)
    async def run_auxiliary(self, request: AuxiliaryRequest) -> AuxiliaryReport:
        """Return whether the step succeeded; what Temporal may retry is raised."""
        async with heartbeating(lambda: None) as lease:
            return await uninterrupted(self._run(request, lease))

    async def _run(self, request: AuxiliaryRequest, lease: Lease) -> AuxiliaryReport:
        root = request.transaction_id
        sender = Sender(self.servers, self.late, request.transaction_id, root, lease.check)
        envelope = request.tool.model_copy(
            update={"execution": request.tool.execution.model_copy(update={"evidence": "envelope"})}
        )
        try:
            answer = await sender.send(request.tool, request.arguments, request.idempotency_key)
        except CallFailed as failure:
            retry_or_return(failure, request.tool, None)
            return AuxiliaryReport(success=False, error=failure.reason)
        report = report_single(answer, envelope)
        body = report.answer if isinstance(report.answer, dict) else {}
        succeeded = report.outcome is Outcome.SUCCEEDED
        error = (
            None if succeeded else report.reason or report.message or "the tool did not say that it succeeded"
        )
        return AuxiliaryReport(success=succeeded, error=error, answer=bound_entry(body, ITEM_BYTES))
