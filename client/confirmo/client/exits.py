"""Exit codes of the command line, and which outcome has which."""

from enum import IntEnum

from confirmo.client.answers import AnsweredState
from confirmo.client.errors import (
    BuildNotFound,
    ConfirmoError,
    ConnectionProblem,
    InvalidConnection,
    InvalidRequest,
    RequestTooLarge,
    TransactionNotFound,
    UnreadableRecord,
)
from confirmo.policies.models import Status, TransactionResult, TransactionState


class Exit(IntEnum):
    """What a shell sees."""

    DONE = 0
    NOT_SUCCEEDED = 1
    """A result was returned, and it is a failure, partial or unknown."""
    WRONG_USE = 2
    """Wrong use, or a configuration that cannot be used."""
    REFUSED = 3
    """Rejected, expired, blocked, out of scope, or not taken by the transaction."""
    UNREACHABLE = 4
    """Temporal, its namespace, a worker or a port cannot be reached."""
    NOT_FOUND = 5


REFUSED_STATUSES = frozenset({Status.CANCELLED, Status.EXPIRED, Status.OUT_OF_SCOPE, Status.BLOCKED})
_WRONG_USE = (InvalidConnection, InvalidRequest, RequestTooLarge, UnreadableRecord)


def of_error(error: ConfirmoError) -> Exit:
    """Return the code of an error of the door."""
    if isinstance(error, _WRONG_USE):
        return Exit.WRONG_USE
    if isinstance(error, ConnectionProblem):
        return Exit.UNREACHABLE
    return Exit.NOT_FOUND if isinstance(error, TransactionNotFound | BuildNotFound) else Exit.REFUSED


def of_result(result: TransactionResult) -> Exit:
    """Return the code of a result. An auxiliary step that failed changes nothing."""
    if result.transaction_status in REFUSED_STATUSES:
        return Exit.REFUSED
    complete = result.transaction_status is Status.COMPLETED and not result.partial_success
    return Exit.DONE if complete else Exit.NOT_SUCCEEDED


def of_state(state: TransactionState) -> Exit:
    """Return the code of a state that a message led to: that of its result where it has one."""
    if state.result is not None:
        return of_result(state.result)
    return Exit.REFUSED if state.status in REFUSED_STATUSES else Exit.DONE


def of_start(state: AnsweredState) -> Exit:
    """Return the code of a start; one that finds a transaction that was over already only reports it."""
    return Exit.DONE if state.accepted_by == "record" else of_state(state)
