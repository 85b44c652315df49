"""How large a transaction's history is, as the server keeps it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message
from temporalio.api.common.v1 import Payload
from temporalio.client import Client


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
