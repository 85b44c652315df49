"""What happened, item by item: as text for a person, and as data for whoever writes one.

An outcome is repeated, never derived: an entry without a readable ``outcome`` is UNKNOWN.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from confirmo.policies.models import Outcome, ReasonCode, Status
from confirmo.policies.texts import Locale, catalogue, language_code, one_line
from confirmo.policies.texts.rendering import (
    SENTENCE_ITEMS,
    SHOWN_ITEMS,
    bounded,
    bullets,
    distinct,
    in_a_sentence,
    operation_name,
)
from confirmo.policies.tool_spec import ToolSpec
from confirmo.policies.wording import say

COMPOSED_ITEMS: Final = 200
"""Most items in a composition. The evidence stays whole in ``result``; a model's context would not."""

_PROTOCOL_FIELDS: Final = ("protocol", "protocolo", "protocol_id", "protocol_number", "operation_id")
_LABEL_FIELDS: Final = ("subject", "name", "label")
_OUTCOMES: Final = {outcome.value: outcome for outcome in Outcome}
_ORDER: Final = (Outcome.FAILED, Outcome.UNKNOWN, Outcome.SUCCEEDED)
_TECHNICAL: Final = frozenset(
    {
        ReasonCode.NOT_EXECUTED,
        ReasonCode.LOST_ANSWER,
        ReasonCode.MISSING_RESULT,
        ReasonCode.INVALID_FLAG,
        ReasonCode.CONFLICTING_EVIDENCE,
        ReasonCode.UNRECOGNISED_ANSWER,
    }
)
"""Reasons whose text names servers and causes: a person is told the word, the text stays in the record."""
_IN_DOUBT: Final = frozenset(
    {
        ReasonCode.LOST_ANSWER,
        ReasonCode.MISSING_RESULT,
        ReasonCode.INVALID_FLAG,
        ReasonCode.CONFLICTING_EVIDENCE,
        ReasonCode.UNRECOGNISED_ANSWER,
    }
)


def reason_text(reason: str | None, locale: Locale) -> str:
    """Return a reason as people read it: a stable reason word in the locale, other text cleaned."""
    line = one_line(reason or "")
    return catalogue(locale).get(f"reason_{line}", line).rstrip(".")


def result_message(
    *,
    tool: ToolSpec,
    status: Status,
    reason: str | None,
    reason_code: str | None,
    items: Sequence[Mapping[str, Any]],
    labels: Mapping[str, str],
    secondary_error: str | None,
    locale: Locale,
    undone: Sequence[Mapping[str, Any]] = (),
) -> str:
    """Say what happened.

    Args:
        tool: The tool that ran, or would have.
        status: A closed status.
        reason: Why nothing was executed, or why a tool without items failed.
        reason_code: The stable word beside it.
        items: The entries of ``results[]``, or none. A tool without items may pass its answer as one entry.
        labels: Label by ``item_id``; an entry that is not in it is named by its own fields.
        secondary_error: What failed beside the primary tool.
        locale: ``pt-BR`` or ``en``.
        undone: One entry per item that was to be undone afterwards.

    Up to ten items one sentence each; above, counts, then by name what failed and what is unknown.
    """
    if status not in (Status.COMPLETED, Status.FAILED):
        return _nothing_executed(status, reason, reason_code, locale)
    midway = reason_code == ReasonCode.CANCELLED
    paragraphs = [
        catalogue(locale)["cancelled_midway"] if midway else "",
        _item_report(_views(_listed(items), labels, tool, locale), _counts(items), locale) if items else "",
        _tool_report(tool, status, reason, reason_code, locale) if not items else "",
        *_undo_report(_views(undone, labels, tool, locale), locale),
        _secondary(secondary_error, locale),
    ]
    return "\n".join(paragraph for paragraph in paragraphs if paragraph)


