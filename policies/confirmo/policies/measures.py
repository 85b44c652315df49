"""What is counted, and what one event counts for.

Labels are names from the files, statuses and codes: never an id, never a text that somebody typed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from confirmo.policies.events import EventName
from confirmo.policies.models import Event, Outcome, ReasonCode, Status, TransactionResult

UNRESOLVED: Final = "unresolved"
"""Stands for a tool that is not in the files: what the caller typed is no label."""


@dataclass(frozen=True)
class Metric:
    """A metric as it is exposed.

    Attributes:
        name: With its unit, and ``_total`` where it only grows.
        kind: How it is recorded.
        labels: Names of its labels.
        help: One sentence.
    """

    name: str
    kind: Literal["counter", "histogram", "gauge"]
    labels: tuple[str, ...]
    help: str


@dataclass(frozen=True)
class Measure:
    """One recording: added to a counter, observed by a histogram."""

    metric: Metric
    labels: Mapping[str, str]
    value: float = 1


@dataclass(frozen=True)
class Standing:
    """How a transaction stands in the moment of an event.

    Attributes:
        tool: The tool that will run; ``UNRESOLVED`` where none was found.
        status: As it is now.
        waited_seconds: How long its question has waited; null where none is open.
        result: Once there is one.
    """

    tool: str
    status: Status
    waited_seconds: float | None = None
    result: TransactionResult | None = None


STARTED: Final = Metric("confirmo_transactions_started_total", "counter", (), "Transactions that began.")
TRANSACTIONS: Final = Metric(
    "confirmo_transactions_total",
    "counter",
    ("tool", "status", "outcome"),
    "Transactions that are over, by how they ended.",
)
REVIEWS: Final = Metric(
    "confirmo_transactions_needing_review_total",
    "counter",
    ("tool",),
    "Transactions whose evidence a person has to look at.",
)
QUESTIONS: Final = Metric("confirmo_questions_total", "counter", ("tool",), "Questions put to a person.")
QUESTION_ENDS: Final = Metric(
    "confirmo_question_ends_total",
    "counter",
    ("tool", "how"),
    "Questions that wait no more, by what ended them.",
)
TIME_TO_CONFIRM: Final = Metric(
    "confirmo_time_to_confirm_seconds",
    "histogram",
    ("tool",),
    "From the question to the last yes that it needed.",
)
ITEMS: Final = Metric(
    "confirmo_items_total", "counter", ("tool", "outcome"), "Items of transactions that are over, by outcome."
)
UNKNOWN: Final = Metric(
    "confirmo_unknown_outcomes_total",
    "counter",
    ("tool",),
    "Items, and calls without items, that were sent and nobody can say what came of it.",
)
VALIDATIONS: Final = Metric(
    "confirmo_prevalidations_total", "counter", ("tool", "verdict"), "What asking a validator led to."
)
AUXILIARY_FAILURES: Final = Metric(
    "confirmo_auxiliary_failures_total",
    "counter",
    ("tool", "auxiliary_tool"),
    "Steps after the primary tool, and undoings, that failed.",
)
REFUSED: Final = Metric(
    "confirmo_refused_decisions_total",
    "counter",
    ("type", "door"),
    "Decisions, changes and cancels that were refused, by error type.",
)
UNREQUESTED: Final = Metric(
    "confirmo_unrequested_results_total",
    "counter",
    ("tool",),
    "Entries in answers that nobody had asked for.",
)
AWAITING: Final = Metric(
    "confirmo_awaiting_confirmation",
    "gauge",
    ("task_queue",),
    "Transactions whose question waits now, as Temporal lists them.",
)
METRICS: Final = (
    STARTED,
    TRANSACTIONS,
    REVIEWS,
    QUESTIONS,
    QUESTION_ENDS,
    TIME_TO_CONFIRM,
    ITEMS,
    UNKNOWN,
    VALIDATIONS,
    AUXILIARY_FAILURES,
    REFUSED,
    UNREQUESTED,
    AWAITING,
)
BUCKETS: Final = {
    TIME_TO_CONFIRM.name: (
        1.0,
        2.0,
        5.0,
        10.0,
        30.0,
        60.0,
        120.0,
        300.0,
        600.0,
        900.0,
        1800.0,
        3600.0,
        21600.0,
    ),
}
"""Upper bounds in seconds, by metric."""

_ENDS: Final = {
    EventName.COMPLETED: Status.COMPLETED,
    EventName.FAILED: Status.FAILED,
    EventName.REJECTED: Status.CANCELLED,
    EventName.CANCELLED: Status.CANCELLED,
    EventName.EXPIRED: Status.EXPIRED,
    EventName.BLOCKED: Status.BLOCKED,
    EventName.PREVALIDATION_REJECTED: Status.OUT_OF_SCOPE,
}
_QUESTION_ENDS: Final = {
    EventName.CONFIRMED: "confirmed",
    EventName.REJECTED: "rejected",
    EventName.EXPIRED: "expired",
    EventName.CANCELLED: "cancelled",
    EventName.AMENDED: "amended",
}
_VERDICTS: Final = {
    EventName.PREVALIDATION_PASSED: "passed",
    EventName.PREVALIDATION_BYPASSED: "bypassed",
    EventName.PREVALIDATION_PARAMETER_REJECTED: "parameter_rejected",
}
_OUTCOMES: Final = {
    Outcome.SUCCEEDED: "items_succeeded_count",
    Outcome.FAILED: "items_failed_count",
    Outcome.UNKNOWN: "items_unknown_count",
}


def outcome_word(status: Status, result: TransactionResult | None) -> str:
    """Return how a transaction ended in one word: the one of ``ConfirmoOutcome``."""
    if result is None or not result.result.get("output"):
        return status.value
    return result.multi_item_status or ("SUCCESS" if result.ok else "FAILED")


def ends_question(event: Event, standing: Standing) -> str | None:
    """Return what ends the open question; null where none is open, or it stays open."""
    if standing.waited_seconds is None:
        return None
    name = EventName(event.name)
    if name in _QUESTION_ENDS:
        return _QUESTION_ENDS[name]
    return "other" if _ends(name, standing) or name is EventName.CONFIRMATION_REQUIRED else None


def measures_of(event: Event, standing: Standing) -> Iterator[Measure]:
    """Yield what one event counts for."""
    name, tool = EventName(event.name), {"tool": standing.tool}
    if name is EventName.STARTED:
        yield Measure(STARTED, {})
    how = ends_question(event, standing)
    if how is not None:
        yield Measure(QUESTION_ENDS, tool | {"how": how})
    if how == "confirmed":
        yield Measure(TIME_TO_CONFIRM, tool, standing.waited_seconds or 0.0)
    if name is EventName.CONFIRMATION_REQUIRED:
        yield Measure(QUESTIONS, tool)
    yield from _of_calls(name, event.model_extra or {}, tool)
    if _ends(name, standing):
        yield from _of_end(event.model_extra or {}, standing, tool)


def refused_decision(type: str, door: Literal["update", "signal"]) -> Measure:
    """Return what a refusal counts for."""
    return Measure(REFUSED, {"type": type, "door": door})


def _ends(name: EventName, standing: Standing) -> bool:
    """Whether it is over: a cancel while executing is told, too, before the end that it leads to."""
    return _ENDS.get(name) is standing.status


def _of_calls(name: EventName, details: Mapping[str, Any], tool: dict[str, str]) -> Iterator[Measure]:
    if name in _VERDICTS:
        yield Measure(VALIDATIONS, tool | {"verdict": _VERDICTS[name]})
    elif name is EventName.PREVALIDATION_REJECTED:
        yield from _of_rejection(details.get("reason_code"), tool)
    elif name is EventName.AUXILIARY_FAILED:
        yield Measure(AUXILIARY_FAILURES, tool | {"auxiliary_tool": str(details["auxiliary_tool"])})
    elif name is EventName.UNREQUESTED_RESULT:
        yield Measure(UNREQUESTED, tool, details["count"])
    elif name is EventName.DECISION_REFUSED:
        yield refused_decision(str(details["type"]), "signal")


def _of_rejection(code: str | None, tool: dict[str, str]) -> Iterator[Measure]:
    if code == ReasonCode.PREVALIDATION_ERROR.value:
        yield Measure(VALIDATIONS, tool | {"verdict": "failed"})
    elif code != ReasonCode.TOO_MANY_ATTEMPTS.value:
        yield Measure(VALIDATIONS, tool | {"verdict": "rejected"})


def _of_end(details: Mapping[str, Any], standing: Standing, tool: dict[str, str]) -> Iterator[Measure]:
    status, result = standing.status, standing.result
    yield Measure(TRANSACTIONS, tool | {"status": status.value, "outcome": outcome_word(status, result)})
    if result is not None and result.metadata.get("needs_review"):
        yield Measure(REVIEWS, tool)
    for outcome, field in _OUTCOMES.items():
        if details.get(field):
            yield Measure(ITEMS, tool | {"outcome": outcome.value}, details[field])
    unknown = details.get(_OUTCOMES[Outcome.UNKNOWN]) or _single_unknown(details, result)
    if unknown:
        yield Measure(UNKNOWN, tool, unknown)


def _single_unknown(details: Mapping[str, Any], result: TransactionResult | None) -> int:
    """Return 1 where a call without items is in doubt."""
    if result is None or details.get("items_count"):
        return 0
    primary = (result.result.get("output") or {}).get(result.tool_name)
    return int(isinstance(primary, dict) and primary.get("outcome") == Outcome.UNKNOWN.value)
