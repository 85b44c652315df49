"""What can go wrong at the door, as one tree.

::

    ConfirmoError
    ├── ConnectionProblem
    │   ├── InvalidConnection      the connection settings cannot be read
    │   ├── TemporalUnavailable    the server cannot be reached, or refuses the caller
    │   ├── NamespaceNotFound
    │   ├── PayloadStoreUnavailable  large payloads can neither be stored nor read
    │   └── NoWorker               the server is there, and no worker answers
    ├── TransactionNotFound
    ├── BuildNotFound              no worker of that build has polled yet
    ├── TransactionTerminated      an operator ended the run; it has no result
    ├── UnreadableRecord           another converter or codec wrote it
    │   ├── PayloadNotFound        a part of it is not in the payload store that is set here
    │   └── PayloadEncrypted       it is encrypted with a key that is not here, or was changed since
    ├── InvalidRequest             the request, or the payload that started a run, is none
    ├── RequestTooLarge
    ├── StillOpen                  the transaction has to be over for this
    ├── NothingToRedrive           nothing of it can be taken up
    └── UpdateRefused              one subclass for each update error type of the workflow
        ├── InvalidDecision            ├── NotAllowed
        ├── InvalidArguments           ├── DigestMismatch
        ├── AlreadyClosed              ├── ConflictingDecision
        ├── NotAwaitingConfirmation    └── RequestMismatch
        └── ConfirmationExpired

The text of each is one sentence or two for people: what is so, and what to do next. Never an argument value.
"""

from typing import ClassVar

from confirmo.policies.errors import UpdateErrorType
from confirmo.policies.models import TransactionState


class ConfirmoError(Exception):
    """Base of all errors of this package."""


class ConnectionProblem(ConfirmoError):
    """Nobody answers; nothing is known to have been changed."""


class InvalidConnection(ConnectionProblem):
    """The settings of ``temporalio.envconfig`` cannot be read."""


class TemporalUnavailable(ConnectionProblem):
    """Temporal cannot be reached in time, or refuses the caller."""


class NamespaceNotFound(ConnectionProblem):
    """The namespace does not exist."""


class PayloadStoreUnavailable(ConnectionProblem):
    """The payload store cannot be reached or used; where something was to be sent, nothing was."""


class NoWorker(ConnectionProblem):
    """Temporal is there, and no worker answered in time.

    Attributes:
        state: What the history shows of the transaction, or null where that is nothing. It may be behind.
    """

    def __init__(self, message: str, state: TransactionState | None = None) -> None:
        super().__init__(message)
        self.state = state


class TransactionNotFound(ConfirmoError):
    """No transaction has this id."""


class TransactionTerminated(ConfirmoError):
    """The run was ended from outside and has no result."""


class UnreadableRecord(ConfirmoError):
    """The record is there and cannot be decoded here."""


class PayloadEncrypted(UnreadableRecord):
    """The record is encrypted with a key that is not here, or was changed since."""


class PayloadNotFound(UnreadableRecord):
    """A part of the record is in no payload store that is known here."""


class BuildNotFound(ConfirmoError):
    """No worker of that build has polled yet, or there is no such deployment."""


class InvalidRequest(ConfirmoError):
    """What would start a transaction, or did start this one, is not a ``TransactionRequest``."""


class RequestTooLarge(ConfirmoError):
    """The message is above what one may be; it was not sent."""


class StillOpen(ConfirmoError):
    """The transaction is not over yet, and has to be for this."""


class NothingToRedrive(ConfirmoError):
    """Nothing of the transaction can be taken up; the text says why."""


class UpdateRefused(ConfirmoError):
    """The transaction did not take a message; nothing was changed.

    Attributes:
        type: The word of the workflow's ``ApplicationError``, null where the server sent another one.
    """

    type: ClassVar[UpdateErrorType | None] = None


class InvalidDecision(UpdateRefused):
    """The decision has another shape, an unknown key, no digest, or items that may not be named."""

    type = UpdateErrorType.INVALID_DECISION


class InvalidArguments(UpdateRefused):
    """What was provided or amended cannot be taken."""

    type = UpdateErrorType.INVALID_ARGUMENTS


class AlreadyClosed(UpdateRefused):
    """The transaction was over, and not by this very decision.

    Attributes:
        state: The recorded state, or null where it could not be read.
    """

    type = UpdateErrorType.ALREADY_CLOSED

    def __init__(self, message: str, state: TransactionState | None = None) -> None:
        super().__init__(message)
        self.state = state


class NotAwaitingConfirmation(UpdateRefused):
    """No question is open."""

    type = UpdateErrorType.NOT_AWAITING_CONFIRMATION


class ConfirmationExpired(UpdateRefused):
    """The question's time was over."""

    type = UpdateErrorType.CONFIRMATION_EXPIRED


class NotAllowed(UpdateRefused):
    """Policy does not let this actor do it."""

    type = UpdateErrorType.NOT_ALLOWED


class DigestMismatch(UpdateRefused):
    """The digest is that of another question than the one that is open."""

    type = UpdateErrorType.DIGEST_MISMATCH


class ConflictingDecision(UpdateRefused):
    """The question was already answered otherwise."""

    type = UpdateErrorType.CONFLICTING_DECISION


class RequestMismatch(UpdateRefused):
    """The id belongs to a transaction with another tool, arguments, tenant or requester."""

    type = UpdateErrorType.REQUEST_MISMATCH


_REFUSALS: dict[str, type[UpdateRefused]] = {
    error.type.value: error
    for error in (
        InvalidDecision,
        InvalidArguments,
        AlreadyClosed,
        NotAwaitingConfirmation,
        ConfirmationExpired,
        NotAllowed,
        DigestMismatch,
        ConflictingDecision,
        RequestMismatch,
    )
    if error.type is not None
}


def refused(type: str | None, message: str) -> UpdateRefused:
    """Return the error for an update error type; an unknown type is a plain ``UpdateRefused``."""
    return _REFUSALS.get(type or "", UpdateRefused)(message)
