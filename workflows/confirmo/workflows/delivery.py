"""One delivery of how a transaction ended: tried for a day, whatever has become of the transaction's own run."""

from temporalio import workflow

from confirmo.policies import names
from confirmo.policies.calls import Completion, Delivery
from confirmo.workflows import activity_stubs, options


@workflow.defn(name=names.DELIVERY_WORKFLOW)
class DeliveryWorkflow:
    """Fails where the receiver refused, or was not there for too long: so it is found in the Temporal UI."""

    @workflow.run
    async def run(self, completion: Completion) -> Delivery:
        """Deliver. Raises ``ActivityError`` where it could not be delivered."""
        return await workflow.execute_activity(
            activity_stubs.deliver_completion,
            completion,
            activity_id="end",
            schedule_to_close_timeout=options.COMPLETION_PATIENCE,
            start_to_close_timeout=options.DELIVERY_TIMEOUT,
            heartbeat_timeout=options.WEBHOOK_HEARTBEAT,
            retry_policy=options.COMPLETION_RETRY,
            summary="tell the webhook",
        )
