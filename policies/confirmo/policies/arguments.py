"""From what was given to what a tool takes: required, optional, default, undeclared, invalid.

Pure and total on JSON-like input. Duplicates in a list stay; items are made one by identity later.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from confirmo.policies.argument_bounds import ArgumentError
from confirmo.policies.argument_text import split_list
from confirmo.policies.argument_types import coerce, copy_json
from confirmo.policies.models import InvalidParameter, Wire
from confirmo.policies.texts import Locale, is_blank
from confirmo.policies.tool_spec import ArgumentSpec, ToolSpec

__all__ = [
    "ArgumentError",
    "Collected",
    "coerce",
    "collect",
    "declared_arguments",
    "is_missing",
    "split_list",
]


class Collected(Wire):
    """What became of the given arguments.

    Attributes:
        arguments: What will be shown and sent, in declared order: coerced values and defaults. An optional
            argument without a value is absent. Of the type ``any`` every value is one, null and empty text too.
        ignored: Names that are not declared, in the order given.
        missing: Required names without a value, in the order of ``requires``.
        invalid: Declared names whose value is not taken, in declared order.
    """

    arguments: dict[str, Any] = Field(default={})
    ignored: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    invalid: tuple[InvalidParameter, ...] = ()


def collect(arguments: Mapping[str, Any], tool: ToolSpec, locale: Locale = "pt-BR") -> Collected:
    """Sort the given arguments by what ``tool`` declares. Never raises on JSON-like input."""
    declared = declared_arguments(tool)
    taken: dict[str, Any] = {}
    invalid: list[InvalidParameter] = []
    for spec in declared:
        try:
            if spec.type == "any" and spec.name in arguments:
                taken[spec.name] = coerce(arguments[spec.name], spec, locale)
                continue
            value = _value(arguments.get(spec.name), spec, tool, locale)
        except ArgumentError as error:
            invalid.append(InvalidParameter(name=spec.name, reason=error.reason))
            continue
        if value is not None:
            taken[spec.name] = value
    unusable = {parameter.name for parameter in invalid} | taken.keys()
    known = {spec.name for spec in declared}
    return Collected(
        arguments=taken,
        ignored=tuple(_printable(name) for name in arguments if name not in known),
        missing=tuple(dict.fromkeys(name for name in tool.requires if name not in unusable)),
        invalid=tuple(invalid),
    )


def declared_arguments(tool: ToolSpec) -> tuple[ArgumentSpec, ...]:
    """Return the tool's arguments; a required name without a declaration counts as a declared string."""
    known = {spec.name for spec in tool.arguments}
    undeclared = dict.fromkeys(name for name in tool.requires if name not in known)
    return (*tool.arguments, *(ArgumentSpec(name=name) for name in undeclared))


def is_missing(value: Any) -> bool:
    """Tell whether ``value`` is none: null, blank text, ``[]`` or ``{}``. ``false`` and ``0`` are values.

    Blank is what shows nothing: white space, and characters that cannot be seen.
    """
    if isinstance(value, str):
        return is_blank(value)
    return value is None or (isinstance(value, list | tuple | Mapping) and not value)


def _value(given: Any, spec: ArgumentSpec, tool: ToolSpec, locale: Locale) -> Any:
    """Return the value to send, or null for none. A text that turns out to be an empty list is none."""
    if not is_missing(given):
        coerced = coerce(given, spec, locale)
        if not is_missing(coerced):
            return coerced
    if not spec.has_default or spec.default is None:
        return None
    if is_missing(spec.default):
        return None if spec.name in tool.requires else copy_json(spec.default, locale)
    return coerce(spec.default, spec, locale)


def _printable(name: Any) -> str:
    return str(name).encode("utf-8", "replace").decode()
