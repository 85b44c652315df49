"""What each reader takes, as JSON Schema: what an editor knows of the files comes from the tables that read them.

A shape never refuses what its reader takes. The other way round it may: a schema does not see quotes, the environment,
the other files or whether a pattern compiles.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Schema = dict[str, Any]
T_co = TypeVar("T_co", covariant=True)

SCALARS = ["string", "number", "boolean"]
"""A text keeps its bytes, so that ``0123`` and ``true`` are texts where a text is due."""

NAME: Schema = {"type": SCALARS, "pattern": r"^\S(.*\S)?$", "maxLength": 200}
KEYS: Schema = {"pattern": r"^\S(.*\S)?$", "maxLength": 200}


@dataclass(frozen=True, slots=True)
class Shaped(Generic[T_co]):
    """A reader that says what it takes.

    Attributes:
        read: Takes a node and its place to the value.
        shape: Makes the schema; called late, for a table may refer to itself.
    """

    read: Callable[..., T_co]
    shape: Callable[[], Schema]

    def __call__(self, node: Any, at: Any) -> T_co:
        """Read a node."""
        return self.read(node, at)


def shaped(shape: Schema | Callable[[], Schema]) -> Callable[[Callable[..., T_co]], Shaped[T_co]]:
    """Decorate a reader with its schema, or with what makes it."""
    make = shape if callable(shape) else lambda: dict(shape)
    return lambda read: Shaped(read, make)


def shape_of(reader: Callable[..., Any]) -> Schema:
    """Return a reader's schema. Raises ``TypeError`` where it says none."""
    if not isinstance(reader, Shaped):
        raise TypeError(f"The reader {reader!r} says no shape: decorate it with shaped().")
    return reader.shape()


def or_null(schema: Schema) -> Schema:
    """Return the schema for a key whose null means that it is not stated."""
    if "enum" in schema:
        return schema | {"enum": [*schema["enum"], None]}
    if isinstance(schema.get("type"), str | list):
        types = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
        return schema | {"type": [*types, *([] if "null" in types else ["null"])]}
    return {"anyOf": [schema, {"type": "null"}]}


def record_shape(
    title: str,
    readers: Mapping[str, Callable[..., Any]],
    *,
    aliases: Mapping[str, str] | None = None,
    required: Iterable[str] = (),
    root: bool = False,
) -> Schema:
    """Return the schema of a map with known keys.

    Args:
        title: Heading of its table in docs/files.md, where the keys are explained.
        readers: Key to reader.
        aliases: Other spelling to key; two spellings of one key at once are refused.
        required: Keys that have to be there.
        root: Whether it is the whole file, where keys that begin with ``x-`` are free.
    """
    properties = {key: shape_of(reader) for key, reader in readers.items()}
    properties |= {alias: properties[key] for alias, key in (aliases or {}).items()}
    schema: Schema = {
        "title": title,
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }
    if required:
        schema["required"] = list(required)
    if root:
        schema["patternProperties"] = {"^x-": True}
    if aliases:
        schema["allOf"] = [{"not": {"required": pair}} for pair in _same(aliases)]
    return schema


def _same(aliases: Mapping[str, str]) -> list[list[str]]:
    spellings: dict[str, list[str]] = {}
    for alias, key in aliases.items():
        spellings.setdefault(key, [key]).append(alias)
    return [
        [one, other]
        for words in spellings.values()
        for number, one in enumerate(words)
        for other in words[number + 1 :]
    ]
