"""The three kinds of YAML nodes, with scalars as the text that is written."""

import unicodedata
from dataclasses import dataclass, field

from confirmo.policies.catalog.problems import KeyPath, Source

MERGE = "<<"


@dataclass(slots=True, eq=False)
class Scalar:
    """A scalar, untyped.

    Attributes:
        text: The text as written, escapes of a quoted one undone.
        plain: Written without quotes, so that it may be a number, a boolean or null.
    """

    text: str
    plain: bool
    line: int
    size: int = 1
    height: int = 0


@dataclass(slots=True, eq=False)
class Sequence:
    """A list. ``size`` counts its nodes with aliases filled in, ``height`` its levels."""

    line: int
    entries: "list[Node]" = field(default_factory=list)
    size: int = 1
    height: int = 1


@dataclass(slots=True, eq=False)
class Mapping:
    """A map: key text to the key and its value, merge keys (``<<``) resolved, merged entries first."""

    line: int
    entries: "dict[str, tuple[Scalar, Node]]" = field(default_factory=dict)
    size: int = 1
    height: int = 1


Node = Scalar | Sequence | Mapping


def fill(mapping: Mapping, pairs: list[tuple[Scalar, Node]], path: KeyPath, source: Source) -> None:
    """Fill ``mapping`` from its pairs; duplicate keys and merges of anything but maps become errors."""
    own: dict[str, tuple[Scalar, Node]] = {}
    merge: tuple[Scalar, Node] | None = None
    for key, value in pairs:
        is_merge = key.plain and key.text == MERGE
        earlier = merge if is_merge else own.get(key.text)
        if earlier:
            _duplicate(key, earlier[0], path, source)
        elif is_merge:
            merge = (key, value)
        else:
            own[key.text] = (key, value)
    merged = _merged(*merge, path, source) if merge else {}
    mapping.entries = {**merged, **own}
    _refuse_lookalikes(mapping, path, source)


def _duplicate(key: Scalar, first: Scalar, path: KeyPath, source: Source) -> None:
    source.error(
        (*path, key.text),
        f"The key '{key.text}' stands twice, in line {first.line} and in line {key.line}. Keep one of them.",
        key.line,
    )


def _merged(key: Scalar, value: Node, path: KeyPath, source: Source) -> dict[str, tuple[Scalar, Node]]:
    merged: dict[str, tuple[Scalar, Node]] = {}
    for target in value.entries if isinstance(value, Sequence) else [value]:
        if isinstance(target, Mapping):
            for text, entry in target.entries.items():
                merged.setdefault(text, entry)
        else:
            source.error((*path, MERGE), "A merge key '<<' takes a map or a list of maps (*name).", key.line)
    return merged


def _refuse_lookalikes(mapping: Mapping, path: KeyPath, source: Source) -> None:
    forms: dict[str, Scalar] = {}
    for text, (key, _) in mapping.entries.items():
        other = forms.setdefault(unicodedata.normalize("NFKC", text), key)
        if other is not key:
            source.error(
                (*path, text),
                f"The keys '{other.text}' in line {other.line} and '{text}' in line {key.line} differ only "
                "by Unicode form. Keep one of them.",
                key.line,
            )
