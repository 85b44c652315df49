"""What every payload store has in common: its errors, and what becomes of a payload while the store is away."""

import base64
import logging
import zlib
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Final

from temporalio.api.common.v1 import Payload
from temporalio.converter import (
    StorageDriver,
    StorageDriverClaim,
    StorageDriverRetrieveContext,
    StorageDriverStoreContext,
)
from temporalio.exceptions import ApplicationError

from confirmo.policies.errors import CallFailureKind

INNER: Final = "confirmo"
INNER_MARK: Final = b"inner"
"""Metadata of payloads that only our own workers read."""
CARRIED: Final = "carried"
CARRIED_BYTES: Final = 1_750_000
"""Of a claim that carries its payload; Temporal takes 2 MB."""
MOST_BYTES: Final = 100_000_000
"""Of a payload that was carried, so that a forged claim fills no memory."""
S3: Final = "aws.s3driver"
"""Name of the SDK's driver for S3; it stands in histories."""

_logger = logging.getLogger("confirmo.payloads")


class PayloadProblem(ApplicationError):
    """A large payload could not be stored or read. The text is a sentence for people.

    In an activity the type says what it proves: reading comes before the call, storing after it. In a workflow task
    it fails the task, which is tried again.
    """


class PayloadLost(PayloadProblem):
    """A payload is not in the store, or not what was stored."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(
            message
            or "A large payload is not in the payload store: set CONFIRMO_PAYLOAD_STORE to the workers' one.",
            type=CallFailureKind.UNREACHABLE.value,
        )


class StoreUnavailable(PayloadProblem):
    """The store cannot be reached or used; nothing is known to be wrong with the payload.

    Attributes:
        passing: Whether it may be over by itself: no network, rather than no bucket.
    """

    def __init__(self, message: str, *, storing: bool, passing: bool = True) -> None:
        kind = CallFailureKind.DOUBT if storing else CallFailureKind.UNREACHABLE
        super().__init__(message, type=kind.value)
        self.passing = passing


class PayloadDriver(StorageDriver):
    """A driver that loses no answer of a tool: what a worker has to report goes with its claim while the store is away.

    Such a report is below what Temporal itself takes. What callers send is not carried: it is refused with the reason.
    """

    async def store(
        self, context: StorageDriverStoreContext, payloads: Sequence[Payload]
    ) -> list[StorageDriverClaim]:
        """Store each payload.

        Raises:
            StoreUnavailable: And they cannot be carried.
        """
        try:
            return await self.put(context, payloads)
        except StoreUnavailable as problem:
            carried = [_carried(payload) for payload in payloads]
            claims = [claim for claim in carried if claim is not None]
            if len(claims) < len(payloads):
                raise
            _logger.warning("%s Temporal itself keeps the payload.", problem.message)
            return claims

    async def retrieve(
        self, context: StorageDriverRetrieveContext, claims: Sequence[StorageDriverClaim]
    ) -> list[Payload]:
        """Return what was stored.

        Raises:
            PayloadLost: It is not there.
            StoreUnavailable: Nobody can tell.
        """
        away = [claim for claim in claims if CARRIED not in claim.claim_data]
        stored = iter(await self.get(context, away) if away else ())
        return [
            _uncarried(claim.claim_data) if CARRIED in claim.claim_data else next(stored) for claim in claims
        ]

    async def check(self) -> None:
        """Raise ``StoreUnavailable`` where nothing can be stored now."""

    @abstractmethod
    async def put(
        self, context: StorageDriverStoreContext, payloads: Sequence[Payload]
    ) -> list[StorageDriverClaim]:
        """Store each payload; raises ``StoreUnavailable``."""

    @abstractmethod
    async def get(
        self, context: StorageDriverRetrieveContext, claims: Sequence[StorageDriverClaim]
    ) -> list[Payload]:
        """Return what was stored; raises ``PayloadLost`` and ``StoreUnavailable``."""


class AbsentS3(PayloadDriver):
    """Stands for a bucket that nobody here was told of."""

    def name(self) -> str:
        """Return the name that stands in histories."""
        return S3

    def type(self) -> str:
        """Return the kind of driver."""
        return S3

    async def put(
        self, context: StorageDriverStoreContext, payloads: Sequence[Payload]
    ) -> list[StorageDriverClaim]:
        """Store nothing."""
        raise PayloadLost

    async def get(
        self, context: StorageDriverRetrieveContext, claims: Sequence[StorageDriverClaim]
    ) -> list[Payload]:
        """Say what is missing."""
        raise PayloadLost


def _carried(payload: Payload) -> StorageDriverClaim | None:
    if payload.metadata.get(INNER) != INNER_MARK:
        return None
    text = base64.b64encode(zlib.compress(payload.SerializeToString())).decode()
    return StorageDriverClaim({CARRIED: text}) if len(text) <= CARRIED_BYTES else None


def _uncarried(claim: Mapping[str, str]) -> Payload:
    try:
        reading = zlib.decompressobj()
        content = reading.decompress(base64.b64decode(claim[CARRIED], validate=True), MOST_BYTES)
        if not reading.eof:
            raise ValueError(CARRIED)
        return Payload.FromString(content)
    except Exception:  # binascii, zlib and protobuf have errors of their own
        raise PayloadLost(
            "A claim on a large payload cannot be read: it was not written by Confirmo."
        ) from None
