"""Where payloads go that Temporal does not hold: a directory, beside the SDK's own driver for S3.

Every client, worker and replayer of a namespace needs the same store. It is no part of the workflow: the SDK calls it
when payloads leave or enter a process.
"""

import asyncio
import hashlib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC
from datetime import datetime as clock
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final, TypeVar

from temporalio.api.common.v1 import Payload
from temporalio.converter import (
    ExternalStorage,
    StorageDriver,
    StorageDriverClaim,
    StorageDriverRetrieveContext,
    StorageDriverSelectContext,
    StorageDriverStoreContext,
)

T = TypeVar("T")

DIRECTORY: Final = "confirmo.directory"
INNER_BYTES: Final = 64 * 1024
"""Of what goes to and comes from activities: only our own workers read it."""
INNER: Final = "confirmo"
INNER_MARK: Final = b"inner"
"""Metadata of such payloads."""
OUTER_BYTES: Final = 1_000_000
"""Of what callers send and read: below, any client without the store can."""
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\Z")
_KEY = re.compile(r"[0-9a-f]{64}\Z")


class PayloadLost(Exception):
    """A payload is not in the store, or not what was stored."""


class DirectoryDriver(StorageDriver):
    """Keeps payloads as files, named by their content, in one folder a day.

    Args:
        directory: Where to store; null means to read only.
    """

    def __init__(self, directory: Path | None = None) -> None:
        self.directory = directory.absolute() if directory is not None else None

    def name(self) -> str:
        """Return the name that stands in histories."""
        return DIRECTORY

    def type(self) -> str:
        """Return the kind of driver."""
        return DIRECTORY

    async def store(
        self, context: StorageDriverStoreContext, payloads: Sequence[Payload]
    ) -> list[StorageDriverClaim]:
        """Store each payload; the same content of one day is one file."""
        directory = self.directory
        assert directory is not None
        day = clock.now(UTC).date().isoformat()  # noqa: TID251
        return list(await asyncio.gather(*(_in_thread(_write, directory, day, p) for p in payloads)))

    async def retrieve(
        self, context: StorageDriverRetrieveContext, claims: Sequence[StorageDriverClaim]
    ) -> list[Payload]:
        """Return what was stored.

        It is looked for in the own directory, then in the one it was written to. A file counts only where its content
        has the hash that is its name, so a forged claim names nothing else.

        Raises:
            PayloadLost: It is in neither.
        """
        return list(
            await asyncio.gather(*(_in_thread(_read, self.directory, claim.claim_data) for claim in claims))
        )


async def _in_thread(work: Callable[..., T], *arguments: Any) -> T:
    return await asyncio.get_running_loop().run_in_executor(None, work, *arguments)


def _write(directory: Path, day: str, payload: Payload) -> StorageDriverClaim:
    content = payload.SerializeToString(deterministic=True)
    key = hashlib.sha256(content).hexdigest()
    target = directory / day / key[:2] / key
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=target.parent, prefix=".", delete=False) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(file.name).replace(target)
    return StorageDriverClaim({"directory": str(directory), "day": day, "sha256": key})


def _read(directory: Path | None, claim: Mapping[str, str]) -> Payload:
    day, key = claim.get("day", ""), claim.get("sha256", "")
    if _DAY.match(day) and _KEY.match(key):
        places = [place for place in (directory, Path(claim.get("directory", ""))) if place is not None]
        for place in places:
            path = place / day / key[:2] / key
            if path.is_file() and hashlib.sha256(content := path.read_bytes()).hexdigest() == key:
                return Payload.FromString(content)
    raise PayloadLost(
        "A large payload is not in the payload store: set CONFIRMO_PAYLOAD_STORE to the one that the workers use."
    )


def storage(store: str | None) -> ExternalStorage:
    """Return where large payloads go.

    Args:
        store: ``dir:<path>``, ``s3://<bucket>``, or null: nothing is stored, and what a directory of this machine holds
            can be read.

    Raises:
        ValueError: It is none of these.
    """
    if not store:
        return ExternalStorage([DirectoryDriver()], _inline, INNER_BYTES)
    scheme, _, where = store.partition(":")
    if scheme == "dir" and where:
        driver: StorageDriver = DirectoryDriver(Path(where))
    elif scheme == "s3" and where.strip("/"):
        driver = _s3(where.strip("/"))
    else:
        raise ValueError(
            f"The payload store {store!r} is not known: it is dir:<path> or s3://<bucket>, for example "
            "dir:/var/lib/confirmo/payloads."
        )
    drivers = [driver] if isinstance(driver, DirectoryDriver) else [driver, DirectoryDriver()]
    return ExternalStorage(drivers, partial(_select, driver), INNER_BYTES)


def stores(storage: ExternalStorage | None) -> bool:
    """Whether anything is stored, rather than only read."""
    return storage is not None and storage.driver_selector is not _inline


def _inline(context: StorageDriverSelectContext, payload: Payload) -> StorageDriver | None:
    return None


def _select(
    driver: StorageDriver, context: StorageDriverSelectContext, payload: Payload
) -> StorageDriver | None:
    inner = payload.metadata.get(INNER) == INNER_MARK
    return driver if inner or payload.ByteSize() >= OUTER_BYTES else None


def _s3(where: str) -> StorageDriver:
    raise ValueError(f"s3 {where}")
