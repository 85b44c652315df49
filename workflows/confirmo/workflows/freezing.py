"""Freezing the set: its items, and whether there is anything to do or too much."""

from typing import Any

from confirmo.policies import items as item_rules
from confirmo.policies.amending import without_items
from confirmo.policies.events import EventName
from confirmo.policies.models import FrozenItem, ReasonCode, Status
from confirmo.policies.questions import clean_text
from confirmo.policies.tool_spec import ToolSpec
from confirmo.policies.wording import say
from confirmo.workflows.book import Book
from confirmo.workflows.steps import Next


def freeze(
    book: Book, tool: ToolSpec, arguments: dict[str, Any], resolved: list[Any] | None, *, must: bool
) -> Next:
    """Freeze the set; closes where nothing may be executed or it is too large."""
    book.items_resolved = resolved is not None
    items = item_rules.items_from(arguments, resolved, tool)
    book.arguments = without_items(tool, arguments, items, book.removed_ids)
    book.must_confirm = tool.require_confirmation or must
    if nothing_to_do(book, items, resolved):
        return Next.CLOSED
    book.arguments = item_rules.shown_arguments(tool, book.arguments, book.items, book.items_resolved)
    policy = book.policies[tool.name]
    limits = policy.max_items, policy.payload_bytes, policy.sizes
    if item_rules.too_large(book.arguments, book.items, *limits):
        return _too_large(book, len(book.items))
    return Next.FROZEN


def _too_large(book: Book, count: int) -> Next:
    book.items = ()
    reason = say("too_large", book.language, count=str(count))
    book.close(Status.BLOCKED, EventName.BLOCKED, reason, ReasonCode.TOO_LARGE)
    return Next.CLOSED


def oversized(book: Book, tool: ToolSpec, arguments: dict[str, Any], resolved: list[Any] | None) -> bool:
    """Close where the set is too large even to look at: one workflow task has two seconds."""
    limit = book.policies[tool.name].max_items
    count = item_rules.largest_list(arguments, resolved)
    if count <= limit:
        return False
    _too_large(book, count)
    return True


def nothing_to_do(book: Book, items: tuple[FrozenItem, ...], resolved: list[Any] | None) -> bool:
    """Note the items; close where there is a set of which none may be executed."""
    locale = book.language
    kept = book.kept_ids
    book.items = tuple(
        item
        for item in items
        if item.item_id not in book.removed_ids and (kept is None or item.item_id in kept)
    )
    if (resolved is None and not items) or any(item.eligible for item in book.items):
        return False
    reasons = [clean_text(item.reason) for item in book.items if item.reason]
    code = ReasonCode.NOT_ELIGIBLE if book.items else ReasonCode.NOTHING_TO_DO
    reason = "; ".join(dict.fromkeys(reasons)) or say("nothing_to_do", locale)
    book.close(Status.OUT_OF_SCOPE, EventName.PREVALIDATION_REJECTED, reason, code)
    return True
