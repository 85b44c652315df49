"""Changing a set before the yes: added arguments, removed and added items. Pure; the caller validates anew."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from confirmo.policies.arguments import ArgumentError, coerce, split_list
from confirmo.policies.errors import Refusal, UpdateErrorType
from confirmo.policies.items import aliases, array_argument, identity, item_argument, label
from confirmo.policies.models import Amendment, FrozenItem, ParametersProvided, Wire
from confirmo.policies.texts import Locale
from confirmo.policies.tool_spec import ToolSpec


class Changed(Wire):
    """The arguments and exclusions that a transaction goes on with."""

    arguments: dict[str, Any]
    removed_ids: tuple[str, ...] = ()


def _invalid(message: str) -> Refusal:
    return Refusal(UpdateErrorType.INVALID_ARGUMENTS, message)


def parse_parameters(raw: Any) -> ParametersProvided:
    """Read the argument of ``provide_parameters``; ``InvalidArguments`` where it has another shape."""
    try:
        parameters = ParametersProvided.model_validate(raw)
    except ValidationError:
        raise _invalid(
            "provide_parameters takes a JSON object with arguments (an object) and actor."
        ) from None
    if not parameters.arguments:
        raise _invalid("arguments is empty: name at least one argument with its value.")
    return parameters


def apply_parameters(
    parameters: ParametersProvided, given: Mapping[str, Any], removed_ids: frozenset[str], tool: ToolSpec
) -> Changed:
    """Lay provided arguments over the given ones."""
    merged = {**given, **parameters.arguments}
    excluded = _still_excluded(removed_ids, parameters.arguments, tool)
    return Changed(arguments=merged, removed_ids=tuple(sorted(excluded)))


def _carrier(tool: ToolSpec) -> str | None:
    """Return the argument that names the items."""
    return array_argument(tool) or item_argument(tool)


def _still_excluded(
    removed_ids: frozenset[str], arguments: Mapping[str, Any], tool: ToolSpec
) -> frozenset[str]:
    """Who names the set anew means all of it: what was removed from the old one may be part of the new one."""
    return frozenset() if _carrier(tool) in arguments else removed_ids


def parse_amendment(raw: Any) -> Amendment:
    """Read the argument of ``amend``; ``InvalidArguments`` where it has another shape or asks for nothing."""
    try:
        amendment = Amendment.model_validate(raw)
    except ValidationError:
        raise _invalid(
            "amend takes a JSON object with arguments (an object), remove_item_ids, add_items (lists) "
            "and actor."
        ) from None
    if not amendment.arguments and not amendment.remove_item_ids and not amendment.add_items:
        raise _invalid("The amendment changes nothing: name arguments, remove_item_ids or add_items.")
    return amendment


def apply_amendment(
    amendment: Amendment,
    items: Sequence[FrozenItem],
    given: Mapping[str, Any],
    requested_tool: ToolSpec,
    tool: ToolSpec,
    removed_ids: frozenset[str],
    *,
    locale: Locale,
) -> Changed:
    """Return the arguments and exclusions after the amendment.

    Raises:
        Refusal: ``InvalidArguments`` where a value cannot be taken, an item is unknown, or nothing would be left.
            Nothing is changed then.
    """
    arguments = {**given, **_checked(amendment.arguments or {}, requested_tool, tool, locale)}
    removed_ids = _still_excluded(removed_ids, amendment.arguments or {}, requested_tool)
    if not amendment.remove_item_ids and not amendment.add_items:
        return Changed(arguments=arguments, removed_ids=tuple(sorted(removed_ids)))
    gone = _removed(amendment, items, removed_ids)
    name = _carrier(requested_tool)
    if name is None or not items:
        raise _invalid("This transaction has no items to remove or to add to: amend its arguments instead.")
    arguments[name] = _rewritten(name, arguments.get(name), items, gone, amendment.add_items, requested_tool)
    added = {identity(entry, requested_tool.execution.item_key) for entry in amendment.add_items}
    excluded = (removed_ids | {item.item_id for item in gone}) - added
    return Changed(arguments=arguments, removed_ids=tuple(sorted(excluded)))


def without_items(
    tool: ToolSpec, arguments: Mapping[str, Any], items: Sequence[FrozenItem], removed_ids: Collection[str]
) -> dict[str, Any]:
    """Return the arguments without removed items: a validator may resolve a set that still names them."""
    gone = [item for item in items if item.item_id in removed_ids]
    name = _carrier(tool)
    if not gone or name is None or name not in arguments:
        return dict(arguments)
    return {**arguments, name: _rewritten(name, arguments[name], items, gone, (), tool)}


def _checked(
    arguments: Mapping[str, Any], requested: ToolSpec, tool: ToolSpec, locale: Locale
) -> dict[str, Any]:
    for name, value in arguments.items():
        spec = requested.argument(name) or tool.argument(name)
        if spec is None:
            if name in requested.requires or name in tool.requires:
                continue
            raise _invalid(f"{name[:100]} is not an argument of {tool.name}.")
        if value is None:
            continue
        try:
            coerce(value, spec, locale)
        except ArgumentError as error:
            raise _invalid(f"{name}: {error.reason}") from None
    return dict(arguments)


def _removed(
    amendment: Amendment, items: Sequence[FrozenItem], removed_ids: frozenset[str]
) -> tuple[FrozenItem, ...]:
    """Return the items that go; one that went before may be named again."""
    known = {item.item_id: item for item in items}
    nameable = {*known, *removed_ids}
    unknown = [item_id for item_id in amendment.remove_item_ids if item_id not in nameable]
    if unknown:
        raise _invalid(
            "remove_item_ids names an item that is not part of this question; look at items in its state."
        )
    for entry in amendment.add_items:
        if (
            not isinstance(entry, str | int | dict)
            or isinstance(entry, bool)
            or not entry
            or not str(entry).strip()
        ):
            raise _invalid("add_items takes texts, numbers or objects, none of them empty.")
    gone = tuple(known[item_id] for item_id in dict.fromkeys(amendment.remove_item_ids) if item_id in known)
    leaving = {item.item_id for item in gone}
    left = [item for item in items if item.eligible and item.item_id not in leaving]
    if not left and not amendment.add_items:
        raise _invalid("Nothing would be left: reject or cancel the transaction instead.")
    return gone


def _rewritten(
    name: str,
    value: Any,
    items: Sequence[FrozenItem],
    gone: Sequence[FrozenItem],
    added: Sequence[Any],
    tool: ToolSpec,
) -> Any:
    """Return the argument that carries the items, without the removed and with the added ones."""
    spec = tool.argument(name)
    leaving = {item.item_id for item in gone}
    left = [item for item in items if item.item_id not in leaving]
    if spec is None or spec.type != "array":
        return ", ".join(
            [item.label for item in left] + [label(entry, tool.execution.item_key) for entry in added]
        )
    entries = value if isinstance(value, list) else split_list(value) if isinstance(value, str) else [value]
    names = {name for item in gone for name in item.aliases}
    kept = [entry for entry in entries if names.isdisjoint(aliases(entry, tool.execution.item_key))]
    if len(entries) - len(kept) < len(gone):
        kept = [item.data if isinstance(item.data, dict) else item.item_id for item in left]
    return [*kept, *added]
