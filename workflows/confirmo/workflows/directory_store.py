"""A payload store that is a directory: files named by their content, in one folder a day."""

import asyncio
import errno
import hashlib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC
from datetime import datetime as clock
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final, TypeVar

from temporalio.api.common.v1 import Payload
from temporalio.converter import (
    StorageDriverClaim,
    StorageDriverRetrieveContext,
    StorageDriverStoreContext,
)

from confirmo.workflows.payload_drivers import PayloadDriver, PayloadLost, StoreUnavailable

T = TypeVar("T")

DIRECTORY: Final = "confirmo.directory"
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\Z", re.ASCII)
_KEY = re.compile(r"[0-9a-f]{64}\Z")


class DirectoryDriver(PayloadDriver):
    """Keeps payloads as files.

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

    async def put(
        self, context: StorageDriverStoreContext, payloads: Sequence[Payload]
    ) -> list[StorageDriverClaim]:
        """Store each payload; the same content of one day is one file."""
        directory = self.directory
        assert directory is not None
        day = clock.now(UTC).date().isoformat()  # noqa: TID251
        return list(await asyncio.gather(*(_in_thread(_write, directory, day, p) for p in payloads)))

    async def get(
        self, context: StorageDriverRetrieveContext, claims: Sequence[StorageDriverClaim]
    ) -> list[Payload]:
        """Return what was stored.

        It is looked for in the own directory, then in the one it was written to. A file counts only where its content
        has the hash that is its name, so a forged claim names nothing else.
        """
        return list(
            await asyncio.gather(*(_in_thread(_read, self.directory, claim.claim_data) for claim in claims))
        )

    async def check(self) -> None:
        """Write a file and delete it; raises ``StoreUnavailable``."""
        if self.directory is not None:
            await _in_thread(_try_out, self.directory)


async def _in_thread(work: Callable[..., T], *arguments: Any) -> T:
    return await asyncio.get_running_loop().run_in_executor(None, work, *arguments)


def _unwritable(directory: Path, error: OSError) -> StoreUnavailable:
    reason = error.strerror or type(error).__name__
    return StoreUnavailable(
        f"The payload store dir:{directory} cannot be written ({reason}).", storing=True, passing=False
    )


def _try_out(directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=directory, prefix="."):
            pass
    except OSError as error:
        raise _unwritable(directory, error) from None


def _write(directory: Path, day: str, payload: Payload) -> StorageDriverClaim:
    content = payload.SerializeToString(deterministic=True)
    key = hashlib.sha256(content).hexdigest()
    target = directory / day / key[:2] / key
    try:
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            _write_whole(target, content)
    except OSError as error:
        raise _unwritable(directory, error) from None
    return StorageDriverClaim({"directory": str(directory), "day": day, "sha256": key})


def _write_whole(target: Path, content: bytes) -> None:
    """Write a file that is there whole or not at all, even after a power cut."""
    file = NamedTemporaryFile(dir=target.parent, prefix=".", delete=False)  # noqa: SIM115
    try:
        with file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(file.name).replace(target)
    except BaseException:
        with suppress(OSError):
            Path(file.name).unlink()
        raise


def _read(directory: Path | None, claim: Mapping[str, str]) -> Payload:
    day, key = claim.get("day", ""), claim.get("sha256", "")
    if not (_DAY.match(day) and _KEY.match(key)):
        raise PayloadLost
    written = claim.get("directory", "")
    problem: OSError | None = None
    for place in (directory, Path(written) if os.path.isabs(written) else None):
        if place is None:
            continue
        try:
            path = place / day / key[:2] / key
            if place.exists() and not place.is_dir():
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
            if path.is_file() and hashlib.sha256(content := path.read_bytes()).hexdigest() == key:
                return Payload.FromString(content)
        except (OSError, ValueError) as error:
            problem = error if isinstance(error, OSError) else problem
    if problem is not None:
        reason = problem.strerror or type(problem).__name__
        raise StoreUnavailable(f"The payload store cannot be read ({reason}).", storing=False, passing=False)
    raise PayloadLost
