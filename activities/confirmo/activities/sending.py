"""Sending one call for one item, for a whole set, or for none: keys, arguments, and reading what came back."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from confirmo.activities.attempt import Patience
from confirmo.activities.late_answers import Call, LateAnswers, grace_for
from confirmo.activities.tools import ListNeverEnds, Overdue, ToolServers
from confirmo.policies import names
from confirmo.policies.errors import RETRYABLE_FAILURES, CallFailed, CallFailureKind
from confirmo.policies.evidence import (
    KEY_FOLLOWS,
    CallReport,
    ItemOutcome,
    StatusVerdict,
    report_status,
)
from confirmo.policies.items import call_key, item_argument, item_key
from confirmo.policies.models import Effect, FrozenItem, Outcome, ReasonCode, ToolAnswer
from confirmo.policies.tool_spec import ToolSpec


@dataclass(frozen=True)
class Sender:
    """Calls tools of one transaction with its keys.

    Attributes:
        root: What the keys are derived from.
    """

    servers: ToolServers
    late: LateAnswers
    transaction_id: str
    root: str
    guard: Callable[[], None]
    patience: Patience = field(default_factory=Patience)

    def key(self, item: FrozenItem | None) -> str:
        """Return the item's key, or the call's own."""
        return call_key(self.root) if item is None else item_key(self.root, item.item_id)

    async def send(
        self,
        tool: ToolSpec,
        arguments: Mapping[str, Any],
        key: str,
        item_keys: Mapping[str, str] | None = None,
        claim: Callable[[], Awaitable[None]] | None = None,
    ) -> ToolAnswer:
        """Call ``tool`` once, unless an earlier attempt with this key was answered meanwhile.

        ``claim`` is awaited right before the call is sent. Raises ``CallFailed``, and what ``claim`` raises.
        """
        answer = await self.late.take(self._call(tool, key))
        if answer is not None:
            return answer
        meta: dict[str, Any] = {
            names.META_IDEMPOTENCY_KEY: key,
            names.META_TRANSACTION_ID: self.transaction_id,
        }
        if item_keys is not None:
            meta[names.META_ITEM_KEYS] = dict(item_keys)
        sent = dict(arguments)
        if await self._declares(tool, names.ARGUMENT_IDEMPOTENCY_KEY):
            sent[names.ARGUMENT_IDEMPOTENCY_KEY] = key
        timeout = tool.execution.timeout_seconds
        try:
            return await self.servers.call(
                tool.mcp_server,
                tool.name,
                sent,
                meta=meta,
                idempotency_key=key,
                timeout=timeout,
                grace=grace_for(timeout),
                guard=self.guard if claim is None else partial(self._claimed, claim),
                patience=self.patience.left(timeout),
            )
        except CallFailed as failure:
            earlier = await self.late.take(self._call(tool, key))
            if earlier is not None:
                return earlier
            if isinstance(failure, Overdue):
                self.late.keep(self._call(tool, key), failure.late)
            raise

    async def _claimed(self, claim: Callable[[], Awaitable[None]]) -> None:
        await claim()
        self.guard()

    async def late_answer(self, tool: ToolSpec, key: str, *, wait: bool) -> ToolAnswer | None:
        """Return the answer of an earlier attempt, where it came; ``wait`` waits as long as it may still come."""
        seconds = grace_for(tool.execution.timeout_seconds) if wait else 0.0
        return await self.late.take(self._call(tool, key), seconds)

    def may_still_act(self, tool: ToolSpec, key: str) -> bool:
        """Whether an earlier attempt is still under way at the server."""
        return self.late.pending(self._call(tool, key))

    def has_ended(self, tool: ToolSpec, key: str) -> bool:
        """Whether the server was seen to end an earlier attempt."""
        return self.late.ended(self._call(tool, key))

    @staticmethod
    def _call(tool: ToolSpec, key: str) -> Call:
        return tool.mcp_server, tool.name, key

    async def ask_status(
        self,
        tool: ToolSpec,
        status_tool: ToolSpec,
        item: FrozenItem | None,
        undone: FrozenItem | None = None,
        sent: Mapping[str, Any] | None = None,
    ) -> StatusVerdict:
        """Ask what became of an item (or of the call): never raises, an error leaves it unknown.

        Args:
            tool: The tool that was called.
            status_tool: The tool that is asked.
            item: The item that was sent.
            undone: For a compensating call, the item that it undoes.
            sent: Its arguments.
        """
        key = self.key(item)
        offered: dict[str, Any] = {names.ARGUMENT_IDEMPOTENCY_KEY: key}
        about, argument = item or undone, item_argument(tool)
        if about is not None:
            offered |= {"item_id": about.item_id, "item": about.data}
        if argument is not None and argument not in offered:
            if item is not None:
                offered[argument] = item.item_id if not isinstance(item.data, dict) else item.label
            elif undone is not None and argument in (sent or {}):
                offered[argument] = (sent or {})[argument]
        try:
            arguments = {
                name: value for name, value in offered.items() if await self._declares(status_tool, name)
            }
            answer = await self.servers.call(
                status_tool.mcp_server,
                status_tool.name,
                arguments,
                meta={names.META_IDEMPOTENCY_KEY: key, names.META_TRANSACTION_ID: self.transaction_id},
                idempotency_key=None,
                timeout=status_tool.execution.timeout_seconds,
                patience=self.patience.left(status_tool.execution.timeout_seconds),
            )
        except CallFailed as failure:
            return StatusVerdict(kind="unknown", reason=failure.reason)
        return report_status(answer, item, tool, status_tool.name)

    async def _declares(self, tool: ToolSpec, argument: str) -> bool:
        """Whether the catalogue or the server's input schema declares an argument of that name."""
        if tool.argument(argument) is not None:
            return True
        try:
            listings = await self.servers.tools(tool.mcp_server)
        except ListNeverEnds as cut:
            listings = cut.tools
        except CallFailed as failure:
            if failure.kind in RETRYABLE_FAILURES or tool.execution.effect is Effect.KEYED:
                # Nothing was sent yet, and a keyed tool must not be called before it is known where its key goes.
                raise CallFailed(CallFailureKind.UNREACHABLE, failure.reason, failure.retry_after) from None
            return False
        listing = next((entry for entry in listings if entry.name == tool.name), None)
        schema = listing.input_schema if listing is not None else None
        return argument in ((schema or {}).get("properties") or {})


