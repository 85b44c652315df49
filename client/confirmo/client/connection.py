"""Reaching Temporal as ``temporalio.envconfig`` says, within a bound, and naming what cannot be reached."""

import asyncio
import warnings
from collections.abc import Awaitable
from datetime import timedelta
from typing import Any, TypeVar

from temporalio.api.errordetails.v1 import NamespaceNotFoundFailure
from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
from temporalio.client import Client
from temporalio.envconfig import ClientConfig, ClientConnectConfig
from temporalio.service import RPCError, RPCStatusCode

from confirmo.client.errors import (
    ConfirmoError,
    InvalidConnection,
    InvalidRequest,
    NamespaceNotFound,
    PayloadEncrypted,
    PayloadNotFound,
    PayloadStoreUnavailable,
    TemporalUnavailable,
    TransactionNotFound,
)
from confirmo.client.plugin import ConfirmoPlugin
from confirmo.client.settings import ClientSettings
from confirmo.policies.encryption_keys import EncryptionKeyError
from confirmo.policies.texts import one_line
from confirmo.workflows.encryption import PayloadSealed
from confirmo.workflows.payload_drivers import PayloadProblem, StoreUnavailable

T = TypeVar("T")

DEFAULT_ADDRESS = "localhost:7233"
CONNECT_TIMEOUT = timedelta(seconds=10)

TIMED_OUT = (RPCStatusCode.DEADLINE_EXCEEDED, RPCStatusCode.CANCELLED)
"""What a call ends with whose time is over; which of the two depends on who noticed first."""

_REFUSED = (RPCStatusCode.PERMISSION_DENIED, RPCStatusCode.UNAUTHENTICATED)


async def connect(
    profile: str | None = None,
    timeout: timedelta = CONNECT_TIMEOUT,
    plugin: ConfirmoPlugin | None = None,
) -> Client:
    """Return a client whose namespace answers.

    Args:
        profile: Profile of the configuration file; null means ``TEMPORAL_PROFILE``, else ``default``.
        timeout: Bound of the whole.
        plugin: With other settings than the defaults.

    Raises:
        InvalidConnection: The settings cannot be read.
        TemporalUnavailable: No answer in time, or the caller is refused; names the address.
        NamespaceNotFound: Names the namespace.
    """
    config = _settings(profile)
    address = config.get("target_host") or DEFAULT_ADDRESS
    try:
        return await within(timeout, _connect(config, address, plugin or own_plugin()))
    except RPCError as error:
        raise fault(error, address=address, namespace=config.get("namespace") or "default") from None
    except ValueError:
        raise InvalidConnection(
            f"{address!r} is not an address: set TEMPORAL_ADDRESS to host:port."
        ) from None
    except (RuntimeError, OSError, TimeoutError):
        raise TemporalUnavailable(
            f"Temporal at {address} cannot be reached: start it (confirmo dev), or set TEMPORAL_ADDRESS."
        ) from None


def _settings(profile: str | None) -> ClientConnectConfig:
    try:
        return ClientConfig.load_client_connect_config(profile)
    except (RuntimeError, ValueError, OSError, TypeError) as error:
        reason = one_line(str(error), 200)
        raise InvalidConnection(
            f"The Temporal connection settings cannot be read ({reason}): look at TEMPORAL_PROFILE and the file that "
            "TEMPORAL_CONFIG_FILE names."
        ) from None


async def _connect(config: ClientConnectConfig, address: str, plugin: ConfirmoPlugin) -> Client:
    options: dict[str, Any] = {**config, "target_host": address, "plugins": [plugin]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        client = await Client.connect(**options)
    await client.workflow_service.describe_namespace(DescribeNamespaceRequest(namespace=client.namespace))
    return client


def own_plugin(**options: Any) -> ConfirmoPlugin:
    """Return a plugin with the payload store and the keys of this process's settings.

    Raises:
        InvalidConnection: They cannot be used.
    """
    settings = ClientSettings()
    try:
        return ConfirmoPlugin(
            payload_store=settings.payload_store,
            encryption_keys=settings.encryption_keys_file,
            masked_fields=settings.masked_fields,
            **options,
        )
    except EncryptionKeyError as error:
        raise InvalidConnection(f"CONFIRMO_ENCRYPTION_KEYS_FILE cannot be used: {error}") from None
    except ValueError as error:
        raise InvalidConnection(f"CONFIRMO_PAYLOAD_STORE cannot be used: {error}") from None


def address_of(client: Client) -> str:
    """Return the address that a client is connected to."""
    return client.service_client.config.target_host


def fault(
    error: RPCError, *, address: str, namespace: str, transaction_id: str | None = None
) -> ConfirmoError:
    """Return the error of this package for one of Temporal's. Judges by status and details, never by text."""
    if error.status is RPCStatusCode.NOT_FOUND:
        if _is_namespace(error) or transaction_id is None:
            return NamespaceNotFound(
                f"Temporal at {address} has no namespace {namespace!r}: create it, or set TEMPORAL_NAMESPACE."
            )
        return not_found(transaction_id)
    if error.status is RPCStatusCode.INVALID_ARGUMENT:
        return InvalidRequest(f"Temporal does not take the request: {one_line(error.message, 300)}.")
    if error.status in _REFUSED:
        return TemporalUnavailable(
            f"Temporal at {address} refuses the caller ({error.status.name}): check the API key or certificate."
        )
    if error.status is RPCStatusCode.RESOURCE_EXHAUSTED:
        return TemporalUnavailable(f"Temporal at {address} is overloaded: wait a moment and repeat the same.")
    return TemporalUnavailable(
        f"Temporal at {address} did not answer ({error.status.name}): check that it is up, and repeat the same."
    )


def not_found(transaction_id: str) -> TransactionNotFound:
    """Return the error for an id that no transaction has."""
    return TransactionNotFound(
        f"There is no transaction {one_line(transaction_id, 200)} in this namespace: check the id with confirmo list."
    )


def _is_namespace(error: RPCError) -> bool:
    details = error.grpc_status.details
    return bool(details) and details[0].Is(NamespaceNotFoundFailure.DESCRIPTOR)


def store_fault(problem: PayloadProblem) -> ConfirmoError:
    """Return the error of this package for a payload that could not be stored or read."""
    if isinstance(problem, StoreUnavailable):
        return PayloadStoreUnavailable(problem.message)
    if isinstance(problem, PayloadSealed):
        return PayloadEncrypted(problem.message)
    return PayloadNotFound(problem.message)


async def within(timeout: timedelta | None, awaitable: Awaitable[T]) -> T:
    """Await something for at most ``timeout``; null means for ever.

    Temporal's client turns a cancellation into an error of its own, so neither ``asyncio.timeout`` nor a Ctrl-C
    would be noticed by the caller without a task of its own.

    Raises:
        TimeoutError: The time is over; what was awaited is cancelled.
        PayloadStoreUnavailable: What was to be sent or read cannot be stored or read now.
        PayloadNotFound: What was to be read is not in the payload store.
        PayloadEncrypted: What was to be read is encrypted with a key that is not here.
    """
    task = asyncio.ensure_future(awaitable)
    try:
        await asyncio.wait({task}, timeout=timeout.total_seconds() if timeout is not None else None)
        if not task.done():
            raise TimeoutError
        return task.result()
    except PayloadProblem as problem:
        raise store_fault(problem) from None
    finally:
        if not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
