"""``args_schema``: from its nodes to ``ArgumentSpec``, values typed by the declared type."""

from collections.abc import Mapping as AbstractMapping
from typing import Any

from confirmo.policies.catalog.nodes import Mapping, Node, Scalar, Sequence
from confirmo.policies.catalog.readers import (
    At,
    Reader,
    flag,
    integer,
    list_of,
    map_of,
    name,
    optional,
    record,
    text,
    word,
)
from confirmo.policies.catalog.scalars import as_boolean, as_free, as_number, is_null
from confirmo.policies.catalog.schema_words import BOUNDS, TYPE_WORDS, misfits, refusal, spec_of
from confirmo.policies.catalog.shapes import KEYS, SCALARS, Schema, or_null, record_shape, shaped
from confirmo.policies.tool_spec import ArgumentSpec

_LARGE = 2**53


@shaped({})
def _node(node: Node, _: At) -> Node:
    """Leave the value untyped until the type is known."""
    return node


@shaped({"type": "array", "minItems": 1})
def _nodes(node: Node, _: At) -> Node:
    return node


@shaped({"type": "number"})
def _bound(node: Node, at: At) -> int | float | None:
    value = as_number(node)
    if value is None:
        at.error(node, "A number is due here, without quotes.")
    return value


_SHARED: dict[str, Reader] = {
    "type": word(TYPE_WORDS),
    "label": text,
    "description": text,
    "enum": _nodes,
    "pattern": text,
    "default": _node,
    "minimum": optional(_bound),
    "maximum": optional(_bound),
    "minLength": optional(integer(0, _LARGE)),
    "maxLength": optional(integer(0, _LARGE)),
    "minItems": optional(integer(0, _LARGE)),
    "maxItems": optional(integer(0, _LARGE)),
}


@shaped({"$ref": "#/$defs/entry"})
def _items(node: Node, at: At) -> dict[str, Any] | None:
    if isinstance(node, Scalar):
        canonical = word(TYPE_WORDS)(node, at)
        return {"type": canonical} if canonical else None
    return _words(node, at, "an items schema", _ENTRY)


@shaped({"anyOf": [{"type": "boolean"}, {"$ref": "#/$defs/entry"}]})
def _additional(node: Node, at: At) -> Any:
    return _items(node, at) if isinstance(node, Mapping) else flag(node, at)


_FIELD: dict[str, Reader] = {**_SHARED, "user_prompt": text, "items": _items}
_ENTRY: dict[str, Reader] = {
    **_SHARED,
    "items": _items,
    "title": text,
    "format": text,
    "uniqueItems": flag,
    "required": list_of(name),
    "properties": map_of(_items),
    "additionalProperties": _additional,
}


_VALUES: dict[str, Schema] = {
    "string": {"type": SCALARS},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "array": {"type": "array"},
    "object": {"type": "object"},
}


def entry_shape() -> Schema:
    """Return the schema of an array's entries, ``$defs/entry`` of the file's."""
    return _either("A schema of entries", _ENTRY, None)


def _field_shape() -> Schema:
    return _either("An argument", _FIELD, "string")


def _either(title: str, readers: AbstractMapping[str, Reader], default: str | None) -> Schema:
    words = record_shape(title, readers)
    words["allOf"] = [_of_type(type_, type_ == default) for type_ in _VALUES]
    return {"anyOf": [{"enum": list(TYPE_WORDS)}, words]}


def _of_type(type_: str, is_default: bool) -> Schema:
    """Return what holds where the type is stated: the words that say something about it, and values that are of it."""
    spellings = [spelling for spelling, canonical in TYPE_WORDS.items() if canonical == type_]
    is_it: Schema = {"properties": {"type": {"enum": spellings}}}
    foreign = {bound: False for bound, types in BOUNDS.items() if type_ not in types}
    values = {"default": or_null(_VALUES[type_]), "enum": {"items": _VALUES[type_]}}
    return {
        "if": is_it if is_default else is_it | {"required": ["type"]},
        "then": {"properties": foreign | values},
    }


