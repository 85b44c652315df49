"""Reading arguments that came as text: the one list splitter, and numbers."""

import math
import re
from collections import deque
from decimal import Decimal
from typing import Final

from confirmo.policies.texts import is_blank

_SEPARATOR: Final = re.compile("[,;\r\n\x85\u2028\u2029]")
_CONJUNCTION: Final = re.compile(r"(?:^|\s)(?:e|and)\s")
# A quote opens where a word begins and closes where one ends, so that an inch mark stays a character.
_QUOTED: Final = re.compile(r"(?<![^\s,;])(?:\"[^\"]*\"|“[^“”]*”)(?![^\s,;])")

_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_POINT: Final = re.compile(r"[+-]?[0-9]+\.[0-9]+")
_COMMA: Final = re.compile(r"[+-]?(?:[0-9]+|[0-9]{1,3}(?:\.[0-9]{3})+),[0-9]+")
_CURRENCY: Final = re.compile(r"([+-]?)\s*R\$\s*([0-9].*)", re.DOTALL)
_THOUSANDS: Final = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+")


class NumberTextError(ValueError):
    """A text that is no number; its message is the key of the reason in the texts catalogue."""


def split_list(text: str) -> list[str]:
    """Split a text into the parts of the list that a person wrote.

    Cuts at commas, semicolons and line ends, and in the last part at its last ``" e "`` or ``" and "`` (lower
    case). Parts are trimmed, empty ones dropped. What stands in ``"…"`` or ``“…”`` stays whole.
    """
    hidden = _QUOTED.sub(lambda quoted: "x" * len(quoted[0]), text)
    cuts = [(match.start(), match.end()) for match in _SEPARATOR.finditer(hidden)]
    cuts += _last_conjunction(hidden, cuts[-1][1] if cuts else 0)
    starts = [0, *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), len(text)]
    parts = (_unquoted(text[start:end].strip()) for start, end in zip(starts, ends, strict=True))
    return [part for part in parts if not is_blank(part)]


def _last_conjunction(hidden: str, start: int) -> list[tuple[int, int]]:
    """Return where the last conjunction after ``start`` stands; one that begins the text is a word."""
    found = deque(_CONJUNCTION.finditer(hidden[start:].rstrip()), maxlen=1)
    last = found[0] if found else None
    if last is None or not hidden[: start + last.start()].strip():
        return []
    return [(start + last.start(), start + last.end())]


def _unquoted(part: str) -> str:
    return part[1:-1].strip() if _QUOTED.fullmatch(part) else part


def parse_integer(text: str) -> int | None:
    """Return the integer that ``text`` writes in ASCII digits with an optional sign, or null."""
    stripped = text.strip()
    try:
        return int(stripped) if _INTEGER.fullmatch(stripped) else None
    except ValueError:  # more digits than Python converts
        return None


def parse_number(text: str, portuguese: bool) -> int | float:
    """Return the number that ``text`` writes.

    A point is a decimal point in every locale (``1.234`` is 1.234). pt-BR also reads ``71,99``, ``1.234,56``
    and ``R$ 71,99``. ``R$ 1.234`` is refused: who writes it means thousands, and the point says otherwise.

    Raises:
        NumberTextError: Not a number, not finite, ambiguous, or not exact as an IEEE 754 double.
    """
    stripped = text.strip()
    currency = _CURRENCY.fullmatch(stripped) if portuguese else None
    if currency:
        stripped = currency[1] + currency[2]
        if _THOUSANDS.fullmatch(currency[2]):
            raise NumberTextError("number_ambiguous")
    if portuguese and _COMMA.fullmatch(stripped):
        stripped = stripped.replace(".", "").replace(",", ".")
    if _INTEGER.fullmatch(stripped):
        whole = parse_integer(stripped)
        if whole is None:
            raise NumberTextError("number_digits")
        return whole
    if not _POINT.fullmatch(stripped):
        raise NumberTextError("number")
    return _exact_float(stripped)


def _exact_float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value) or Decimal(text) != Decimal(repr(value)):
        raise NumberTextError("number_digits")
    return value


def begins_like_json(text: str) -> bool:
    """Tell whether ``text`` starts as a JSON array or object does."""
    return text.lstrip().startswith(("[", "{"))
