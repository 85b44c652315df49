"""Decoding what stands in a history, whole or not at all: evidence with a hole would tell another story."""

from collections.abc import Sequence
from typing import Any

from temporalio.api.common.v1 import Payload
from temporalio.converter import DataConverter

from confirmo.client.connection import store_fault
from confirmo.client.errors import UnreadableRecord
from confirmo.workflows.converter import Undecodable
from confirmo.workflows.payload_drivers import PayloadProblem


async def first(converter: DataConverter, payloads: Sequence[Payload]) -> Any:
    """Return the first value as plain JSON; null where there is none.

    Raises:
        UnreadableRecord: It cannot be decoded here.
        PayloadNotFound: It is in no payload store that is known here.
    """
    values = await every(converter, payloads)
    return values[0] if values else None


async def every(converter: DataConverter, payloads: Sequence[Payload]) -> list[Any]:
    """Return all values; raises as ``first`` does."""
    if not payloads:
        return []
    try:
        values = list(await converter.decode(payloads))
    except PayloadProblem as problem:
        raise store_fault(problem) from None
    except Exception:  # a codec raises what it likes
        values = [Undecodable()]
    if any(isinstance(value, Undecodable) for value in values):
        raise UnreadableRecord(
            "A part of the record cannot be decoded here: export it where the codec and keys of the workers are set."
        )
    return values