def stamp(
    report: CallReport,
    sender: Sender,
    attempts: Mapping[str, int],
    call_attempts: int,
    *,
    leave_keys: bool = False,
) -> CallReport:
    """Add keys, unless they are to be left out, and the number of calls in which each item was sent."""
    return report.model_copy(
        update={
            "items": tuple(
                outcome.model_copy(
                    update={
                        "idempotency_key": KEY_FOLLOWS
                        if leave_keys
                        else item_key(sender.root, outcome.item_id),
                        "attempts": attempts.get(outcome.item_id, call_attempts),
                    }
                )
                for outcome in report.items
            ),
            "attempts": call_attempts,
            "idempotency_key": call_key(sender.root) if not report.items else None,
        }
    )


def verified_outcome(item: FrozenItem, verdict: StatusVerdict, status_tool: str) -> ItemOutcome:
    """Return the outcome that a status tool proved, or an ``UNKNOWN`` that says it was asked."""
    if verdict.outcome is not None:
        return verdict.outcome
    return ItemOutcome(
        item_id=item.item_id,
        outcome=Outcome.UNKNOWN,
        reason=verdict.reason,
        reason_code=ReasonCode.LOST_ANSWER.value,
        verified_by=status_tool,
    )


def single_status_report(verdict: StatusVerdict, status_tool: str) -> CallReport:
    """Return what a status tool said about a call without items."""
    outcome = verdict.outcome
    return CallReport(
        outcome=outcome.outcome if outcome else Outcome.UNKNOWN,
        reason=outcome.reason if outcome else verdict.reason,
        reason_code=(outcome.reason_code if outcome else ReasonCode.LOST_ANSWER.value),
        answer=outcome.entry if outcome else None,
        verified_by=status_tool,
    )


def sent_by(failure: CallFailed) -> int:
    """Return whether the failed call counts as one in which the item was sent: all but those never sent."""
    return 0 if failure.kind is CallFailureKind.UNREACHABLE else 1


def keys_of(sender: Sender, items: Sequence[FrozenItem]) -> dict[str, str]:
    """Map each item's id to its key."""
    return {item.item_id: sender.key(item) for item in items}
