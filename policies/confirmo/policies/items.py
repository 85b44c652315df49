"""The confirmed set: freezing items, where they come from, and their idempotency keys.

Names of an entry are in ``identity``, the arguments of a call in ``item_arguments``, keys in ``keys``; all are
re-exported here.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from confirmo.policies import json_text
from confirmo.policies.bounding import bytes_of
from confirmo.policies.constructing import construct
from confirmo.policies.identity import aliases, identity, label
from confirmo.policies.item_arguments import (
    arguments_beside_items,
    arguments_for_all,
    arguments_for_item,
    array_argument,
    call_of,
    item_argument,
    whole_argument,
)
from confirmo.policies.keys import call_key, item_key
from confirmo.policies.models import FrozenItem, ReasonCode
from confirmo.policies.tool_spec import ToolSpec

__all__ = [
    "MAX_ARGUMENT_BYTES",
    "MAX_CARRIED_BYTES",
    "aliases",
    "arguments_beside_items",
    "arguments_for_all",
    "arguments_for_item",
    "array_argument",
    "bytes_of_item",
    "call_key",
    "call_of",
    "freeze",
    "identity",
    "item_argument",
    "item_key",
    "items_from",
    "label",
    "largest_list",
    "shown_arguments",
    "too_large",
    "whole_argument",
]

MAX_ARGUMENT_BYTES: Final = 1_000_000
"""Arguments above this are too large: one Temporal payload holds at most 2 MB, and more than them."""
MAX_CARRIED_BYTES: Final = 1_700_000
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]*")
_REASON_LIMIT = 2000
_REASON_FIELDS = ("reason", "error", "message")


def freeze(entries: Iterable[Any], item_key: str | None = None) -> tuple[FrozenItem, ...]:
    """Return the items of a set in their order, each once.

    The first of several entries with one identity stays, and is not eligible if any of them is not. An entry
    whose ``eligible`` is there and is not boolean true is not eligible. Entries that say nothing (null,
    blank, empty) are no items.
    """
    frozen: dict[str, FrozenItem] = {}
    for given in entries:
        if type(given) is str and _PLAIN.fullmatch(given):
            if given not in frozen:
                frozen[given] = _plain(given)
            continue
        entry = json_text.clean(given)
        if entry is None or (
            isinstance(entry, str | dict | list) and not (entry.strip() if isinstance(entry, str) else entry)
        ):
            continue
        item = _frozen(entry, item_key)
        known = frozen.setdefault(item.item_id, item)
        if known.eligible and not item.eligible:
            frozen[item.item_id] = known.model_copy(update={"eligible": False, "reason": item.reason})
    return tuple(frozen.values())


def _plain(name: str) -> FrozenItem:
    """Return the item of a text that is nothing but its own name; as ``_frozen``, which is slow for ten thousand."""
    return construct(
        FrozenItem,
        {"item_id": name, "label": name, "eligible": True, "reason": None, "data": name, "aliases": (name,)},
    )


def _frozen(entry: Any, item_key: str | None) -> FrozenItem:
    eligible, reason = _eligibility(entry)
    return FrozenItem(
        item_id=identity(entry, item_key),
        label=label(entry, item_key),
        eligible=eligible,
        reason=reason,
        data=entry,
        aliases=aliases(entry, item_key),
    )


def _eligibility(entry: Any) -> tuple[bool, str | None]:
    if not isinstance(entry, Mapping) or "eligible" not in entry or entry["eligible"] is True:
        return True, None
    texts = (entry.get(field) for field in _REASON_FIELDS)
    given = next((text for text in texts if isinstance(text, str) and text.strip()), None)
    default = ReasonCode.NOT_ELIGIBLE.value if entry["eligible"] is False else "eligible is not a boolean"
    return False, (given or default)[:_REASON_LIMIT]


def items_from(
    arguments: Mapping[str, Any], resolved_items: Sequence[Any] | None, tool: ToolSpec
) -> tuple[FrozenItem, ...]:
    """Return the items: the resolved ones, else the entries of the one required array argument, else none.

    A resolved empty list is an empty set; it does not fall back to the argument.
    """
    if resolved_items is not None:
        return freeze(resolved_items, tool.execution.item_key)
    name = array_argument(tool)
    given = arguments.get(name) if name is not None else None
    return freeze(given, tool.execution.item_key) if isinstance(given, list | tuple) else ()


def largest_list(arguments: Mapping[str, Any], resolved: Sequence[Any] | None) -> int:
    """Return the length of the longest list, resolved items included; of a text, what it could be split into."""
    lengths = [len(value) for value in arguments.values() if isinstance(value, list | tuple)]
    lengths += [1 + sum(map(value.count, ",;\n")) for value in arguments.values() if isinstance(value, str)]
    return max([*lengths, len(resolved or ())], default=0)


def shown_arguments(
    tool: ToolSpec, arguments: Mapping[str, Any], items: Sequence[FrozenItem], resolved_items: bool
) -> dict[str, Any]:
    """Return the arguments as they are shown and frozen: an array that carries the set says what would be sent."""
    name = whole_argument(tool)
    if not resolved_items or not items or name is None or call_of(tool, True) != "whole":
        return dict(arguments)
    return {**arguments, name: arguments_for_all(tool, arguments, items, True)[name]}


def too_large(
    arguments: Mapping[str, Any],
    items: Sequence[FrozenItem],
    max_items: int,
    payload_bytes: int | None = None,
    sizes: int = 2,
) -> bool:
    """Whether there are more items than ``max_items``, or more to carry than one activity's input may hold.

    That input holds the arguments once and the items up to twice. ``payload_bytes`` is what a payload store allows;
    ``sizes`` as in ``ResolvedPolicy``.
    """
    if len(items) > max_items:
        return True
    carried = len(json_text.dump(dict(arguments)).encode())
    frozen = sum(bytes_of_item(item, sizes) for item in items)
    most = payload_bytes or MAX_CARRIED_BYTES
    return carried > (payload_bytes or MAX_ARGUMENT_BYTES) or carried + 2 * frozen > most


def bytes_of_item(item: FrozenItem, sizes: int = 2) -> int:
    """Return the bytes of an item as it travels; with ``sizes`` 1 about its characters, with all fields."""
    if sizes >= 2:
        return bytes_of(item)
    texts = sum(map(len, (item.item_id, item.label, item.reason or "", *item.aliases)))
    data = len(item.data) if isinstance(item.data, str) else len(json_text.dump(item.data))
    return texts + data + 80
