"""The calls of a file and what came back: an answer belongs to a call, and what is done is not sent again."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from confirmo.policies.evidence_file.bodies import Answer, Call
from confirmo.policies.models import Outcome
from confirmo.policies.tool_spec import ToolSpec


@dataclass
class _Made:
    """What was handed over under one ``call_id``."""

    role: str
    tool_name: str
    time: str
    keys: set[str] = field(default_factory=set)


class Sent:
    """Reads calls and answers in their order."""

    def __init__(self) -> None:
        self._made: dict[str, _Made] = {}
        self._done: set[tuple[str, str | None]] = set()

    def call(self, time: str, body: Call, tool: ToolSpec | None) -> Iterator[str]:
        """Take a call of a tool, null where the file has no policy of it, and return what does not agree."""
        made = self._made.setdefault(body.call_id, _Made(body.role, body.tool_name, time))
        if (made.role, made.tool_name) != (body.role, body.tool_name):
            yield "another call has this call_id"
        made.keys |= {body.idempotency_key or "", *(body.item_keys or {}).values()}
        if tool is not None and tool.mcp_server != body.server:
            yield "the policy has this tool on another server"
        items = body.item_ids if body.item_ids is not None else [body.item_id]
        if body.role in ("primary", "undo") and any((body.role, item) in self._done for item in items):
            yield "it was handed over to be sent again after an answer had said that it was done"

    def answer(self, time: str, body: Answer) -> Iterator[str]:
        """Take an answer and return what does not agree."""
        made = self._made.get(body.call_id)
        if made is None or (made.role, made.tool_name) != (body.role, body.tool_name):
            yield "it answers a call that was not made before"
            return
        if time < made.time:
            yield "it is older than its call"
        if body.role in ("primary", "undo") and body.idempotency_key not in (None, *made.keys):
            yield "its idempotency key is not that of its call"
        if body.outcome == Outcome.SUCCEEDED:
            self._done.add((body.role, body.item_id))
