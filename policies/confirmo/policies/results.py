"""From outcomes to a ``TransactionResult``: evidence first, one normaliser, one message."""

from collections.abc import Mapping, Sequence
from typing import Any

from confirmo.policies import json_text
from confirmo.policies.calls import AuxiliaryReport
from confirmo.policies.compensation import Undone
from confirmo.policies.evidence import CallReport, Known, result_entry
from confirmo.policies.items import aliases
from confirmo.policies.models import (
    FrozenItem,
    Outcome,
    ReasonCode,
    Status,
    TransactionResult,
    TransactionState,
    Wire,
)
from confirmo.policies.normalizer import classify
from confirmo.policies.questions import clean_text, composition, result_message
from confirmo.policies.texts import Locale
from confirmo.policies.tool_spec import AuxiliaryStep, ToolSpec
from confirmo.policies.wording import say


class AuxiliaryResult(Wire):
    """What an auxiliary step reported."""

    tool: str
    report: AuxiliaryReport


def ineligible_outcome(item: FrozenItem) -> Known:
    """Return the outcome of an item that was shown with its reason and never sent."""
    return Known(
        outcome=Outcome.FAILED,
        reason=item.reason or ReasonCode.NOT_ELIGIBLE.value,
        reason_code=ReasonCode.NOT_ELIGIBLE.value,
    )


def unsent_outcome(item: FrozenItem, locale: Locale) -> Known:
    """Return the outcome of an item that a cancel kept from being sent."""
    del locale
    return Known(
        outcome=Outcome.FAILED,
        reason=ReasonCode.NOT_EXECUTED.value,
        reason_code=ReasonCode.NOT_EXECUTED.value,
    )


def auxiliary_due(step: AuxiliaryStep, outcomes: Sequence[Known], reports: Sequence[CallReport]) -> bool:
    """Whether the ``when`` of a step holds."""
    if step.when == "always":
        return True
    flags = [outcome.outcome is Outcome.SUCCEEDED for outcome in outcomes] or _single_flags(reports)
    return all(flags) and bool(flags) if step.when == "all_success" else any(flags)


def _single_flags(reports: Sequence[CallReport]) -> list[bool]:
    told = [entry.get("success") is True for report in reports for entry in report.results]
    return told or [report.outcome is Outcome.SUCCEEDED for report in reports]


def item_entries(
    tool: ToolSpec, items: Sequence[FrozenItem], outcomes: Mapping[str, Known], root: str | None = None
) -> list[dict[str, Any]]:
    """Return ``results[]``: one entry per item, in the confirmed order. ``root`` makes the keys that were left out."""
    return [result_entry(item, outcomes[item.item_id], tool, root) for item in items]


def step_names(
    transaction_id: str,
    tool: ToolSpec,
    items: Sequence[FrozenItem],
    outcomes: Mapping[str, Known],
    reports: Sequence[CallReport],
    root: str | None = None,
) -> dict[str, Any]:
    """Return what the arguments of a step may name: the evidence, whole and by outcome (``templates.STEP_NAMES``)."""
    entries = item_entries(tool, items, outcomes, root) or [
        dict(entry) for report in reports for entry in report.results
    ]
    if not entries and reports:
        entries = [_primary_single(reports[0])]
    by_outcome = {
        name: [entry for entry in entries if entry.get("outcome") == outcome.value]
        for name, outcome in (
            ("succeeded", Outcome.SUCCEEDED),
            ("failed", Outcome.FAILED),
            ("unknown", Outcome.UNKNOWN),
        )
    }
    done = len(by_outcome["succeeded"])
    status = "SUCCESS" if done == len(entries) else "PARTIAL_SUCCESS" if done else "FAILED"
    named = {"transaction_id": transaction_id, "tool_name": tool.name, "status": status, "results": entries}
    return named | by_outcome