def composition(
    *,
    tool: ToolSpec,
    status: Status,
    reason: str | None,
    reason_code: str | None,
    multi_item_status: str | None,
    items: Sequence[Mapping[str, Any]],
    labels: Mapping[str, str],
    secondary_error: str | None,
    text: str,
    locale: Locale,
    undone: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Return the message as data, with the instruction that binds a model that words it.

    Above 200 items only those are listed, what failed and what is unknown first; ``counts`` are of all. ``undone`` is
    there where something was to be undone: the outcome of undoing each item.
    """
    undo = [] if not undone else _worst_first(_views(undone, labels, tool, locale))[:COMPOSED_ITEMS]
    told = items if status in (Status.COMPLETED, Status.FAILED) else ()
    listed = _views(_listed(told), labels, tool, locale)
    return {
        "locale": language_code(locale),
        "operation": operation_name(tool),
        "status": status.value,
        "multi_item_status": multi_item_status,
        "counts": {outcome.value: count for outcome, count in _counts(told).items()},
        "items": listed,
        "items_omitted": len(told) - len(listed),
        **({"undone": undo} if undo else {}),
        "reason": reason_text(reason or reason_code, locale) or None,
        "reason_code": reason_code,
        "secondary_error": one_line(secondary_error or "") or None,
        "text": text,
        "instruction": " ".join(
            catalogue(locale)[key] for key in ("instruction", *(["instruction_undone"] if undo else []))
        ),
    }


def _undo_report(views: Sequence[Mapping[str, Any]], locale: Locale) -> list[str]:
    """Return one sentence per outcome of undoing."""
    texts = catalogue(locale)
    return [
        texts[key].format(items=in_a_sentence(bounded(names, locale), locale))
        for key, outcome in (
            ("undone", Outcome.SUCCEEDED),
            ("not_undone", Outcome.FAILED),
            ("undo_unknown", Outcome.UNKNOWN),
        )
        if (names := [str(view["label"]) for view in views if view["outcome"] == outcome.value])
    ]


def _listed(items: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Return the entries that are told one by one: all, or of many the worst first."""
    if len(items) <= COMPOSED_ITEMS:
        return items
    return sorted(items, key=lambda entry: _ORDER.index(_outcome(entry)))[:COMPOSED_ITEMS]


def _counts(items: Sequence[Mapping[str, Any]]) -> dict[Outcome, int]:
    counted = Counter(map(_outcome, items))
    return {outcome: counted[outcome] for outcome in Outcome}


def _views(
    items: Sequence[Mapping[str, Any]], labels: Mapping[str, str], tool: ToolSpec, locale: Locale
) -> list[dict[str, Any]]:
    """Return label, outcome, and where there are any protocol and reason of each entry."""
    item_ids = [_scalar_text(entry.get("item_id")) for entry in items]
    fields = (
        _LABEL_FIELDS if len(items) > 1 else ()
    )  # one answer is the tool's own; its name may be anybody's
    named = [
        labels.get(item_id) or _first_text(entry, fields) or item_id or operation_name(tool)
        for item_id, entry in zip(item_ids, items, strict=True)
    ]
    return [
        _view(entry, label, locale) for entry, label in zip(items, distinct(named, item_ids), strict=True)
    ]


def _view(entry: Mapping[str, Any], label: str, locale: Locale) -> dict[str, Any]:
    outcome = _outcome(entry)
    protocol = _first_text(entry, _PROTOCOL_FIELDS)
    technical = entry.get("reason_code") in _TECHNICAL
    fields = ("reason_code",) if technical else ("reason", "error", "reason_code")
    reason = _first_text(entry, fields) if outcome != Outcome.SUCCEEDED else ""
    view = {"label": label, "outcome": outcome.value}
    if protocol:
        view["protocol"] = one_line(protocol)
    if reason:
        view["reason"] = reason_text(reason, locale)
    return view


def _outcome(entry: Mapping[str, Any]) -> Outcome:
    told = entry.get("outcome")
    return _OUTCOMES.get(told, Outcome.UNKNOWN) if isinstance(told, str) else Outcome.UNKNOWN


def _first_text(entry: Mapping[str, Any], fields: Sequence[str]) -> str:
    return next((text for text in (_scalar_text(entry.get(field)) for field in fields) if text), "")


def _scalar_text(value: Any) -> str:
    """Return a text or a number as text, empty for anything else."""
    return str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _worst_first(views: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(views, key=lambda view: _ORDER.index(Outcome(view["outcome"])))


def _item_report(views: Sequence[dict[str, Any]], of: Mapping[Outcome, int], locale: Locale) -> str:
    total, failed, unknown = sum(of.values()), of[Outcome.FAILED], of[Outcome.UNKNOWN]
    long = total > SENTENCE_ITEMS
    counts = catalogue(locale)["counts_long" if long else "counts"].format(
        succeeded=of[Outcome.SUCCEEDED], failed=failed, unknown=unknown, total=total
    )
    if not long:
        return "\n".join([counts] * (len(views) > 1) + [_sentence(view, locale) for view in views])
    named = [_sentence(view, locale) for view in _worst_first(views)[: failed + unknown][:SHOWN_ITEMS]]
    if failed + unknown > len(named):
        named.append(catalogue(locale)["more"].format(count=failed + unknown - len(named)))
    return "\n".join(part for part in (counts, bullets(named)) if part)


def _sentence(view: Mapping[str, Any], locale: Locale) -> str:
    texts = catalogue(locale)
    protocol = [texts["protocol"].format(protocol=view["protocol"])] if "protocol" in view else []
    facts = "; ".join([*protocol, *([view["reason"]] if "reason" in view else [])])
    key = f"item_{view['outcome'].lower()}"
    return texts[key].format(label=view["label"], detail=f" ({facts})" if facts else "")


def _tool_report(
    tool: ToolSpec, status: Status, reason: str | None, reason_code: str | None, locale: Locale
) -> str:
    texts = catalogue(locale)
    operation = texts["operation"].format(operation=operation_name(tool))
    if status is Status.COMPLETED:
        return texts["done"].format(operation=operation)
    why = reason_text(reason or reason_code, locale)
    key = "unknown" if {reason, reason_code} & _IN_DOUBT else "not_done"
    return texts[f"{key}_reason" if why else key].format(operation=operation, reason=why)


def _nothing_executed(status: Status, reason: str | None, reason_code: str | None, locale: Locale) -> str:
    texts = catalogue(locale)
    if status.value not in texts:
        return texts["open"]
    rejected = reason_code == ReasonCode.REJECTED
    what = texts["reason_rejected"] if rejected else texts[status.value]
    why = "" if reason in _own_words(locale) else reason_text(reason or reason_code, locale)
    if why and why.casefold() != what.casefold():
        what = texts["because"].format(what=what, reason=why)
    return texts["nothing_executed"].format(what=what)


def _own_words(locale: Locale) -> set[str]:
    """Return the workflow's sentences that say no more than the status does."""
    return {say(key, locale) for key in ("cancelled", "rejected", "expired", "collecting_expired")}


def _secondary(error: str | None, locale: Locale) -> str:
    line = one_line(error or "").rstrip(".")
    return catalogue(locale)["secondary"].format(reason=line) if line else ""
