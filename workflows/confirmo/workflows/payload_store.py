"""Where payloads go that Temporal does not hold: a directory, or a bucket.

Every client, worker and replayer of a namespace needs the same store. It is no part of the workflow: the SDK calls it
when payloads leave or enter a process.
"""

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Final

from google.protobuf.message import Message
from temporalio.api.common.v1 import Payload
from temporalio.api.sdk.v1 import ExternalStorageReference
from temporalio.converter import (
    ExternalStorage,
    JSONProtoPayloadConverter,
    StorageDriver,
    StorageDriverActivityInfo,
    StorageDriverClaim,
    StorageDriverRetrieveContext,
    StorageDriverSelectContext,
)

from confirmo.workflows.directory_store import DirectoryDriver
from confirmo.workflows.payload_drivers import INNER, INNER_MARK, AbsentS3, PayloadDriver, PayloadLost

INNER_BYTES: Final = 64 * 1024
"""Of what goes to and comes from activities: only our own workers read it."""
OUTER_BYTES: Final = 1_000_000
"""Of what callers send and read: below, any client without the store can."""
_REFERENCE: Final = ExternalStorageReference.DESCRIPTOR.full_name.encode()


def storage(store: str | None, *, read_only: bool = False) -> ExternalStorage:
    """Return where large payloads go.

    Args:
        store: ``dir:<path>``, ``s3://<bucket>``, or null: nothing is stored, and what a directory of this machine holds
            can be read.
        read_only: Whether nothing is stored in any case.

    Raises:
        ValueError: It is none of these, or what it needs is not installed.
    """
    drivers = _drivers(store)
    selector = partial(_select, drivers[0]) if store and not read_only else _inline
    return ExternalStorage(drivers, selector, INNER_BYTES)


def _drivers(store: str | None) -> list[PayloadDriver]:
    """Return one driver of each kind, so that each kind of claim has one that reads it or says why not."""
    scheme, _, where = (store or "").partition(":")
    if not store:
        return [DirectoryDriver(), AbsentS3()]
    if scheme == "dir" and where:
        return [DirectoryDriver(Path(where)), AbsentS3()]
    if scheme == "s3" and where.startswith("//") and where.strip("/"):
        from confirmo.workflows.s3_store import S3Driver

        return [S3Driver(where.strip("/")), DirectoryDriver()]
    raise ValueError(
        f"The payload store {store!r} is not known: it is dir:<path> or s3://<bucket>, for example "
        "dir:/var/lib/confirmo/payloads."
    )


def stores(storage: ExternalStorage | None) -> bool:
    """Whether anything is stored, rather than only read."""
    return storage is not None and storage.driver_selector is not _inline


async def check_store(storage: ExternalStorage | None) -> None:
    """Raise ``StoreUnavailable`` where there is a store and nothing can be stored in it now."""
    if storage is not None and stores(storage) and isinstance(driver := storage.drivers[0], PayloadDriver):
        await driver.check()


async def with_payloads(messages: Iterable[Message], storage: ExternalStorage | None) -> None:
    """Put what is in the store into messages themselves, such as a history's events, so that they stand alone.

    Raises:
        PayloadProblem: A payload cannot be read.
    """
    drivers = {driver.name(): driver for driver in storage.drivers} if storage is not None else {}
    for payload in (payload for message in messages for payload in _payloads(message)):
        reference = _reference(payload)
        if reference is None:
            continue
        if reference.driver_name not in drivers:
            raise PayloadLost
        claim = StorageDriverClaim(dict(reference.claim_data))
        [stored] = await drivers[reference.driver_name].retrieve(StorageDriverRetrieveContext(), [claim])
        payload.CopyFrom(stored)


def _reference(payload: Payload) -> ExternalStorageReference | None:
    if payload.metadata.get("messageType") != _REFERENCE:
        return None
    reference: ExternalStorageReference = JSONProtoPayloadConverter().from_payload(
        payload, ExternalStorageReference
    )
    return reference


def _payloads(message: Message) -> list[Payload]:
    """Return every payload in a message."""
    if isinstance(message, Payload):
        return [message]
    found: list[Payload] = []
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        if field.message_type.GetOptions().map_entry:
            value = [part for part in value.values() if isinstance(part, Message)]
        for part in [value] if isinstance(value, Message) else value:
            found += _payloads(part)
    return found


def _inline(context: StorageDriverSelectContext, payload: Payload) -> StorageDriver | None:
    return None


def _select(
    driver: StorageDriver, context: StorageDriverSelectContext, payload: Payload
) -> StorageDriver | None:
    """Return the driver where a payload is large. A heartbeat never is: it comes every second and is soon forgotten."""
    if isinstance(context.target, StorageDriverActivityInfo):
        return None
    inner = payload.metadata.get(INNER) == INNER_MARK
    return driver if inner or payload.ByteSize() >= OUTER_BYTES else None
