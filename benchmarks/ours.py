"""Confirmo as the benchmarks run it: one tool on a list of items, over streamable HTTP or in the worker's process."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import yaml
from temporalio.client import Client, WithStartWorkflowOperation, WorkflowHandle
from temporalio.common import WorkflowIDConflictPolicy

from benchmarks.peers.protocol import Begin, Finish, act
from confirmo.activities.tools import ToolListing, ToolServers
from confirmo.activities.tools.guarding import passed
from confirmo.policies import names
from confirmo.policies.catalog import load_texts
from confirmo.policies.models import ToolAnswer
from confirmo.policies.tool_spec import Catalog
from confirmo.worker.building import build_worker
from confirmo.worker.connection import connect
from confirmo.worker.settings import Settings

TOOL = "execute"
MOST_ITEMS = 200_000
CONNECT_SECONDS = 30.0
PAGE = 1_000
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"subjects": {"type": "array"}}}


def catalog_of(endpoint: str | None, concurrency: int) -> Catalog:
    """The catalogue with the one tool; an endpoint that is null is never connected to."""
    tool = {
        "mcp_server": "bench",
        "tool_type": "action",
        "args_schema": {"subjects": {"type": "array", "items": {"type": "string"}}},
    }
    # Every peer may repeat what was in flight when it was killed; "idempotent" lets ours do the same.
    execution = {"call": "per_item", "effect": "idempotent", "max_concurrency": concurrency}
    policy = {"requires": ["subjects"], "execution": execution}
    texts = {
        "tools.yaml": {"tools": {TOOL: tool}},
        "tool_policies.yaml": {"version": 1, "tool_policies": {TOOL: policy}},
        "mcp_servers.yaml": {"servers": {"bench": {"endpoint": endpoint or "http://127.0.0.1:9/mcp"}}},
    }
    loaded = load_texts({name: yaml.safe_dump(text).encode() for name, text in texts.items()}, {})
    assert loaded.catalog is not None, loaded.errors
    return loaded.catalog


def settings() -> Settings:
    """The settings as they are shipped, but for as many items as the engine can be told to take."""
    shipped = Settings()
    if shipped.max_items is None:
        return shipped
    bounds = [bound.le for bound in Settings.model_fields["max_items"].metadata if hasattr(bound, "le")]
    return Settings(max_items=min([MOST_ITEMS, *bounds]))


async def connected() -> Client:
    """A client as the environment says, with the payload store where the engine has one."""
    store = getattr(Settings(), "payload_store", None)
    return await connect(wait_seconds=CONNECT_SECONDS, **({"payload_store": store} if store else {}))


class LocalTools(ToolServers):
    """The trivial effect in the worker's own process, so that engines are compared and not the wire."""

    async def call(
        self, server: str, tool: str, arguments: Mapping[str, Any], *, guard: Any = None, **_: Any
    ) -> ToolAnswer:
        """Act on the one item; everything around the call is as with any tool server."""
        if guard is not None:
            await passed(guard)
        return ToolAnswer(structured=act(arguments["subjects"][0]), has_structured=True)

    async def tools(self, server: str) -> tuple[ToolListing, ...]:
        """What a server would list."""
        return (ToolListing(name=TOOL, input_schema=SCHEMA),)


@asynccontextmanager
async def worker(client: Client, queue: str, endpoint: str | None, concurrency: int) -> AsyncIterator[None]:
    """Run a worker for the length of the block."""
    catalog = catalog_of(endpoint, concurrency)
    servers = ToolServers(catalog.servers) if endpoint else LocalTools(catalog.servers)
    try:
        async with build_worker(
            client, catalog, servers, settings(), search_attributes=True, task_queue=queue
        ):
            yield
    finally:
        await servers.aclose()


def steps(client: Client, queue: str) -> tuple[Begin, Finish]:
    """What a caller does: start and get the question, say yes and get the result."""

    async def begin(name: str, items: list[str]) -> Any:
        request = {"tool_name": TOOL, "arguments": {"subjects": items}}
        operation: Any = WithStartWorkflowOperation(
            names.TRANSACTION_WORKFLOW,
            request,
            id=name,
            task_queue=queue,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
        )
        state: Any = await client.execute_update_with_start_workflow(
            names.UPDATE_AWAITING, request, start_workflow_operation=operation
        )
        if state["status"] != "AWAITING_CONFIRMATION":
            raise RuntimeError(f"{state['status']} {state['reason_code']}: {state['reason']}")
        return await operation.workflow_handle(), state["confirmation"]["digest"]

    async def finish(question: Any) -> int:
        handle, digest = question
        await handle.execute_update(names.CONFIRM, {"decision": "confirm", "digest": digest})
        return await succeeded(handle, await handle.result())

    return begin, finish


async def succeeded(handle: WorkflowHandle[Any, Any], result: dict[str, Any]) -> int:
    """How many items are proved to have succeeded, read entry by entry.

    They are in the result; where it does not hold them all, as its own count says, in the pages of ``items``.
    """
    entries = result["result"]["output"].get(TOOL, {}).get("results", [])
    told = result["metadata"].get("multi_item", {}).get("items_count", len(entries))
    if len(entries) < told and hasattr(names, "QUERY_ITEMS"):
        entries, cursor = [], 0
        while cursor is not None:
            page: Any = await handle.query(names.QUERY_ITEMS, {"cursor": cursor, "limit": PAGE})
            entries += page["items"]
            cursor = page["next_cursor"]
    return len({entry["item_id"] for entry in entries if entry["outcome"] == "SUCCEEDED"})
