"""How large a transaction's history is, as the server keeps it, and which events are in it.

``python -m benchmarks.history`` prints the table of docs/history.md.
"""

import asyncio
import os
import sys
import tempfile
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from google.protobuf.message import Message
from temporalio.api.common.v1 import Payload
from temporalio.api.enums.v1 import EventType
from temporalio.client import Client

from benchmarks.peers.protocol import act
from confirmo.activities.tools import ToolListing, ToolServers
from confirmo.client import TransactionClient
from confirmo.policies.catalog import load_texts
from confirmo.policies.models import Decision, ToolAnswer, TransactionRequest
from confirmo.policies.tool_spec import Catalog
from confirmo.worker.building import build_worker
from confirmo.worker.settings import Settings

ITEMS = (1, 10, 10_000)
FILES = {
    "tools.yaml": """
tools:
  execute: {mcp_server: here, tool_type: action, args_schema: {subjects: array}}
  check: {mcp_server: here, tool_type: internal, args_schema: {subjects: array}}
""",
    "tool_policies.yaml": """
version: 1
tool_policies:
  execute:
    requires: [subjects]
    pre_validation: {enabled: true, tool: check}
    execution: {call: per_item, effect: idempotent}
  check: {operation_type: internal}
""",
    "mcp_servers.yaml": "servers: {here: {endpoint: 'http://127.0.0.1:9/mcp'}}",
}
READERS = {
    "WORKFLOW_EXECUTION_STARTED": "the workflow; `status`, `redrive` and a repeated start: what was asked for",
    "WORKFLOW_EXECUTION_UPDATE_ACCEPTED": "the workflow: what came in; `status` without a worker: who said yes",
    "WORKFLOW_EXECUTION_UPDATE_COMPLETED": "whoever waits for the answer; `status` without a worker",
    "MARKER_RECORDED": "the workflow: the policy as it was frozen",
    "UPSERT_WORKFLOW_SEARCH_ATTRIBUTES": "`list` and the lists of the UI: one for each status",
    "ACTIVITY_TASK_SCHEDULED": "the worker that makes the call; the UI's timeline; `redrive`: whether it had begun",
    "ACTIVITY_TASK_STARTED": "the server, for timeouts and attempts; the UI's timeline",
    "ACTIVITY_TASK_COMPLETED": "the workflow: the verdict, the evidence; `status` without a worker",
    "TIMER_STARTED": "the server: when the question expires",
    "TIMER_CANCELED": "the server: that it does not any more",
    "WORKFLOW_TASK_SCHEDULED": "the server: that the workflow has something to look at",
    "WORKFLOW_TASK_STARTED": "the workflow: the time that it goes by, and which messages come with it",
    "WORKFLOW_TASK_COMPLETED": "the server and a replay: what the workflow decided together",
    "WORKFLOW_EXECUTION_COMPLETED": "whoever waits for the result; `result`",
}
"""Who reads each type of event."""
VARYING = ("WORKFLOW_TASK_SCHEDULED", "WORKFLOW_TASK_STARTED", "WORKFLOW_TASK_COMPLETED")
"""How many there are depends on what happens at the same time."""


@dataclass(frozen=True)
class Size:
    """Of all runs of one transaction together."""

    runs: int
    events: int
    bytes: int
    largest_payload: int
    stored: int = 0
    """Bytes in the payload store that its payloads refer to."""


async def size_of(client: Client, transaction_id: str) -> Size:
    """Fetch and measure a history, run by run."""
    description = await client.get_workflow_handle(transaction_id).describe()
    run_id = description.raw_description.workflow_execution_info.first_run_id or description.run_id
    runs = events = size = largest = stored = 0
    following: str | None = run_id
    while following:
        handle = client.get_workflow_handle(transaction_id, run_id=following)
        runs, following = runs + 1, None
        async for event in handle.fetch_history_events():
            events += 1
            size += event.ByteSize()
            for payload in payloads(event):
                largest = max(largest, payload.ByteSize())
                stored += sum(part.size_bytes for part in payload.external_payloads)
            continued = event.workflow_execution_continued_as_new_event_attributes
            following = continued.new_execution_run_id or following
    return Size(runs, events, size, largest, stored)


