"""One delivery to a webhook: signed as Standard Webhooks says, bounded in time, judged by its status alone."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from ssl import SSLContext
from typing import Any

import httpx2
from standardwebhooks import Webhook as Signer
from temporalio.exceptions import ApplicationError

from confirmo.activities.attempt import heartbeating
from confirmo.activities.tools.causes import retry_after
from confirmo.policies.deliveries import webhook_id
from confirmo.policies.json_text import dump

_logger = logging.getLogger("confirmo.webhook")
_TIMEOUT_SECONDS = 10.0
_RETRY_AFTER_SECONDS = (1.0, 3600.0)
"""The shortest and the longest wait that a receiver can ask for."""
_RETRYABLE_STATUS = frozenset({401, 403, 404, 408, 425, 429})
"""Of 4xx: what passes, or is put right at the receiver while a delivery waits, such as an unknown secret."""


@cache
def _tls_context() -> SSLContext:
    return httpx2.create_ssl_context()


@dataclass(frozen=True)
class Webhook:
    """Where deliveries go. Nothing of it is shown: each part may hold a secret.

    Attributes:
        url: Where to ``POST``.
        headers: Further headers; those of a delivery stand above them.
        secrets: ``whsec_`` secrets; a delivery is signed with each. Without any it is not signed.
    """

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)

    async def send(self, delivery_id: str, body: Mapping[str, Any]) -> None:
        """Deliver once, inside an activity; the receiver tells repeats by ``webhook-id``.

        Raises:
            ApplicationError: ``WebhookUnavailable`` where nobody answered in time, ``WebhookRefused`` where the
                status is not 2xx; not to be retried where it says that it never will be.
        """
        async with heartbeating(lambda: None):
            try:
                async with asyncio.timeout(_TIMEOUT_SECONDS):
                    status, wait = await self._post(delivery_id, dump(body))
            except (httpx2.HTTPError, TimeoutError) as error:
                raise ApplicationError(
                    f"the webhook could not be reached: {type(error).__name__}", type="WebhookUnavailable"
                ) from None
        if 200 <= status < 300:
            return
        permanent = 400 <= status < 500 and status not in _RETRYABLE_STATUS
        if permanent:
            gone = " It is gone for good: take it out of the settings." if status == 410 else ""
            _logger.error(
                "the webhook refused %s with %d; it is not sent again.%s", delivery_id, status, gone
            )
        raise ApplicationError(
            f"the webhook answered {status}",
            type="WebhookRefused",
            non_retryable=permanent,
            next_retry_delay=_bounded(wait),
        )

    async def _post(self, delivery_id: str, text: str) -> tuple[int, float | None]:
        """Return the status and how long the receiver asks to be left alone, in seconds. Its body is not read."""
        headers = httpx2.Headers(dict(self.headers))
        headers.update(self._signed(webhook_id(delivery_id), text) | {"content-type": "application/json"})
        async with (
            httpx2.AsyncClient(
                timeout=_TIMEOUT_SECONDS, verify=_tls_context(), follow_redirects=False
            ) as client,
            client.stream("POST", self.url, content=text.encode(), headers=headers) as response,
        ):
            return response.status_code, retry_after(response.headers.get("retry-after"))

    def _signed(self, id: str, text: str) -> dict[str, str]:
        now = datetime.now(UTC)
        headers = {"webhook-id": id, "webhook-timestamp": str(int(now.timestamp()))}
        signatures = [Signer(secret).sign(id, now, text) for secret in self.secrets]
        return headers | ({"webhook-signature": " ".join(signatures)} if signatures else {})


def _bounded(wait: float | None) -> timedelta | None:
    shortest, longest = _RETRY_AFTER_SECONDS
    return None if wait is None else timedelta(seconds=min(max(wait, shortest), longest))
