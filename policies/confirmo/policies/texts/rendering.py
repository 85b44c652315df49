"""How names, values and sets are written in a sentence."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from confirmo.policies.texts import Locale, catalogue, is_portuguese
from confirmo.policies.texts.cleaning import one_line
from confirmo.policies.tool_spec import ToolSpec

SENTENCE_ITEMS: Final = 10
"""Up to this many items stand in a sentence; more stand one on a line."""

SHOWN_ITEMS: Final = 50
"""Up to this many items are named; the state lists all of them."""

_NEEDS_QUOTES: Final = re.compile(r"[,;]|(?:^|\s)(?:e|and)\s")
_FIRST_SENTENCE: Final = re.compile(r".+?[.!?](?=\s|$)")


def in_a_sentence(names: Sequence[str], locale: Locale) -> str:
    """Return ``A, B e C``. A name that could be read as several stands in quotes."""
    quoted = [f"“{name}”" if _NEEDS_QUOTES.search(name) else name for name in names]
    if len(quoted) < 2:
        return "".join(quoted)
    return ", ".join(quoted[:-1]) + catalogue(locale)["and"] + quoted[-1]


def bounded(names: Sequence[str], locale: Locale) -> list[str]:
    """Return the first ``SHOWN_ITEMS`` names, and how many more there are."""
    shown = list(names[:SHOWN_ITEMS])
    if len(names) > SHOWN_ITEMS:
        shown.append(catalogue(locale)["more"].format(count=len(names) - SHOWN_ITEMS))
    return shown


def bullets(lines: Iterable[str]) -> str:
    """Return one line for each text, marked with a dash."""
    return "\n".join(f"- {line}" for line in lines)


def distinct(labels: Sequence[str], item_ids: Sequence[str]) -> list[str]:
    """Return each item's label on one line; where two would read the same, followed by the item's id."""
    shown = [one_line(label) or one_line(item_id) for label, item_id in zip(labels, item_ids, strict=True)]
    times = Counter(label.casefold() for label in shown)
    return [
        f"{label} ({one_line(item_id)})" if times[label.casefold()] > 1 else label
        for label, item_id in zip(shown, item_ids, strict=True)
    ]


def first_sentence(text: str | None) -> str:
    """Return the first sentence of ``text`` on one line without its full stop; empty for none."""
    line = one_line(text or "")
    found = _FIRST_SENTENCE.match(line)
    return (found[0] if found else line).rstrip(".")


def operation_name(tool: ToolSpec) -> str:
    """Return what a person reads for a tool: its description's first sentence, else its name with spaces."""
    return first_sentence(tool.description) or one_line(tool.name.replace("_", " "))


def value_text(value: Any, locale: Locale) -> str:
    """Return a value as a person reads it: exact digits, ``sim``, ``71,99``, a list in a sentence."""
    if value is None:
        return "—"
    if isinstance(value, bool):
        return catalogue(locale)["yes" if value else "no"]
    if isinstance(value, float):
        return repr(value).replace(".", ",") if is_portuguese(locale) else repr(value)
    if isinstance(value, list | tuple) and not any(
        isinstance(entry, list | tuple | Mapping) for entry in value
    ):
        entries = [value_text(entry, locale) for entry in value[:SHOWN_ITEMS]]
        return one_line(in_a_sentence(bounded([*entries, *value[SHOWN_ITEMS:]], locale), locale))
    if isinstance(value, list | tuple | Mapping):
        return one_line(json.dumps(value, ensure_ascii=False, default=str))
    return one_line(str(value))
