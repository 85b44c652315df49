"""Undoing: when it is due, with which arguments and keys, and what its evidence looks like."""

from collections.abc import Sequence
from typing import Any, Self

from confirmo.policies.evidence import CallReport
from confirmo.policies.models import FrozenItem, Outcome, Wire
from confirmo.policies.templates import render
from confirmo.policies.tool_spec import Compensation, ToolSpec


class Undone(Wire):
    """What became of a compensation.

    Attributes:
        skipped: ``rejected``, ``expired`` or ``cancelled`` where a person was asked and did not say yes.
        results: One entry per undone item, in the order in which they were undone: last first.
    """

    tool: str
    skipped: str | None = None
    results: tuple[dict[str, Any], ...] = ()

    @classmethod
    def of(cls, tool: str, reports: Sequence[tuple[FrozenItem, CallReport]]) -> Self:
        """Read the reports of the compensating calls."""
        return cls(tool=tool, results=tuple(_entry(item, report) for item, report in reports))

    @property
    def success(self) -> bool:
        """Whether every item was undone."""
        return self.skipped is None and all(entry["success"] for entry in self.results)

    @property
    def in_doubt(self) -> bool:
        """Whether nobody can say of some item."""
        return any(entry["outcome"] == Outcome.UNKNOWN.value for entry in self.results)

    def report(self) -> CallReport:
        """Return the evidence as that of a call of the compensating tool, for a transaction that only undoes."""
        outcomes = {entry["outcome"] for entry in self.results}
        unknown = Outcome.UNKNOWN.value in outcomes
        alone = Outcome(next(iter(outcomes))) if len(outcomes) == 1 else None
        attempts = max((entry["attempts"] for entry in self.results), default=0)
        return CallReport(
            outcome=Outcome.UNKNOWN if unknown else alone, results=self.results, attempts=attempts
        )

    def output(self) -> dict[str, Any]:
        """Return what goes under ``output[<compensating tool>]``."""
        skipped = {} if self.skipped is None else {"skipped": self.skipped}
        return {"success": self.success, "results": list(self.results)} | skipped

    def error(self) -> str | None:
        """Return one sentence where something was not undone, or null."""
        failed = [entry for entry in self.results if not entry["success"]]
        if not failed:
            return None
        reasons = dict.fromkeys(str(entry.get("reason") or entry["outcome"]) for entry in failed)
        return f"{self.tool}: {len(failed)} of {len(self.results)} not undone ({'; '.join(reasons)})"


def _entry(item: FrozenItem, report: CallReport) -> dict[str, Any]:
    theirs = dict(report.answer) if isinstance(report.answer, dict) else {}
    outcome = report.outcome or Outcome.UNKNOWN
    ours: dict[str, Any] = {
        "item_id": item.item_id,
        "label": item.label,
        "success": outcome is Outcome.SUCCEEDED,
        "outcome": outcome.value,
        "attempts": report.attempts,
    }
    extras = {
        "reason": report.reason,
        "reason_code": report.reason_code,
        "verified_by": report.verified_by,
        "idempotency_key": report.idempotency_key,
    }
    return theirs | ours | {key: value for key, value in extras.items() if value is not None}


def compensation_due(tool: ToolSpec, succeeded: int, items: int, cancelled: bool, on_request: bool) -> bool:
    """Whether the ``when`` of the tool's compensation holds; a request holds for every ``when``."""
    if tool.compensate is None or succeeded == 0:
        return False
    if on_request:
        return True
    if tool.compensate.when == "cancelled":
        return cancelled
    return tool.compensate.when == "partial" and succeeded < items


def undo_root(root: str, item_id: str) -> str:
    """Return what the key of undoing an item is derived from: never the same as the key of doing it."""
    return f"{root}/undo/{item_id}"


def undo_arguments(
    step: Compensation, transaction_id: str, tool_name: str, item: FrozenItem, entry: dict[str, Any]
) -> dict[str, Any]:
    """Return the arguments of undoing one item; what renders to null is not sent."""
    names = {
        "transaction_id": transaction_id,
        "tool_name": tool_name,
        "item_id": item.item_id,
        "label": item.label,
        "item": item.data,
        "result": entry,
    }
    rendered = render(step.arguments, names)
    return {name: value for name, value in rendered.items() if value is not None}
