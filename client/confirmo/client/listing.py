"""Finding transactions: by search attributes where they are, by reading each run where they are not."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

from temporalio.client import Client, WorkflowExecution, WorkflowExecutionStatus
from temporalio.common import SearchAttributeKey
from temporalio.service import RPCError, RPCStatusCode

from confirmo.client.answers import DoorStatus, TransactionSummary, status_word
from confirmo.client.errors import InvalidRequest, NoWorker
from confirmo.client.reading import RPC_TIMEOUT, Reader
from confirmo.policies import names
from confirmo.policies.models import Status, TransactionState

_OURS = f"WorkflowType = '{names.TRANSACTION_WORKFLOW}' AND ExecutionStatus != 'ContinuedAsNew'"
_FROM_OUTSIDE = frozenset(
    {
        WorkflowExecutionStatus.TERMINATED,
        WorkflowExecutionStatus.TIMED_OUT,
        WorkflowExecutionStatus.CANCELED,
    }
)
_PAGE = 200
_UNFINDABLE = frozenset('\\"')
"""The server never finds a keyword with one of these (measured on SQLite), so they are compared here."""

STATUS_WORDS = (*(status.value for status in Status), DoorStatus.TERMINATED.value)


class Listing:
    """One list of the transactions of a namespace."""

    def __init__(self, client: Client, reader: Reader) -> None:
        self._client = client
        self._reader = reader
        self._silent = False

    async def list(
        self, *, status: str | None, tenant: str | None, limit: int
    ) -> tuple[TransactionSummary, ...]:
        """Return at most ``limit`` transactions: the open ones, then the closed ones, newest first.

        Raises:
            InvalidRequest: There is no such status.
        """
        check_status(status)
        found: list[TransactionSummary] = []
        async for run in self._runs(status, tenant):
            if len(found) >= limit:
                break
            summary = await self._summary(run)
            if status in (None, summary.status) and tenant in (None, summary.tenant):
                found.append(summary)
        return tuple(found)

    async def find(self, query: str, limit: int | None = None) -> tuple[str, ...]:
        """Return the ids of the transactions that a list filter finds, the newest first, at most ``limit``.

        Raises:
            InvalidRequest: The filter is broken.
        """
        found: dict[str, None] = {}
        try:
            async for run in self._client.list_workflows(query, rpc_timeout=RPC_TIMEOUT):
                if run.workflow_type == names.TRANSACTION_WORKFLOW:
                    found[run.id] = None
                if len(found) == limit:
                    break
        except RPCError as error:
            raise self._reader.fault(error) from None
        return tuple(found)

    async def _runs(self, status: str | None, tenant: str | None) -> AsyncIterator[WorkflowExecution]:
        """Yield the runs that may match; a namespace without our search attributes yields all."""
        query = _query(status, tenant)
        try:
            try:
                async for run in self._client.list_workflows(query, page_size=_PAGE, rpc_timeout=RPC_TIMEOUT):
                    yield run
            except RPCError as error:
                if error.status is not RPCStatusCode.INVALID_ARGUMENT or query == _OURS:
                    raise
                async for run in self._client.list_workflows(_OURS, page_size=_PAGE, rpc_timeout=RPC_TIMEOUT):
                    yield run
        except RPCError as error:
            raise self._reader.fault(error) from None

    async def _summary(self, run: WorkflowExecution) -> TransactionSummary:
        known = {name: _attribute(run, name) for name in names.SEARCH_ATTRIBUTES}
        if known[names.SEARCH_STATUS] is None or known[names.SEARCH_TENANT] is None:
            known = await self._read(run.id)
        return TransactionSummary(
            transaction_id=run.id,
            status=_status(run, known[names.SEARCH_STATUS]),
            tool_name=known[names.SEARCH_TOOL],
            tenant=known[names.SEARCH_TENANT],
            outcome=known[names.SEARCH_OUTCOME],
            started_at=_time(run.start_time),
            closed_at=_time(run.close_time) if run.close_time else None,
        )

    async def _read(self, transaction_id: str) -> dict[str, str | None]:
        """Read what search attributes would hold: a worker is asked for open runs only, and not again once silent."""
        record = await self._reader.record(transaction_id)
        state = record.state()
        if record.open and not self._silent:
            try:
                state = await self._reader.state(transaction_id)
            except NoWorker:
                self._silent = True
        return _from_state(state) | {names.SEARCH_TENANT: record.request.tenant if record.request else None}


def check_status(status: str | None) -> None:
    """Raise ``InvalidRequest`` for a word that is no status."""
    if status is not None and status not in STATUS_WORDS:
        raise InvalidRequest(f"There is no such status: choose one of {', '.join(STATUS_WORDS)}.")


def _query(status: str | None, tenant: str | None) -> str:
    parts = [_OURS]
    if status == DoorStatus.TERMINATED:
        parts.append("ExecutionStatus IN ('Terminated', 'TimedOut', 'Canceled')")
    elif status is not None:
        parts.append(
            f"({names.SEARCH_STATUS} = {_text(status)} OR {names.SEARCH_STATUS} IS NULL OR ExecutionStatus = 'Failed')"
        )
    if tenant is not None and not _UNFINDABLE & set(tenant):
        parts.append(
            f"({names.SEARCH_TENANT} = {_text(names.search_value(tenant))} OR {names.SEARCH_TENANT} IS NULL)"
        )
    return " AND ".join(parts)


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _attribute(run: WorkflowExecution, name: str) -> str | None:
    return run.typed_search_attributes.get(SearchAttributeKey.for_keyword(name))


def _status(run: WorkflowExecution, known: str | None) -> str | None:
    """Return the status; how the run itself ended outweighs what it last said of itself."""
    if run.status in _FROM_OUTSIDE:
        return DoorStatus.TERMINATED.value
    return Status.FAILED.value if run.status is WorkflowExecutionStatus.FAILED else known


def _from_state(state: TransactionState) -> dict[str, str | None]:
    outcome = None
    if state.result is not None:
        executed = bool(state.result.result.get("output"))
        word = state.result.multi_item_status or ("SUCCESS" if state.result.ok else "FAILED")
        outcome = word if executed else status_word(state)
    return {
        names.SEARCH_STATUS: status_word(state),
        names.SEARCH_TOOL: state.tool_name or None,
        names.SEARCH_OUTCOME: outcome,
    }


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
