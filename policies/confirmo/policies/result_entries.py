"""One entry of ``output[tool].results``: what the tool said, with our words laid over it."""

from collections.abc import Mapping
from typing import Any, Final

from confirmo.policies import json_text
from confirmo.policies.keys import item_key
from confirmo.policies.models import FrozenItem, Outcome
from confirmo.policies.outcomes import KEY_FOLLOWS, ItemOutcome, Known
from confirmo.policies.tool_spec import ToolSpec

TOOL_RESULT: Final = "tool_result"
"""The tool's entry whole, where one of its fields had to give way."""
TOOL_RESULTS: Final = "tool_results"
"""All entries that the tool gave for the item, where it gave several different ones."""
_OURS: Final = frozenset(
    {
        "item_id",
        "success",
        "outcome",
        "reason_code",
        "verified_by",
        "idempotency_key",
        "attempts",
        TOOL_RESULT,
        TOOL_RESULTS,
    }
)
_SHOWN_FIELDS = ("name", "subject", "label")


def result_entry(
    item: FrozenItem, outcome: ItemOutcome | Known, tool: ToolSpec, root: str | None = None
) -> dict[str, Any]:
    """Return an item's entry: every field the tool returned, and ours, which win.

    ``root`` makes the key of an outcome that left it out.

    ``label`` is added where the tool's entry has no ``name``, ``subject`` or ``label``. Where ours replace a
    different value, the tool's entry stays whole under ``tool_result``; several different entries under
    ``tool_results``.
    """
    del tool
    ours: dict[str, Any] = {
        "item_id": item.item_id,
        "success": outcome.outcome is Outcome.SUCCEEDED,
        "outcome": outcome.outcome.value,
    }
    for name in ("reason", "reason_code", "verified_by"):
        value = getattr(outcome, name)
        if value is not None:
            ours[name] = value
    if outcome.idempotency_key:
        ours["idempotency_key"] = outcome.idempotency_key
    elif outcome.idempotency_key == KEY_FOLLOWS and root is not None:
        ours["idempotency_key"] = item_key(root, item.item_id)
    ours["attempts"] = outcome.attempts
    return lay_over(outcome.entry, ours, outcome.conflicting, item.label)


def lay_over(entry: Any, ours: Mapping[str, Any], conflicting: tuple[Any, ...], label: str) -> dict[str, Any]:
    """Lay our fields over a tool's entry; a field that is ours alone is dropped where we have nothing to say.

    ``ok`` is made equal to ``success``, so that nobody reads a yes out of an entry that is none.
    """
    theirs = dict(entry) if isinstance(entry, Mapping) else {}
    laid = dict(ours)
    if "ok" in theirs:
        laid["ok"] = ours["success"]
    if not any(isinstance(theirs.get(name), str) and theirs[name] for name in _SHOWN_FIELDS):
        laid["label"] = label
    gone = _OURS.intersection(theirs) - laid.keys()
    replaced = {name for name in laid if name in theirs and not json_text.same(theirs[name], laid[name])}
    kept = {name: value for name, value in theirs.items() if name not in gone} if gone else theirs
    result = kept | laid
    lost = any(theirs[name] is not None for name in gone | replaced)
    if lost or (entry is not None and not isinstance(entry, Mapping)):
        result[TOOL_RESULT] = entry
    if conflicting:
        result[TOOL_RESULTS] = list(conflicting)
    return result
