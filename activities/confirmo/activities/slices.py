"""What is known of a slice while it runs: outcomes, evidence bytes, and whether it shall begin no new call."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from confirmo.activities.attempt import Trail
from confirmo.policies.bounding import (
    ITEM_BYTES,
    MINIMUM_BYTES,
    PAYLOAD_BYTES,
    about_bytes,
    bound_outcome,
    bound_report,
)
from confirmo.policies.calls import ExecuteItemsRequest, Pace
from confirmo.policies.doubt import report_unsent
from confirmo.policies.evidence import CallReport, ItemOutcome
from confirmo.policies.models import FrozenItem

HEARTBEAT_BYTES = 1_200_000
"""Of the evidence of a slice that may end early; the heartbeat carries ids and words beside it."""


@dataclass
class Slice:
    """What is known so far; travels in the heartbeat so that a lost worker's successor takes up from it.

    Attributes:
        share: Bytes of one item's evidence, so that the heartbeat with all of them fits into a payload; of a slice that
            may end early they follow from what is under way.
        under_way: How many calls may still bring evidence.
        not_found: Items whose call ran out of time and which the status tool does not know.
        stopped: A cancel came: what was not sent never is.
        shutdown: The worker stops: what was not sent is left to another one.
    """

    outcomes: dict[str, ItemOutcome] = field(default_factory=dict)
    trail: Trail = field(default_factory=Trail)
    share: int = PAYLOAD_BYTES
    pace: Pace | None = None
    under_way: int = 1
    reports: list[CallReport] = field(default_factory=list)
    not_found: list[FrozenItem] = field(default_factory=list)
    stopped: bool = False
    shutdown: bool = False
    bytes: int = 0
    _deadline: float = float("inf")

    @classmethod
    def of(cls, request: ExecuteItemsRequest, outcomes: dict[str, ItemOutcome], trail: Trail) -> "Slice":
        """Return the beginning of a slice, with what an earlier attempt had recorded."""
        if request.pace is None:
            return cls(outcomes, trail, PAYLOAD_BYTES // 2 // max(1, len(request.items)))
        lanes = min(request.tool.execution.max_concurrency, len(request.items))
        own = cls(outcomes, trail, pace=request.pace, under_way=max(1, lanes))
        own.bytes = sum(about_bytes(each.entry) for each in outcomes.values() if each.entry is not None)
        own._deadline = asyncio.get_running_loop().time() + request.pace.seconds
        return own

    @property
    def full(self) -> bool:
        """Whether no new call is begun."""
        if self.stopped:
            return True
        if self.pace is None:
            return False
        late = asyncio.get_running_loop().time() > self._deadline
        return late or self.shutdown or self.bytes > self.pace.bytes

    def stop(self) -> None:
        """Note that a cancel came."""
        self.stopped = True

    def record(self, report: CallReport) -> None:
        """Note what a call proved."""
        if (
            len(report.items) == 1
            and not report.unrequested
            and report.raw is None
            and report.summary is None
        ):
            self._record_one(report)
            return
        report = bound_report(report)
        self.reports.append(report)
        for outcome in report.items:
            self._keep(bound_outcome(outcome, self._share()))

    def _record_one(self, report: CallReport) -> None:
        if report.message or report.secondary_error:
            self.reports.append(report.model_copy(update={"items": ()}))
        self._keep(bound_outcome(report.items[0], self._share()))

    def _share(self) -> int:
        """Return the bytes that the next evidence may have, so that all that is under way may have as many."""
        if self.pace is None:
            return self.share
        return max(MINIMUM_BYTES, min(ITEM_BYTES, (HEARTBEAT_BYTES - self.bytes) // self.under_way))

    def _keep(self, outcome: ItemOutcome) -> None:
        self.outcomes[outcome.item_id] = outcome
        if self.pace is not None:
            self.bytes += 0 if outcome.entry is None else about_bytes(outcome.entry)
            if self.full:
                self.under_way = max(1, self.under_way - 1)

    def details(self) -> dict[str, object]:
        """Return what a heartbeat carries."""
        outcomes = [outcome.model_dump(mode="json") for outcome in self.outcomes.values()]
        return self.trail.details() | {"outcomes": outcomes}

    def report(self, items: Sequence[FrozenItem]) -> CallReport:
        """Return one report over ``items``, in their order.

        Those never sent say so after a cancel; a slice that ended early leaves them out.
        """
        known = dict(self.outcomes)
        if self.stopped or self.pace is None:
            rest = [item for item in items if item.item_id not in known]
            known |= {outcome.item_id: outcome for outcome in report_unsent(rest).items} if rest else {}
        raws = [report.raw for report in self.reports if report.raw]
        return CallReport(
            items=tuple(known[item.item_id] for item in items if item.item_id in known),
            message="\n".join(dict.fromkeys(r.message for r in self.reports if r.message)) or None,
            secondary_error="; ".join(
                dict.fromkeys(r.secondary_error for r in self.reports if r.secondary_error)
            )
            or None,
            unrequested=tuple(entry for report in self.reports for entry in report.unrequested),
            raw="\n".join(dict.fromkeys(raws))[:65_536] or None,
            summary=next((report.summary for report in self.reports if report.summary), None),
        )