def build_result(
    *,
    transaction_id: str,
    tool: ToolSpec,
    items: Sequence[FrozenItem],
    outcomes: Mapping[str, Known],
    reports: Sequence[CallReport],
    auxiliary: Sequence[AuxiliaryResult],
    cancelled: bool,
    cancel_reason: str | None = None,
    locale: Locale,
    undone: Undone | None = None,
    marks: Mapping[str, dict[str, Any]] | None = None,
    root: str | None = None,
) -> TransactionResult:
    """Build the result of an executed transaction. The status is the normaliser's where there are two items or more.

    Args:
        transaction_id: The transaction.
        tool: The primary tool.
        items: The confirmed set.
        outcomes: What became of each item.
        reports: What the calls proved.
        auxiliary: What the steps afterwards reported.
        cancelled: Whether a cancel came while it was executing.
        cancel_reason: Its reason.
        locale: Of the message.
        undone: What became of a compensation.
        marks: Fields added to the entries of items, by item id.
        root: What the keys are derived from.
    """
    entries = [
        entry | marks[entry["item_id"]] if marks and entry["item_id"] in marks else entry
        for entry in item_entries(tool, items, outcomes, root)
    ]
    primary = _primary_with_items(entries, reports, items) if items else _primary_single(reports[0])
    shown = entries or [entry for entry in primary.get("results", []) if isinstance(entry, dict)]
    done = any(entry.get("success") is True for entry in shown) if shown else primary["success"] is True
    undo = {} if undone is None else {undone.tool: undone.output()}
    error = None if done else _first_reason(shown, primary)
    normal: dict[str, Any] = {
        "transaction_id": transaction_id,
        "tool_name": tool.name,
        "ok": done,
        "error": error,
        "result": {
            "status": (Status.COMPLETED if done else Status.FAILED).value,
            "output": {tool.name: primary} | undo | _auxiliary_output(tool.name, auxiliary),
        },
        "metadata": {
            "workflow_status": "COMPLETED",
            "needs_review": _needs_review(shown, primary, reports, items) or bool(undone and undone.in_doubt),
        },
    }
    classify(tool.name, normal)
    about: dict[str, Any] = {
        "tool": tool,
        "status": Status.COMPLETED if done else Status.FAILED,
        "reason": clean_text(cancel_reason or "") or say("cancelled", locale) if cancelled else error,
        "reason_code": ReasonCode.CANCELLED.value if cancelled else None,
        "items": shown or [primary],
        "labels": {item.item_id: item.label for item in items},
        "secondary_error": _secondary_error(reports, auxiliary, undone),
        "locale": locale,
        "undone": undone.results if undone is not None else (),
    }
    return _told(normal, about)


def _told(normal: dict[str, Any], about: dict[str, Any]) -> TransactionResult:
    """Add what people read: the message, and the same as data for a language model."""
    message = result_message(**about)
    return TransactionResult.model_validate(
        normal
        | {
            "secondary_error": normal.get("secondary_error") or about["secondary_error"],
            "transaction_status": about["status"],
            "message": message,
            "composition": composition(
                multi_item_status=normal.get("multi_item_status"), text=message, **about
            ),
            "reason": about["reason"],
            "reason_code": about["reason_code"],
        }
    )


def closed_result(state: TransactionState, tool: ToolSpec | None, locale: Locale) -> TransactionResult:
    """Build the result of a transaction in which nothing was executed."""
    status, reason = state.status, state.reason
    about: dict[str, Any] = {"items": [], "labels": {}, "secondary_error": None, "locale": locale}
    spec = tool or ToolSpec(name=state.tool_name)
    message = result_message(tool=spec, status=status, reason=reason, reason_code=state.reason_code, **about)
    return TransactionResult(
        transaction_id=state.transaction_id,
        tool_name=state.tool_name,
        ok=False,
        error=reason,
        result={"status": status.value, "output": {}},
        metadata={"workflow_status": "COMPLETED", "needs_review": False},
        transaction_status=status,
        message=message,
        composition=composition(
            tool=spec,
            status=status,
            reason=reason,
            reason_code=state.reason_code,
            multi_item_status=None,
            text=message,
            **about,
        ),
        reason=reason,
        reason_code=state.reason_code,
    )


