"""Coercion of one argument to its declared type: the table in CONTRACT.md section 3, "Arguments"."""

import json
import math
import unicodedata
from collections.abc import Mapping
from typing import Any, Final

from confirmo.policies.argument_bounds import ArgumentError, check_bounds, reason
from confirmo.policies.argument_text import (
    NumberTextError,
    begins_like_json,
    parse_integer,
    parse_number,
    split_list,
)
from confirmo.policies.json_text import JsonError, parse_strict
from confirmo.policies.texts import Locale, is_blank, is_portuguese
from confirmo.policies.tool_spec import ArgumentSpec, ArgumentType

MAX_DEPTH: Final = 32
"""How many lists and maps an argument may hold inside one another."""

_MAX_BITS: Final = 14_000
"""Largest integer, about 4,200 digits: Python writes and reads no JSON number of more than 4,300."""

_WORDS: Final = ({"true", "sim", "yes"}, {"false", "não", "nao", "no"})
_ALIASES: Final[tuple[tuple[ArgumentType, tuple[str, ...]], ...]] = (
    ("string", ("string", "str", "text")),
    ("integer", ("integer", "int")),
    ("number", ("number", "float", "double")),
    ("boolean", ("boolean", "bool")),
    ("array", ("array", "list")),
    ("object", ("object", "dict", "map")),
)


def coerce(value: Any, spec: ArgumentSpec, locale: Locale) -> Any:
    """Return ``value`` as its declared type takes it, a copy that shares nothing with the input.

    Args:
        value: Any JSON-like value that is present (see ``is_missing``).
        spec: The declaration, bounds included.
        locale: Decides how a number is read and in which language a refusal speaks.

    Raises:
        ArgumentError: The value is not taken; the reason says what is expected and never quotes the value.
    """
    coerced = _coerce_type(value, spec, locale, 0)
    check_bounds(coerced, spec, locale)
    return coerced


def _coerce_type(value: Any, spec: ArgumentSpec, locale: Locale, depth: int) -> Any:
    match spec.type:
        case "string":
            return _to_string(value, locale)
        case "integer":
            return _to_integer(value, locale)
        case "number":
            return _to_number(value, locale)
        case "boolean":
            return _to_boolean(value, locale)
        case "array":
            return _to_array(value, spec, locale, depth)
        case "object":
            return _to_object(value, locale, depth)
        case "any":
            return copy_json(value, locale, depth)


def _to_string(value: Any, locale: Locale) -> str:
    if isinstance(value, str):
        return _sendable(value, locale)
    if isinstance(value, bool) or _is_finite_number(value):
        return json.dumps(value)
    raise ArgumentError(reason("text", locale))


