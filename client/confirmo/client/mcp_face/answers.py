"""What a call hands back: the state as structured content, what people read as text, and whether it is an error."""

import json
from typing import Any, Final

import mcp_types as types
from pydantic import Field

from confirmo.client.answers import status_word
from confirmo.client.mcp_face.advice import left_out, spoken
from confirmo.client.mcp_face.windows import Window, items_in, result_in, told, window
from confirmo.policies.models import (
    Confirmation,
    InvalidParameter,
    ItemState,
    Progress,
    Status,
    TransactionResult,
    TransactionState,
    Wire,
)

_FAILURES: Final = frozenset(
    {Status.FAILED, Status.EXPIRED, Status.OUT_OF_SCOPE, Status.BLOCKED, "TERMINATED"}
)
"""A person's no is none: an agent that reads it as an error tries again."""


class FaceAnswer(Wire):
    """A transaction as an agent sees it; ``result`` is there once it is over."""

    transaction_id: str
    status: str = Field(
        description="COLLECTING_PARAMETERS, VALIDATING, AWAITING_CONFIRMATION, EXECUTING, COMPLETED, FAILED, "
        "CANCELLED, EXPIRED, OUT_OF_SCOPE, BLOCKED or TERMINATED."
    )
    tool_name: str
    requested_tool_name: str
    question: str | None = Field(default=None, description="What the person has to be asked now.")
    missing_parameters: tuple[str, ...] = ()
    invalid_parameters: tuple[InvalidParameter, ...] = ()
    ignored_arguments: tuple[str, ...] = ()
    items: tuple[ItemState, ...] = ()
    items_shown: Window | None = Field(
        default=None,
        description="Of a large set: which of its items, and of their evidence, are in this answer.",
    )
    confirmation: Confirmation | None = Field(
        default=None, description="The frozen question; its digest names it."
    )
    progress: Progress = Progress()
    result: TransactionResult | None = Field(
        default=None, description="Evidence in result.output[tool_name]; message says it to the person."
    )
    reason: str | None = None
    reason_code: str | None = None


def _schema() -> dict[str, Any]:
    schema = FaceAnswer.model_json_schema(mode="serialization")
    schema.pop("description", None)
    return schema


OUTPUT_SCHEMA: Final[dict[str, Any]] = _schema()


def answer(
    state: TransactionState, note: str = "", *, refused: bool = False, items_from: int = 1
) -> types.CallToolResult:
    """Return a state as a result.

    Args:
        state: The state.
        note: A sentence for the agent, after what the person is told.
        refused: Whether the call itself was refused.
        items_from: Number of the first item to show, from 1, where there are more than one answer holds.
    """
    shown = window(state, items_from)
    made = {
        "status": status_word(state),
        "items": items_in(state, shown),
        "items_shown": shown,
        "result": result_in(state.result, shown),
    }
    same = {name: getattr(state, name) for name in FaceAnswer.model_fields.keys() - made.keys()}
    seen = FaceAnswer(**made, **same)
    texts = [*spoken(state), left_out(state), told(shown), note]
    return types.CallToolResult(
        content=[
            types.TextContent(type="text", text="\n".join(text for text in texts if text)),
            *_evidence(seen),
        ],
        structured_content=seen.model_dump(mode="json"),
        is_error=is_error(state, refused),
    )


def is_error(state: TransactionState, refused: bool = False) -> bool:
    """Whether nothing succeeded, and not because the person did not want it."""
    if state.status is Status.COMPLETED or state.progress.items_succeeded_count:
        return False
    return refused or status_word(state) in _FAILURES


def problem(text: str) -> types.CallToolResult:
    """Return a sentence for a call that led to no state."""
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)


def _evidence(state: FaceAnswer) -> list[types.ContentBlock]:
    """Return what the tool said as JSON text, for clients that show an agent the text alone."""
    output = (state.result.result.get("output") or {}) if state.result else {}
    own = output.get(state.tool_name)
    if own is None:
        return []
    return [types.TextContent(type="text", text=json.dumps(own, ensure_ascii=False))]
