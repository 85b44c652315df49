"""Where personal data can be at all: a text is looked through once, and closely only where many digits stand together.

Every line of a log is masked, and looking for a dozen patterns everywhere would cost more than the line.
"""

import re
from collections.abc import Iterable
from typing import Final

from confirmo.policies.masking.patterns import EMAIL, NUMBERS, WRITTEN_CNPJ, Kind, found_in

_DIGITS: Final = re.compile(r"\d(?:(?:%[0-9A-Fa-f]{2}|\W|_){0,4}\d){7,}")
"""Eight digits or more, with at most four signs between two of them."""
_BEFORE: Final = 8
"""Signs before the first digit that can belong to a number: a plus, a bracket, a blank, each as three in a URL."""
_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9A-Za-z])")
_CNPJ: Final = re.compile(r"\.[0-9A-Z]{3}(?:/|%2[Ff])")


def replaced(text: str, *, plain: bool = False) -> str:
    """Return a text with personal data as ``<kind>``; with ``plain`` only what can be nothing else."""
    if "@" in text or "%40" in text:
        text = _all(EMAIL, text)
    if _CNPJ.search(text):
        text = _all(WRITTEN_CNPJ, text)
    parts = [
        (max(found.start() - _BEFORE, 0), found.end()) for found in _DIGITS.finditer(_without_uuids(text))
    ]
    if not parts:
        return text
    for kind in NUMBERS:
        if kind.plain or not plain:
            text, parts = _in_parts(kind, text, parts)
    return text


def _without_uuids(text: str) -> str:
    """Return a text of the same length in which no digit of a UUID stands."""
    return _UUID.sub(lambda found: "u" * len(found[0]), text) if text.count("-") >= 4 else text


def _all(kind: Kind, text: str) -> str:
    return _put(text, found_in(kind, text, 0, len(text)))


def _in_parts(kind: Kind, text: str, parts: list[tuple[int, int]]) -> tuple[str, list[tuple[int, int]]]:
    """Replace one kind in parts of a text; return it with where the parts are then."""
    changed: list[tuple[int, int]] = []
    pieces: list[str] = []
    done = length = 0
    for begin, end in parts:
        found = found_in(kind, text, max(begin, done), min(end + 1, len(text)))
        piece = _put(text[done:end], [(first - done, last - done, mark) for first, last, mark in found])
        start = length + max(begin - done, 0)
        pieces.append(piece)
        length += len(piece)
        done = end
        changed.append((start, length))
    return "".join([*pieces, text[done:]]), changed


def _put(text: str, found: Iterable[tuple[int, int, str]]) -> str:
    pieces, done = [], 0
    for begin, end, mark in found:
        pieces += [text[done:begin], mark]
        done = end
    return "".join([*pieces, text[done:]])
