"""JSON in text: strict and lenient reading, cleaning, and one canonical form for digests.

Digits never change: integers are exact, and a decimal that a double cannot hold is kept as its own text.
"""

import json
from collections.abc import Callable, Iterable
from decimal import Decimal
from math import isfinite
from typing import Any, Final

MAX_DEPTH: Final = 100
"""Deepest nesting that ``clean`` keeps; pydantic reads at most 200 levels, and our models add some."""
MAX_INTEGER_DIGITS: Final = 4000
"""Longest integer that ``clean`` keeps a number; Python and pydantic read at most 4300 digits."""
_DOUBLE_DIGITS = 17
_LARGEST_INTEGER = 10**MAX_INTEGER_DIGITS


class JsonError(ValueError):
    """A text that is not JSON, or not JSON as strictly as was asked for."""


def parse_strict(text: str) -> Any:
    """Return the value of a JSON text.

    Raises:
        JsonError: not JSON, NaN or Infinity, a number beyond a double's range, a key twice in one object, or
            nested too deeply.
    """
    return _load(text, _refuse_constant, _unique, _strict_float)


def parse(text: str) -> Any:
    """Return the value of a JSON text as a tool may have written it, cleaned.

    NaN and Infinity become text, a byte order mark is skipped, and a key that comes twice with different
    values keeps both in a list: no flag and no identity can be read from it by accident.

    Raises:
        JsonError: not JSON even so, or nested too deeply to read.
    """
    return clean(_load(text.removeprefix("\ufeff"), str, _both, _float))


def _load(
    text: str,
    constant: Callable[[str], Any],
    pairs: Callable[[list[tuple[str, Any]]], Any],
    number: Callable[[str], Any],
) -> Any:
    try:
        return json.loads(
            text, parse_constant=constant, object_pairs_hook=pairs, parse_float=number, parse_int=_integer
        )
    except JsonError:
        raise
    except RecursionError:
        raise JsonError("nested too deeply") from None
    except ValueError as error:
        raise JsonError(str(error)) from None


def _refuse_constant(word: str) -> Any:
    raise JsonError(f"{word} is not JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise JsonError("a key comes twice in one object")
    return result


def _both(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, list[Any]] = {}
    for key, value in pairs:
        known = values.setdefault(key, [])
        if not any(same(value, other) for other in known):
            known.append(value)
    return {key: known[0] if len(known) == 1 else known for key, known in values.items()}


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= MAX_INTEGER_DIGITS else digits


def _strict_float(digits: str) -> float | str:
    if not isfinite(float(digits)):
        raise JsonError("a number is beyond the range of a double")
    return _float(digits)


def _float(digits: str) -> float | str:
    value = float(digits)
    mantissa = digits.lower().partition("e")[0].lstrip("-").replace(".", "").lstrip("0")
    if isfinite(value) and len(mantissa) <= _DOUBLE_DIGITS and (value != 0 or not mantissa):
        return value
    return value if isfinite(value) and Decimal(repr(value)) == Decimal(digits) else digits


def clean(value: Any) -> Any:
    """Return a deep copy that pydantic and Temporal can always write and read back.

    Lone surrogates become U+FFFD; NaN and the infinities the texts ``NaN``, ``Infinity`` and ``-Infinity``;
    keys text; integers of more than ``MAX_INTEGER_DIGITS`` hexadecimal text; what lies below ``MAX_DEPTH``
    levels its JSON text; foreign objects their text.
    """
    return _clean(value, 0)


def _clean(value: Any, depth: int) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, int):
        return _clean_integer(value)
    if isinstance(value, float):
        return float(value) if isfinite(value) else _constant(value)
    if isinstance(value, dict | list | tuple):
        return _clean_container(value, depth)
    return clean_text(str(value))


def _clean_container(value: dict[Any, Any] | list[Any] | tuple[Any, ...], depth: int) -> Any:
    if depth >= MAX_DEPTH:
        return _as_text(value)
    if isinstance(value, dict):
        return _both((_key(key), _clean(entry, depth + 1)) for key, entry in value.items())
    return [_clean(entry, depth + 1) for entry in value]


def _clean_integer(value: int) -> int | str:
    # Hexadecimal, because Python refuses to write out more than 4300 decimal digits.
    return int(value) if abs(value) < _LARGEST_INTEGER else hex(value)


def _constant(value: float) -> str:
    if value != value:
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def _key(key: Any) -> str:
    return clean_text(key) if isinstance(key, str) else _as_text(_clean(key, MAX_DEPTH))


def _as_text(value: Any) -> str:
    try:
        return json.dumps(value, separators=(",", ":"), default=str)
    except (TypeError, ValueError, RecursionError):
        return "[nested too deeply]"


def clean_text(text: str) -> str:
    """Return the text with every lone surrogate replaced by U+FFFD; all else stays."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def canonical(value: Any) -> str:
    """Return the one JSON text of a value: keys sorted by code point, no spaces, non-ASCII as it is.

    Texts stay exact (no Unicode normalisation), so the forms NFC and NFD differ; so do ``1``, ``1.0`` and
    ``true``. NaN and lone surrogates are not cleaned: what needs cleaning never equals its cleaned form. Only
    what JSON cannot write at all (foreign objects, endless nesting) is cleaned first.
    """
    try:
        return _dump(value, sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        return _dump(clean(value), sort_keys=True)


def dump(value: Any) -> str:
    """Return a compact JSON text of a value with its keys in their own order, cleaned."""
    return _dump(clean(value), sort_keys=False)


def _dump(value: Any, *, sort_keys: bool) -> str:
    return json.dumps(value, sort_keys=sort_keys, separators=(",", ":"), ensure_ascii=False)


def same(left: Any, right: Any) -> bool:
    """Whether two values are the same JSON; unlike ``==``, ``true`` is not ``1``."""
    if left is right or (type(left) is type(right) and type(left) in (str, int)):
        return bool(left == right)
    return canonical(left) == canonical(right)


def distinct(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return the values that differ as JSON, in their order."""
    return tuple({canonical(value): value for value in values}.values())


def cut(text: str, limit: int) -> str:
    """Return at most ``limit`` bytes of UTF-8 of a clean text, ending between two characters."""
    data = text.encode("utf-8", "replace")
    return text if len(data) <= limit else data[:limit].decode("utf-8", "ignore")
