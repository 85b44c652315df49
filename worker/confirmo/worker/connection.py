"""Connecting to Temporal as ``temporalio.envconfig`` says, with patience and a clear sentence."""

import asyncio
import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
from temporalio.client import Client
from temporalio.converter import DataConverter
from temporalio.envconfig import ClientConfig
from temporalio.service import RPCError, RPCStatusCode

from confirmo.policies.encryption_keys import EncryptionKeyError
from confirmo.worker.errors import ServerUnavailable
from confirmo.workflows.converter import reading_converter, storing_converter
from confirmo.workflows.payload_drivers import StoreUnavailable
from confirmo.workflows.payload_store import check_store

_RETRY_SECONDS = 0.5
_CALL_SECONDS = 5.0


async def connect(
    *,
    wait_seconds: float,
    payload_store: str | None = None,
    encryption_keys: Path | None = None,
    masked_fields: Collection[str] = (),
) -> Client:
    """Return a client whose namespace answers.

    Args:
        wait_seconds: How long it may take.
        payload_store: See ``Settings``.
        encryption_keys: The file of keys; see ``Settings``.
        masked_fields: See ``Settings``.

    Temporal accepts connections before its namespaces exist, so a namespace that is not found is waited for, too.

    Raises:
        ServerUnavailable: Not within ``wait_seconds``, or nothing can be put into the payload store; names the address,
            the namespace or the store, never a secret.
    """
    config = ClientConfig.load_client_connect_config()
    converter = converter_of(payload_store, encryption_keys, masked_fields)
    address = config.get("target_host", "localhost:7233")
    deadline = time.monotonic() + wait_seconds
    while True:
        try:
            async with asyncio.timeout(_CALL_SECONDS):
                client = await _connect_once(config, converter)
            await check_store(converter.external_storage)
            return client
        except StoreUnavailable as store:
            if not store.passing:
                raise ServerUnavailable(store.message) from None
            problem = store.message
        except RPCError as error:
            if error.status not in (RPCStatusCode.NOT_FOUND, RPCStatusCode.UNAVAILABLE):
                raise ServerUnavailable(
                    _sentence(error, address, config.get("namespace", "default"))
                ) from None
            problem = _sentence(error, address, config.get("namespace", "default"))
        except (RuntimeError, OSError, TimeoutError):
            problem = f"Temporal at {address} cannot be reached. Start it, or set TEMPORAL_ADDRESS."
        if time.monotonic() >= deadline:
            raise ServerUnavailable(problem)
        await asyncio.sleep(_RETRY_SECONDS)


def converter_of(
    payload_store: str | None,
    encryption_keys: Path | None = None,
    masked_fields: Collection[str] = (),
    *,
    read_only: bool = False,
) -> DataConverter:
    """Return the data converter; ``read_only`` where nothing shall be stored.

    Raises:
        ServerUnavailable: The payload store is not known, or the keys cannot be read.
    """
    make = reading_converter if read_only else storing_converter
    try:
        return make(payload_store, encryption_keys=encryption_keys, masked_fields=masked_fields)
    except EncryptionKeyError as error:
        raise ServerUnavailable(f"CONFIRMO_ENCRYPTION_KEYS_FILE cannot be used: {error}") from None
    except ValueError as error:
        raise ServerUnavailable(f"CONFIRMO_PAYLOAD_STORE cannot be used: {error}") from None


async def _connect_once(config: Any, converter: DataConverter) -> Client:
    client = await Client.connect(**config, data_converter=converter)
    await client.workflow_service.describe_namespace(DescribeNamespaceRequest(namespace=client.namespace))
    return client


def _sentence(error: RPCError, address: str, namespace: str) -> str:
    if error.status == RPCStatusCode.NOT_FOUND:
        return f"Temporal at {address} has no namespace {namespace!r}. Create it, or set TEMPORAL_NAMESPACE."
    return f"Temporal at {address} refused the connection ({error.status.name}). Check the address and credentials."
