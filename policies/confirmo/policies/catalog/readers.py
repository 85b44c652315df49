"""Readers: each takes a node to the value that the model declares, or says what is wrong.

A reader returns null where it found an error or where nothing is stated; the error itself is in the source.
"""

import difflib
import re
import unicodedata
from collections.abc import Callable, Iterable
from collections.abc import Mapping as AbstractMapping
from dataclasses import dataclass
from typing import Any

from confirmo.policies.catalog.nodes import Mapping, Node, Scalar, Sequence
from confirmo.policies.catalog.problems import KeyPath, Source
from confirmo.policies.catalog.scalars import as_boolean, as_free, as_number, is_null
from confirmo.policies.catalog.shapes import KEYS, NAME, SCALARS, Schema, Shaped, or_null, shape_of, shaped

_MULTI_ITEM = re.compile(r"(multi[_-]?item|fan[_-]?out|for[_-]?each|batch).*", re.IGNORECASE)
_NAME_LENGTH = 200


@dataclass(frozen=True, slots=True)
class At:
    """Where a reader stands: the file and the path of the value."""

    source: Source
    path: KeyPath = ()

    def child(self, key: str) -> "At":
        """Return the place of an entry."""
        return At(self.source, (*self.path, key))

    def error(self, node: Node, message: str) -> None:
        """Report an error at the line of ``node``."""
        self.source.error(self.path, message, node.line)


Reader = Callable[[Node, At], Any]


def nearest(word: str, known: Iterable[str]) -> str:
    """Return a sentence that names the nearest known word, or all of them."""
    words = sorted(known)
    if close := _close(word, words):
        return close
    return f"Known: {', '.join(words[:30])}." if words else "There is none."


def _close(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word[:_NAME_LENGTH], sorted(known), 1, 0.6)
    return f"Did you mean '{close[0]}'?" if close else ""


@shaped({"type": [*SCALARS, "null"]})
def text(node: Node, at: At) -> str | None:
    """Read a text byte for byte; null is nothing."""
    if isinstance(node, Scalar):
        return None if is_null(node) else node.text
    at.error(node, "A text is due here, not a map or a list.")
    return None


@shaped(NAME)
def name(node: Node, at: At) -> str | None:
    """Read a text that names something: not null, not blank, no control characters."""
    value = text(node, at)
    if value is None and isinstance(node, Scalar):
        at.error(node, "A name is missing here. Write it, in quotes if it is null or '~'.")
    if value is not None and not is_name(value):
        at.error(
            node, f"Not a usable name (blank, spaces around, invisible, long): {at.source.quote(value)}."
        )
        return None
    return value


