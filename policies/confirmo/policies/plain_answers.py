"""A shortcut through the reading of the commonest answer: one flat map that says yes about the one item of its call.

It says exactly what the long way says, or nothing; a property test compares the two. The long way takes most of the
time of an item whose call takes none.
"""

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any, Final

from confirmo.policies.constructing import construct
from confirmo.policies.identity import NAME_FIELDS
from confirmo.policies.item_arguments import item_argument, whole_argument
from confirmo.policies.models import FrozenItem, Outcome, ToolAnswer
from confirmo.policies.outcomes import FLAGS, CallReport, ItemOutcome
from confirmo.policies.tool_spec import ToolSpec

_HOLDERS: Final = frozenset({"result", "results", "output"})
_TEXTS: Final = frozenset(NAME_FIELDS)
_NAMES: Final = frozenset({"item_id", "id"}) | _TEXTS
_INTEGER: Final = 2**53


def plain_success(answer: ToolAnswer, item: FrozenItem, tool: ToolSpec) -> CallReport | None:
    """Return what the answer proves where it is that plain; null says nothing."""
    body = answer.structured
    if answer.is_error or not isinstance(body, dict) or not _is_flat(body) or not _says_yes(body):
        return None
    if not _names_nothing_else(body, item, tool) or not _repeats(answer.texts, body):
        return None
    proven = {"item_id": item.item_id, "outcome": Outcome.SUCCEEDED, "entry": dict(body)}
    outcome = construct(ItemOutcome, _NOTHING_KNOWN | proven)
    return construct(CallReport, _EMPTY | {"items": (outcome,)})


def _is_flat(body: Mapping[Any, Any]) -> bool:
    """Whether cleaning would leave it as it is."""
    return all(isinstance(key, str) and key.isascii() and _is_plain(value) for key, value in body.items())


def _is_plain(value: Any) -> bool:
    kind = type(value)
    if kind is str:
        return bool(value.isascii())
    if value is None or kind is bool:
        return True
    if kind is int:
        return bool(-_INTEGER < value < _INTEGER)
    return kind is float and isfinite(value)


def _says_yes(body: Mapping[str, Any]) -> bool:
    flags = [body[name] for name in FLAGS if name in body]
    return bool(flags) and all(flag is True for flag in flags)


def _names_nothing_else(body: Mapping[str, Any], item: FrozenItem, tool: ToolSpec) -> bool:
    """Whether no field could be about another item; the item's own exact identity is fine."""
    key = tool.execution.item_key
    others = _argument_fields(tool)
    for name, value in body.items():
        if name in _HOLDERS:
            return False
        if name in _NAMES or name == key or name in others or name.endswith("_id"):
            own = name == "item_id" or ((name in _TEXTS or name in others) and not name.endswith("_id"))
            if name == key or not own or value not in (item.item_id, item.label):
                return False
    return "item_id" not in body or body["item_id"] == item.item_id


def _argument_fields(tool: ToolSpec) -> frozenset[str]:
    """Return the names of the arguments that carry items; remembered by the tool's version, a digest of all of it."""
    known = _known.get((tool.name, tool.version))
    if known is None:
        given = [name for name in (item_argument(tool), whole_argument(tool)) if name is not None]
        known = frozenset([*given, *(name.removesuffix("s") for name in given)])
        if tool.version:
            _known[tool.name, tool.version] = known
    return known


_known: dict[tuple[str, str], frozenset[str]] = {}


def _repeats(texts: tuple[str, ...], body: Mapping[str, Any]) -> bool:
    """Whether the texts say no more than the structured content does."""
    if not texts:
        return True
    if len(texts) > 1:
        return False
    try:
        told = json.loads(texts[0], object_pairs_hook=list)
    except (ValueError, RecursionError):
        return False
    if not isinstance(told, list) or len(told) != len(body) or not texts[0].lstrip().startswith("{"):
        return False
    same_names = all(isinstance(pair, tuple) and pair[0] in body for pair in told)
    # A decimal may have more digits in the text than in the number.
    return same_names and all(
        type(value) is not float and type(body[name]) is type(value) and body[name] == value
        for name, value in told
    )


_EMPTY: Final[dict[str, Any]] = {name: field.default for name, field in CallReport.model_fields.items()}
_NOTHING_KNOWN: Final[dict[str, Any]] = {
    name: field.default for name, field in ItemOutcome.model_fields.items()
}
