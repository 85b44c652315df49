"""Connecting to Temporal as ``temporalio.envconfig`` says, with patience and a clear sentence."""

import asyncio
import time

from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
from temporalio.client import Client
from temporalio.envconfig import ClientConfig
from temporalio.service import RPCError, RPCStatusCode

from confirmo.worker.errors import ServerUnavailable
from confirmo.workflows.converter import data_converter

_RETRY_SECONDS = 0.5
_CALL_SECONDS = 5.0


async def connect(*, wait_seconds: float) -> Client:
    """Return a client whose namespace answers.

    Temporal accepts connections before its namespaces exist, so a namespace that is not found is waited for, too.

    Raises:
        ServerUnavailable: Not within ``wait_seconds``; names the address or the namespace, never a secret.
    """
    config = ClientConfig.load_client_connect_config()
    address = config.get("target_host", "localhost:7233")
    deadline = time.monotonic() + wait_seconds
    while True:
        try:
            async with asyncio.timeout(_CALL_SECONDS):
                return await _connect_once(config)
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


async def _connect_once(config: object) -> Client:
    client = await Client.connect(**config, data_converter=data_converter)  # type: ignore[arg-type]
    await client.workflow_service.describe_namespace(DescribeNamespaceRequest(namespace=client.namespace))
    return client


def _sentence(error: RPCError, address: str, namespace: str) -> str:
    if error.status == RPCStatusCode.NOT_FOUND:
        return f"Temporal at {address} has no namespace {namespace!r}. Create it, or set TEMPORAL_NAMESPACE."
    return f"Temporal at {address} refused the connection ({error.status.name}). Check the address and credentials."
