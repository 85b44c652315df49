"""Which tool: its policy, frozen into the history, and whether it may be called at all."""

from temporalio import workflow

from confirmo.policies import prevalidation as rules
from confirmo.policies.decisions import is_named, needs_requester
from confirmo.policies.events import EventName
from confirmo.policies.models import ReasonCode, Status
from confirmo.policies.prevalidation import Verdict
from confirmo.policies.questions import clean_text
from confirmo.policies.tool_spec import ResolvedPolicy, ResolvePolicyRequest, ToolSpec
from confirmo.policies.wording import say
from confirmo.workflows import activity_stubs, options
from confirmo.workflows.book import Book


async def find_tool(book: Book, name: str, *, is_target: bool) -> ToolSpec | None:
    """Return the tool's frozen policy, or close as ``BLOCKED``."""
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
        book.tell("policy", tool_name=name, resolved=resolved)
        book.search_attributes = resolved.search_attributes
    return _allowed(book, name, resolved, is_target=is_target)


def _allowed(book: Book, name: str, resolved: ResolvedPolicy, *, is_target: bool) -> ToolSpec | None:
    tool, locale = resolved.tool, book.language
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
    if asks and needs_requester(tool.confirmation) and not is_named(book.requester, resolved.people):
        reason = say("requester_required", locale, tool=shown)
        book.close(Status.BLOCKED, EventName.BLOCKED, reason, ReasonCode.REQUESTER_REQUIRED)
        return None
    return tool


async def target_of(book: Book, verdict: Verdict, tool: ToolSpec, hops: int) -> ToolSpec | None:
    """Return the tool that the validator points at, or close as ``BLOCKED``."""
    name = verdict.target_tool or tool.name
    if name == tool.name:
        return tool
    if hops >= rules.MAX_HOPS:
        reason = say("too_many_hops", book.language, tool=clean_text(name)[:100])
        book.close(Status.BLOCKED, EventName.BLOCKED, reason, ReasonCode.TARGET_NOT_ALLOWED)
        return None
    return await find_tool(book, name, is_target=True)
