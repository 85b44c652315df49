"""The data converter that clients, workers and replayers share."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from temporalio.api.common.v1 import Payload
from temporalio.contrib.pydantic import PydanticPayloadConverter, pydantic_data_converter
from temporalio.converter import DataConverter

from confirmo.policies.models import Wire
from confirmo.workflows.payload_drivers import INNER, INNER_MARK
from confirmo.workflows.payload_store import storage


class Undecodable:
    """Stands for a payload that nobody here can read, so that the handler can refuse it with a sentence."""


def _internal(value: Wire) -> Payload:
    """Encode what goes between the workflow and its activities: fields with their default are left out."""
    data = value.__pydantic_serializer__.to_json(value, exclude_defaults=True)
    return Payload(metadata={"encoding": b"json/plain", INNER: INNER_MARK}, data=data)


class TolerantPayloadConverter(PydanticPayloadConverter):
    """Pydantic's converter, except that an untyped payload that cannot be decoded becomes ``Undecodable``.

    Otherwise a start payload in an unknown encoding would fail its workflow task for ever.
    """

    def to_payloads(self, values: Sequence[Any]) -> list[Payload]:
        """Encode each value; what only our own workers read says so, and may go into a payload store sooner."""
        return [
            _internal(value) if isinstance(value, Wire) and value.internal else self._plain(value)
            for value in values
        ]

    def _plain(self, value: Any) -> Payload:
        return super().to_payloads([value])[0]

    def from_payloads(self, payloads: Sequence[Payload], type_hints: list[type] | None = None) -> list[Any]:
        """Decode each payload on its own."""
        hints: list[Any] = list(type_hints or [])
        hints += [None] * (len(payloads) - len(hints))
        return [self._one(payload, hint) for payload, hint in zip(payloads, hints, strict=False)]

    def _one(self, payload: Payload, hint: Any) -> Any:
        try:
            return super().from_payloads([payload], None if hint is None else [hint])[0]
        except Exception:
            if hint is None or hint is Any:
                return Undecodable()
            raise


data_converter = replace(
    pydantic_data_converter,
    payload_converter_class=TolerantPayloadConverter,
    external_storage=storage(None),
)
"""Stores nothing; reads what a payload store on this machine holds."""


def storing_converter(store: str | None) -> DataConverter:
    """Return the data converter with a payload store, as ``payload_store.storage`` names it; null for none.

    Raises:
        ValueError: The store is not known.
    """
    return replace(data_converter, external_storage=storage(store)) if store else data_converter


def reading_converter(store: str | None) -> DataConverter:
    """Return the data converter that reads a payload store and puts nothing into it; as ``storing_converter`` else."""
    return replace(data_converter, external_storage=storage(store, read_only=True))
