"""What a validator said, kept for audit and told as events."""

from typing import Any

from confirmo.policies.events import EventName
from confirmo.policies.models import PreValidationRecord
from confirmo.policies.prevalidation import Verdict, VerdictKind
from confirmo.policies.tool_spec import ToolSpec
from confirmo.workflows.book import Book


def record_passed(
    book: Book,
    verdict: Verdict,
    tool: ToolSpec,
    target: ToolSpec,
    requested: dict[str, Any],
    resolved: dict[str, Any],
    dropped: tuple[str, ...],
) -> None:
    """Keep a verdict that passed, with what was asked first and what came of it."""
    first = book.pre_validation
    record(book, verdict, tool)
    changed = target.name != tool.name
    assert book.pre_validation is not None
    book.pre_validation = book.pre_validation.model_copy(
        update={
            "requested_arguments": first.requested_arguments if first else requested,
            "resolved_arguments": resolved,
            "ignored_arguments": dropped,
            "effective_tool_name": target.name,
            "action_changed": verdict.action_changed or changed or bool(first and first.action_changed),
            "requires_reconfirmation": verdict.requires_reconfirmation or changed,
            "confirmation_message": verdict.confirmation_message
            or (first.confirmation_message if first else None),
        }
    )
    book.ignored = tuple(dict.fromkeys((*book.ignored, *dropped)))


def emit_passed(book: Book, tool: ToolSpec, target: ToolSpec) -> None:
    """Tell that a validator let a tool pass."""
    book.emit(
        EventName.PREVALIDATION_PASSED,
        validator_tool=tool.pre_validation.tool,
        effective_tool_name=target.name,
        action_changed=target.name != tool.name,
    )


def record(
    book: Book, verdict: Verdict, tool: ToolSpec, *, terminal: bool = False, bypassed: bool = False
) -> None:
    """Keep a verdict."""
    eligible = {VerdictKind.PASSED: True, VerdictKind.REJECTED: False, VerdictKind.NEEDS_PARAMETER: False}
    book.pre_validation = PreValidationRecord(
        tool_name=tool.name,
        validator_tool=tool.pre_validation.tool or "",
        eligible=eligible.get(verdict.kind, None if bypassed else False),
        status=verdict.status,
        reason=verdict.reason,
        error=verdict.error,
        terminal=terminal,
        bypassed=bypassed,
        result=verdict.result,
        requested_arguments=book.arguments,
        effective_tool_name=tool.name,
    )
