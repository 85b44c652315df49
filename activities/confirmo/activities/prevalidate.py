"""Activity ``prevalidate``: ask a validator. Never cached; a lost answer is asked for again."""

import asyncio
from dataclasses import dataclass

from temporalio import activity

from confirmo.activities.attempt import raise_retryable
from confirmo.activities.tools import ToolServers
from confirmo.policies import names
from confirmo.policies.calls import PrevalidateRequest
from confirmo.policies.errors import CallFailed, CallFailureKind
from confirmo.policies.prevalidation import Verdict, VerdictKind, read_verdict, verdict_of_failure

MAX_ATTEMPTS = 3
REPORT_SECONDS = 1.0
"""What an attempt keeps of Temporal's bound for reporting that there was no answer."""


@dataclass(frozen=True)
class Prevalidate:
    """Asks validators through the worker's tool servers."""

    servers: ToolServers

    @activity.defn(name=names.PREVALIDATE)
    async def prevalidate(self, request: PrevalidateRequest) -> Verdict:
        """Return the validator's verdict; unavailability is raised until the last attempt, then it is a value."""
        try:
            return await self._ask(request)
        except CallFailed as failure:
            verdict = verdict_of_failure(failure)
            if verdict.kind is VerdictKind.UNAVAILABLE and activity.info().attempt < MAX_ATTEMPTS:
                raise_retryable(failure)
            return verdict

    async def _ask(self, request: PrevalidateRequest) -> Verdict:
        validator, limit = request.validator, request.tool.pre_validation.timeout_seconds
        bound = activity.info().start_to_close_timeout
        # The rest is for waiting until the server takes the call, by its limits and by what it asked for.
        whole = max(limit, bound.total_seconds() - REPORT_SECONDS) if bound else limit
        try:
            async with asyncio.timeout(whole):
                answer = await self.servers.call(
                    validator.mcp_server,
                    validator.name,
                    request.arguments | {"target_tool": request.tool.name},
                    meta={names.META_TRANSACTION_ID: request.transaction_id},
                    idempotency_key=None,
                    timeout=limit,
                    patience=whole - limit,
                )
        except TimeoutError:
            reason = f"{validator.mcp_server}: {validator.name} did not answer within {limit:g} s"
            raise CallFailed(CallFailureKind.DOUBT, reason) from None
        return read_verdict(answer, request.tool, request.arguments, request.payload_bytes)
