"""What to ask a person: for a missing argument, and for a yes to one frozen question.

Every text from outside is cleaned first, and put on one line unless it is a whole message.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, Final

from confirmo.policies.item_arguments import ITEMS, array_argument, call_of, item_argument, whole_argument
from confirmo.policies.models import FrozenItem, InvalidParameter, ReasonCode
from confirmo.policies.texts import Locale, catalogue, clean_text, one_line, operation_nouns
from confirmo.policies.texts.outcomes import composition, reason_text, result_message
from confirmo.policies.texts.rendering import (
    SENTENCE_ITEMS,
    SHOWN_ITEMS,
    bounded,
    bullets,
    distinct,
    first_sentence,
    in_a_sentence,
    operation_name,
    value_text,
)
from confirmo.policies.tool_spec import ArgumentSpec, ToolSpec

__all__ = [
    "clean_text",
    "composition",
    "confirmation_question",
    "operation_name",
    "parameter_question",
    "result_message",
]

_TIME: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z")
_MANY_LINE_ENDS: Final = re.compile(r"\n\s*\n")


def parameter_question(
    tool: ToolSpec, missing: Sequence[str], invalid: Sequence[InvalidParameter], locale: Locale
) -> str:
    """Return one question: for the first missing argument, else for the first invalid one with its reason.

    The argument's ``user_prompt``, else its label, else its description's first sentence, else a neutral
    sentence. Its technical name is never shown.
    """
    if missing:
        return _ask(tool.argument(missing[0]), locale)
    if not invalid:
        return catalogue(locale)["ask_neutral"]
    again = catalogue(locale)["ask_again"].format(reason=_ended(one_line(invalid[0].reason)))
    return f"{again} {_ask(tool.argument(invalid[0].name), locale)}"


def _ask(spec: ArgumentSpec | None, locale: Locale) -> str:
    texts = catalogue(locale)
    if spec is not None and spec.user_prompt and one_line(spec.user_prompt):
        return clean_text(spec.user_prompt).strip()
    label = _label(spec) if spec is not None else ""
    return texts["ask"].format(what=label) if label else texts["ask_neutral"]


def _label(spec: ArgumentSpec) -> str:
    """Return what a person reads for an argument: label, else description; empty where that is its name."""
    description = first_sentence(spec.description)
    # An acronym such as CPF keeps its capitals.
    if not description[1:2].isupper():
        description = description[:1].lower() + description[1:]
    candidates = (one_line(spec.label or "").rstrip("."), description)
    return next((text for text in candidates if text and not _leaks(spec.name, text)), "")


def _leaks(name: str, text: str) -> bool:
    """A name such as ``order_id`` is technical wherever it stands; ``valor`` is also a word."""
    return "_" in name and name.casefold() in text.casefold()


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…")) else text + "."


def confirmation_question(
    tool: ToolSpec,
    arguments: Mapping[str, Any],
    items: Sequence[FrozenItem],
    *,
    validator_message: str | None,
    bypassed: bool,
    expires_at: str,
    locale: Locale,
) -> str:
    """Return the question for one frozen set; it is part of what the digest covers.

    Args:
        tool: The tool that will run.
        arguments: What it will be sent, after resolution.
        items: The frozen set, ineligible items included.
        validator_message: Shown first. Its wording replaces the generated question only where it names every
            eligible item (without items: every argument); what it leaves out is always added.
        bypassed: The validator could not be asked; the question says that nothing was verified.
        expires_at: RFC 3339 in UTC; other text is left out.
        locale: ``pt-BR`` or ``en``.

    Up to 50 items are named, then counted. Labels that occur twice carry the item's id.
    """
    labels = distinct([item.label for item in items], [item.item_id for item in items])
    eligible = [label for label, item in zip(labels, items, strict=True) if item.eligible]
    details = _details(tool, arguments, bool(items), locale)
    message = _MANY_LINE_ENDS.sub("\n", clean_text(validator_message or "")).strip()
    values = [value for _, value in details]
    asked = _names_all(message, eligible if items else values)
    detailed = _names_all(message, [*eligible, *values])
    paragraphs = [
        message,
        "" if asked else _question(tool, eligible, details, locale),
        "" if detailed else _detail_lines(details, bool(items)),
        _ineligible(labels, items, locale),
        catalogue(locale)["not_verified"] if bypassed else "",
        _how_to_answer(expires_at, locale),
    ]
    return "\n".join(paragraph for paragraph in paragraphs if paragraph)


def _question(
    tool: ToolSpec, eligible: Sequence[str], details: Sequence[tuple[str, str]], locale: Locale
) -> str:
    """Return the generated question: the set by its labels, else the one argument that has no label."""
    names = eligible or ([details[0][1]] if _is_one_bare_value(details) else [])
    many = len(names) > SENTENCE_ITEMS
    what = catalogue(locale)["items"].format(count=len(names)) if many else in_a_sentence(names, locale)
    noun = next((noun for start, noun in operation_nouns(locale) if tool.name.startswith(start)), None)
    key = ("confirm_noun" if noun else "confirm_operation") + ("" if what else "_alone")
    asked = catalogue(locale)[key].format(noun=noun, operation=operation_name(tool), what=what)
    return f"{asked}\n{bullets(bounded(names, locale))}" if many else asked


def _details(
    tool: ToolSpec, arguments: Mapping[str, Any], has_items: bool, locale: Locale
) -> list[tuple[str, str]]:
    """Return ``(label, value)`` of what is confirmed beside the items: an amount, a destination, a date."""
    of_items = _of_items(tool) if has_items else set()
    details = []
    for name, value in arguments.items():
        if name not in of_items:
            spec = tool.argument(name)
            details.append((_label(spec) if spec else "", value_text(value, locale)))
    return details


def _of_items(tool: ToolSpec) -> set[str | None]:
    """Return the arguments that the items stand for (CONTRACT.md section 5)."""
    whole = whole_argument(tool) if call_of(tool, True) == "whole" else None
    return {ITEMS, array_argument(tool), whole or item_argument(tool)}


def _is_one_bare_value(details: Sequence[tuple[str, str]]) -> bool:
    return len(details) == 1 and not details[0][0]


def _detail_lines(details: Sequence[tuple[str, str]], has_items: bool) -> str:
    if not has_items and _is_one_bare_value(details):
        return ""
    return bullets(f"{label}: {value}" if label else value for label, value in details)


def _ineligible(labels: Sequence[str], items: Sequence[FrozenItem], locale: Locale) -> str:
    excluded = [
        f"{label} ({reason_text(item.reason or ReasonCode.NOT_ELIGIBLE, locale)})"
        for label, item in zip(labels, items, strict=True)
        if not item.eligible
    ]
    return (
        catalogue(locale)["ineligible"].format(what="; ".join(bounded(excluded, locale))) if excluded else ""
    )


def _how_to_answer(expires_at: str, locale: Locale) -> str:
    time = _TIME.fullmatch(expires_at)
    if time is None:
        return catalogue(locale)["hint"]
    year, month, day, clock = time.groups()
    expires = catalogue(locale)["expires"].format(year=year, month=month, day=day, time=clock)
    return f"{catalogue(locale)['hint']} {expires}"


def _names_all(message: str, names: Sequence[str]) -> bool:
    """Tell whether ``message`` names each of ``names``, every mention counted for one of them.

    Longest first, so that "TIM Fashion" does not also name an item "TIM".
    """
    if not message or len(names) > SHOWN_ITEMS:
        return False
    text = _folded(message)
    for name in sorted(map(_folded, names), key=len, reverse=True):
        text, found = re.subn(rf"(?<!\w){re.escape(name)}(?!\w)", "\0", text, count=1)
        if not found or not name:
            return False
    return True


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())