def is_name(value: str) -> bool:
    """Return whether a text can name a tool, an argument or a server."""
    invisible = any(unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") for char in value)
    return bool(value) and value == value.strip() and not invisible and len(value) <= _NAME_LENGTH


@shaped({"type": "boolean"})
def flag(node: Node, at: At) -> bool | None:
    """Read a boolean: only a plain ``true`` or ``false``."""
    value = as_boolean(node)
    if value is None:
        at.error(node, f"Not a boolean: {_shown(node, at)}. Write true or false, without quotes.")
    return value


def integer(minimum: int, maximum: int) -> Reader:
    """Return a reader of a YAML 1.2 integer within bounds, both included."""

    def read(node: Node, at: At) -> int | None:
        value = as_number(node)
        if isinstance(value, int) and minimum <= value <= maximum:
            return value
        at.error(node, f"Not an integer from {minimum} to {maximum}: {_shown(node, at)}.")
        return None

    return Shaped(read, lambda: {"type": "integer", "minimum": minimum, "maximum": maximum})


def positive(maximum: float) -> Reader:
    """Return a reader of a finite YAML 1.2 number above 0, up to ``maximum``."""

    def read(node: Node, at: At) -> float | None:
        value = as_number(node)
        if value is not None and 0 < value <= maximum:
            return float(value)
        at.error(node, f"Not a number above 0 and up to {maximum:g}: {_shown(node, at)}.")
        return None

    return Shaped(read, lambda: {"type": "number", "exclusiveMinimum": 0, "maximum": maximum})


def word(words: AbstractMapping[str, Any]) -> Reader:
    """Return a reader of one of the words, giving what stands behind it."""

    def read(node: Node, at: At) -> Any:
        if isinstance(node, Scalar) and node.text in words:
            return words[node.text]
        close = _close(node.text, words) if isinstance(node, Scalar) else ""
        at.error(node, f"Not one of {', '.join(words)}: {_shown(node, at)}. {close}".rstrip())
        return None

    return Shaped(read, lambda: {"enum": list(words)})


def optional(reader: Reader) -> Reader:
    """Return the reader for a key whose null means that it is not stated."""
    return Shaped(
        lambda node, at: None if is_null(node) else reader(node, at), lambda: or_null(shape_of(reader))
    )


def list_of(reader: Reader) -> Reader:
    """Return a reader of a list, giving a tuple of what could be read."""

    def read(node: Node, at: At) -> tuple[Any, ...] | None:
        if not isinstance(node, Sequence):
            at.error(node, _list_due(node, at))
            return None
        values = (reader(entry, at.child(str(index))) for index, entry in enumerate(node.entries))
        return tuple(value for value in values if value is not None)

    return Shaped(read, lambda: {"type": "array", "items": shape_of(reader)})


def map_of(reader: Reader, *, names: bool = True) -> Reader:
    """Return a reader of a map with free keys, giving a dict of what could be read."""

    def shape() -> Schema:
        keys = {"propertyNames": KEYS} if names else {}
        return {"type": "object", **keys, "additionalProperties": shape_of(reader)}

    def read(node: Node, at: At) -> dict[str, Any] | None:
        if not isinstance(node, Mapping):
            at.error(node, _map_due(node, at))
            return None
        found: dict[str, Any] = {}
        for key, value in _entries(node, at):
            if names and not is_name(key.text):
                at.child(key.text).error(
                    key, "This key is not a usable name (blank, spaces, invisible, long)."
                )
            elif (result := reader(value, at.child(key.text))) is not None:
                found[key.text] = result
        return found

    return Shaped(read, shape)


@shaped({"type": "object"})
def free_map(node: Node, at: At) -> dict[str, Any] | None:
    """Read a map of anything."""
    if not isinstance(node, Mapping):
        at.error(node, _map_due(node, at))
        return None
    return {key: as_free(value) for key, (_, value) in node.entries.items()}


def record(
    node: Node,
    at: At,
    what: str,
    readers: AbstractMapping[str, Reader],
    aliases: AbstractMapping[str, str] | None = None,
) -> dict[str, Any]:
    """Read a map with known keys, giving those that are stated and right, under their canonical names.

    Args:
        node: The map.
        at: Its place.
        what: How a message calls it, such as ``a policy``.
        readers: Canonical key to reader.
        aliases: Other spelling to canonical key; two spellings of one key at once are an error.
    """
    if not isinstance(node, Mapping):
        at.error(node, _map_due(node, at))
        return {}
    aliases = aliases or {}
    found: dict[str, Any] = {}
    seen: dict[str, Scalar] = {}
    for text_, (key, value) in node.entries.items():
        canonical = aliases.get(text_, text_)
        if not at.path and text_.startswith("x-"):
            continue
        if canonical not in readers:
            at.child(text_).error(key, _unknown(text_, what, (*readers, *aliases)))
            continue
        if first := seen.get(canonical):
            message = f"'{first.text}' and '{text_}' are the same key. Keep one of them."
            at.source.error(at.path, message, key.line, text_)
            continue
        seen[canonical] = key
        at.source.note((*at.path, canonical), text_, key.line)
        result = readers[canonical](value, at.child(canonical))
        if result is not None:
            found[canonical] = result
    return found


def _entries(node: Mapping, at: At) -> list[tuple[Scalar, Node]]:
    for text_, (key, _) in node.entries.items():
        at.source.note((*at.path, text_), text_, key.line)
    return list(node.entries.values())


def _unknown(key: str, what: str, known: Iterable[str]) -> str:
    if _MULTI_ITEM.fullmatch(key):
        return (
            f"'{key}' is not a key: multi-item is a property of the resolution and of the result, not of the "
            "configuration. Remove it; the validator's items or an array argument say what the items are."
        )
    if key == "required":
        return "'required' is not a key: an argument is required by its name in the tool's 'requires'."
    return f"'{key}' is not a key of {what}. {nearest(key, known)}"


def _shown(node: Node, at: At) -> str:
    if isinstance(node, Mapping):
        return "a map"
    if isinstance(node, Sequence):
        return "a list"
    if is_null(node):
        return "nothing (null)"
    return at.source.quote(node.text) + ("" if node.plain or not at.source.shows_values else " in quotes")


def _map_due(node: Node, at: At) -> str:
    return f"A map is due here, not {_shown(node, at)}. Write 'key: value' lines below it, or remove the key."


def _list_due(node: Node, at: At) -> str:
    if isinstance(node, Scalar) and not is_null(node) and at.source.shows_values:
        return f"A list is due here, not a text. Write [{node.text[:60]}]."
    return f"A list is due here, not {_shown(node, at)}. Write [entry, entry], or [] for none."
