"""The JSON Schema words of an argument: enum, pattern, and the bounds on values, lengths and lists."""

from typing import Any, Final

from confirmo.policies.patterns import matches
from confirmo.policies.texts import Locale, catalogue, is_portuguese, one_line
from confirmo.policies.tool_spec import ArgumentSpec

_SHOWN_CHOICES: Final = 20


class ArgumentError(ValueError):
    """A value that an argument does not take.

    Attributes:
        reason: What is expected, in the locale; never the value.
    """

    def __init__(self, reason: str) -> None:
        """Keep the reason."""
        super().__init__(reason)
        self.reason = reason


def reason(key: str, locale: Locale, **values: Any) -> str:
    """Return one reason of the texts catalogue, filled in."""
    return catalogue(locale)[key].format(**values)


def check_bounds(value: Any, spec: ArgumentSpec, locale: Locale) -> None:
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
    value: float, low: float | None, high: float | None, keys: tuple[str, str], locale: Locale
) -> None:
    if low is not None and value < low:
        raise ArgumentError(reason(keys[0], locale, bound=_number(low, locale)))
    if high is not None and value > high:
        raise ArgumentError(reason(keys[1], locale, bound=_number(high, locale)))


def _check_pattern(value: str, pattern: str | None, locale: Locale) -> None:
    if pattern is not None and not matches(pattern, value):
        raise ArgumentError(reason("pattern", locale, pattern=one_line(pattern, 100)))


def _same(value: Any, allowed: Any) -> bool:
    """Compare as JSON does: ``true`` is not 1."""
    return isinstance(value, bool) == isinstance(allowed, bool) and bool(value == allowed)


def _choices(enum: tuple[Any, ...], locale: Locale) -> str:
    shown = ", ".join(_choice(choice, locale) for choice in enum[:_SHOWN_CHOICES])
    return shown if len(enum) <= _SHOWN_CHOICES else shown + ", …"


def _choice(choice: Any, locale: Locale) -> str:
    if isinstance(choice, bool):
        return catalogue(locale)["yes" if choice else "no"]
    return _number(choice, locale) if isinstance(choice, int | float) else one_line(str(choice), 100)


def _number(value: float, locale: Locale) -> str:
    return repr(value).replace(".", ",") if is_portuguese(locale) else repr(value)
