"""Making a text safe to show: nothing invisible, nothing that reorders, nothing that moves a cursor."""

import re
from typing import Final

SHOWN_CHARACTERS: Final = 500
"""How much of one label, value or reason a person is shown."""

_LINE_END: Final = re.compile("\r\n|[\r\x85\u2028\u2029]")
_WIDE_CONTROL: Final = re.compile("[\t\v\f]")
# Controls, lone surrogates, bidirectional marks and overrides, zero-width and other invisible characters:
# soft hyphen, fillers, variation selectors, and the tag characters in which text is smuggled past a reader.
_INVISIBLE: Final = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def clean_text(text: str) -> str:
    r"""Remove control, bidirectional and zero-width characters from a text that a person is shown.

    Line ends of any kind become ``\n``, a tab becomes a space; spaces and all visible characters stay.
    """
    return _INVISIBLE.sub("", _WIDE_CONTROL.sub(" ", _LINE_END.sub("\n", text)))


def one_line(text: str, limit: int = SHOWN_CHARACTERS) -> str:
    """Clean ``text``, put it on one line with single spaces, and cut it at ``limit`` with ``…``."""
    line = " ".join(clean_text(text).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def is_blank(text: str) -> bool:
    """Tell whether nothing of ``text`` can be seen."""
    return not text.strip() or not clean_text(text).strip()
