"""Activity ``confirm_signal``: deliver a confirmation request to the agent runtime."""

import logging
from dataclasses import dataclass, field

import httpx2
from temporalio import activity
from temporalio.exceptions import ApplicationError

from confirmo.policies import names
from confirmo.policies.calls import ConfirmationRequest, Delivery

_logger = logging.getLogger("confirmo.confirmation")
_TIMEOUT_SECONDS = 10.0
_RETRYABLE_STATUS = frozenset({408, 425, 429})


@dataclass(frozen=True)
class ConfirmSignal:
    """Delivers to a webhook where one is configured, else to the log.

    Attributes:
        webhook_url: Where to ``POST`` the request as JSON, or null for the log sink.
        webhook_headers: Headers of that request; may hold a secret.
    """

    webhook_url: str | None = None
    webhook_headers: dict[str, str] = field(default_factory=dict, repr=False)

    @activity.defn(name=names.CONFIRM_SIGNAL)
    async def confirm_signal(self, request: ConfirmationRequest) -> Delivery:
        """Deliver once per attempt; the receiver tells repeats by ``webhook-id``, which is stable."""
        if self.webhook_url is None:
            _logger.info(
                "confirmation requested: %s (%s), %d item(s), until %s",
                request.transaction_id,
                request.tool_name,
                request.items_count,
                request.expires_at,
                extra={"transaction_id": request.transaction_id, "delivery_id": request.delivery_id},
            )
            return Delivery(sink="log")
        await self._post(self.webhook_url, request)
        return Delivery(sink="webhook")

    async def _post(self, url: str, request: ConfirmationRequest) -> None:
        body = {"type": "confirmation.requested"} | request.model_dump(mode="json")
        headers = self.webhook_headers | {"webhook-id": request.delivery_id}
        async with httpx2.AsyncClient(timeout=_TIMEOUT_SECONDS) as client:
            try:
                response = await client.post(url, json=body, headers=headers)
            except httpx2.HTTPError as error:
                raise ApplicationError(
                    f"the webhook could not be reached: {type(error).__name__}", type="WebhookUnavailable"
                ) from None
        if response.is_success:
            return
        permanent = response.is_client_error and response.status_code not in _RETRYABLE_STATUS
        raise ApplicationError(
            f"the webhook answered {response.status_code}", type="WebhookRefused", non_retryable=permanent
        )
