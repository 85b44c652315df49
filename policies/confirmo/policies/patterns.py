"""The ``pattern`` of an argument, matched in linear time: no value can hold up a worker.

RE2's syntax is that of JSON Schema's regular expressions without look-around and back references; those are refused
when the file is loaded. ``$`` is the very end, ``\\d`` and ``\\w`` are ASCII. See https://github.com/google/re2/wiki/Syntax
"""

from functools import lru_cache
from typing import Any

import re2


class PatternError(ValueError):
    """A text that is no pattern."""


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except (re2.error, ValueError, UnicodeError):
        raise PatternError(pattern) from None


def check_pattern(pattern: str) -> None:
    """Raise ``PatternError`` where ``pattern`` is none."""
    _compiled(pattern)


def matches(pattern: str, text: str) -> bool:
    """Whether ``pattern`` is found anywhere in ``text``, as JSON Schema searches; no pattern matches nothing."""
    try:
        return _compiled(pattern).search(text) is not None
    except (PatternError, UnicodeError):
        return False
