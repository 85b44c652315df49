"""From arguments to a frozen set: policy, collection, pre-validation, re-targeting.

Sequences and waits only; every rule is a function of ``confirmo.policies``.
"""

from typing import Any

from confirmo.policies import items as item_rules
from confirmo.policies import prevalidation as rules
from confirmo.policies.amending import without_items
from confirmo.policies.arguments import collect
from confirmo.policies.events import EventName
from confirmo.policies.models import ReasonCode, Status
from confirmo.policies.prevalidation import VerdictKind
from confirmo.policies.redriving import excluded_ids
from confirmo.policies.tool_spec import ToolSpec
from confirmo.workflows.book import Book
from confirmo.workflows.collecting import check_collected
from confirmo.workflows.freezing import freeze, nothing_to_do, oversized
from confirmo.workflows.resolving import find_tool, target_of
from confirmo.workflows.steps import Next
from confirmo.workflows.validating import not_passed, opens, validate
from confirmo.workflows.verdicts import emit_passed, record, record_passed


class Preparation:
    """Brings a book from its given arguments to a frozen set, asking for parameters where they are missing."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._keep_decision = False

    async def run(self, *, keep_decision: bool = False) -> bool:
        """Return whether a set is frozen in the book; false where the transaction was closed instead.

        Args:
            keep_decision: The person already said yes and the set is only validated anew; their question stays on
                record until another one is asked.
        """
        self._keep_decision = keep_decision
        while not self._book.closed:
            self._book.changed = False
            step = await self._attempt()
            if self._book.cancel_requested and not self._book.closed:
                self._cancelled()
            elif step is Next.FROZEN and not self._book.changed:
                return True
        return False

    def _cancelled(self) -> None:
        book = self._book
        book.close(Status.CANCELLED, EventName.CANCELLED, book.cancel_reason, ReasonCode.CANCELLED)

    async def _attempt(self) -> Next:
        book = self._book
        book.move(Status.VALIDATING)
        book.pre_validation, book.question = None, None
        if not self._keep_decision:
            book.confirmation, book.decided, book.deadline = None, None, None
            book.asking = None
        book.missing, book.invalid, book.ignored = (), (), ()
        tool = await self.requested_tool()
        if tool is None:
            return Next.CLOSED
        self._narrow(tool)
        return await self._settle(tool)

    async def requested_tool(self) -> ToolSpec | None:
        """Return the requested tool's frozen policy, or close as ``BLOCKED``."""
        return await find_tool(self._book, self._book.request.tool_name, is_target=False)

    def _narrow(self, tool: ToolSpec) -> None:
        """In a redrive, leave only the items that it is for; once."""
        book, redrive = self._book, self._book.request.redrive
        if redrive is None or redrive.whole_call or book.kept_ids is not None:
            return
        book.kept_ids = frozenset(redrive.item_ids)
        book.removed_ids = excluded_ids(redrive)
        book.given = without_items(tool, book.given, redrive.known_items, book.removed_ids)

    async def _settle(self, tool: ToolSpec) -> Next:
        """Walk from the requested tool to the one that will run: at most ``MAX_HOPS`` re-targetings."""
        book = self._book
        raw: dict[str, Any] = book.given
        resolved_items: list[Any] | None = None
        reconfirm, hops = False, 0
        while True:
            book.tool = tool
            if oversized(book, tool, raw, resolved_items):
                return Next.CLOSED
            collected = collect(raw, tool, book.language)
            step = await check_collected(book, collected, tool)
            if step is not None:
                return step
            if not tool.pre_validation.enabled:
                return freeze(book, tool, collected.arguments, resolved_items, must=reconfirm)
            verdict = await validate(book, tool, collected.arguments)
            if verdict is None:
                return Next.AGAIN
            if verdict.kind is not VerdictKind.PASSED:
                if opens(book, verdict, tool):
                    return freeze(book, tool, collected.arguments, resolved_items, must=reconfirm)
                return await not_passed(book, verdict, tool)
            target = await target_of(book, verdict, tool, hops)
            if target is None:
                record(book, verdict, tool, terminal=True)
                return Next.CLOSED
            # What only the target declares, such as an argument that was asked for on its behalf, is still as given.
            known = {n: v for n, v in book.given.items() if tool.argument(n) is None} | collected.arguments
            raw, items, dropped = rules.resolve_arguments(known, verdict.resolved_arguments, target)
            book.ignored = tuple(name for name in book.ignored if target.argument(name) is None)
            resolved_items = items if items is not None else resolved_items
            record_passed(book, verdict, tool, target, collected.arguments, raw, dropped)
            if oversized(book, target, raw, resolved_items):
                return Next.CLOSED
            if nothing_to_do(book, item_rules.items_from(raw, resolved_items, target), resolved_items):
                closed = {"eligible": False, "terminal": True}
                book.pre_validation = book.pre_validation and book.pre_validation.model_copy(update=closed)
                return Next.CLOSED
            emit_passed(book, tool, target)
            reconfirm = reconfirm or verdict.requires_reconfirmation or target.name != tool.name
            if target.name == tool.name:
                collected = collect(raw, tool, book.language)
                step = await check_collected(book, collected, tool)
                return step or freeze(book, tool, collected.arguments, resolved_items, must=reconfirm)
            book.emit(EventName.RETARGETED, target_tool=target.name)
            tool, hops = target, hops + 1
