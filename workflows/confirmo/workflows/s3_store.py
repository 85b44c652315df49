"""A payload store that is a bucket of S3, or of a store that speaks its protocol: the SDK's driver, opened lazily."""

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from temporalio.api.common.v1 import Payload
from temporalio.converter import (
    StorageDriverClaim,
    StorageDriverRetrieveContext,
    StorageDriverStoreContext,
)

from confirmo.workflows.payload_drivers import S3, PayloadDriver, PayloadLost, StoreUnavailable

if TYPE_CHECKING:
    from temporalio.contrib.aws.s3driver import S3StorageDriver
    from types_aiobotocore_s3.client import S3Client

CONNECT_SECONDS: Final = 3
READ_SECONDS: Final = 20
ATTEMPTS: Final = 2
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]\Z")
_KEY = re.compile(r"v0(?:/[A-Za-z0-9!_.*'()%-]+)*/d/sha256/([0-9a-f]{64})\Z")
_OPEN: WeakKeyDictionary[asyncio.AbstractEventLoop, list[AsyncGenerator[Any]]] = WeakKeyDictionary()
"""Connections, so that each lives until its loop closes it, however early its driver is dropped."""
_GONE: Final = frozenset({"404", "NoSuchKey", "NotFound"})


class S3Driver(PayloadDriver):
    """Keeps payloads in one bucket, as the SDK's driver does.

    The connection is opened where the first payload goes or comes, on the running loop, and is closed with the loop.
    Endpoint, region and credentials are found as the AWS libraries find them.

    Args:
        bucket: Its name.

    Raises:
        ValueError: It is no name of a bucket, or ``confirmo[s3]`` is not installed.
    """

    def __init__(self, bucket: str) -> None:
        if not _BUCKET.match(bucket):
            raise ValueError(f"{bucket!r} is not the name of a bucket: it is s3://<bucket>, without a path.")
        try:
            import aioboto3  # noqa: F401
            from temporalio.contrib.aws.s3driver import aioboto3 as _  # noqa: F401
        except ImportError:
            raise ValueError("s3:// needs more packages: pip install 'confirmo[s3]'.") from None
        self.bucket = bucket
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = asyncio.Lock()
        self._client: S3Client | None = None

    def name(self) -> str:
        """Return the name that stands in histories."""
        return S3

    def type(self) -> str:
        """Return the kind of driver."""
        return S3

    async def put(
        self, context: StorageDriverStoreContext, payloads: Sequence[Payload]
    ) -> list[StorageDriverClaim]:
        """Store each payload under a key that ends with its hash."""
        try:
            return await (await self._driver()).store(context, payloads)
        except Exception as error:
            raise self._problem(error, storing=True) from None

    async def get(
        self, context: StorageDriverRetrieveContext, claims: Sequence[StorageDriverClaim]
    ) -> list[Payload]:
        """Return what was stored. A claim that names another bucket, or a key that no payload has, reads nothing."""
        if not all(self._is_own(claim.claim_data) for claim in claims):
            raise PayloadLost
        try:
            return await (await self._driver()).retrieve(context, claims)
        except Exception as error:
            raise self._problem(error, storing=False) from None

    async def check(self) -> None:
        """Ask for the bucket; raises ``StoreUnavailable``."""
        try:
            await (await self._opened()).head_bucket(Bucket=self.bucket)
        except Exception as error:
            raise self._problem(error, storing=True, bucket_asked=True) from None

    def _is_own(self, claim: Mapping[str, str]) -> bool:
        key = _KEY.match(claim.get("key", ""))
        digest = claim.get("hash_value", "")
        return claim.get("bucket") == self.bucket and key is not None and key[1] == digest

    async def _driver(self) -> "S3StorageDriver":
        from temporalio.contrib.aws.s3driver import S3StorageDriver
        from temporalio.contrib.aws.s3driver.aioboto3 import new_aioboto3_client

        return S3StorageDriver(new_aioboto3_client(await self._opened()), self.bucket)

    async def _opened(self) -> "S3Client":
        """Return the client of the running loop; a loop that ends closes its generators, and so the client."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._lock, self._client = loop, asyncio.Lock(), None
        async with self._lock:
            if self._client is None:
                generator = _connection()
                self._client = await anext(generator)
                _OPEN.setdefault(loop, []).append(generator)
            return self._client

    def _problem(self, error: Exception, *, storing: bool, bucket_asked: bool = False) -> Exception:
        """Return the error for one of the AWS libraries. Judges by type and code, never by text."""
        from botocore.exceptions import BotoCoreError, ClientError

        cause: BaseException = error
        while cause.__cause__ is not None:
            cause = cause.__cause__
        where = f"The payload store s3://{self.bucket}"
        if isinstance(cause, ClientError):
            code = str(cause.response.get("Error", {}).get("Code", ""))
            status = int(cause.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
            if code == "NoSuchBucket" or (bucket_asked and code in _GONE):
                return StoreUnavailable(
                    f"{where} does not exist: create the bucket.", storing=storing, passing=False
                )
            if code in _GONE:
                return PayloadLost()
            if status < 500 and status != 429:
                return StoreUnavailable(
                    f"{where} refuses the caller ({code}): check the AWS credentials and what they may do.",
                    storing=storing,
                    passing=False,
                )
            return StoreUnavailable(f"{where} does not answer ({code}).", storing=storing)
        if type(cause).__name__ in (
            "NoCredentialsError",
            "PartialCredentialsError",
            "CredentialRetrievalError",
        ):
            return StoreUnavailable(
                f"{where} needs AWS credentials, and none are found.", storing=storing, passing=False
            )
        if isinstance(cause, BotoCoreError | OSError | TimeoutError):
            return StoreUnavailable(
                f"{where} cannot be reached ({type(cause).__name__}): check the network and AWS_ENDPOINT_URL.",
                storing=storing,
            )
        if isinstance(cause, ValueError) and not storing:
            return PayloadLost()
        return error


async def _connection() -> "AsyncGenerator[S3Client]":
    import aioboto3
    from aiobotocore.config import AioConfig

    config = AioConfig(
        connect_timeout=CONNECT_SECONDS,
        read_timeout=READ_SECONDS,
        retries={"total_max_attempts": ATTEMPTS, "mode": "standard"},
    )
    async with aioboto3.Session().client("s3", config=config) as client:
        yield client
