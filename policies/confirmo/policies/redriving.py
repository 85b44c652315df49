"""Taking up an earlier transaction: which items, with which keys, and what an operator found out."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from confirmo.policies.identity import normalise
from confirmo.policies.models import (
    FrozenItem,
    ItemState,
    Outcome,
    Redrive,
    Resolution,
    Status,
    TransactionResult,
    TransactionState,
)
from confirmo.policies.outcomes import Known

MAX_REDRIVES = 20
OUTCOMES = {"succeeded": Outcome.SUCCEEDED, "failed": Outcome.FAILED}


class NothingToRedriveError(ValueError):
    """The earlier transaction leaves nothing to take up; the text says why."""


def redrive_id(transaction_id: str, plan: Redrive, number: int = 1) -> str:
    """Return the id of the ``number``-th transaction that takes up another one in this way.

    What executes again, what only records, and what undoes have ids of their own; two that execute again never do.
    """
    kind = "undo" if plan.mode == "undo" else "resolved" if is_side_record(plan) else "r"
    return next(islice(later_ids(transaction_id, kind), number - 1, None))


def later_ids(transaction_id: str, kind: str) -> Iterator[str]:
    """Yield the ids that transactions of one kind may have that take up another one: ``TX-r``, ``TX-r2`` and so on."""
    return (f"{transaction_id}-{kind}{number if number > 1 else ''}" for number in range(1, MAX_REDRIVES + 1))


def is_side_record(plan: Redrive) -> bool:
    """Whether it only undoes or records, so that the earlier transaction is still the one to be taken up."""
    return plan.mode == "undo" or not (plan.item_ids or plan.whole_call)


def same_plan(one: Redrive | None, other: Redrive) -> bool:
    """Whether two redrives do the same."""
    return one is not None and _what(one) == _what(other)


def _what(plan: Redrive) -> tuple[Any, ...]:
    found = {resolution.item_id: resolution.outcome for resolution in plan.resolutions}
    return plan.of, plan.mode, plan.whole_call, plan.item_ids, plan.verify_item_ids, found


def excluded_ids(redrive: Redrive) -> set[str]:
    """Return the earlier items that shall not be acted on."""
    return {item.item_id for item in redrive.known_items} - set(redrive.item_ids)


def resolved_items(redrive: Redrive) -> tuple[FrozenItem, ...]:
    """Return the items that an operator has resolved, in the earlier order."""
    resolved = {resolution.item_id for resolution in redrive.resolutions}
    return tuple(item for item in redrive.known_items if item.item_id in resolved)


def resolved_outcomes(redrive: Redrive) -> dict[str, Known]:
    """Return the outcome of each resolved item, by the operator's word."""
    return {
        resolution.item_id: Known(OUTCOMES[resolution.outcome], reason=resolution.note)
        for resolution in redrive.resolutions
    }


def resolution_marks(redrive: Redrive) -> dict[str, dict[str, Any]]:
    """Return what is added to a resolved item's entry: who said it and when, beside what the tool had said."""
    return {
        resolution.item_id: {
            "resolution": resolution.model_dump(mode="json", exclude={"item_id"}),
            "tool_result": redrive.entries.get(resolution.item_id),
        }
        for resolution in redrive.resolutions
    }


def plan_redrive(
    state: TransactionState,
    result: TransactionResult | None,
    earlier: Redrive | None,
    *,
    unknown: bool = False,
    undo: bool = False,
    resolutions: Sequence[Resolution] = (),
    recorded: Sequence[Resolution] = (),
    undone: Mapping[str, Outcome] | None = None,
) -> Redrive:
    """Return what a new transaction takes up.

    Args:
        state: The earlier transaction's last state.
        result: Its result; null where it was terminated. What it had begun and not recorded counts as unknown then.
        earlier: What the earlier one had taken up itself.
        unknown: Items that nobody can say of are taken up as well.
        undo: Take up what succeeded, to undo it.
        resolutions: What an operator found out about unknown items.
        recorded: What was recorded so before.
        undone: What became of undoing, by item id; only what was certainly not undone is undone again.

    Raises:
        NothingToRedriveError: Nothing is left, a resolution names an item that is not unknown, or it is still open.
    """
    if result is None and state.status in (Status.COLLECTING_PARAMETERS, Status.VALIDATING):
        raise NothingToRedriveError("It never had a confirmed set; start it again instead.")
    entries = _with_recorded(_entries(state, result), recorded)
    root = earlier.root if earlier else state.transaction_id
    shown = {item.item_id: item for item in state.items}
    known = tuple(_item(shown.get(item_id), item_id, entry) for item_id, entry in entries.items())
    base = Redrive(of=state.transaction_id, root=root, known_items=known)
    if undo:
        return _undo(base, entries, undone or {})
    if not entries:
        if resolutions:
            raise NothingToRedriveError(
                "--resolve names items, and this transaction has none: its one call is taken up with --unknown."
            )
        return _whole_call(base, state, result, unknown)
    return _retry(base, entries, unknown, resolutions)


