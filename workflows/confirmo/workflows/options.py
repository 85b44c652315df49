"""Timeouts and retry policies of every activity call, in one place.

A changed timeout is not seen by replay; the golden outputs of the replay tests are.
"""

from datetime import timedelta
from math import ceil

from temporalio.common import RetryPolicy

from confirmo.policies.errors import TIMEOUT_HEARTBEAT, TIMEOUT_START_TO_CLOSE, CallFailureKind
from confirmo.policies.models import Effect
from confirmo.policies.tool_spec import PreValidationPolicy, ToolSpec

RESOLVE_TIMEOUT = timedelta(seconds=10)
DELIVERY_TIMEOUT = timedelta(seconds=15)
DELIVERY_RETRY = RetryPolicy(
    initial_interval=timedelta(seconds=1), maximum_interval=timedelta(minutes=1), maximum_attempts=20
)
WEBHOOK_RETRY = RetryPolicy(initial_interval=timedelta(seconds=1), maximum_interval=timedelta(minutes=1))
"""Of a question to a webhook: the question's own end is the end of it."""
WEBHOOK_HEARTBEAT = timedelta(seconds=5)
"""A cancel arrives with a heartbeat: a slow receiver does not hold up what was answered through another door."""
COMPLETION_RETRY = RetryPolicy(initial_interval=timedelta(seconds=1), maximum_interval=timedelta(minutes=10))
COMPLETION_PATIENCE = timedelta(hours=24)
"""How long a receiver may be down before it is not told of an end any more."""
CONNECT_ALLOWANCE = timedelta(seconds=60)
"""Opening a session, and one reopening, come on top of the call itself."""

QUEUE_ALLOWANCE = timedelta(minutes=15)
"""On a server's own queue a call may wait for the server's limits, and for what it asked with ``Retry-After``.

A lost worker is noticed by its heartbeats, and a call that hangs ends by its own time: this bounds nothing else.
"""
ASKING_ALLOWANCE = timedelta(seconds=60)
"""The same for a validator, which has no heartbeats."""

CLAIM_MARGIN = timedelta(seconds=5)
"""Of the heartbeat timeout of a slice that claims, above its own length and that of a call."""

PREVALIDATE_ATTEMPTS = 3


def prevalidate_timeout(policy: PreValidationPolicy, queue: str | None) -> timedelta:
    """Return how long one attempt may take; the activity itself ends its call at ``timeout_seconds``."""
    waiting = timedelta() if queue is None else ASKING_ALLOWANCE
    return timedelta(seconds=policy.timeout_seconds + 5) + waiting


def prevalidate_retry() -> RetryPolicy:
    """Return the retry policy of a validator: it has no side effects, so a lost answer is asked for again."""
    return RetryPolicy(
        initial_interval=timedelta(milliseconds=500),
        backoff_coefficient=2.0,
        maximum_attempts=PREVALIDATE_ATTEMPTS,
    )


def execute_timeout(
    tool: ToolSpec, calls: int = 1, *, verify: bool = False, queue: str | None = None
) -> timedelta:
    """Return the bound of one attempt that makes ``calls`` calls, ``max_concurrency`` at a time.

    ``queue`` is the server's own, or null.
    """
    rounds = ceil(calls / tool.execution.max_concurrency)
    per_round = tool.execution.timeout_seconds * (2 if verify else 1)
    waiting = timedelta() if queue is None else QUEUE_ALLOWANCE
    return timedelta(seconds=rounds * per_round) + CONNECT_ALLOWANCE + waiting


def execute_retry(tool: ToolSpec, tries_before: int = 0) -> RetryPolicy:
    """Return the retry policy that the tool's ``effect`` allows.

    Failures that prove that nothing was sent are retried for every tool. Doubt, the server's own timeouts
    included, is retried only where a second call with the same key does no harm. ``tries_before`` attempts were
    spent by earlier activities.
    """
    unsafe = [CallFailureKind.DOUBT.value, TIMEOUT_START_TO_CLOSE, TIMEOUT_HEARTBEAT]
    return RetryPolicy(
        initial_interval=timedelta(milliseconds=500),
        backoff_coefficient=2.0,
        maximum_interval=timedelta(seconds=20),
        maximum_attempts=max(1, tool.execution.max_attempts - tries_before),
        non_retryable_error_types=unsafe if tool.execution.effect is Effect.UNSAFE else [],
    )
