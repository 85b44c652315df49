"""Keeping what travels below what one Temporal payload may hold: 2 MB, above which a workflow would stop for ever.

What is cut is said: an entry that lost fields has ``truncated: true``. Outcomes, ids and keys are short and stay.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from confirmo.policies import json_text
from confirmo.policies.models import (
    SUMMARY_ITEMS,
    Outcome,
    PreValidationRecord,
    TransactionResult,
    TransactionState,
)
from confirmo.policies.outcomes import CallReport, ItemOutcome

PAYLOAD_BYTES = 1_500_000
"""Of an activity's answer, heartbeat details included."""
RESULT_BYTES = 1_000_000
STATE_BYTES = 1_700_000
ITEM_BYTES = 256_000
"""Of the entry of one item."""
MINIMUM_BYTES = 120
_SURELY_SMALL = 1_500
TEXT_BYTES = 64 * 1024
FIRST = (
    "item_id",
    "success",
    "outcome",
    "reason_code",
    "protocol",
    "protocolo",
    "idempotency_key",
    "attempts",
    "reason",
)
"""Fields of an entry in the order in which they are kept."""


def bytes_of(value: Any) -> int:
    """Return the bytes of a value as JSON."""
    if isinstance(value, BaseModel):
        return len(value.__pydantic_serializer__.to_json(value))
    return len(json_text.dump(value).encode())


def about_bytes(value: Any) -> int:
    """Return the bytes of a value as JSON, or a little more: of a small flat map without writing it."""
    if type(value) is not dict:
        return bytes_of(value)
    total = 2
    for name, part in value.items():
        if type(part) is str:
            total += len(name) + 6 * len(part) + 6
        elif part is None or type(part) in (bool, int, float):
            total += len(name) + 30
        else:
            return bytes_of(value)
    return total if total < _SURELY_SMALL else bytes_of(value)


def bound_entry(entry: Any, limit: int) -> Any:
    """Return an entry of at most ``limit`` bytes, or as few as its first fields need."""
    if entry is None or about_bytes(entry) <= limit:
        return entry
    if not isinstance(entry, Mapping):
        return json_text.cut(json_text.dump(entry), max(limit - 2, MINIMUM_BYTES))
    kept: dict[str, Any] = {"truncated": True}
    room = limit - bytes_of(kept)
    for name in [*(name for name in FIRST if name in entry), *(name for name in entry if name not in FIRST)]:
        value = entry[name]
        if isinstance(value, str):
            value = json_text.cut(value, max(200, limit // 4))
        cost = bytes_of({name: value})
        if name in FIRST[:3] or cost <= room:
            kept[name] = value
            room -= cost
    return kept


def bound_outcome(outcome: ItemOutcome, limit: int = ITEM_BYTES) -> ItemOutcome:
    """Return an item's outcome with its evidence below ``limit``."""
    if not outcome.conflicting and (outcome.entry is None or about_bytes(outcome.entry) <= limit):
        return outcome
    changes: dict[str, Any] = {"entry": bound_entry(outcome.entry, limit)}
    if outcome.conflicting:
        share = limit // len(outcome.conflicting)
        changes["conflicting"] = tuple(bound_entry(entry, share) for entry in outcome.conflicting)
    return outcome.model_copy(update=changes)


def bound_report(report: CallReport, limit: int = PAYLOAD_BYTES) -> CallReport:
    """Return a report of at most about ``limit`` bytes."""
    if bytes_of(report) <= limit:
        return report
    share = min(ITEM_BYTES, max(MINIMUM_BYTES, limit // 2 // max(1, len(report.items))))
    own = max(MINIMUM_BYTES, limit // 4 // max(1, len(report.results)))
    return report.model_copy(
        update={
            "items": tuple(bound_outcome(outcome, share) for outcome in report.items),
            "results": tuple(bound_entry(entry, own) for entry in report.results),
            "unrequested": tuple(bound_entry(entry, 500) for entry in report.unrequested[:200]),
            "answer": bound_entry(report.answer, limit // 8),
            "summary": bound_entry(report.summary, 20_000),
            "message": json_text.cut(report.message, TEXT_BYTES) if report.message else None,
            "raw": json_text.cut(report.raw, TEXT_BYTES) if report.raw else None,
        }
    )


def bound_result(result: TransactionResult, limit: int = RESULT_BYTES) -> TransactionResult:
    """Return a result of at most about ``limit`` bytes; every item keeps its outcome."""
    if bytes_of(result) <= limit:
        return result
    output = {name: _bound_output(part, limit) for name, part in (result.result.get("output") or {}).items()}
    text = json_text.cut(result.message, TEXT_BYTES)
    return result.model_copy(
        update={
            "result": result.result | {"output": output},
            "message": text,
            "composition": bound_entry(result.composition | {"text": text}, TEXT_BYTES * 2),
        }
    )


def _bound_output(part: Any, limit: int) -> Any:
    if not isinstance(part, Mapping) or not isinstance(part.get("results"), list):
        return bound_entry(part, limit // 4)
    share = max(MINIMUM_BYTES, limit * 3 // 4 // max(1, len(part["results"])))
    rest = {name: bound_entry(value, TEXT_BYTES) for name, value in part.items() if name != "results"}
    return rest | {"results": [bound_entry(entry, share) for entry in part["results"]]}


def bound_state(state: TransactionState, limit: int = STATE_BYTES) -> TransactionState:
    """Return a state that fits into one answer: what is least needed goes first.

    The validator's own words and older events, then fields of the result's entries, then items above
    ``SUMMARY_ITEMS``.
    """
    return sized_state(state, limit)[0]


def sized_state(state: TransactionState, limit: int = STATE_BYTES) -> tuple[TransactionState, int]:
    """Return what ``bound_state`` does, and about its bytes as JSON."""
    size = bytes_of(state)
    if size <= limit:
        return state, size
    return _cut_state(state, limit), limit


def _cut_state(state: TransactionState, limit: int) -> TransactionState:
    record = state.transaction_pre_validation
    state = state.model_copy(
        update={"transaction_pre_validation": _short(record), "events": state.events[-10:]}
    )
    if bytes_of(state) <= limit:
        return state
    if state.result is not None:
        rest = bytes_of(state.model_copy(update={"result": None}))
        result = bound_result(state.result, max(limit - rest, limit // 4))
        state = state.model_copy(update={"result": result})
    beside = bytes_of(state.model_copy(update={"items": ()}))
    # With a payload store the arguments alone may fill the answer, which then goes there with all items.
    return _fewer_items(state) if beside <= limit < bytes_of(state) else state


def _fewer_items(state: TransactionState) -> TransactionState:
    """Leave a part of long items: what failed and what is unknown first, as in the state of a larger set."""
    rank: dict[Outcome | None, int] = {Outcome.FAILED: 0, Outcome.UNKNOWN: 1}
    places = sorted(range(len(state.items)), key=lambda at: rank.get(state.items[at].outcome, 2))
    kept = tuple(state.items[at] for at in sorted(places[:SUMMARY_ITEMS]))
    omitted = state.items_omitted + len(state.items) - len(kept)
    return state.model_copy(update={"items": kept, "items_omitted": omitted})


def _short(record: PreValidationRecord | None) -> PreValidationRecord | None:
    if record is None:
        return None
    return record.model_copy(
        update={
            "result": bound_entry(record.result, 20_000),
            "requested_arguments": {},
            "resolved_arguments": {},
        }
    )
