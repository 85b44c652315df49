"""How a tool is called: once per item, once for all, or once without items; and with which arguments."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from confirmo.policies import json_text
from confirmo.policies.identity import NAME_FIELDS, identity_value, normalise
from confirmo.policies.models import FrozenItem
from confirmo.policies.tool_spec import ArgumentSpec, ToolSpec

Call = Literal["per_item", "whole", "single"]
ITEMS: Literal["items"] = "items"


def call_of(tool: ToolSpec, has_items: bool) -> Call:
    """Return how the tool is called: ``single`` without items, else as the policy or its arguments say.

    A tool that declares an array argument gets the whole set; one whose contract is scalar is called per
    item.
    """
    if not has_items:
        return "single"
    if tool.execution.call is not None:
        return tool.execution.call
    return "whole" if _arrays(tool) else "per_item"


def item_argument(tool: ToolSpec) -> str | None:
    """Return the argument that carries one item: the policy's, else the first required or declared."""
    declared = tool.arguments[0].name if tool.arguments else None
    return tool.execution.item_argument or (tool.requires[0] if tool.requires else declared)


def array_argument(tool: ToolSpec) -> str | None:
    """Return the one required array argument, from which unresolved items come; null for none or several."""
    required = [name for name in _arrays(tool) if name in tool.requires]
    return required[0] if len(required) == 1 else None


def whole_argument(tool: ToolSpec) -> str | None:
    """Return the array argument that carries the whole set; null for a tool whose contract is scalar.

    The policy's ``item_argument``, else the one required array, else the one called ``items``, else the first
    required, else the first declared.
    """
    arrays = _arrays(tool)
    required = [name for name in arrays if name in tool.requires]
    wanted = (tool.execution.item_argument, array_argument(tool), ITEMS, *required, *arrays)
    return next((name for name in wanted if name in arrays), None)


def _arrays(tool: ToolSpec) -> list[str]:
    return [spec.name for spec in tool.arguments if spec.type == "array"]


def arguments_for_item(tool: ToolSpec, arguments: Mapping[str, Any], item: FrozenItem) -> dict[str, Any]:
    """Return the arguments of the call for one item.

    The collected arguments with ``item_argument`` set from ``item_field`` (default, also where the item lacks
    it: the item's field of the argument's name, else ``name``, else ``subject``, else its identity), as a
    list of one where that argument is an array. An argument that takes maps gets the entry itself.
    """
    result = dict(arguments)
    name = item_argument(tool)
    if name is None:
        return result
    spec = tool.argument(name) or ArgumentSpec(name=name)
    if spec.type == "array":
        result[name] = [_one(tool, spec, item, _takes_maps(spec, arguments.get(name)))]
    else:
        result[name] = _one(tool, spec, item, spec.type == "object")
    return result


def arguments_beside_items(tool: ToolSpec, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return what ``arguments_for_item`` needs of the arguments: of the one that it sets no more than its shape."""
    name = item_argument(tool)
    rest = {key: value for key, value in arguments.items() if key != name}
    given = arguments.get(name) if name is not None else None
    if name is not None and isinstance(given, list | tuple):
        rest[name] = (
            [next((entry for entry in given if isinstance(entry, Mapping)), given[0])] if given else []
        )
    return rest


def _one(tool: ToolSpec, spec: ArgumentSpec, item: FrozenItem, map_wanted: bool) -> Any:
    data = item.data
    if not isinstance(data, Mapping):
        return _typed(_scalar(item, tool), _entry_type(spec))
    if map_wanted and tool.execution.item_field is None:
        return data
    fields = (tool.execution.item_field, spec.name, *NAME_FIELDS)
    value = next((data[field] for field in fields if field and normalise(data.get(field)) is not None), None)
    return _typed(_scalar(item, tool) if value is None else value, _entry_type(spec))


def _scalar(item: FrozenItem, tool: ToolSpec) -> Any:
    return item.item_id if item.data is None else identity_value(item.data, tool.execution.item_key)


def _entry_type(spec: ArgumentSpec) -> Any:
    return (spec.items or {}).get("type") if spec.type == "array" else spec.type


def _typed(value: Any, wanted: Any) -> Any:
    if wanted == "string" and isinstance(value, int | float):
        return json_text.dump(value)
    if wanted == "integer" and isinstance(value, str) and value.isascii() and value.isdigit():
        parsed = json_text.parse(value) if not value.startswith("0") or value == "0" else value
        return parsed if isinstance(parsed, int) else value
    return value


def _takes_maps(spec: ArgumentSpec, given: Any) -> bool:
    declared = _entry_type(spec)
    if declared is not None:
        return bool(declared == "object")
    return isinstance(given, list) and any(isinstance(entry, Mapping) for entry in given)


def arguments_for_all(
    tool: ToolSpec, arguments: Mapping[str, Any], items: Sequence[FrozenItem], resolved_items: bool
) -> dict[str, Any]:
    """Return the arguments of one call for the whole set.

    The array argument becomes the eligible set: entries as they were resolved or given, their ``eligible``
    and ``reason`` included, or identities where the argument's own entries are scalars. A scalar tool keeps
    its resolved scalar, rebuilt from the eligible labels joined by ``", "`` when some items are not eligible,
    and gets ``items``.

    Args:
        tool: The tool.
        arguments: The collected or resolved arguments.
        items: All items; what this call is not for is marked as not eligible.
        resolved_items: Whether a validator resolved the items; else they came from the array argument itself.
    """
    result = dict(arguments)
    eligible = [item for item in items if item.eligible]
    name = whole_argument(tool)
    if name is not None:
        result[name] = _entries(tool, name, arguments.get(name), eligible, resolved_items)
        return result
    result[ITEMS] = [_entry(item) for item in eligible]
    scalar = item_argument(tool)
    if scalar is not None and len(eligible) < len(items) and isinstance(arguments.get(scalar), str):
        result[scalar] = ", ".join(item.label for item in eligible)
    return result


def _entries(
    tool: ToolSpec, name: str, given: Any, eligible: list[FrozenItem], resolved_items: bool
) -> list[Any]:
    spec = tool.argument(name) or ArgumentSpec(name=name, type="array")
    if not resolved_items or not _takes_scalars(spec, given):
        return [_entry(item) for item in eligible]
    return [_typed(_scalar(item, tool), _entry_type(spec)) for item in eligible]


def _takes_scalars(spec: ArgumentSpec, given: Any) -> bool:
    if isinstance(given, list) and given:
        return not any(isinstance(entry, Mapping | list) for entry in given)
    return _entry_type(spec) not in (None, "object", "array")


def _entry(item: FrozenItem) -> Any:
    return item.item_id if item.data is None else item.data
