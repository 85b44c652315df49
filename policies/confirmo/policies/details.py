"""What a person sees of a transaction in the Temporal UI: markdown of at most 20 KB."""

from confirmo.policies.models import ItemState, Outcome, TransactionState

MAX_ITEMS_SHOWN = 50
MAX_CHARACTERS = 18_000
_MARKS = {Outcome.SUCCEEDED: "✅", Outcome.FAILED: "❌", Outcome.UNKNOWN: "❓"}


def markdown_details(state: TransactionState) -> str:
    """Return the current details: status, question, items with their outcomes, counts."""
    lines = [f"**{state.status.value}** · `{state.tool_name}`"]
    if state.requested_tool_name != state.tool_name:
        lines.append(f"asked for as `{state.requested_tool_name}`")
    if state.question:
        lines += ["", *(f"> {line}" for line in state.question.splitlines())]
    if state.reason:
        lines += ["", f"Reason: {_cell(state.reason)}"]
    if state.items:
        lines += ["", *_item_table(state)]
    if state.result and state.result.message:
        lines += ["", *(f"> {line}" for line in state.result.message.splitlines())]
    return "\n".join(lines)[:MAX_CHARACTERS]


def _item_table(state: TransactionState) -> list[str]:
    counts = state.progress
    rows = ["| | item | outcome | reason |", "|---|---|---|---|"]
    rows += [_row(item) for item in state.items[:MAX_ITEMS_SHOWN]]
    if len(state.items) > MAX_ITEMS_SHOWN:
        rows.append(f"| | and {len(state.items) - MAX_ITEMS_SHOWN} more | | |")
    rows.append("")
    rows.append(
        f"{counts.items_done_count} of {counts.items_count} done: {counts.items_succeeded_count} succeeded, "
        f"{counts.items_failed_count} failed, {counts.items_unknown_count} unknown"
    )
    return rows


def _row(item: ItemState) -> str:
    mark = _MARKS[item.outcome] if item.outcome else ("·" if item.eligible else "⛔")
    outcome = item.outcome.value if item.outcome else ("" if item.eligible else "not eligible")
    return f"| {mark} | {_cell(item.label)} | {outcome} | {_cell(item.reason or '')} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")[:200]
