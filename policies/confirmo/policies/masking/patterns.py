"""How personal data is written. Every pattern is bounded, so that a text of any size takes linear time."""

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from confirmo.policies.masking.checks import digits_of, is_card, is_cnpj, is_cpf

_BEGIN: Final = r"(?:(?<![^\W_])(?<!\d\.)|(?<=%[0-9A-Fa-f]{2})|(?<=\\[nrt]))"
"""No letter, digit or decimal point before, unless it belongs to an escape of a URL or of a quoted text."""
_AFTER_WORD: Final = r"(?:(?<!\d)(?<!\d\.)|(?<=%[0-9A-Fa-f]{2}))"
"""No digit or decimal point before: where signs tell what it is, a letter (``CPF111.444.777-35``) changes nothing."""
_END: Final = r"(?![^\W_])"
_DASH: Final = r"[-‐-―−]"
_SPACE: Final = r"(?:\s|%20|\+)"
_GAP: Final = rf"(?:\s|%20|{_DASH}|\.){{0,2}}"
_LOCAL: Final = rf"(?:9{_GAP}\d{{4}}{_GAP}\d{{4}})"
_LANDLINE: Final = rf"(?:[2-5]\d{{3}}{_GAP}\d{{4}})"
_AREA: Final = r"(?:(?:\(|%28)\s?0?[1-9]\d\s?(?:\)|%29))"


class Kind(NamedTuple):
    """One kind of personal data.

    Attributes:
        name: What stands in its place, between angle brackets.
        pattern: How it is written.
        proved: Whether what the pattern found is one; it gets the digits alone.
        plain: Whether the writing alone leaves no doubt.
    """

    name: str
    pattern: re.Pattern[str]
    proved: Callable[[str], bool] = bool
    plain: bool = False


def _kind(name: str, body: str, proved: Callable[[str], bool] = bool, *, plain: bool = False) -> Kind:
    return Kind(name, re.compile(f"{_BEGIN}{body}{_END}"), proved, plain)


def _signed(name: str, body: str) -> Kind:
    """One whose own signs leave no doubt, whatever word it follows."""
    return Kind(name, re.compile(f"{_AFTER_WORD}{body}{_END}"), plain=True)


WRITTEN_CNPJ: Final = _kind(
    "cnpj",
    rf"[0-9A-Z]{{2}}\.[0-9A-Z]{{3}}\.[0-9A-Z]{{3}}(?:/|%2[Ff])[0-9A-Z]{{4}}{_DASH}\d{{2}}",
    plain=True,
)

NUMBERS: Final = (
    _signed("cpf", rf"\d{{3}}([.\s])\d{{3}}\1\d{{3}}{_DASH}\d{{2}}"),
    _kind("cpf", r"\d{3}[.\s-]?\d{3}[.\s-]?\d{3}[./\s-]?\d{2}", is_cpf),
    _signed("phone", rf"(?:\+|%2[Bb])55{_GAP}(?:{_AREA}|0?[1-9]\d){_GAP}(?:{_LOCAL}|{_LANDLINE})"),
    _signed("phone", rf"{_AREA}{_SPACE}{{0,2}}(?:{_LOCAL}|{_LANDLINE})"),
    _kind("phone", rf"(?:55{_GAP})?0?[1-9]\d{_GAP}{_LOCAL}"),
    _kind("phone", rf"55{_GAP}[1-9]\d{_GAP}{_LANDLINE}"),
    _kind("phone", _LOCAL),
    _signed("phone", r"(?:\+|%2[Bb])[1-9](?:[\s().-]{0,2}\d){7,14}"),
    _kind("card", r"[2-6]\d{3}([ -]?)\d{4}\1\d{4}\1\d{4}(?:\1\d{1,3})?", is_card),
    _kind("card", r"3\d{3}([ -]?)\d{6}\1\d{4,5}", is_card),
    _kind("cnpj", r"\d{14}", is_cnpj),
)
"""Kinds of digits alone, in this order: what is surely one goes before what might be another."""

EMAIL: Final = Kind(
    "email",
    # Digits may follow without a gap: no top-level domain has any.
    re.compile(rf"{_BEGIN}[\w.+-]{{1,64}}(?:@|%40)(?:[\w-]{{1,63}}\.){{1,8}}[^\W\d_]{{2,24}}(?![^\W\d_])"),
    plain=True,
)


def found_in(kind: Kind, text: str, begin: int, end: int) -> list[tuple[int, int, str]]:
    """Return where one kind is found in a part of a text, and what stands in its place; it sees what is before."""
    return [
        (*found.span(), f"<{kind.name}>")
        for found in kind.pattern.finditer(text, begin, end)
        if kind.proved(digits_of(found[0]) or found[0])
    ]
