"""Reading a transaction: by asking a worker, and where none answers, from what Temporal itself has on record."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from datetime import timedelta
from typing import Any, TypeVar

from temporalio.client import (
    Client,
    WorkflowExecutionDescription,
    WorkflowExecutionStatus,
    WorkflowFailureError,
    WorkflowHandle,
    WorkflowQueryFailedError,
    WorkflowQueryRejectedError,
)
from temporalio.common import QueryRejectCondition
from temporalio.service import RPCError, RPCStatusCode

from confirmo.client.answers import is_over
from confirmo.client.connection import TIMED_OUT, address_of, fault, not_found, store_fault, within
from confirmo.client.ending import ended_as
from confirmo.client.errors import (
    ConfirmoError,
    NoWorker,
    PayloadEncrypted,
    PayloadNotFound,
    UnreadableRecord,
)
from confirmo.client.records import Record, read_record, read_request
from confirmo.client.replies import no_result, no_worker, parse_result, parse_state, unreadable
from confirmo.policies import names
from confirmo.policies.models import CLOSED_STATUSES, TransactionRequest, TransactionResult, TransactionState
from confirmo.workflows.payload_drivers import PayloadProblem
from confirmo.workflows.payload_store import with_payloads

T = TypeVar("T")

RPC_TIMEOUT = timedelta(seconds=10)
"""Of one call that Temporal answers by itself."""

LIVENESS = timedelta(seconds=10)
"""While something is waited for, the server is asked this often whether it is still there."""

CLOSED_PATIENCE = timedelta(seconds=2)
"""Of a worker that is asked about a closed run: history knows nearly as much."""

_NO_WORKER = (*TIMED_OUT, RPCStatusCode.FAILED_PRECONDITION)


class Reader:
    """Reads transactions of one namespace.

    Args:
        client: A Temporal client.
        worker_patience: How long a worker may take to answer a query.
    """

    def __init__(self, client: Client, worker_patience: timedelta) -> None:
        self._client = client
        self._patience = worker_patience

    @property
    def temporal(self) -> Client:
        """The Temporal client."""
        return self._client

    @property
    def patience(self) -> timedelta:
        """How long a worker may take to answer a query."""
        return self._patience

    def handle(self, transaction_id: str) -> WorkflowHandle[Any, Any]:
        """Return the handle of the newest run of an id."""
        return self._client.get_workflow_handle(transaction_id)

    def fault(self, error: RPCError, transaction_id: str | None = None) -> ConfirmoError:
        """Return the error of this package for one of Temporal's."""
        return fault(
            error,
            address=address_of(self._client),
            namespace=self._client.namespace,
            transaction_id=transaction_id,
        )

    async def describe(self, transaction_id: str) -> WorkflowExecutionDescription:
        """Return what Temporal knows. Raises ``TransactionNotFound``, also where another workflow has the id."""
        if not transaction_id:
            raise not_found(transaction_id)
        try:
            description = await self.handle(transaction_id).describe(rpc_timeout=RPC_TIMEOUT)
        except RPCError as error:
            raise self.fault(error, transaction_id) from None
        if description.workflow_type != names.TRANSACTION_WORKFLOW:
            raise not_found(transaction_id)
        return description

    async def check_tenant(self, transaction_id: str, tenant: str) -> None:
        """Raise ``TransactionNotFound`` unless it is this tenant's, in the same way as where there is none.

        Needs no worker, and for what our doors started one look, whoever it belongs to: a slower answer would tell,
        too.
        """
        description = await self.describe(transaction_id)
        try:
            digest = await description.memo_value(names.MEMO_TENANT, None)
        except Exception:  # a memo that another codec wrote
            digest = None
        if digest is None:  # started by another program, or before there was one
            request = await self._request(transaction_id)
            digest = names.tenant_digest(request.tenant) if request else None
        if digest != names.tenant_digest(tenant):
            raise not_found(transaction_id)

    async def _request(self, transaction_id: str) -> TransactionRequest | None:
        try:
            return await read_request(self._client, transaction_id, RPC_TIMEOUT)
        except RPCError as error:
            raise self.fault(error, transaction_id) from None

    async def record(self, transaction_id: str) -> Record:
        """Read the history; needs no worker."""
        await self.describe(transaction_id)
        try:
            return await read_record(self._client, transaction_id, RPC_TIMEOUT)
        except RPCError as error:
            raise self.fault(error, transaction_id) from None

    async def state(self, transaction_id: str) -> TransactionState:
        """Return the current state; that of a closed run also without a worker.

        Raises:
            NoWorker: The run is open and no worker answered.
            TransactionNotFound: No such transaction.
        """
        return await self._state(transaction_id, names.QUERY_STATE)

    async def whole_state(self, transaction_id: str) -> TransactionState:
        """Return the state with every item of a large set; as ``state`` otherwise."""
        state = await self.state(transaction_id)
        return await self._state(transaction_id, names.QUERY_WHOLE_STATE) if state.items_omitted else state

    async def _state(self, transaction_id: str, query: str) -> TransactionState:
        try:
            return await self._query(transaction_id, QueryRejectCondition.NOT_OPEN, self._patience, query)
        except WorkflowQueryRejectedError as rejected:
            return await self._closed(transaction_id, rejected.status, query)
        except (WorkflowQueryFailedError, RPCError, TimeoutError) as error:
            if isinstance(error, RPCError) and error.status not in _NO_WORKER:
                raise self.fault(error, transaction_id) from None
        record = await self.record(transaction_id)
        if record.open:
            raise no_worker(transaction_id, record.state())
        return record.state()

    async def _query(
        self,
        transaction_id: str,
        condition: QueryRejectCondition | None,
        patience: timedelta,
        query: str = names.QUERY_STATE,
    ) -> TransactionState:
        if not transaction_id:
            raise not_found(transaction_id)
        asked = self.handle(transaction_id).query(query, reject_condition=condition, rpc_timeout=patience)
        return parse_state(await within(patience, asked), transaction_id)

    async def _closed(
        self, transaction_id: str, status: WorkflowExecutionStatus | None, query: str
    ) -> TransactionState:
        """Return the state of a closed run: a worker's last word, with an end that the workflow did not see itself."""
        try:
            # Of a large set the history shows a part only, so the worker's word is worth waiting for.
            whole = query == names.QUERY_WHOLE_STATE
            patience = self._patience if whole else min(self._patience, CLOSED_PATIENCE)
            state = await self._query(transaction_id, None, patience, query)
        except (PayloadNotFound, PayloadEncrypted):  # the record has no more of it
            raise
        except (WorkflowQueryFailedError, RPCError, TimeoutError, UnreadableRecord):
            return (await self.record(transaction_id)).state()
        if status is WorkflowExecutionStatus.COMPLETED:
            return state
        record = await self.record(transaction_id)
        return record.state() if record.ending is None else ended_as(state, record.ending)

    async def watch(
        self, transaction_id: str, interval: timedelta, patience: timedelta
    ) -> AsyncGenerator[TransactionState]:
        """Yield the state whenever it changes; ends with the final one."""
        last: TransactionState | None = None
        heard = time.monotonic()
        while True:
            try:
                state = await self.state(transaction_id)
            except NoWorker:
                if time.monotonic() - heard > patience.total_seconds():
                    raise
                continue
            heard = time.monotonic()
            if state != last:
                yield state
            if is_over(state) or await self._has_ended(state):
                return
            last = state
            await asyncio.sleep(interval.total_seconds())

    async def _has_ended(self, state: TransactionState) -> bool:
        """Whether a closed state without a result is final: that of a workflow that failed."""
        if state.status not in CLOSED_STATUSES:
            return False
        return (await self.describe(state.transaction_id)).status is not WorkflowExecutionStatus.RUNNING

    async def result(self, transaction_id: str) -> TransactionResult:
        """Wait for the result.

        Raises:
            InvalidRequest: The run failed because what started it is no request.
            TransactionTerminated: It was ended from outside.
            UnreadableRecord: It cannot be decoded here.
        """
        await self.describe(transaction_id)
        try:
            value = await self.patiently(transaction_id, self.handle(transaction_id).result, None)
        except WorkflowFailureError as error:
            raise no_result(transaction_id, error.cause) from None
        except RPCError as error:
            raise self.fault(error, transaction_id) from None
        except ConfirmoError:
            raise
        except Exception:  # whatever a converter or codec raises for bytes that are not its own
            raise unreadable(transaction_id) from None
        return parse_result(value, transaction_id)

    async def patiently(
        self, transaction_id: str, wait: Callable[[], Awaitable[T]], timeout: timedelta | None
    ) -> T:
        """Await what may take long, and notice a server that is gone. Raises ``TimeoutError`` after ``timeout``."""
        deadline = time.monotonic() + timeout.total_seconds() if timeout else None
        while True:
            left = (
                LIVENESS
                if deadline is None
                else min(LIVENESS, timedelta(seconds=deadline - time.monotonic()))
            )
            try:
                return await within(max(left, timedelta(0)), wait())
            except TimeoutError:
                if deadline is not None and time.monotonic() >= deadline:
                    raise
                await self.describe(transaction_id)

    async def history(self, transaction_id: str) -> str:
        """Return the history as Temporal's own JSON, with what is in the payload store.

        Raises:
            PayloadNotFound: A part of it is not there.
        """
        await self.describe(transaction_id)
        try:
            history = await self.handle(transaction_id).fetch_history(rpc_timeout=RPC_TIMEOUT)
            await with_payloads(history.events, self._client.data_converter.external_storage)
        except RPCError as error:
            raise self.fault(error, transaction_id) from None
        except PayloadProblem as problem:
            raise store_fault(problem) from None
        return history.to_json()
