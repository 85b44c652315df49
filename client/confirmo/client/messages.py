"""Sending messages to a run: starts, updates and signals, each bounded, each with one kind of failure per cause."""

import asyncio
import contextlib
import time
import uuid
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial
from typing import Any

from temporalio.client import (
    Client,
    WithStartWorkflowOperation,
    WorkflowExecutionStatus,
    WorkflowUpdateFailedError,
    WorkflowUpdateHandle,
    WorkflowUpdateRPCTimeoutOrCancelledError,
    WorkflowUpdateStage,
)
from temporalio.common import Priority, WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.exceptions import ApplicationError, WorkflowAlreadyStartedError
from temporalio.service import RPCError, RPCStatusCode

from confirmo.client.connection import within
from confirmo.client.errors import ConfirmoError, TemporalUnavailable, refused
from confirmo.client.reading import RPC_TIMEOUT, Reader
from confirmo.client.replies import parse_state
from confirmo.client.requests import Start
from confirmo.client.sealing import Sealing
from confirmo.policies import names
from confirmo.policies.errors import UpdateErrorType
from confirmo.policies.models import TransactionState

_CLOSED_BEFORE_ANSWER = "AcceptedUpdateCompletedWorkflow"
"""Failure type of an accepted update whose run ended first (https://github.com/temporalio/sdk-python/pull/735)."""


class RunClosed(Exception):
    """The run is over, so it takes no message; what it ended with is on record."""


class NobodyAnswered(Exception):
    """The server is there, and no worker took the message in time."""


class _TaskFailed(Exception):
    """The worker's task failed with the message in it; it was not taken and may be sent again."""


_Send = Callable[[], Awaitable[WorkflowUpdateHandle[Any]]]
_RETRY_SECONDS = 0.05
_OVER_OR_FAILED = (RPCStatusCode.NOT_FOUND, RPCStatusCode.ABORTED, RPCStatusCode.FAILED_PRECONDITION)