@shaped(lambda: {"type": "object", "propertyNames": KEYS, "additionalProperties": _field_shape()})
def read_arguments(node: Node, at: At) -> tuple[ArgumentSpec, ...] | None:
    """Read ``args_schema``: argument name to a type word or a map, in file order."""
    found: dict[str, Any] | None = map_of(_field)(node, at)
    return tuple(found.values()) if found is not None else None


def _field(node: Node, at: At) -> ArgumentSpec:
    if isinstance(node, Scalar):
        return ArgumentSpec(name=at.path[-1], type=word(TYPE_WORDS)(node, at) or "string")
    words = _words(node, at, "an argument", _FIELD, "string")
    return spec_of(at.path[-1], words)


def _words(
    node: Node, at: At, what: str, readers: AbstractMapping[str, Reader], type_: str | None = None
) -> dict[str, Any]:
    words = record(node, at, what, readers)
    if type_ and not at.source.knows((*at.path, "type")):
        words["type"] = type_
    if isinstance(words.get("required"), tuple):
        words["required"] = list(words["required"])
    problems = misfits({key: value for key, value in words.items() if key not in ("enum", "default")})
    for key, sentence in problems:
        at.source.error((*at.path, key), sentence)
    enum, default = words.pop("enum", None), words.pop("default", None)
    if enum is not None:
        _add_enum(words, enum, at.child("enum"))
    if default is not None and not is_null(default):
        _add_default(words, default, at.child("default"))
    return words


def _add_enum(words: dict[str, Any], node: Node, at: At) -> None:
    if not isinstance(node, Sequence) or not node.entries:
        at.error(node, "'enum' is a list of at least one value.")
        return
    entries: list[Any] = []
    for index, entry in enumerate(node.entries):
        place = at.child(str(index))
        value = typed(entry, words, place)
        if value is None:
            continue
        if reason := refusal(value, spec_of("", words), typed="type" in words):
            place.error(entry, f"This value can never be taken: it {reason}.")
        entries.append(value)
    words["enum"] = entries


def _add_default(words: dict[str, Any], node: Node, at: At) -> None:
    value = typed(node, words, at)
    if value is None:
        return
    if reason := refusal(value, spec_of("", words), typed="type" in words):
        at.error(node, f"The default can never be taken: it {reason}.")
    words["default"] = value


def typed(node: Node, words: AbstractMapping[str, Any], at: At) -> Any:
    """Return the value of ``node`` as the declared type, or null with an error where it is none.

    Args:
        node: A value of ``default``, ``enum`` or ``after.arguments``.
        words: ``type`` (canonical, absent for anything) and ``items``.
        at: Its place.
    """
    type_ = words.get("type")
    if type_ is None:
        return as_free(node)
    value = _TYPED[type_](node, words, at)
    if value is None and not (type_ == "array" and isinstance(node, Sequence)):
        at.error(node, _MISMATCH[type_])
    return value


def _text_value(node: Node, _: AbstractMapping[str, Any], __: At) -> str | None:
    return node.text if isinstance(node, Scalar) and not is_null(node) else None


def _integer_value(node: Node, _: AbstractMapping[str, Any], __: At) -> int | None:
    value = as_number(node)
    return value if isinstance(value, int) else None


def _array_value(node: Node, words: AbstractMapping[str, Any], at: At) -> list[Any] | None:
    if not isinstance(node, Sequence):
        return None
    items = words.get("items") or {}
    values = [typed(entry, items, at.child(str(index))) for index, entry in enumerate(node.entries)]
    return values if not items.get("type") or None not in values else None


_TYPED: dict[str, Any] = {
    "string": _text_value,
    "integer": _integer_value,
    "number": lambda node, _, __: as_number(node),
    "boolean": lambda node, _, __: as_boolean(node),
    "array": _array_value,
    "object": lambda node, _, __: as_free(node) if isinstance(node, Mapping) else None,
}

_MISMATCH = {
    "string": "A text is due here by the declared type. Quote it if it is meant to be the text null or '~'.",
    "integer": "An integer is due here by the declared type: digits without quotes, point or exponent.",
    "number": "A number is due here by the declared type, without quotes.",
    "boolean": "true or false is due here by the declared type, without quotes.",
    "array": "A list is due here by the declared type. Values of single entries belong under 'items'.",
    "object": "A map is due here by the declared type.",
}
