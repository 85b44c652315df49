"""A transaction as people read it: lines for pipes, a table and a bar for terminals. Every text is cleaned."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from confirmo.client.answers import TransactionSummary, status_word
from confirmo.policies.models import ItemState, Outcome, Status, TransactionResult, TransactionState
from confirmo.policies.texts import clean_text, one_line

MAX_ROWS = 30
MAX_LINES = 100
_STYLES = {Outcome.SUCCEEDED: "green", Outcome.FAILED: "red", Outcome.UNKNOWN: "yellow"}


def state_lines(state: TransactionState) -> list[str]:
    """Return a state as lines."""
    lines = [headline(state), *question_lines(state)]
    if state.progress.items_done_count or len(state.items) > MAX_LINES:
        lines.append(progress_text(state))
    shown = _shown(state.items, MAX_LINES)
    lines += [f"  {_item_text(item)}" for item in shown]
    if (more := _more(state, len(shown))) is not None:
        lines.append(f"  {more}")
    if state.result is not None:
        lines += message_lines(state.result)
    elif state.reason:
        lines.append(one_line(state.reason))
    lines += remark_lines(state)
    hint = next_step(state)
    return [*lines, hint] if hint else lines


def state_view(state: TransactionState) -> RenderableType:
    """Return a state for a terminal, with what became of it and what can be done next."""
    parts = [moving_view(state)]
    if state.result is not None:
        parts.append(Text("\n".join(message_lines(state.result))))
    elif state.reason:
        parts.append(Text(one_line(state.reason)))
    parts += [Text(line, style="yellow") for line in remark_lines(state)]
    hint = next_step(state)
    return Group(*parts, Text(hint, style="dim")) if hint else Group(*parts)


def moving_view(state: TransactionState) -> RenderableType:
    """Return what changes while a transaction is followed: question, items, counts."""
    parts: list[RenderableType] = [Text(headline(state), style="bold")]
    if state.question:
        title = f"digest {state.confirmation.digest}" if state.confirmation else ""
        parts.append(Panel(Text(clean_text(state.question)), title=title, title_align="left"))
    if state.items:
        parts += [item_table(state), _bar(state)]
    return Group(*parts)


def headline(state: TransactionState) -> str:
    """Return id, status and tool on one line."""
    asked = (
        "" if state.requested_tool_name == state.tool_name else f" (asked for {state.requested_tool_name})"
    )
    return one_line(f"{state.transaction_id}  {status_word(state)}  {state.tool_name}{asked}")


def question_lines(state: TransactionState) -> list[str]:
    """Return the open question with its digest, or nothing."""
    if not state.question:
        return []
    lines = clean_text(state.question).splitlines()
    return [*lines, f"digest: {state.confirmation.digest}"] if state.confirmation else lines


def progress_text(state: TransactionState) -> str:
    """Return the counts."""
    counts = state.progress
    return (
        f"{counts.items_done_count} of {counts.items_count} done: {counts.items_succeeded_count} succeeded, "
        f"{counts.items_failed_count} failed, {counts.items_unknown_count} unknown"
    )


def message_lines(result: TransactionResult) -> list[str]:
    """Return what happened, as the product says it."""
    return clean_text(result.message).splitlines() or [result.transaction_status.value]


def remark_lines(state: TransactionState) -> list[str]:
    """Return what a person should know beside the message: left out, uncertain, linked."""
    lines: list[str] = []
    if state.ignored_arguments:
        lines.append(one_line(f"ignored, not arguments of this tool: {', '.join(state.ignored_arguments)}"))
    if state.redrive_of:
        lines.append(one_line(f"redrive of {state.redrive_of}"))
    if state.redriven_as:
        lines.append(one_line(f"redriven as {state.redriven_as}"))
    if state.result is not None and state.result.metadata.get("needs_review"):
        lines.append("needs review: look at what is not certain before anything is repeated")
    return lines


def next_step(state: TransactionState) -> str | None:
    """Return what can be done now, or null."""
    id = state.transaction_id
    if state.status is Status.AWAITING_CONFIRMATION and state.question:
        return f"next: confirmo confirm {id} · confirmo reject {id}"
    if state.status is Status.COLLECTING_PARAMETERS:
        return f"next: confirmo provide {id} --arguments JSON"
    unknown = state.progress.items_unknown_count or any(
        item.outcome is Outcome.UNKNOWN for item in state.items
    )
    if unknown and not state.redriven_as:
        redrive = f"confirmo redrive {id}"
        return f"next: {redrive} --unknown · {redrive} --resolve ID=succeeded|failed --note TEXT"
    return None


def entry_line(entry: Mapping[str, Any]) -> str:
    """Return an item with its evidence on one line."""
    said = entry.get("outcome") or ("open" if entry.get("eligible", True) else "not eligible")
    named = next(
        (entry[name] for name in ("subject", "name", "label") if isinstance(entry.get(name), str)), ""
    )
    facts = [entry.get("protocol") or entry.get("protocolo"), entry.get("reason")]
    parts = [str(entry.get("item_id", "")), named if named != entry.get("item_id") else "", *facts]
    return one_line(f"{said:<12} " + "  ".join(str(part) for part in parts if part), 300)


def summary_lines(found: Sequence[TransactionSummary]) -> list[str]:
    """Return a list, one transaction per line."""
    rows = [
        (
            row.transaction_id,
            row.status or "?",
            row.tool_name or "?",
            row.tenant or "?",
            row.outcome or "-",
            row.started_at,
        )
        for row in found
    ]
    return ["  ".join(one_line(cell, 100) for cell in row) for row in rows]


def item_table(state: TransactionState) -> Table:
    """Return the items with their outcomes; of many, those that did not succeed first."""
    table = Table(box=None, pad_edge=False)
    for column in ("item", "outcome", "reason"):
        table.add_column(column, overflow="fold")
    rows = _shown(state.items, MAX_ROWS)
    for item in rows:
        outcome = Text(_outcome_text(item), style=_STYLES.get(item.outcome, "dim") if item.outcome else "dim")
        table.add_row(Text(one_line(item.label)), outcome, Text(one_line(item.reason or "")))
    if (more := _more(state, len(rows))) is not None:
        table.add_row(Text(more, style="dim"), "", "")
    return table


def _shown(items: Sequence[ItemState], limit: int) -> Sequence[ItemState]:
    """Return at most ``limit`` items; of more, what is unknown and what failed first."""
    if len(items) <= limit:
        return items
    order = (Outcome.UNKNOWN, Outcome.FAILED, None, Outcome.SUCCEEDED)
    return sorted(items, key=lambda item: order.index(item.outcome))[:limit]


def _more(state: TransactionState, shown: int) -> str | None:
    more = len(state.items) + state.items_omitted - shown
    return f"and {more} more: confirmo items {state.transaction_id}" if more else None


def _bar(state: TransactionState) -> RenderableType:
    counts = state.progress
    bar = ProgressBar(total=max(counts.items_count, 1), completed=counts.items_done_count, width=40)
    grid = Table.grid(padding=(0, 1))
    grid.add_row(bar, Text(progress_text(state)))
    return grid


def _outcome_text(item: ItemState) -> str:
    if item.outcome is not None:
        return item.outcome.value
    return "open" if item.eligible else "not eligible"


def _item_text(item: ItemState) -> str:
    reason = f" ({one_line(item.reason)})" if item.reason else ""
    return f"{_outcome_text(item):<12} {one_line(item.label)}{reason}"
