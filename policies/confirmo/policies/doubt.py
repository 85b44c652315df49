"""What a call without an answer means for its items, and which of them may be asked about.

The failure table of CONTRACT.md section 5 in code; the same table stands in ``docs/what-can-happen-to-an-item.md``.
"""

from collections.abc import Sequence

from confirmo.policies.errors import CallFailureKind
from confirmo.policies.evidence import CallReport, ItemOutcome
from confirmo.policies.models import Effect, FrozenItem, Outcome, ReasonCode
from confirmo.policies.tool_spec import ToolSpec


def report_of_failure(
    kind: CallFailureKind, reason: str, items: Sequence[FrozenItem], attempts: int, *, overdue: bool = False
) -> CallReport:
    """Return the outcome of items whose call brought no answer.

    Doubt is ``UNKNOWN``; every other kind proves that nothing was done and is ``FAILED``. Without items the report's
    own ``outcome`` says it. ``overdue`` is noted where there is doubt.
    """
    doubt = kind is CallFailureKind.DOUBT
    overdue = overdue and doubt
    outcome = Outcome.UNKNOWN if doubt else Outcome.FAILED
    code = (ReasonCode.LOST_ANSWER if doubt else ReasonCode.NOT_EXECUTED).value
    outcomes = tuple(
        ItemOutcome(
            item_id=item.item_id,
            outcome=outcome,
            reason=reason,
            reason_code=code,
            attempts=attempts,
            overdue=overdue,
        )
        for item in items
    )
    if items:
        return CallReport(items=outcomes)
    return CallReport(outcome=outcome, reason=reason, reason_code=code, attempts=attempts, overdue=overdue)


def report_overdue(status_tool: str, items: Sequence[FrozenItem]) -> CallReport:
    """Return the outcome of an unsafe call that ran out of time, that the status tool does not know (yet)."""
    reason = f"{status_tool} does not know it, but the call ran out of time and may still be under way"
    report = report_of_failure(CallFailureKind.DOUBT, reason, items, 0)
    if not items:
        return report.model_copy(update={"verified_by": status_tool})
    asked = tuple(outcome.model_copy(update={"verified_by": status_tool}) for outcome in report.items)
    return report.model_copy(update={"items": asked})


def as_retryable(report: CallReport, retry_after: float | None) -> CallReport:
    """Return the report with a note that the workflow may send again."""
    note = {"retryable": True, "retry_after": retry_after}
    if not report.items:
        return report.model_copy(update=note)
    return report.model_copy(update={"items": tuple(o.model_copy(update=note) for o in report.items)})


def report_unsent(items: Sequence[FrozenItem]) -> CallReport:
    """Return the outcome of items that were never sent, because a cancel came first."""
    code = ReasonCode.NOT_EXECUTED.value
    return CallReport(
        items=tuple(
            ItemOutcome(item_id=item.item_id, outcome=Outcome.FAILED, reason=code, reason_code=code)
            for item in items
        )
    )


def report_unsent_call() -> CallReport:
    """Return the outcome of a call without items that was never made."""
    code = ReasonCode.NOT_EXECUTED.value
    return CallReport(outcome=Outcome.FAILED, reason=code, reason_code=code)


def report_not_done(status_tool: str, items: Sequence[FrozenItem]) -> CallReport:
    """Return the outcome of a call that the status tool does not know, where no attempt is left to make it again."""
    reason = f"{status_tool} says that it did not happen, and no attempt is left"
    return report_of_failure(CallFailureKind.REJECTED, reason, items, 0)


def is_open(outcome: ItemOutcome) -> bool:
    """Whether an item's answer was lost and its status tool was not asked since."""
    return outcome.reason_code == ReasonCode.LOST_ANSWER.value and outcome.verified_by is None


def may_verify(tool: ToolSpec, status_tool: ToolSpec | None) -> bool:
    """Whether items in doubt may be asked about: an unsafe tool with a status tool."""
    return status_tool is not None and tool.execution.effect is Effect.UNSAFE


def open_items(report: CallReport, items: Sequence[FrozenItem]) -> tuple[FrozenItem, ...]:
    """Return the items of a report that are still in doubt."""
    still = {outcome.item_id for outcome in report.items if is_open(outcome)}
    return tuple(item for item in items if item.item_id in still)


def retryable_items(report: CallReport, items: Sequence[FrozenItem]) -> tuple[FrozenItem, ...]:
    """Return the items of a slice that may be sent again."""
    again = {outcome.item_id for outcome in report.items if outcome.retryable}
    return tuple(item for item in items if item.item_id in again)


def retry_delay(report: CallReport, cycle: int) -> float:
    """Return the seconds to wait before sending items of a slice again: what was asked, else half a second doubled."""
    entries: list[ItemOutcome | CallReport] = [*report.items, report]
    asked = [entry.retry_after for entry in entries if entry.retryable and entry.retry_after is not None]
    return min(max([min(0.5 * 2.0**cycle, 20.0), *asked]), 300.0)


def joined(items: Sequence[FrozenItem], *reports: CallReport) -> CallReport:
    """Return one report over ``items``, in their order, from reports over parts of them."""
    outcomes = {outcome.item_id: outcome for report in reports for outcome in report.items}
    messages = [report.message for report in reports if report.message]
    errors = [report.secondary_error for report in reports if report.secondary_error]
    return CallReport(
        items=tuple(outcomes[item.item_id] for item in items),
        message="\n".join(dict.fromkeys(messages)) or None,
        secondary_error="; ".join(dict.fromkeys(errors)) or None,
        unrequested=tuple(entry for report in reports for entry in report.unrequested),
        raw=next((report.raw for report in reports if report.raw), None),
    )


def merge_retry(first: CallReport, second: CallReport) -> CallReport:
    """Lay the report of another try over the first one.

    A try that provably sent nothing says nothing about an earlier one that left doubt: the item stays ``UNKNOWN``.
    """
    earlier = {outcome.item_id: outcome for outcome in first.items}
    kept = [
        outcome.model_copy(update={"outcome": Outcome.UNKNOWN, "reason_code": ReasonCode.LOST_ANSWER.value})
        if outcome.reason_code == ReasonCode.NOT_EXECUTED.value and is_open(earlier[outcome.item_id])
        else outcome
        for outcome in second.items
    ]
    return merge_reports(first, second.model_copy(update={"items": tuple(kept)}))


def merge_reports(first: CallReport, second: CallReport) -> CallReport:
    """Lay a later report over an earlier one: only the items that it names change."""
    later = {outcome.item_id: outcome for outcome in second.items}
    return first.model_copy(
        update={
            "items": tuple(later.get(outcome.item_id, outcome) for outcome in first.items),
            "message": second.message or first.message,
            "secondary_error": second.secondary_error or first.secondary_error,
            "unrequested": (*first.unrequested, *second.unrequested),
            "raw": second.raw or first.raw,
        }
    )
