"""From arguments to a frozen set: policy, collection, pre-validation, re-targeting.

Sequences and waits only; every rule is a function of ``confirmo.policies``.
"""

import asyncio
from datetime import timedelta
from enum import Enum, auto
from typing import Any

from temporalio import workflow
from temporalio.exceptions import ActivityError, is_cancelled_exception

from confirmo.policies import items as item_rules
from confirmo.policies import prevalidation as rules
from confirmo.policies.amending import without_items
from confirmo.policies.arguments import Collected, collect
from confirmo.policies.calls import PrevalidateRequest
from confirmo.policies.decisions import needs_requester
from confirmo.policies.events import EventName
from confirmo.policies.models import FrozenItem, PreValidationRecord, ReasonCode, Status
from confirmo.policies.prevalidation import Verdict, VerdictKind
from confirmo.policies.questions import clean_text, parameter_question
from confirmo.policies.redriving import excluded_ids
from confirmo.policies.tool_spec import ResolvedPolicy, ResolvePolicyRequest, ToolSpec
from confirmo.policies.wording import say
from confirmo.workflows import activity_stubs, options
from confirmo.workflows.book import Book
from confirmo.workflows.failures import handed_on


class _Next(Enum):
    FROZEN = auto()
    AGAIN = auto()
    CLOSED = auto()


