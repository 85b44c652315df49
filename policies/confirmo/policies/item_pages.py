"""A large set in parts: the first items that a state shows, and pages over all of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from confirmo.policies.bounding import PAYLOAD_BYTES, bound_entry, bytes_of
from confirmo.policies.evidence import Known, result_entry
from confirmo.policies.models import FrozenItem, ItemPage, ItemsAsked, Outcome
from confirmo.policies.texts import clean_text
from confirmo.policies.tool_spec import ToolSpec

_PAGE_BYTES = PAYLOAD_BYTES // 2


def shown_first(
    items: Sequence[FrozenItem], outcomes: Mapping[str, Known], limit: int | None
) -> Sequence[FrozenItem]:
    """Return at most ``limit`` items in their order: what failed and what is unknown first in the choice."""
    if limit is None or len(items) <= limit:
        return items
    bad = {key: own.outcome for key, own in outcomes.items() if own.outcome is not Outcome.SUCCEEDED}
    if not bad:
        return items[:limit]
    failed = [at for at, item in enumerate(items) if bad.get(item.item_id) is Outcome.FAILED]
    unknown = [at for at, item in enumerate(items) if bad.get(item.item_id) is Outcome.UNKNOWN]
    chosen = set([*failed, *unknown][:limit])
    for at in range(len(items)):
        if len(chosen) >= limit:
            break
        chosen.add(at)
    return [items[at] for at in sorted(chosen)]


def _is(outcome: Known | None, wanted: Outcome) -> bool:
    return outcome is not None and outcome.outcome is wanted


def item_page(
    tool: ToolSpec | None,
    items: Sequence[FrozenItem],
    outcomes: Mapping[str, Known],
    asked: ItemsAsked,
    root: str,
) -> ItemPage:
    """Return the page that was asked for. A page may hold fewer than ``limit``, so that it fits into a payload.

    Args:
        tool: The tool that will run, or ran.
        items: The whole set, in its order.
        outcomes: What became of each item so far.
        asked: Cursor, limit and filter; the cursor counts over the filtered items.
        root: What the keys are derived from.
    """
    wanted = [
        item for item in items if asked.outcome is None or _is(outcomes.get(item.item_id), asked.outcome)
    ]
    entries: list[dict[str, Any]] = []
    room = _PAGE_BYTES
    for item in wanted[asked.cursor : asked.cursor + asked.limit]:
        entry = bound_entry(_entry(tool, item, outcomes.get(item.item_id), root), _PAGE_BYTES)
        room -= bytes_of(entry)
        if entries and room < 0:
            break
        entries.append(entry)
    reached = asked.cursor + len(entries)
    return ItemPage(
        items=tuple(entries),
        items_count=len(wanted),
        next_cursor=reached if entries and reached < len(wanted) else None,
    )


def _entry(tool: ToolSpec | None, item: FrozenItem, outcome: Known | None, root: str) -> dict[str, Any]:
    if outcome is not None and tool is not None:
        return result_entry(item, outcome, tool, root)
    entry: dict[str, Any] = {
        "item_id": item.item_id,
        "label": clean_text(item.label),
        "eligible": item.eligible,
    }
    return entry | ({"reason": clean_text(item.reason)} if item.reason else {})
