"""Workers of trials: the user's policies, with times that a person at a terminal waits for."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from temporalio.client import Client

from confirmo.policies.tool_spec import Catalog, ServerSpec, ToolSpec
from confirmo.worker.building import build_workers, tool_servers
from confirmo.worker.queues import running
from confirmo.worker.settings import Settings

CALL_SECONDS = 5.0
HEARTBEAT_SECONDS = 1.0
HASTY_SECONDS = 0.2


@asynccontextmanager
async def working(client: Client, queue: str, catalog: Catalog) -> AsyncIterator[None]:
    """Run a worker for the length of the block, with no webhook and no versions, whatever the environment says."""
    settings = Settings(
        webhook_url=None, build_id=None, heartbeat_seconds=HEARTBEAT_SECONDS, graceful_shutdown_seconds=0
    )
    servers = tool_servers(catalog, settings)
    try:
        workers = build_workers(
            client, catalog, servers, settings, search_attributes=False, task_queue=queue, own_queues=False
        )
        async with running(workers):
            yield
    finally:
        await servers.aclose()


def simulated(catalog: Catalog, endpoint: str, expires_seconds: float | None = None) -> Catalog:
    """Return the catalogue with one simulated server in place of each, and with shorter times.

    Args:
        catalog: The user's.
        endpoint: Address of the simulated server.
        expires_seconds: How long a question is open; null leaves it as it is.
    """
    servers = {
        name: ServerSpec(name=name, enabled=spec.enabled, endpoint=endpoint, timeout_seconds=CALL_SECONDS)
        for name, spec in catalog.servers.items()
    }
    tools = {name: _quick(tool, expires_seconds) for name, tool in catalog.tools.items()}
    return catalog.model_copy(update={"servers": servers, "tools": tools})


def _quick(tool: ToolSpec, expires_seconds: float | None) -> ToolSpec:
    confirmation = tool.confirmation
    if expires_seconds is not None:
        confirmation = confirmation.model_copy(update={"expires_seconds": expires_seconds})
    validating = min(tool.pre_validation.timeout_seconds, CALL_SECONDS)
    executing = min(tool.execution.timeout_seconds, CALL_SECONDS)
    return tool.model_copy(
        update={
            "confirmation": confirmation,
            "pre_validation": tool.pre_validation.model_copy(update={"timeout_seconds": validating}),
            "execution": tool.execution.model_copy(update={"timeout_seconds": executing}),
        }
    )
