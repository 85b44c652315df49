"""The JSON Schema words of an argument: enum, pattern, and the bounds on values, lengths and lists."""

import re
from typing import Any, Final

from confirmo.policies.texts import catalogue, is_portuguese, one_line
from confirmo.policies.tool_spec import ArgumentSpec

MAX_PATTERN_TEXT: Final = 2_000
"""Longest text that is matched against a ``pattern``: ``re`` cannot be stopped, so its input is bounded.

This does not tame a pattern such as ``(a+)+$``; patterns come from the operator's files and are trusted.
"""

_SHOWN_CHOICES: Final = 20
_DOLLAR: Final = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\$", re.DOTALL)


class ArgumentError(ValueError):
    """A value that an argument does not take.

    Attributes:
        reason: What is expected, in the locale; never the value.
    """

    def __init__(self, reason: str) -> None:
        """Keep the reason."""
        super().__init__(reason)
        self.reason = reason


def reason(key: str, locale: str, **values: Any) -> str:
    """Return one reason of the texts catalogue, filled in."""
    return catalogue(locale)[key].format(**values)


def check_bounds(value: Any, spec: ArgumentSpec, locale: str) -> None:
    """Check a coerced value.

    Raises:
        ArgumentError: The first bound that it breaks.
    """
    if spec.enum is not None and not any(_same(value, allowed) for allowed in spec.enum):
        raise ArgumentError(reason("enum", locale, values=_choices(spec.enum, locale)))
    if isinstance(value, str):
        _check_range(len(value), spec.min_length, spec.max_length, ("min_length", "max_length"), locale)
        _check_pattern(value, spec.pattern, locale)
    elif isinstance(value, list):
        _check_range(len(value), spec.min_items, spec.max_items, ("min_items", "max_items"), locale)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        _check_range(value, spec.minimum, spec.maximum, ("minimum", "maximum"), locale)


def _check_range(
    value: float, low: float | None, high: float | None, keys: tuple[str, str], locale: str
) -> None:
    if low is not None and value < low:
        raise ArgumentError(reason(keys[0], locale, bound=_number(low, locale)))
    if high is not None and value > high:
        raise ArgumentError(reason(keys[1], locale, bound=_number(high, locale)))


def _check_pattern(value: str, pattern: str | None, locale: str) -> None:
    """Search unanchored, as JSON Schema does: ``$`` is the very end, ``\\d`` and ``\\w`` are ASCII."""
    if pattern is None:
        return
    if len(value) > MAX_PATTERN_TEXT:
        raise ArgumentError(reason("pattern_length", locale, bound=MAX_PATTERN_TEXT))
    ecma = _DOLLAR.sub(lambda found: r"\Z" if found[0] == "$" else found[0], pattern)
    try:
        matches = re.search(ecma, value, re.ASCII) is not None
    except (re.error, RecursionError, OverflowError):
        matches = False
    if not matches:
        raise ArgumentError(reason("pattern", locale, pattern=one_line(pattern, 100)))


def _same(value: Any, allowed: Any) -> bool:
    """Compare as JSON does: ``true`` is not 1."""
    return isinstance(value, bool) == isinstance(allowed, bool) and bool(value == allowed)


def _choices(enum: tuple[Any, ...], locale: str) -> str:
    shown = ", ".join(_choice(choice, locale) for choice in enum[:_SHOWN_CHOICES])
    return shown if len(enum) <= _SHOWN_CHOICES else shown + ", …"


def _choice(choice: Any, locale: str) -> str:
    if isinstance(choice, bool):
        return catalogue(locale)["yes" if choice else "no"]
    return _number(choice, locale) if isinstance(choice, int | float) else one_line(str(choice), 100)


def _number(value: float, locale: str) -> str:
    return repr(value).replace(".", ",") if is_portuguese(locale) else repr(value)
