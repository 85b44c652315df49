"""The data converter that clients, workers and replayers share."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from temporalio.api.common.v1 import Payload
from temporalio.contrib.pydantic import PydanticPayloadConverter, pydantic_data_converter
from temporalio.converter import DataConverter

from confirmo.policies.models import Wire
from confirmo.workflows.encryption import EncryptionCodec, codec_of
from confirmo.workflows.payload_drivers import INNER, INNER_MARK
from confirmo.workflows.payload_store import storage
from confirmo.workflows.private_failures import failure_converter


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
    payload_codec=EncryptionCodec(),
    failure_converter_class=failure_converter(),
    external_storage=storage(None),
)
"""Stores and encrypts nothing; reads what a payload store on this machine holds."""


def storing_converter(
    store: str | None, *, encryption_keys: Path | None = None, masked_fields: Collection[str] = ()
) -> DataConverter:
    """Return the data converter of a client or a worker.

    Args:
        store: A payload store, as ``payload_store.storage`` names it; null for none.
        encryption_keys: A file of keys, see ``encryption_keys.read_keys``; null means that nothing is encrypted.
        masked_fields: Fields whose values no text of a failure shows.

    Raises:
        EncryptionKeyError: The file of keys cannot be used.
        ValueError: The store is not known.
    """
    own = _private(encryption_keys, masked_fields)
    return replace(own, external_storage=storage(store)) if store else own


def reading_converter(
    store: str | None, *, encryption_keys: Path | None = None, masked_fields: Collection[str] = ()
) -> DataConverter:
    """Return the data converter that reads a payload store and puts nothing into it; as ``storing_converter`` else."""
    own = _private(encryption_keys, masked_fields)
    return replace(own, external_storage=storage(store, read_only=True))


def _private(encryption_keys: Path | None, masked_fields: Collection[str]) -> DataConverter:
    if encryption_keys is None and not masked_fields:
        return data_converter
    codec = codec_of(encryption_keys)
    failures = failure_converter(masked_fields, encodes=codec.encrypts)
    return replace(data_converter, payload_codec=codec, failure_converter_class=failures)
