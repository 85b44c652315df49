"""How a run ended, and what that makes of the last state that is known."""

from dataclasses import dataclass
from typing import Any

from temporalio.converter import DataConverter
from temporalio.exceptions import ApplicationError

from confirmo.client.answers import DoorStatus, TerminatedState, progress_of
from confirmo.client.connection import store_fault
from confirmo.policies.models import ItemState, Outcome, Status, TransactionResult, TransactionState
from confirmo.policies.texts import one_line
from confirmo.workflows.payload_drivers import PayloadProblem

_ENDED_FROM_OUTSIDE = {
    "workflow_execution_terminated_event_attributes": "terminated by an operator",
    "workflow_execution_timed_out_event_attributes": "the run's own timeout, set by whoever started it, was over",
    "workflow_execution_canceled_event_attributes": "cancelled before any worker took it",
}


@dataclass(frozen=True)
class Ending:
    """Exactly one of the three ways.

    Attributes:
        result: The workflow completed; null also where its result cannot be read.
        failure: The workflow failed: type and message.
        from_outside: Why the run was ended from outside.
    """

    result: TransactionResult | None = None
    failure: tuple[str | None, str] | None = None
    from_outside: str | None = None


async def ending_of(kind: str, attributes: Any, converter: DataConverter) -> Ending | None:
    """Return how a run ended by its closing event's kind and attributes, null for any other event."""
    if kind == "workflow_execution_completed_event_attributes":
        return Ending(result=await _result(attributes, converter))
    if kind == "workflow_execution_failed_event_attributes":
        return Ending(failure=await _failure(attributes, converter))
    if kind in _ENDED_FROM_OUTSIDE:
        return Ending(from_outside=one_line(getattr(attributes, "reason", "")) or _ENDED_FROM_OUTSIDE[kind])
    return None


async def _result(completed: Any, converter: DataConverter) -> TransactionResult | None:
    try:
        values = await converter.decode(completed.result.payloads)
        return TransactionResult.model_validate(values[0])
    except PayloadProblem as problem:
        raise store_fault(problem) from None
    except Exception:  # written by another converter, or by no workflow of ours
        return None


async def _failure(failed: Any, converter: DataConverter) -> tuple[str | None, str]:
    try:
        error = await converter.decode_failure(failed.failure)
    except Exception:  # a codec that is not ours
        return None, "the workflow failed, and why cannot be read here"
    if isinstance(error, ApplicationError):
        return error.type, error.message
    return type(error).__name__, one_line(str(error))


def ended_as(state: TransactionState, ending: Ending) -> TransactionState | TerminatedState:
    """Return ``state`` as it is after that end."""
    if ending.from_outside is not None:
        facts = {name: getattr(state, name) for name in type(state).model_fields}
        return TerminatedState(
            **facts | {"status": DoorStatus.TERMINATED, "question": None, "reason": ending.from_outside}
        )
    if ending.failure is not None:
        changes = {"status": Status.FAILED, "reason": ending.failure[1], "reason_code": ending.failure[0]}
        return state.model_copy(update={**changes, "question": None})
    return _completed(state, ending.result)


def _completed(state: TransactionState, result: TransactionResult | None) -> TransactionState:
    if result is None:
        return state.model_copy(update={"question": None})
    items = every = _items(state, result)
    if state.items_omitted:
        items = _shown_first(every, len(state.items))
    changes: dict[str, Any] = {
        "status": result.transaction_status,
        "tool_name": result.tool_name,
        "reason": result.reason,
        "reason_code": result.reason_code,
        "result": result,
        "question": None,
        "items": items,
        "items_omitted": len(every) - len(items),
    }
    if items:
        changes["progress"] = progress_of(every)
    return state.model_copy(update=changes)


def _items(state: TransactionState, result: TransactionResult) -> tuple[ItemState, ...]:
    """Lay the evidence over the items, and make them from it where none are known."""
    primary = result.result.get("output", {}).get(result.tool_name)
    entries = primary.get("results") if isinstance(primary, dict) else None
    proved = {
        str(entry["item_id"]): entry
        for entry in (entries if isinstance(entries, list) else [])
        if isinstance(entry, dict) and "item_id" in entry
    }
    known = {item.item_id: item for item in state.items}
    if not known or state.items_omitted:
        made = {
            item_id: ItemState(item_id=item_id, label=str(entry.get("subject") or item_id))
            for item_id, entry in proved.items()
        }
        known = made | known
    return tuple(_proved(item, proved.get(item.item_id)) for item in known.values())


def _shown_first(items: tuple[ItemState, ...], count: int) -> tuple[ItemState, ...]:
    """Return ``count`` items in their order: those that failed and those nobody knows about before the others."""
    order = (Outcome.FAILED, Outcome.UNKNOWN)
    ranked = sorted(range(len(items)), key=lambda number: items[number].outcome not in order)
    return tuple(items[number] for number in sorted(ranked[:count]))


def _proved(item: ItemState, entry: dict[str, Any] | None) -> ItemState:
    if entry is None:
        return item
    try:
        outcome = Outcome(entry.get("outcome") or "")
    except ValueError:
        return item
    reason = entry.get("reason") if outcome is not Outcome.SUCCEEDED else None
    return item.model_copy(
        update={"outcome": outcome, "reason": reason if isinstance(reason, str) else item.reason}
    )
