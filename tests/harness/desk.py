"""A desk: one catalogue, one worker on a task queue of its own, and short words for what an agent runtime does."""

import asyncio
import contextlib
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import yaml
from temporalio.client import (
    Client,
    WithStartWorkflowOperation,
    WorkflowHandle,
    WorkflowUpdateFailedError,
)
from temporalio.common import WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode

from confirmo.policies import names
from confirmo.policies.catalog import load_texts
from confirmo.policies.tool_spec import Catalog
from confirmo.worker.building import build_workers, tool_servers
from confirmo.worker.queues import running
from confirmo.worker.settings import Settings

BOUND = 60.0


class Refused(Exception):
    """An update that was refused; ``type`` is the error type."""

    def __init__(self, error: ApplicationError) -> None:
        super().__init__(f"{error.type}: {error.message}")
        self.type = error.type
        self.message = error.message


@dataclass
class Tx:
    """One transaction as a test sees it: plain JSON over the real server, like any language would."""

    handle: WorkflowHandle[Any, Any]
    opened: dict[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return self.handle.id

    async def _bounded(self, awaitable: Any) -> Any:
        async with asyncio.timeout(BOUND):
            return await awaitable

    async def update(self, name: str, argument: Any) -> dict[str, Any]:
        try:
            return await self._bounded(self._delivered(name, argument))
        except WorkflowUpdateFailedError as error:
            assert isinstance(error.cause, ApplicationError), error.cause
            raise Refused(error.cause) from None

    async def _delivered(self, name: str, argument: Any) -> Any:
        """Send until it is delivered: a task that fails because of what came in meanwhile takes its updates along."""
        while True:
            try:
                return await self.handle.execute_update(name, argument)
            except RPCError as error:
                if error.status is not RPCStatusCode.FAILED_PRECONDITION:
                    raise

    async def send_update(self, name: str, arguments: list[Any]) -> dict[str, Any]:
        """Send an update with any number of arguments."""
        try:
            return await self._bounded(self.handle.execute_update(name, args=arguments))
        except WorkflowUpdateFailedError as error:
            assert isinstance(error.cause, ApplicationError), error.cause
            raise Refused(error.cause) from None

    async def awaiting(self, request: Any = None) -> dict[str, Any]:
        return await self.update(names.UPDATE_AWAITING, request)

    async def state(self) -> dict[str, Any]:
        return await self._bounded(self.handle.query(names.QUERY_STATE))

    async def digest(self) -> str:
        return (await self.state())["confirmation"]["digest"]

    async def confirm(self, **decision: Any) -> dict[str, Any]:
        digest = decision.pop("digest", None) or await self.digest()
        return await self.update(names.CONFIRM, {"decision": "confirm", "digest": digest} | decision)

    async def reject(self, **decision: Any) -> dict[str, Any]:
        return await self.update(names.CONFIRM, {"decision": "reject"} | decision)

    async def signal(self, name: str, argument: Any) -> None:
        await self._bounded(self.handle.signal(name, argument))

    async def result(self) -> dict[str, Any]:
        return await self._bounded(self.handle.result())

    async def until(self, *statuses: str) -> dict[str, Any]:
        """Wait for a status; bounded, polling the query as an outside watcher does."""
        async with asyncio.timeout(BOUND):
            while (state := await self.state())["status"] not in statuses:
                await asyncio.sleep(0.02)
            return state

    async def event_names(self) -> list[str]:
        return [event["name"].removeprefix("IC.TRANSACTION_") for event in (await self.state())["events"]]


@dataclass
class Desk:
    """Starts transactions against one worker."""

    client: Client
    catalog: Catalog
    task_queue: str
    settings: Settings = field(default_factory=Settings)
    search_attributes: bool = False
    max_cached_workflows: int | None = None
    task_timeout: timedelta | None = None
    """Where a test stops its worker: a task that goes to a poll of the old one is lost for this long, or for 10 s."""
    _worker: AsyncExitStack | None = None

    async def start_worker(self) -> None:
        stack = AsyncExitStack()
        servers = tool_servers(self.catalog, self.settings)
        stack.push_async_callback(servers.aclose)
        workers = build_workers(
            self.client,
            self.catalog,
            servers,
            self.settings,
            search_attributes=self.search_attributes,
            task_queue=self.task_queue,
            **(
                {}
                if self.max_cached_workflows is None
                else {"max_cached_workflows": self.max_cached_workflows}
            ),
        )
        await stack.enter_async_context(running(workers))
        self._worker = stack

    async def stop_worker(self) -> None:
        if self._worker is not None:
            await self._worker.aclose()
            self._worker = None

    async def begin(self, tool_name: str, arguments: Any = None, *, id: str | None = None, **more: Any) -> Tx:
        """Start without waiting."""
        request = {"tool_name": tool_name, "arguments": arguments or {}} | more
        return await self.begin_raw(request, id=id)

    async def begin_raw(self, *payload: Any, id: str | None = None) -> Tx:
        handle = await self.client.start_workflow(
            names.TRANSACTION_WORKFLOW,
            args=payload,
            id=id or f"tx-{uuid.uuid4().hex}",
            task_queue=self.task_queue,
            id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            execution_timeout=timedelta(days=3),
            task_timeout=self.task_timeout,
        )
        return Tx(self.client.get_workflow_handle(handle.id))

    async def start(self, tool_name: str, arguments: Any = None, *, id: str | None = None, **more: Any) -> Tx:
        """Start and wait until someone is needed or it is over; the state is in ``opened``."""
        request = {"tool_name": tool_name, "arguments": arguments or {}} | more
        identity = id or f"tx-{uuid.uuid4().hex}"
        operation = WithStartWorkflowOperation(
            names.TRANSACTION_WORKFLOW,
            request,
            id=identity,
            task_queue=self.task_queue,
            id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            task_timeout=self.task_timeout,
        )
        async with asyncio.timeout(BOUND):
            try:
                state = await self.client.execute_update_with_start_workflow(
                    names.UPDATE_AWAITING, request, start_workflow_operation=operation
                )
            except WorkflowUpdateFailedError as error:
                assert isinstance(error.cause, ApplicationError), error.cause
                raise Refused(error.cause) from None
        return Tx(self.client.get_workflow_handle(identity), state)

    async def run(self, tool_name: str, arguments: Any = None, **more: Any) -> dict[str, Any]:
        """Start, say yes where asked, and return the result."""
        tx = await self.start(tool_name, arguments, **more)
        if tx.opened["status"] == "AWAITING_CONFIRMATION":
            await tx.confirm(digest=tx.opened["confirmation"]["digest"])
        return await tx.result()


def catalog_of(tools: Any, policies: Any, servers: Any) -> Catalog:
    """Load a catalogue from plain data; every error is a failed test."""
    texts = {
        "tools.yaml": yaml.safe_dump({"tools": tools}, allow_unicode=True).encode(),
        "tool_policies.yaml": yaml.safe_dump(
            {"version": 1, "tool_policies": policies}, allow_unicode=True
        ).encode(),
        "mcp_servers.yaml": yaml.safe_dump({"servers": servers}).encode(),
    }
    loaded = load_texts(texts, {})
    assert not loaded.errors, loaded.errors
    assert loaded.catalog is not None
    return loaded.catalog


@asynccontextmanager
async def open_desk(client: Client, catalog: Catalog, **options: Any) -> AsyncIterator[Desk]:
    """A desk with its worker running; what is still open at the end is terminated."""
    desk = Desk(client, catalog, f"desk-{uuid.uuid4().hex}", **options)
    await desk.start_worker()
    try:
        yield desk
    finally:
        query = f'TaskQueue="{desk.task_queue}" AND ExecutionStatus="Running"'
        with contextlib.suppress(Exception):
            async for execution in client.list_workflows(query):
                await client.get_workflow_handle(execution.id).terminate("test over")
        await desk.stop_worker()


async def refusal(answer: Awaitable[Any]) -> Refused:
    """Return why an update was refused; a test fails where it was not."""
    try:
        state = await answer
    except Refused as refused:
        return refused
    raise AssertionError(f"not refused: {state['status']}")


async def gone(answer: Awaitable[Any]) -> bool:
    """Whether the server itself says that the run has closed."""
    try:
        await answer
    except RPCError as error:
        return error.status is RPCStatusCode.NOT_FOUND
    return False


async def until(condition: Callable[[], bool]) -> None:
    """Wait for a fact in this process; bounded."""
    async with asyncio.timeout(BOUND):
        while not condition():
            await asyncio.sleep(0.005)
