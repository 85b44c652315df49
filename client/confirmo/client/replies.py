"""Reading replies: a state, a result, or the sentence for the one that did not come."""

from typing import Any

from pydantic import ValidationError
from temporalio.exceptions import ApplicationError

from confirmo.client.errors import (
    ConfirmoError,
    InvalidRequest,
    NoWorker,
    TransactionTerminated,
    UnreadableRecord,
)
from confirmo.policies.errors import INVALID_REQUEST
from confirmo.policies.models import TransactionResult, TransactionState
from confirmo.policies.texts import one_line


def parse_state(value: Any, transaction_id: str) -> TransactionState:
    """Return a state as it came over the wire. Raises ``UnreadableRecord``."""
    try:
        return TransactionState.model_validate(value)
    except ValidationError:
        raise unreadable(transaction_id) from None


def parse_result(value: Any, transaction_id: str) -> TransactionResult:
    """Return a result as it came over the wire. Raises ``UnreadableRecord``."""
    try:
        return TransactionResult.model_validate(value)
    except ValidationError:
        raise unreadable(transaction_id) from None


def no_worker(transaction_id: str, state: TransactionState | None = None) -> NoWorker:
    """Return the error for a transaction that waits for a worker."""
    return NoWorker(
        f"No worker answers for the transaction {transaction_id}; nothing of it is lost. Start one (confirmo worker) "
        "and repeat the same.",
        state,
    )


def no_result(transaction_id: str, cause: BaseException) -> ConfirmoError:
    """Return the error for a run that ended without a result, by what it ended with."""
    message = one_line(getattr(cause, "message", "") or str(cause), 300)
    if isinstance(cause, ApplicationError):
        if cause.type == INVALID_REQUEST:
            return InvalidRequest(
                f"The transaction {transaction_id} was started with no valid request: {message}"
            )
        return UnreadableRecord(
            f"The workflow of {transaction_id} failed ({message}); look at its history: confirmo history export."
        )
    return TransactionTerminated(
        f"The transaction {transaction_id} was ended from outside ({message}) and has no result; confirmo status "
        "shows what is on record."
    )


def unreadable(transaction_id: str) -> UnreadableRecord:
    """Return the error for a record that another converter wrote."""
    return UnreadableRecord(
        f"The record of {transaction_id} cannot be read here: connect with the data converter that wrote it."
    )