def _primary_with_items(
    entries: list[dict[str, Any]], reports: Sequence[CallReport], items: Sequence[FrozenItem]
) -> dict[str, Any]:
    primary: dict[str, Any] = {"success": all(e["success"] for e in entries), "results": entries}
    extras = _distinct([entry for report in reports for entry in report.unrequested])
    if extras:
        primary["unrequested_results"] = extras
    messages = list(dict.fromkeys(report.message for report in reports if report.message))
    if messages:
        primary["message"] = "\n".join(messages)
    raws = [report.raw for report in reports if report.raw is not None]
    if raws:
        primary["raw"] = "\n".join(dict.fromkeys(raws))[:65_536]
    return primary


def _primary_single(report: CallReport) -> dict[str, Any]:
    answer = dict(report.answer) if isinstance(report.answer, dict) else {}
    if not isinstance(report.answer, dict) and report.answer is not None:
        answer["answer"] = report.answer
    ours: dict[str, Any] = {
        "success": report.outcome is Outcome.SUCCEEDED,
        # Null where the tool's own results are mixed: then not all of it succeeded.
        "outcome": (report.outcome or Outcome.FAILED).value,
        "attempts": report.attempts,
    }
    extras: dict[str, Any] = {
        "reason": report.reason,
        "reason_code": report.reason_code,
        "raw": report.raw,
        "verified_by": report.verified_by,
        "idempotency_key": report.idempotency_key,
    }
    ours |= {key: value for key, value in extras.items() if value is not None}
    primary = answer | ours
    if any(name in answer and not json_text.same(answer[name], value) for name, value in ours.items()):
        primary["tool_result"] = answer
    if report.message and "message" not in primary:
        primary["message"] = report.message
    if report.results:
        primary["results"] = [dict(entry) | {"attempts": report.attempts} for entry in report.results]
    return primary


def _auxiliary_output(primary: str, auxiliary: Sequence[AuxiliaryResult]) -> dict[str, Any]:
    output: dict[str, Any] = {}
    for number, step in enumerate(auxiliary, start=1):
        name = step.tool if step.tool != primary and step.tool not in output else f"{step.tool}#{number}"
        entry: dict[str, Any] = dict(step.report.answer) | {"success": step.report.success}
        if step.report.error is not None:
            entry["error"] = step.report.error
        output[name] = entry
    return output


def _secondary_error(
    reports: Sequence[CallReport], auxiliary: Sequence[AuxiliaryResult], undone: Undone | None
) -> str | None:
    errors = [report.secondary_error for report in reports if report.secondary_error]
    errors += [error] if undone is not None and (error := undone.error()) else []
    errors += [f"{step.tool}: {step.report.error}" for step in auxiliary if not step.report.success]
    return "; ".join(dict.fromkeys(errors)) or None


def _first_reason(shown: Sequence[Mapping[str, Any]], primary: Mapping[str, Any]) -> str | None:
    reasons = [entry.get("reason") for entry in shown] or [primary.get("reason")]
    texts = [clean_text(reason) for reason in reasons if isinstance(reason, str) and reason]
    return "; ".join(dict.fromkeys(texts)) or None


def _needs_review(
    shown: Sequence[Mapping[str, Any]],
    primary: Mapping[str, Any],
    reports: Sequence[CallReport],
    items: Sequence[FrozenItem],
) -> bool:
    if any(entry.get("outcome") == Outcome.UNKNOWN.value for entry in [*shown, primary]):
        return True
    asked = {alias for item in items for alias in item.aliases}
    strange = [entry for report in reports for entry in report.unrequested]
    return any(not asked & set(aliases(entry, None)) for entry in strange)


def _distinct(entries: Sequence[Any]) -> list[Any]:
    kept: list[Any] = []
    for entry in entries:
        if entry not in kept:
            kept.append(entry)
    return kept