def payloads(message: Message) -> Iterator[Payload]:
    """Every payload in a message, however deep."""
    if isinstance(message, Payload):
        yield message
        return
    for descriptor, value in message.ListFields():
        if descriptor.message_type is None:
            continue
        for part in _parts(value):
            yield from payloads(part)


def _parts(value: Any) -> Iterator[Message]:
    values = value.values() if hasattr(value, "values") else [value] if isinstance(value, Message) else value
    yield from (part for part in values if isinstance(part, Message))


class Here(ToolServers):
    """The validator and the tool in the worker's own process."""

    async def call(
        self, server: str, tool: str, arguments: Mapping[str, Any], *, guard: Any = None, **_: Any
    ) -> ToolAnswer:
        """Let everything pass, and do each item."""
        if tool == "check":
            return ToolAnswer(structured={"eligible": True}, has_structured=True)
        return ToolAnswer(structured=act(arguments["subjects"][0]), has_structured=True)

    async def tools(self, server: str) -> tuple[ToolListing, ...]:
        """What a server would list."""
        schema = {"type": "object", "properties": {"subjects": {"type": "array"}}}
        return tuple(ToolListing(name=name, input_schema=schema) for name in ("execute", "check"))


def catalog() -> Catalog:
    """One tool with a validator."""
    loaded = load_texts({name: text.encode() for name, text in FILES.items()}, {})
    assert loaded.catalog is not None, loaded.errors
    return loaded.catalog


@asynccontextmanager
async def door(client: Client, settings: Settings | None = None) -> AsyncIterator[TransactionClient]:
    """A worker on a task queue of its own, and the door to it."""
    queue, own = f"history-{uuid.uuid4().hex}", catalog()
    servers = Here(own.servers)
    try:
        options = {"search_attributes": True, "task_queue": queue}
        async with build_worker(client, own, servers, settings or Settings(), **options):
            yield TransactionClient(client, task_queue=queue)
    finally:
        await servers.aclose()


async def events_of(door: TransactionClient, count: int) -> Counter[str]:
    """Run a transaction of so many items, from the start over the yes to the result, and count its events by type."""
    items = [f"I-{number:05}" for number in range(1, count + 1)]
    state = await door.start(TransactionRequest(tool_name="execute", arguments={"subjects": items}))
    assert state.confirmation is not None, state.reason
    decision = Decision(decision="confirm", digest=state.confirmation.digest)
    await _delivered(door, state.transaction_id)
    await door.confirm(state.transaction_id, decision)
    result = await door.result(state.transaction_id)
    assert result.ok, result.reason
    history = door.temporal.get_workflow_handle(state.transaction_id).fetch_history_events()
    return Counter([EventType.Name(event.event_type).removeprefix("EVENT_TYPE_") async for event in history])


async def _delivered(door: TransactionClient, transaction_id: str) -> None:
    """Wait until the question is delivered: a yes that comes before it would cancel that, which is more events."""
    handle = door.temporal.get_workflow_handle(transaction_id)
    for _ in range(3_000):
        if not (await handle.describe()).raw_description.pending_activities:
            return
        await asyncio.sleep(0.01)
    raise TimeoutError(f"The question of {transaction_id} was not delivered.")


def rows(counted: Sequence[Counter[str]]) -> list[list[str]]:
    """Return the lines of the table: type of event, how many in each transaction, and who reads it."""
    types = sorted({name for each in counted for name in each}, key=[*READERS].index)
    lines = [[f"`{name}`", *(f"{each[name]:,}" for each in counted), READERS[name]] for name in types]
    return [*lines, ["together", *(f"{each.total():,}" for each in counted), ""]]


async def main() -> None:
    """Print the table."""
    from benchmarks.stage import temporal
    from confirmo.worker.connection import connect

    with tempfile.TemporaryDirectory() as folder:
        async with temporal(Path(folder)):
            client = await connect(wait_seconds=30, payload_store=os.environ["CONFIRMO_PAYLOAD_STORE"])
            async with door(client) as opened:
                counted = [await events_of(opened, count) for count in ITEMS]
    head = ["event", *(f"{count:,} item{'s' if count > 1 else ''}" for count in ITEMS), "who reads it"]
    for line in (head, ["---"] * len(head), *rows(counted)):
        sys.stdout.write("| " + " | ".join(line) + " |\n")


if __name__ == "__main__":
    asyncio.run(main())
    sys.stdout.flush()
    os._exit(0)
