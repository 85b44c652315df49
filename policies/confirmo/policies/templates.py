"""The small template of auxiliary and compensating steps: a fixed set of names between double braces, nothing else.

A text that is one name alone becomes the value itself, a list for example. Inside a longer text a name becomes text:
lists of items as their labels joined by commas. There are no expressions, filters or conditions.
"""

import re
from collections.abc import Mapping
from typing import Any

from confirmo.policies import json_text

STEP_NAMES = frozenset({"transaction_id", "tool_name", "status", "results", "succeeded", "failed", "unknown"})
"""Names in the arguments of ``after``: the entries of ``results[]``, whole or by outcome, and three texts."""

ITEM_NAMES = frozenset({"transaction_id", "tool_name", "item_id", "label", "item", "result"})
"""Names in ``compensate``, for one succeeded item; ``item.<field>`` and ``result.<field>`` read one field."""

_FIELDS_OF = ("item", "result")
_NAME = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_.]*)\s*\}\}", re.ASCII)
_LABELS = ("label", "name", "subject", "item_id")


def names_in(value: Any) -> set[str]:
    """Return every name that a value's texts mention."""
    if isinstance(value, str):
        return set(_NAME.findall(value))
    if isinstance(value, Mapping):
        return set().union(*(names_in(entry) for entry in value.values()))
    return set().union(*(names_in(entry) for entry in value)) if isinstance(value, list | tuple) else set()


def unknown_names(value: Any, known: frozenset[str]) -> list[str]:
    """Return the names that are none of ``known``, sorted."""

    def is_known(name: str) -> bool:
        head, dot, field = name.partition(".")
        return head in known and (not dot or (head in _FIELDS_OF and bool(field) and "." not in field))

    return sorted(name for name in names_in(value) if not is_known(name))


def is_template(value: Any) -> bool:
    """Whether a value has to be rendered before it is what a tool takes."""
    return bool(names_in(value))


def render(value: Any, names: Mapping[str, Any]) -> Any:
    """Return ``value`` with every name replaced. Total: a name or field that is not there is null, or empty text."""
    if isinstance(value, Mapping):
        return {key: render(entry, names) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [render(entry, names) for entry in value]
    if not isinstance(value, str):
        return value
    alone = _NAME.fullmatch(value.strip())
    if alone:
        return _read(alone.group(1), names)
    return _NAME.sub(lambda match: _as_text(_read(match.group(1), names)), value)


def _read(name: str, names: Mapping[str, Any]) -> Any:
    head, dot, field = name.partition(".")
    value = names.get(head)
    if not dot:
        return value
    return value.get(field) if isinstance(value, Mapping) else None


def _as_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ", ".join(_as_text(entry) for entry in value)
    if isinstance(value, Mapping):
        label = next((value[key] for key in _LABELS if isinstance(value.get(key), str)), None)
        return label if label is not None else json_text.dump(dict(value))
    return json_text.dump(value)
