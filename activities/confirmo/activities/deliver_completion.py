"""Activity ``deliver_completion``: tell a webhook how a transaction ended."""

import logging
from dataclasses import dataclass

from temporalio import activity

from confirmo.activities.webhook import Webhook
from confirmo.policies import names
from confirmo.policies.calls import Completion, Delivery
from confirmo.policies.deliveries import completion_body

_logger = logging.getLogger("confirmo.completion")


@dataclass(frozen=True)
class DeliverCompletion:
    """Delivers to the webhook.

    Attributes:
        webhook: Where the end is told, or null where this worker has none any more: then the log has it.
    """

    webhook: Webhook | None = None

    @activity.defn(name=names.DELIVER_COMPLETION)
    async def deliver_completion(self, completion: Completion) -> Delivery:
        """Deliver once per attempt; the receiver tells repeats by ``webhook-id``, which is stable."""
        if self.webhook is not None:
            await self.webhook.send(completion.delivery_id, completion_body(completion))
            return Delivery(sink="webhook")
        _logger.info(
            "transaction over: %s (%s): %s",
            completion.transaction_id,
            completion.tool_name,
            completion.status.value,
            extra={"transaction_id": completion.transaction_id, "delivery_id": completion.delivery_id},
        )
        return Delivery(sink="log")
