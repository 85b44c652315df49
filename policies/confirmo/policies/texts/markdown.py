"""The same sentences as markdown: every text is data, and a label makes no link, heading, image or code."""

import re
from collections.abc import Sequence
from typing import Final

from confirmo.policies.texts.cleaning import clean_text

_BULLET: Final = "- "
_ALWAYS: Final = re.compile(r"[\\`*_\[\]<>|~&$@]")
# What a renderer that links bare addresses would take for one: "https://…", "www.…", "example.com".
_ADDRESS: Final = re.compile(r":(?=/)|(?<=\w)\.(?=[^\W\d])|(?<=[^\W\d])\.(?=\w)")
_AT_START: Final = re.compile(r"^(?=[#+=-])|^(\d{1,9})(?=[.)])")


def escape(text: str) -> str:
    """Return a text on one line as markdown that shows exactly its characters."""
    line = " ".join(clean_text(text).split())
    return _AT_START.sub(r"\1\\", _inline(line))


def _inline(text: str) -> str:
    return _ADDRESS.sub(lambda found: f"\\{found[0]}", _ALWAYS.sub(r"\\\g<0>", text))


def as_markdown(text: str, labels: Sequence[str] = (), in_order: Sequence[str] = ()) -> str:
    """Return a question or an answer as markdown: every line a paragraph, or an entry of a list.

    Args:
        text: In plain text, as the catalogue made it.
        labels: Names that stand out in bold.
        in_order: Labels of items that have a line each, in this order; those lines become a list.
    """
    bold = _pattern([label for label in labels if label in text])
    waiting = list(in_order)
    blocks: list[str] = []
    for line in clean_text(text).splitlines():
        whole = " ".join(line.split())
        content = whole.removeprefix(_BULLET)
        listed = content != whole
        if waiting and (whole.startswith(waiting[0]) or (not listed and waiting[0] in whole)):
            # A label may itself begin with a dash.
            listed, content = True, whole
            del waiting[0]
        if not content:
            continue
        shown = (_BULLET if listed else "") + _emphasised(content, bold)
        joins = listed and bool(blocks) and blocks[-1].startswith(_BULLET)
        blocks[-1:] = [f"{blocks[-1]}\n{shown}"] if joins else [*blocks[-1:], shown]
    return "\n\n".join(blocks)


def _pattern(labels: Sequence[str]) -> re.Pattern[str] | None:
    """Return what finds the labels, the longest first, so that "TIM Fashion" is not a part of a longer one."""
    named = sorted({" ".join(label.split()) for label in labels if label.strip()}, key=len, reverse=True)
    return re.compile(rf"(?<!\w)({'|'.join(map(re.escape, named))})(?!\w)") if named else None


def _emphasised(line: str, bold: re.Pattern[str] | None) -> str:
    if bold is None:
        return escape(line)
    # Odd entries are what the pattern found.
    parts = [
        f"**{_inline(part)}**" if number % 2 else _inline(part)
        for number, part in enumerate(bold.split(line))
        if part
    ]
    return _AT_START.sub(r"\1\\", "".join(parts))
