"""Arguments that a tool takes, made up from what it declares: for trying a policy out, never for a real call."""

from collections.abc import Mapping
from typing import Any

from confirmo.policies.arguments import collect, declared_arguments
from confirmo.policies.item_arguments import array_argument, item_argument
from confirmo.policies.tool_spec import ArgumentSpec, ToolSpec

EXAMPLE_ITEMS = 3
_TEXTS = (
    "exemplo",
    "12345678900",
    "1",
    "A",
    "AB-1",
    "2026-01-31",
    "ana@example.com",
    "+5511900000001",
    "R$ 10,00",
)
"""Tried one after another where a pattern or a length must fit."""


class NoExample(ValueError):
    """No value could be made up; the text names the argument and says what to do."""


def example_arguments(tool: ToolSpec, given: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return arguments that ``tool`` takes: those ``given``, and made up ones for the rest that is required.

    Raises:
        NoExample: One of them cannot be made up, or a given one is not taken.
    """
    known = dict(given or {})
    specs = {spec.name: spec for spec in declared_arguments(tool)}
    for name in tool.requires:
        if name not in known:
            known[name] = _value(specs[name], tool)
    collected = collect(known, tool, "en")
    wrong = [parameter.name for parameter in collected.invalid] + list(collected.missing)
    if wrong:
        raise NoExample(
            f"no value could be made up for {', '.join(wrong)}: give one with --arguments, "
            f'a JSON file {{"{tool.name}": {{"{wrong[0]}": …}}}}'
        )
    return known


def example_items(tool: ToolSpec, arguments: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what a validator could resolve for ``tool``: as many items as there are entries, else three."""
    name = array_argument(tool)
    entries = arguments.get(name) if name is not None else None
    if not isinstance(entries, list):
        entries = [f"V-{number}" for number in range(1, EXAMPLE_ITEMS + 1)]
    return [_item(tool, entry) for entry in entries]


def _item(tool: ToolSpec, entry: Any) -> dict[str, Any]:
    if isinstance(entry, Mapping):
        return dict(entry)
    item: dict[str, Any] = {"item_id": entry, "name": f"Item {entry}"}
    for field in (tool.execution.item_key, tool.execution.item_field, item_argument(tool)):
        if field is not None:
            item.setdefault(field, entry)
    return item


def _value(spec: ArgumentSpec, tool: ToolSpec) -> Any:
    if spec.enum:
        return spec.enum[0]
    if spec.has_default and spec.default is not None:
        return spec.default
    if spec.type == "array":
        return _entries(spec, tool)
    return _scalar(spec, tool)


def _entries(spec: ArgumentSpec, tool: ToolSpec) -> list[Any]:
    count = max(EXAMPLE_ITEMS, spec.min_items or 0)
    count = count if spec.max_items is None else min(count, max(1, spec.max_items))
    kind = (spec.items or {}).get("type", "string")
    if kind in ("integer", "number"):
        return list(range(1, count + 1))
    if kind == "object":
        key = tool.execution.item_key or "item_id"
        return [{key: f"I-{number}", "name": f"Item {number}"} for number in range(1, count + 1)]
    choices = (spec.items or {}).get("enum")
    return list(choices[:count]) if choices else [f"I-{number}" for number in range(1, count + 1)]


def _scalar(spec: ArgumentSpec, tool: ToolSpec) -> Any:
    if spec.type in ("integer", "number"):
        least = spec.minimum if spec.minimum is not None else 1
        return least if spec.maximum is None else min(least, spec.maximum)
    if spec.type == "boolean":
        return True
    if spec.type == "object":
        return {"item_id": "I-1"}
    candidates = (*_TEXTS, "x" * (spec.min_length or 1))
    alone = tool.model_copy(update={"arguments": (spec,), "requires": (spec.name,)})
    fitting = (text for text in candidates if spec.name in collect({spec.name: text}, alone, "en").arguments)
    return next(fitting, _TEXTS[0])