class Messenger:
    """Sends messages to transactions.

    Args:
        client: A Temporal client.
        reader: For telling a closed run from one that never was.
        task_queue: Where the workers of new transactions listen.
    """

    def __init__(self, client: Client, reader: Reader, task_queue: str) -> None:
        self._client = client
        self._reader = reader
        self._task_queue = task_queue
        self._sealing = Sealing(client, task_queue)

    async def start(
        self, start: Start, *, patience: timedelta, timeout: timedelta | None
    ) -> TransactionState:
        """Start, or find the open run of the same id, and return its state when someone outside is needed.

        Args:
            start: What to start.
            patience: Until a worker takes it.
            timeout: Until the answer.

        Raises:
            RunClosed: A run of this id is over.
            NobodyAnswered: No worker took it; the run is durable all the same.
            RequestMismatch: An open run of this id was started with another request.
            PayloadEncrypted: The workers encrypt, and this client does not; nothing was sent.
        """
        await self._sealing.check()
        update_id = _fresh(names.UPDATE_AWAITING)
        send = partial(self._send_start, start, update_id, patience)
        return await self._answer(start.transaction_id, send, patience, timeout)

    async def _send_start(
        self, start: Start, update_id: str, patience: timedelta
    ) -> WorkflowUpdateHandle[Any]:
        operation = WithStartWorkflowOperation[Any, Any](
            names.TRANSACTION_WORKFLOW,
            start.payload,
            id=start.transaction_id,
            task_queue=self._task_queue,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
            memo={names.MEMO_REQUEST_DIGEST: start.digest, names.MEMO_TENANT: start.tenant_digest},
            static_summary=start.summary,
            static_details=start.details,
            priority=Priority(fairness_key=start.fairness_key),
        )
        try:
            return await self._client.start_update_with_start_workflow(
                names.UPDATE_AWAITING,
                start.payload,
                wait_for_stage=WorkflowUpdateStage.ACCEPTED,
                start_workflow_operation=operation,
                id=update_id,
                rpc_timeout=patience,
            )
        except Exception:
            # The operation keeps the same error for whoever asks for its handle, and complains if nobody does.
            with contextlib.suppress(Exception):
                await within(timedelta(seconds=1), operation.workflow_handle())
            raise

    async def update(
        self,
        transaction_id: str,
        name: str,
        payload: Any,
        *,
        patience: timedelta,
        timeout: timedelta | None,
        about: str = "",
    ) -> TransactionState:
        """Send an update and return the state that it answers with.

        Every call has an update id of its own: one that was used before would be answered by the server with the state
        of then. The workflow itself knows a decision that comes twice.

        Args:
            transaction_id: The transaction.
            name: Of the update.
            payload: Its argument, plain JSON.
            patience: Until a worker takes it.
            timeout: Until the answer.
            about: Put into the update id, for whoever reads the history. Never an argument value.

        Raises:
            RunClosed: The run is over.
            NobodyAnswered: No worker took it; it is not durable.
            UpdateRefused: By the workflow.
        """
        if not transaction_id:
            await self._reader.describe(transaction_id)
        send = partial(
            self._reader.handle(transaction_id).start_update,
            name,
            payload,
            wait_for_stage=WorkflowUpdateStage.ACCEPTED,
            id=_fresh(name, about),
            rpc_timeout=patience,
        )
        return await self._answer(transaction_id, send, patience, timeout)

    async def _answer(
        self, transaction_id: str, send: _Send, patience: timedelta, timeout: timedelta | None
    ) -> TransactionState:
        """Send, and again where the worker's task failed under the message, as it may when another one comes in."""
        deadline = time.monotonic() + patience.total_seconds()
        while True:
            try:
                return await self._once(transaction_id, send, patience, timeout)
            except _TaskFailed:
                if time.monotonic() >= deadline:
                    raise NobodyAnswered from None
                await asyncio.sleep(_RETRY_SECONDS)

    async def _once(
        self, transaction_id: str, send: _Send, patience: timedelta, timeout: timedelta | None
    ) -> TransactionState:
        try:
            update: WorkflowUpdateHandle[Any] = await within(patience, send())
            answer = await self._reader.patiently(transaction_id, update.result, timeout)
        except WorkflowAlreadyStartedError:
            raise RunClosed from None
        except WorkflowUpdateFailedError as error:
            raise _refusal(error.cause) from None
        except (WorkflowUpdateRPCTimeoutOrCancelledError, TimeoutError):
            raise NobodyAnswered from None
        except RPCError as error:
            raise await self._failed(transaction_id, error) from None
        return parse_state(answer, transaction_id)

    async def _failed(self, transaction_id: str, error: RPCError) -> Exception:
        """Return what an update failed for; "not found" is said of a closed run, too."""
        if error.status not in _OVER_OR_FAILED:
            return self._reader.fault(error, transaction_id)
        try:
            description = await self._reader.describe(transaction_id)
        except ConfirmoError as other:
            return other
        return _TaskFailed() if description.status is WorkflowExecutionStatus.RUNNING else RunClosed()

    async def signal(self, transaction_id: str, name: str, payload: Any) -> None:
        """Hand a message over for good, whether or not a worker is up. Raises ``RunClosed``."""
        await self._reader.describe(transaction_id)
        try:
            signal = self._reader.handle(transaction_id).signal(name, payload, rpc_timeout=RPC_TIMEOUT)
            await within(None, signal)
        except RPCError as error:
            raise await self._failed(transaction_id, error) from None


def _fresh(name: str, about: str = "") -> str:
    return ":".join(part for part in (name, about, uuid.uuid4().hex) if part)


def _refusal(cause: BaseException) -> Exception:
    if not isinstance(cause, ApplicationError):
        return TemporalUnavailable(
            "The message was taken and got no answer: ask for the state and repeat the same."
        )
    if cause.type in (_CLOSED_BEFORE_ANSWER, UpdateErrorType.ALREADY_CLOSED):
        return RunClosed()
    return refused(cause.type, cause.message)
