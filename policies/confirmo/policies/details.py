"""What a person sees of a transaction in the Temporal UI: markdown of at most 20 KB."""

from confirmo.policies.models import ItemState, TransactionState

MAX_ITEMS_SHOWN = 50
MAX_CHARACTERS = 18_000


def markdown_details(state: TransactionState, requester: str | None = None) -> str:
    """Return the current details: status, who asked, the question, each item with its outcome, and the counts."""
    asked = f" · asked by **{_line(requester)}**" if requester else ""
    lines = [f"**{state.status.value}** · `{state.tool_name}`{asked}"]
    if state.requested_tool_name != state.tool_name:
        lines.append(f"asked for as `{state.requested_tool_name}`")
    if state.question:
        lines += ["", *_quoted(state.question)]
    if state.reason:
        lines += ["", f"Reason: {_line(state.reason)}"]
    if state.items:
        lines += ["", *_items(state)]
    if state.result and state.result.message:
        lines += ["", *_quoted(state.result.message)]
    return "\n".join(lines)[:MAX_CHARACTERS]


def _items(state: TransactionState) -> list[str]:
    counts = state.progress
    lines = [_item(item) for item in state.items[:MAX_ITEMS_SHOWN]]
    if (more := len(state.items) + state.items_omitted - len(lines)) > 0:
        lines.append(f"- and {more} more")
    done = f"{counts.items_done_count} of {counts.items_count} done"
    outcomes = (
        f"{counts.items_succeeded_count} succeeded, {counts.items_failed_count} failed, "
        f"{counts.items_unknown_count} unknown"
    )
    return [*lines, "", f"{done}: {outcomes}"]


def _item(item: ItemState) -> str:
    said = item.outcome.value if item.outcome else ("" if item.eligible else "not eligible")
    parts = [f"**{_line(item.label)}**", said, _line(item.reason or "")]
    return "- " + " — ".join(part for part in parts if part)


def _quoted(text: str) -> list[str]:
    return [f"> {_line(line)}" for line in text.splitlines()]


def _line(text: str) -> str:
    return " ".join(text.split()).replace("<", "&lt;").replace("*", "\\*")[:1000]
