"""What a caller does in a trial, over the same updates as any other caller."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from temporalio.client import Client, WithStartWorkflowOperation, WorkflowHandle, WorkflowUpdateFailedError
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode

from confirmo.policies import names
from confirmo.policies.models import Status
from confirmo.policies.tool_spec import ConfirmationPolicy
from confirmo.worker.verification.simulated import Trial

REQUESTER: dict[str, Any] = {"id": "verify-requester", "roles": []}
PATIENCE = timedelta(minutes=5)


@dataclass
class Transaction:
    """One transaction of a trial; ``opened`` is its state once someone was needed, or it was over."""

    handle: WorkflowHandle[Any, Any]
    trial: Trial
    opened: dict[str, Any]

    @property
    def asks(self) -> bool:
        """Whether it waits for a yes."""
        return bool(self.opened["status"] == Status.AWAITING_CONFIRMATION.value)

    async def decide(self, decision: str, digest: str | None, actor: dict[str, Any] | None) -> str:
        """Send one decision; returns the status that it led to, or the type of the refusal."""
        message: dict[str, Any] = {"decision": decision, "actor": actor}
        message |= {"digest": digest} if digest is not None else {}
        try:
            state: Any = await self.handle.execute_update(names.CONFIRM, message)
        except WorkflowUpdateFailedError as refused:
            cause = refused.cause
            return (cause.type if isinstance(cause, ApplicationError) else None) or "refused"
        except RPCError as error:
            if error.status is not RPCStatusCode.NOT_FOUND:
                raise
            return "AlreadyClosed"
        return str(state["status"])

    async def confirm(self, times: int = 1) -> list[str]:
        """Let everybody whose yes is needed say it, each ``times`` times."""
        policy, digest = self.trial.tool.confirmation, self.opened["confirmation"]["digest"]
        said = [actor for actor in approvers(policy) for _ in range(times)]
        return [await self.decide("confirm", digest, actor) for actor in said]

    async def result(self) -> dict[str, Any]:
        """Wait until it is over; a question that comes later, as before an undo, is answered with no."""
        while True:
            try:
                state: Any = await self.handle.execute_update(names.UPDATE_AWAITING, None)
            except RPCError as error:
                if error.status is not RPCStatusCode.NOT_FOUND:
                    raise
                break
            if state["status"] != Status.AWAITING_CONFIRMATION.value:
                break
            await self.decide("reject", None, approvers(self.trial.tool.confirmation)[0])
        result: dict[str, Any] = await self.handle.result()
        return result

    async def run(self) -> dict[str, Any]:
        """Say yes where it is asked for, and wait until it is over."""
        if self.asks:
            await self.confirm()
        return await self.result()


async def start(client: Client, queue: str, id: str, trial: Trial, arguments: dict[str, Any]) -> Transaction:
    """Start a transaction and wait until someone is needed, or it is over."""
    request = {"tool_name": trial.tool.name, "arguments": arguments, "requester": REQUESTER, "locale": "en"}
    operation: WithStartWorkflowOperation[Any, Any] = WithStartWorkflowOperation(
        names.TRANSACTION_WORKFLOW,
        request,
        id=id,
        task_queue=queue,
        id_conflict_policy=WorkflowIDConflictPolicy.FAIL,
        execution_timeout=PATIENCE,
    )
    state: Any = await client.execute_update_with_start_workflow(
        names.UPDATE_AWAITING, request, start_workflow_operation=operation
    )
    return Transaction(client.get_workflow_handle(id), trial, state)


def approvers(policy: ConfirmationPolicy) -> list[dict[str, Any]]:
    """Return as many people as the policy wants, each of whom may say yes."""
    if policy.by == "requester":
        return [REQUESTER]
    roles = [policy.by.removeprefix("role:")] if policy.by.startswith("role:") else []
    return [{"id": f"verify-approver-{number}", "roles": roles} for number in range(1, policy.approvals + 1)]