def _sendable(text: str, locale: Locale) -> str:
    """Refuse lone surrogates: no UTF-8 carries them, so they would break the call or change on the way."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ArgumentError(reason("encoding", locale)) from error
    return text


def _to_integer(value: Any, locale: Locale) -> int:
    parsed = parse_integer(value) if isinstance(value, str) else value
    if not isinstance(parsed, int) or not _is_finite_number(parsed):
        raise ArgumentError(reason("integer", locale))
    return parsed


def _to_number(value: Any, locale: Locale) -> int | float:
    if isinstance(value, str):
        try:
            return parse_number(value, is_portuguese(locale))
        except NumberTextError as error:
            raise ArgumentError(reason(str(error), locale)) from error
    if not _is_finite_number(value):
        raise ArgumentError(reason("number", locale))
    return value  # type: ignore[no-any-return]


def _is_finite_number(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool) and value.bit_length() <= _MAX_BITS


def _to_boolean(value: Any, locale: Locale) -> bool:
    word = unicodedata.normalize("NFC", value).strip().casefold() if isinstance(value, str) else value
    if isinstance(word, bool):
        return word
    yes, no = _WORDS
    if not isinstance(word, str) or word not in yes | no:
        raise ArgumentError(reason("boolean", locale))
    return word in yes


def _to_array(value: Any, spec: ArgumentSpec, locale: Locale, depth: int) -> list[Any]:
    if depth >= MAX_DEPTH:
        raise ArgumentError(reason("depth", locale))
    return [
        _entry(entry, position, spec.items or {}, locale, depth + 1)
        for position, entry in enumerate(_entries(value, spec, locale), start=1)
    ]


def _entries(value: Any, spec: ArgumentSpec, locale: Locale) -> list[Any]:
    if isinstance(value, str):
        value = _entries_of_text(value, spec, locale)
    if isinstance(value, list | tuple):
        return list(value)
    if isinstance(value, Mapping) or _is_finite_number(value):
        return [value]
    raise ArgumentError(reason("array", locale))


def _entries_of_text(text: str, spec: ArgumentSpec, locale: Locale) -> Any:
    if begins_like_json(text):
        return _json(text, locale)
    # "71,99" is one number to its writer and two to the splitter: asking is better than guessing.
    if is_portuguese(locale) and _type_of(spec.items or {}) == "number" and _digit_comma_digit(text):
        raise ArgumentError(reason("number_list", locale))
    return split_list(text)


def _digit_comma_digit(text: str) -> bool:
    before, comma, after = text.partition(",")
    while comma:
        if before[-1:].isdecimal() and after[:1].isdecimal():
            return True
        before, comma, after = after.partition(",")
    return False


def _entry(value: Any, position: int, items: Mapping[str, Any], locale: Locale, depth: int) -> Any:
    try:
        return _coerce_entry(value, items, locale, depth)
    except ArgumentError as error:
        raise ArgumentError(reason("entry", locale, position=position, reason=error.reason)) from error


def _coerce_entry(value: Any, items: Mapping[str, Any], locale: Locale, depth: int) -> Any:
    if value is None or (isinstance(value, str) and is_blank(value)):
        raise ArgumentError(reason("entry_blank", locale))
    declared = _type_of(items)
    if isinstance(value, list | tuple) and declared != "array":
        raise ArgumentError(reason("entry_list", locale))
    spec = _entry_spec(items, declared or "string")
    coerced = _coerce_type(value, spec, locale, depth) if declared else copy_json(value, locale, depth)
    check_bounds(coerced, spec, locale)
    return coerced


def _type_of(items: Mapping[str, Any]) -> ArgumentType | None:
    """Return the canonical type word of an array's entries; null where none, or several, are declared."""
    word = items.get("type")
    return next((canonical for canonical, words in _ALIASES if word in words), None)


def _entry_spec(items: Mapping[str, Any], kind: ArgumentType) -> ArgumentSpec:
    nested, enum = items.get("items"), items.get("enum")
    return ArgumentSpec(
        name="",
        type=kind,
        items=nested if isinstance(nested, dict) else None,
        enum=tuple(enum) if isinstance(enum, list | tuple) else None,
        pattern=items.get("pattern"),
        minimum=items.get("minimum"),
        maximum=items.get("maximum"),
        min_length=items.get("minLength"),
        max_length=items.get("maxLength"),
        min_items=items.get("minItems"),
        max_items=items.get("maxItems"),
    )


def _to_object(value: Any, locale: Locale, depth: int) -> dict[str, Any]:
    if isinstance(value, str):
        value = _json(value, locale) if begins_like_json(value) else None
    if not isinstance(value, Mapping):
        raise ArgumentError(reason("object", locale))
    copied: dict[str, Any] = copy_json(value, locale, depth)
    return copied


def _json(text: str, locale: Locale) -> Any:
    try:
        return parse_strict(text.strip())
    except JsonError as error:
        raise ArgumentError(reason("json", locale)) from error


def copy_json(value: Any, locale: Locale, depth: int = 0) -> Any:
    """Return a deep copy of a JSON value.

    Raises:
        ArgumentError: Something in it is not JSON (a key that is no text, NaN, a lone surrogate), or it is
            deeper than ``MAX_DEPTH``.
    """
    if value is None or isinstance(value, bool) or _is_finite_number(value):
        return value
    if isinstance(value, str):
        return _sendable(value, locale)
    if depth >= MAX_DEPTH:
        raise ArgumentError(reason("depth", locale))
    if isinstance(value, list | tuple):
        return [copy_json(entry, locale, depth + 1) for entry in value]
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {_sendable(key, locale): copy_json(entry, locale, depth + 1) for key, entry in value.items()}
    raise ArgumentError(reason("json_value", locale))