def _with_recorded(
    entries: Mapping[str, dict[str, Any]], recorded: Sequence[Resolution]
) -> dict[str, dict[str, Any]]:
    words = {each.item_id: OUTCOMES[each.outcome].value for each in recorded}
    return {
        item_id: entry | {"outcome": words[item_id]} if item_id in words else entry
        for item_id, entry in entries.items()
    }


def _retry(
    base: Redrive, entries: Mapping[str, Mapping[str, Any]], unknown: bool, resolutions: Sequence[Resolution]
) -> Redrive:
    doubtful = [item_id for item_id, entry in entries.items() if entry["outcome"] == Outcome.UNKNOWN.value]
    strange = [resolution.item_id for resolution in resolutions if resolution.item_id not in doubtful]
    if strange:
        raise NothingToRedriveError(
            "--resolve names an item whose outcome is not UNKNOWN; look at its result."
        )
    resolved = {resolution.item_id for resolution in resolutions}
    failed = [item_id for item_id, entry in entries.items() if entry["outcome"] == Outcome.FAILED.value]
    again = [item_id for item_id in doubtful if item_id not in resolved] if unknown else []
    if resolutions and not unknown:
        failed = []
    chosen = set(failed) | set(again)
    if not chosen and not resolutions:
        hint = " Some are UNKNOWN: use --unknown or --resolve." if doubtful else ""
        raise NothingToRedriveError(f"No item of it has failed.{hint}")
    return base.model_copy(
        update={
            "item_ids": tuple(item_id for item_id in entries if item_id in chosen),
            "verify_item_ids": tuple(again),
            "known_items": tuple(item.model_copy(update={"data": {}}) for item in base.known_items),
            "entries": {item_id: entry for item_id, entry in entries.items() if item_id in resolved},
            "resolutions": tuple(resolutions),
        }
    )


def _undo(base: Redrive, entries: Mapping[str, Mapping[str, Any]], undone: Mapping[str, Outcome]) -> Redrive:
    done = {item_id for item_id, entry in entries.items() if entry["outcome"] == Outcome.SUCCEEDED.value}
    if not done:
        raise NothingToRedriveError("No item of it has succeeded, so there is nothing to undo.")
    left = {item_id for item_id in done if undone.get(item_id, Outcome.FAILED) is Outcome.FAILED}
    if not left:
        doubt = any(undone.get(item_id) is Outcome.UNKNOWN for item_id in done)
        hint = " Of some nobody can say whether they were undone; they are not undone again." if doubt else ""
        raise NothingToRedriveError(f"What succeeded was undone already.{hint}")
    return base.model_copy(
        update={
            "mode": "undo",
            "item_ids": tuple(item_id for item_id in entries if item_id in left),
            "known_items": tuple(item for item in base.known_items if item.item_id in left),
        }
    )


def _whole_call(
    base: Redrive, state: TransactionState, result: TransactionResult | None, unknown: bool
) -> Redrive:
    output = (result.result.get("output") or {}).get(state.tool_name, {}) if result else {}
    told = [entry for entry in output.get("results") or [] if isinstance(entry, dict)]
    if any(entry.get("outcome") == Outcome.SUCCEEDED.value for entry in told):
        raise NothingToRedriveError(
            "It was one call, and part of it succeeded: making it again would do that part again. "
            "Start a new transaction for what failed."
        )
    outcome = output.get("outcome", Outcome.UNKNOWN.value if result is None else None)
    if outcome == Outcome.FAILED.value or (outcome == Outcome.UNKNOWN.value and unknown):
        return base.model_copy(update={"whole_call": True, "verify_call": outcome == Outcome.UNKNOWN.value})
    hint = " It is UNKNOWN: use --unknown." if outcome == Outcome.UNKNOWN.value else ""
    raise NothingToRedriveError(f"Nothing of it has failed in execution.{hint}")


def _entries(state: TransactionState, result: TransactionResult | None) -> dict[str, dict[str, Any]]:
    if result is not None:
        output = (result.result.get("output") or {}).get(result.tool_name, {})
        results = output.get("results", []) if isinstance(output, dict) else []
        known = {item.item_id for item in state.items}
        return {
            entry["item_id"]: entry
            for entry in results
            if entry.get("item_id") in known or ("resolution" in entry and "item_id" in entry)
        }
    begun = state.status is Status.EXECUTING
    return {
        item.item_id: {
            "item_id": item.item_id,
            "label": item.label,
            "outcome": (
                item.outcome or (Outcome.UNKNOWN if begun and item.eligible else Outcome.FAILED)
            ).value,
            "reason": item.reason,
        }
        for item in state.items
    }


def _item(shown: ItemState | None, item_id: str, entry: Mapping[str, Any]) -> FrozenItem:
    label = shown.label if shown else str(entry.get("label") or item_id)
    names = [
        normalise(name) for name in (item_id, label, entry.get("name"), entry.get("subject"), entry.get("id"))
    ]
    aliases = tuple(dict.fromkeys(name for name in names if name is not None))
    return FrozenItem(item_id=item_id, label=label, data=dict(entry), aliases=aliases)
