"""Values of declared fields, recognised by the name in front of them: JSON, Python's repr, ``name=value`` and URLs."""

import re
from collections.abc import Collection
from functools import lru_cache
from typing import Final

HIDDEN: Final = "<masked>"
ALWAYS: Final = frozenset({"input_value"})
"""What pydantic's texts quote the input after."""
_QUOTED: Final = r"""(?P<quote>\\*["'])(?:(?!(?P=quote))(?:\\.|[^\\]))*(?:(?P=quote)|\Z)"""
_STOPS: Final = r""",;&"'\\\[\]{}()<>\n"""
_BARE: Final = (
    r"\[[^\]]*(?:\]|\Z)|\{[^}]*(?:\}|\Z)"
    rf"|[^\s{_STOPS}](?:[^\s{_STOPS}]+|\s+(?![\w.-]{{1,64}}\s?[=:])(?=[^\s{_STOPS}]))*"
)
"""A list, a map, or words up to a comma, a bracket or the next ``name=``."""


def field_names(written: object) -> object:
    """Return the names in a text, separated by commas or blanks; what is no text stands as it is."""
    return tuple(re.findall(r"[^\s,;]+", written)) if isinstance(written, str) else written


def has_fields(fields: Collection[str], name: object) -> bool:
    """Whether a key is one of the declared fields; in any case."""
    return isinstance(name, str) and name.casefold() in _folded(frozenset(fields))


@lru_cache(maxsize=64)
def _folded(fields: frozenset[str]) -> frozenset[str]:
    return frozenset(field.casefold() for field in fields)


@lru_cache(maxsize=64)
def field_pattern(fields: frozenset[str]) -> re.Pattern[str]:
    """Return what finds ``name: value`` for each of these fields."""
    names = "|".join(re.escape(name) for name in sorted(fields | ALWAYS, key=len, reverse=True))
    return re.compile(
        rf"""(?P<name>(?<![^\W_])(?:{names})(?:\\*["'])?\s{{0,4}}(?:[:=]|%3[Dd])\s{{0,4}})(?:{_QUOTED}|{_BARE})""",
        re.IGNORECASE | re.DOTALL,
    )


def hidden(text: str, fields: Collection[str]) -> str:
    """Return a text with the values of these fields hidden, also where the same text repeats them without a name."""
    names = frozenset(fields)
    folded = text.casefold()
    if not any(name in folded for name in _folded(names | ALWAYS)):
        return text
    pattern = field_pattern(names)
    values = {_bare(found[0][len(found["name"]) :]) for found in pattern.finditer(text)}
    return _without(pattern.sub(lambda found: f"{found['name']}{HIDDEN}", text), values)


def _without(text: str, values: Collection[str]) -> str:
    """Return a text with every one of these values hidden; one of less than four characters would hide too much."""
    known = sorted(
        {value for value in values if len(value) >= 4 and value not in HIDDEN}, key=len, reverse=True
    )
    if not any(value in text for value in known):
        return text
    return re.sub("|".join(map(re.escape, known)), HIDDEN, text)


def _bare(written: str) -> str:
    return written.strip("\\\"'")
