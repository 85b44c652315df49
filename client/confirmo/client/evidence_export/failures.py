"""What a failure in a history says: type, message, and the last words of a lost worker."""

from typing import Any

from temporalio.converter import DataConverter
from temporalio.exceptions import ApplicationError, FailureError, TimeoutError

from confirmo.client.connection import store_fault
from confirmo.client.errors import UnreadableRecord
from confirmo.policies.texts import one_line
from confirmo.workflows.payload_drivers import PayloadProblem


async def failed(failure: Any, converter: DataConverter) -> tuple[dict[str, Any], Any]:
    """Return type, message and what caused it, and what the worker had written down last, or null.

    Raises:
        UnreadableRecord: It cannot be decoded here.
    """
    try:
        error = await converter.decode_failure(failure)
    except PayloadProblem as problem:
        raise store_fault(problem) from None
    except Exception:  # a codec raises what it likes
        raise UnreadableRecord("A failure in the record cannot be decoded here.") from None
    return _told(error), _last_words(error)


def _told(error: BaseException) -> dict[str, Any]:
    type = error.type if isinstance(error, ApplicationError) else None
    message = error.message if isinstance(error, FailureError) else one_line(str(error))
    told: dict[str, Any] = {"type": type or error.__class__.__name__, "message": message}
    if isinstance(error, TimeoutError) and error.type is not None:
        told["timeout"] = error.type.name
    if isinstance(error, ApplicationError) and error.details:
        told["details"] = list(error.details)
    if isinstance(error, TimeoutError) and error.last_heartbeat_details:
        told["details"] = list(error.last_heartbeat_details)
    if error.__cause__ is not None:
        told["cause"] = _told(error.__cause__)
    return told


def _last_words(error: BaseException) -> Any:
    if isinstance(error, TimeoutError):
        return next(iter(error.last_heartbeat_details), None)
    return next(iter(error.details), None) if isinstance(error, ApplicationError) else None
