"""Activity ``confirm_signal``: deliver a confirmation request to the agent runtime."""

import logging
from dataclasses import dataclass

from temporalio import activity

from confirmo.activities.webhook import Webhook
from confirmo.policies import names
from confirmo.policies.calls import ConfirmationRequest, Delivery
from confirmo.policies.deliveries import question_body

_logger = logging.getLogger("confirmo.confirmation")


@dataclass(frozen=True)
class ConfirmSignal:
    """Delivers to a webhook where one is configured, else to the log.

    Attributes:
        webhook: Where the request goes, or null for the log sink.
    """

    webhook: Webhook | None = None

    @activity.defn(name=names.CONFIRM_SIGNAL)
    async def confirm_signal(self, request: ConfirmationRequest) -> Delivery:
        """Deliver once per attempt; the receiver tells repeats by ``webhook-id``, which is stable."""
        if self.webhook is not None:
            await self.webhook.send(request.delivery_id, question_body(request))
            return Delivery(sink="webhook")
        _logger.info(
            "confirmation requested: %s (%s), %d item(s), until %s",
            request.transaction_id,
            request.tool_name,
            request.items_count,
            request.expires_at,
            extra={"transaction_id": request.transaction_id, "delivery_id": request.delivery_id},
        )
        return Delivery(sink="log")