def _read(task: asyncio.Task[Verdict]) -> None:
    """Read how a task ended that nobody waits for any more."""
    if not task.cancelled():
        task.exception()


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
            elif step is _Next.FROZEN and not self._book.changed:
                return True
        return False

    def _cancelled(self) -> None:
        book = self._book
        book.close(Status.CANCELLED, EventName.CANCELLED, book.cancel_reason, ReasonCode.CANCELLED)

    async def _attempt(self) -> _Next:
        book = self._book
        book.move(Status.VALIDATING)
        book.pre_validation, book.question = None, None
        if not self._keep_decision:
            book.confirmation, book.decided, book.deadline = None, None, None
            book.asking = None
        book.missing, book.invalid, book.ignored = (), (), ()
        tool = await self.requested_tool()
        if tool is None:
            return _Next.CLOSED
        self._narrow(tool)
        return await self._settle(tool)

    async def requested_tool(self) -> ToolSpec | None:
        """Return the requested tool's frozen policy, or close as ``BLOCKED``."""
        return await self._tool(self._book.request.tool_name, is_target=False)

    def _narrow(self, tool: ToolSpec) -> None:
        """In a redrive, leave only the items that it is for; once."""
        book, redrive = self._book, self._book.request.redrive
        if redrive is None or redrive.whole_call or book.kept_ids is not None:
            return
        book.kept_ids = frozenset(redrive.item_ids)
        book.removed_ids = excluded_ids(redrive)
        book.given = without_items(tool, book.given, redrive.known_items, book.removed_ids)

    async def _settle(self, tool: ToolSpec) -> _Next:
        """Walk from the requested tool to the one that will run: at most ``MAX_HOPS`` re-targetings."""
        book = self._book
        raw: dict[str, Any] = book.given
        resolved_items: list[Any] | None = None
        reconfirm, hops = False, 0
        while True:
            book.tool = tool
            if self._oversized(tool, raw, resolved_items):
                return _Next.CLOSED
            collected = collect(raw, tool, book.language)
            step = await self._check_collected(collected, tool)
            if step is not None:
                return step
            if not tool.pre_validation.enabled:
                return self._freeze(tool, collected.arguments, resolved_items, must=reconfirm)
            verdict = await self._validate(tool, collected.arguments)
            if verdict is None:
                return _Next.AGAIN
            if verdict.kind is not VerdictKind.PASSED:
                if self._opens(verdict, tool):
                    return self._freeze(tool, collected.arguments, resolved_items, must=reconfirm)
                return await self._not_passed(verdict, tool)
            target = await self._target(verdict, tool, hops)
            if target is None:
                self._record(verdict, tool, terminal=True)
                return _Next.CLOSED
            # What only the target declares, such as an argument that was asked for on its behalf, is still as given.
            known = {n: v for n, v in book.given.items() if tool.argument(n) is None} | collected.arguments
            raw, items, dropped = rules.resolve_arguments(known, verdict.resolved_arguments, target)
            book.ignored = tuple(name for name in book.ignored if target.argument(name) is None)
            resolved_items = items if items is not None else resolved_items
            self._record_passed(verdict, tool, target, collected.arguments, raw, dropped)
            if self._oversized(target, raw, resolved_items):
                return _Next.CLOSED
            if self._nothing_to_do(item_rules.items_from(raw, resolved_items, target), resolved_items):
                closed = {"eligible": False, "terminal": True}
                book.pre_validation = book.pre_validation and book.pre_validation.model_copy(update=closed)
                return _Next.CLOSED
            self._emit_passed(tool, target)
            reconfirm = reconfirm or verdict.requires_reconfirmation or target.name != tool.name
            if target.name == tool.name:
                collected = collect(raw, tool, book.language)
                step = await self._check_collected(collected, tool)
                return step or self._freeze(tool, collected.arguments, resolved_items, must=reconfirm)
            book.emit(EventName.RETARGETED, target_tool=target.name)
            tool, hops = target, hops + 1

    async def _tool(self, name: str, *, is_target: bool) -> ToolSpec | None:
        """Return the tool's frozen policy, or close as ``BLOCKED``."""
        book = self._book
        resolved = book.policies.get(name)
        if resolved is None:
            # Local: it reads the worker's memory; a way over the server would be a third of the time to the question.
            resolved = await workflow.execute_local_activity(
                activity_stubs.resolve_policy,
                ResolvePolicyRequest(tool_name=name, locale=None if is_target else book.request.locale),
                start_to_close_timeout=options.RESOLVE_TIMEOUT,
                summary="policy",
            )
            book.policies[name] = resolved
            book.search_attributes = resolved.search_attributes
        return self._allowed(name, resolved, is_target=is_target)

    def _allowed(self, name: str, resolved: ResolvedPolicy, *, is_target: bool) -> ToolSpec | None:
        book, tool, locale = self._book, resolved.tool, self._book.language
        shown = clean_text(name)[:100]
        if tool is None or not tool.enabled:
            if is_target:
                reason, code = say("target_not_allowed", locale, tool=shown), ReasonCode.TARGET_NOT_ALLOWED
            elif tool is None:
                reason, code = say("unknown_tool", locale, tool=shown), ReasonCode.UNKNOWN_TOOL
            else:
                reason, code = say("tool_disabled", locale, tool=shown), ReasonCode.TOOL_DISABLED
            book.close(Status.BLOCKED, EventName.BLOCKED, reason, code)
            return None
        asks = tool.require_confirmation or is_target
        if asks and needs_requester(tool.confirmation) and book.requester is None:
            reason = say("requester_required", locale, tool=shown)
            book.close(Status.BLOCKED, EventName.BLOCKED, reason, ReasonCode.REQUESTER_REQUIRED)
            return None
        return tool

    async def _check_collected(self, collected: Collected, tool: ToolSpec) -> _Next | None:
        """Note what was collected; ask for what is missing or invalid. Null means that all is there."""
        book = self._book
        book.arguments = collected.arguments
        book.ignored = tuple(dict.fromkeys((*book.ignored, *collected.ignored)))
        book.missing, book.invalid = collected.missing, collected.invalid
        if not collected.missing and not collected.invalid:
            return None
        question = parameter_question(tool, collected.missing, collected.invalid, book.language)
        return await self._collect(question, tool)

    async def _collect(self, question: str, tool: ToolSpec) -> _Next:
        book = self._book
        book.question = question
        book.deadline = workflow.now() + timedelta(seconds=tool.confirmation.expires_seconds)
        book.emit(
            EventName.PARAMETERS_REQUIRED, missing_count=len(book.missing), invalid_count=len(book.invalid)
        )
        book.move(Status.COLLECTING_PARAMETERS)
        try:
            await workflow.wait_condition(
                lambda: book.changed or book.cancel_requested,
                timeout=tool.confirmation.expires_seconds,
                timeout_summary="collecting expires",
            )
        except TimeoutError:
            reason = say("collecting_expired", book.language)
            book.close(Status.EXPIRED, EventName.EXPIRED, reason, ReasonCode.EXPIRED)
            return _Next.CLOSED
        return _Next.AGAIN

    async def _validate(self, tool: ToolSpec, arguments: dict[str, Any]) -> Verdict | None:
        """Ask the tool's validator; null where a cancel came first."""
        book = self._book
        validator = book.policies[tool.name].related.get(tool.pre_validation.tool or "")
        if validator is None:
            return rules.malformed("the validator is not part of the frozen policy")
        book.emit(EventName.PREVALIDATION_REQUESTED, validator_tool=validator.name)
        task = asyncio.create_task(self._ask(tool, validator, arguments))
        await workflow.wait_condition(lambda: task.done() or book.cancel_requested)
        if not task.done():
            task.add_done_callback(_read)
            task.cancel()
            return None
        return task.result()

    async def _ask(
        self, tool: ToolSpec, validator: ToolSpec, arguments: dict[str, Any], queue: str | None = None
    ) -> Verdict:
        queue = queue or self._book.policies[tool.name].queue_of(validator)
        try:
            return await workflow.execute_activity(
                activity_stubs.prevalidate,
                PrevalidateRequest(
                    transaction_id=self._book.transaction_id,
                    tool=tool,
                    validator=validator,
                    arguments=arguments,
                    hand_on=queue is None,
                ),
                task_queue=queue,
                priority=self._book.priority,
                start_to_close_timeout=options.prevalidate_timeout(tool.pre_validation, queue),
                retry_policy=options.prevalidate_retry(),
                summary=f"{validator.name}: may {tool.name} be asked?",
            )
        except ActivityError as error:
            if is_cancelled_exception(error):
                raise
            if (other := handed_on(error)) is not None:
                return await self._ask(tool, validator, arguments, other)
            return rules.unavailable(f"{validator.name} could not be asked: the attempts ran out of time")

    def _opens(self, verdict: Verdict, tool: ToolSpec) -> bool:
        """Only unavailability opens, and only where the policy says so; it is recorded and shown."""
        if verdict.kind is not VerdictKind.UNAVAILABLE or not tool.pre_validation.fail_open:
            return False
        self._record(verdict, tool, bypassed=True)
        self._book.emit(EventName.PREVALIDATION_BYPASSED, validator_tool=tool.pre_validation.tool)
        return True

    async def _not_passed(self, verdict: Verdict, tool: ToolSpec) -> _Next:
        book, locale = self._book, self._book.language
        if verdict.kind is VerdictKind.NEEDS_PARAMETER:
            return await self._ask_again(verdict, tool)
        self._record(verdict, tool, terminal=True)
        if verdict.kind is VerdictKind.REJECTED:
            reason = clean_text(verdict.reason or "") or say("not_eligible", locale)
            code = ReasonCode.NOT_ELIGIBLE
        else:
            reason, code = say("not_verified", locale), ReasonCode.PREVALIDATION_ERROR
        book.close(Status.OUT_OF_SCOPE, None, reason, code)
        book.emit(
            EventName.PREVALIDATION_REJECTED,
            validator_tool=tool.pre_validation.tool,
            status=(verdict.status or "")[:100],
            reason_code=code.value,
        )
        return _Next.CLOSED

    async def _ask_again(self, verdict: Verdict, tool: ToolSpec) -> _Next:
        book = self._book
        parameter = verdict.parameter or ""
        self._record(verdict, tool)
        book.emit(
            EventName.PREVALIDATION_PARAMETER_REJECTED,
            validator_tool=tool.pre_validation.tool,
            parameter=parameter[:100],
        )
        book.parameter_questions += 1
        if book.parameter_questions > rules.MAX_PARAMETER_QUESTIONS:
            reason = say("too_many_attempts", book.language)
            book.close(
                Status.OUT_OF_SCOPE, EventName.PREVALIDATION_REJECTED, reason, ReasonCode.TOO_MANY_ATTEMPTS
            )
            return _Next.CLOSED
        book.given.pop(parameter, None)
        book.arguments = {name: value for name, value in book.arguments.items() if name != parameter}
        book.missing = (parameter,)
        question = clean_text(verdict.parameter_message or "") or parameter_question(
            tool, book.missing, (), book.language
        )
        return await self._collect(question, tool)

    async def _target(self, verdict: Verdict, tool: ToolSpec, hops: int) -> ToolSpec | None:
        """Return the tool that the validator points at, or close as ``BLOCKED``."""
        name = verdict.target_tool or tool.name
        if name == tool.name:
            return tool
        book = self._book
        if hops >= rules.MAX_HOPS:
            reason = say("too_many_hops", book.language, tool=clean_text(name)[:100])
            book.close(Status.BLOCKED, EventName.BLOCKED, reason, ReasonCode.TARGET_NOT_ALLOWED)
            return None
        return await self._tool(name, is_target=True)

    def _record_passed(
        self,
        verdict: Verdict,
        tool: ToolSpec,
        target: ToolSpec,
        requested: dict[str, Any],
        resolved: dict[str, Any],
        dropped: tuple[str, ...],
    ) -> None:
        book = self._book
        first = book.pre_validation
        self._record(verdict, tool)
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

    def _emit_passed(self, tool: ToolSpec, target: ToolSpec) -> None:
        self._book.emit(
            EventName.PREVALIDATION_PASSED,
            validator_tool=tool.pre_validation.tool,
            effective_tool_name=target.name,
            action_changed=target.name != tool.name,
        )

    def _record(
        self, verdict: Verdict, tool: ToolSpec, *, terminal: bool = False, bypassed: bool = False
    ) -> None:
        eligible = {VerdictKind.PASSED: True, VerdictKind.REJECTED: False, VerdictKind.NEEDS_PARAMETER: False}
        self._book.pre_validation = PreValidationRecord(
            tool_name=tool.name,
            validator_tool=tool.pre_validation.tool or "",
            eligible=eligible.get(verdict.kind, None if bypassed else False),
            status=verdict.status,
            reason=verdict.reason,
            error=verdict.error,
            terminal=terminal,
            bypassed=bypassed,
            result=verdict.result,
            requested_arguments=self._book.arguments,
            effective_tool_name=tool.name,
        )

    def _freeze(
        self, tool: ToolSpec, arguments: dict[str, Any], resolved: list[Any] | None, *, must: bool
    ) -> _Next:
        book = self._book
        book.items_resolved = resolved is not None
        items = item_rules.items_from(arguments, resolved, tool)
        book.arguments = without_items(tool, arguments, items, book.removed_ids)
        book.must_confirm = tool.require_confirmation or must
        if self._nothing_to_do(items, resolved):
            return _Next.CLOSED
        book.arguments = item_rules.shown_arguments(tool, book.arguments, book.items, book.items_resolved)
        policy = book.policies[tool.name]
        if item_rules.too_large(book.arguments, book.items, policy.max_items, policy.payload_bytes):
            return self._too_large(len(book.items))
        return _Next.FROZEN

    def _too_large(self, count: int) -> _Next:
        book = self._book
        book.items = ()
        reason = say("too_large", book.language, count=str(count))
        book.close(Status.BLOCKED, EventName.BLOCKED, reason, ReasonCode.TOO_LARGE)
        return _Next.CLOSED

    def _oversized(self, tool: ToolSpec, arguments: dict[str, Any], resolved: list[Any] | None) -> bool:
        """Close where the set is too large even to look at: one workflow task has two seconds."""
        limit = self._book.policies[tool.name].max_items
        count = item_rules.largest_list(arguments, resolved)
        if count <= limit:
            return False
        self._too_large(count)
        return True

    def _nothing_to_do(self, items: tuple[FrozenItem, ...], resolved: list[Any] | None) -> bool:
        """Note the items; close where there is a set of which none may be executed."""
        book, locale = self._book, self._book.language
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
