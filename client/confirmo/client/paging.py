"""All items of a transaction, page by page: from its workflow, and without a worker from its recorded result."""

from collections.abc import AsyncGenerator, Iterator
from typing import Any

from temporalio.client import WorkflowQueryFailedError
from temporalio.service import RPCError

from confirmo.client.connection import TIMED_OUT, within
from confirmo.client.errors import NoWorker
from confirmo.client.reading import Reader
from confirmo.client.replies import no_worker
from confirmo.policies import names
from confirmo.policies.models import ItemPage, Outcome, TransactionResult, TransactionState

PAGE_ITEMS = 1_000


async def items_of(
    reader: Reader, transaction_id: str, outcome: Outcome | None
) -> AsyncGenerator[dict[str, Any]]:
    """Yield every item with the evidence that there is; see ``TransactionClient.items``."""
    await reader.describe(transaction_id)
    cursor: int | None = 0
    while cursor is not None:
        try:
            page = await _page(reader, transaction_id, cursor, outcome)
        except NoWorker:
            if cursor:
                raise
            for entry in _recorded(await reader.state(transaction_id), outcome):
                yield entry
            return
        for entry in page.items:
            yield entry
        cursor = page.next_cursor


async def _page(reader: Reader, transaction_id: str, cursor: int, outcome: Outcome | None) -> ItemPage:
    asked = {"cursor": cursor, "limit": PAGE_ITEMS, "outcome": outcome.value if outcome else None}
    handle, patience = reader.handle(transaction_id), reader.patience
    try:
        answer = await within(patience, handle.query(names.QUERY_ITEMS, asked, rpc_timeout=patience))
    except (WorkflowQueryFailedError, TimeoutError):
        # Nobody answers, or a worker of before 0.2 does not know the question: what is on record is the next best.
        raise no_worker(transaction_id, None) from None
    except RPCError as error:
        if error.status in TIMED_OUT:
            raise no_worker(transaction_id, None) from None
        raise reader.fault(error, transaction_id) from None
    return ItemPage.model_validate(answer)


def _recorded(state: TransactionState, outcome: Outcome | None) -> Iterator[dict[str, Any]]:
    for entry in _entries(state.result) or [item.model_dump(mode="json") for item in state.items]:
        if outcome is None or entry.get("outcome") == outcome.value:
            yield entry


def _entries(result: TransactionResult | None) -> list[dict[str, Any]]:
    output = (result.result.get("output") or {}) if result else {}
    own = output.get(result.tool_name) if result else None
    found = own.get("results") if isinstance(own, dict) else None
    return [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []
