"""The mutable record of one run: what the messages read and write, and what the outside is shown."""

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from temporalio import workflow
from temporalio.common import Priority, SearchAttributeKey

from confirmo.policies import names
from confirmo.policies.bounding import bound_state, sized_state
from confirmo.policies.decisions import Decided, Question
from confirmo.policies.details import MAX_ITEMS_SHOWN, markdown_details
from confirmo.policies.events import EventName, make_event
from confirmo.policies.evidence import Known
from confirmo.policies.item_pages import item_page, shown_first
from confirmo.policies.json_text import cut
from confirmo.policies.measures import UNRESOLVED, Standing, ends_question, measures_of, outcome_word
from confirmo.policies.models import (
    CLOSED_STATUSES,
    MAX_ACTOR_ID,
    SUMMARY_ITEMS,
    WAITING_STATUSES,
    WHOLE_SET_ITEMS,
    Actor,
    Confirmation,
    Event,
    FrozenItem,
    InvalidParameter,
    ItemPage,
    ItemsAsked,
    ItemState,
    Outcome,
    PreValidationRecord,
    Progress,
    ReasonCode,
    Status,
    TransactionRequest,
    TransactionResult,
    TransactionState,
)
from confirmo.policies.questions import clean_text
from confirmo.policies.texts import Language
from confirmo.policies.tool_spec import ConfirmationPolicy, ResolvedPolicy, ToolSpec
from confirmo.workflows.counting import count
from confirmo.workflows.task_budget import TaskBudget

KEPT_EVENTS = 50


@dataclass
class Book:
    """State of one run. Everything here is rebuilt by replay; nothing of it is read from outside."""

    transaction_id: str
    request: TransactionRequest
    status: Status = Status.VALIDATING
    given: dict[str, Any] = field(default_factory=dict)
    """Arguments as the caller gave them, with what was provided and amended since."""
    removed_ids: set[str] = field(default_factory=set)
    kept_ids: frozenset[str] | None = None
    """In a redrive: the only items that may be acted on."""
    policies: dict[str, ResolvedPolicy] = field(default_factory=dict)
    tool: ToolSpec | None = None
    """The tool that will run."""
    arguments: dict[str, Any] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    invalid: tuple[InvalidParameter, ...] = ()
    question: str | None = None
    items: tuple[FrozenItem, ...] = ()
    items_resolved: bool = False
    asking: ToolSpec | None = None
    """The tool that the last question was about."""
    confirmation: Confirmation | None = None
    deadline: datetime | None = None
    decided: Decided | None = None
    pre_validation: PreValidationRecord | None = None
    must_confirm: bool = False
    outcomes: dict[str, Known] = field(default_factory=dict)
    result: TransactionResult | None = None
    reason: str | None = None
    reason_code: str | None = None
    changed: bool = False
    """Set by a message that changes the arguments; cleared when they are validated anew."""
    cancel_requested: bool = False
    cancel_reason: str | None = None
    reject_comment: str | None = None
    executed: tuple[FrozenItem, ...] | None = None
    """The confirmed set, once effects may have begun."""
    events: deque[Event] = field(default_factory=lambda: deque(maxlen=KEPT_EVENTS))
    event_count: int = 0
    parameter_questions: int = 0
    questions: int = 0
    asked_at: datetime | None = None
    """When the open question was asked."""
    search_attributes: bool = False
    deliveries: list[asyncio.Task[None]] = field(default_factory=list)
    budget: TaskBudget = field(default_factory=TaskBudget)
    watch: Callable[[str, Mapping[str, Any]], None] | None = None
    """Told of each event, policy, question and decision by who replays a recorded history; null in a worker."""

    @property
    def closed(self) -> bool:
        """Whether the transaction is over."""
        return self.status in CLOSED_STATUSES

    @property
    def waiting(self) -> bool:
        """Whether someone outside is needed, or it is over and its result is there."""
        return (self.status in WAITING_STATUSES and not self.changed) or (
            self.closed and self.result is not None
        )

    @property
    def tool_name(self) -> str:
        """The tool that will run, or the requested one where none was found yet."""
        return self.tool.name if self.tool else self.request.tool_name

    @property
    def requested_tool(self) -> ToolSpec:
        """The tool that was asked for; it is known once arguments are collected."""
        tool = self.policies[self.request.tool_name].tool
        assert tool is not None
        return tool

    @property
    def confirmation_policy(self) -> ConfirmationPolicy:
        """The policy of the tool that is asked about, else of the one that will run."""
        tool = self.asking or self.tool
        return tool.confirmation if tool else ConfirmationPolicy()

    @property
    def webhook(self) -> bool:
        """Whether questions go to a webhook."""
        resolved = self.policies.get(self.request.tool_name)
        return resolved is not None and resolved.webhook

    @property
    def tells_end(self) -> bool:
        """Whether the webhook is told how the transaction ended."""
        resolved = self.policies.get(self.request.tool_name)
        return resolved is not None and resolved.completions

    @property
    def waits_for_deliveries(self) -> bool:
        """Whether the run ends after its deliveries, as all begun since 0.2."""
        resolved = self.policies.get(self.request.tool_name)
        return resolved is not None and resolved.waits_for_deliveries

    @property
    def people(self) -> int:
        """How people are told apart."""
        return self.policies.get(self.request.tool_name, ResolvedPolicy()).people

    @property
    def root(self) -> str:
        """What idempotency keys are derived from: the first transaction of a chain of redrives."""
        redrive = self.request.redrive
        return redrive.root if redrive is not None else self.transaction_id

    @property
    def language(self) -> Language:
        """The request's locale, with the texts that the deployment had when the transaction began."""
        resolved = self.policies.get(self.request.tool_name, ResolvedPolicy())
        return Language(self.request.locale, resolved.texts)

    @property
    def priority(self) -> Priority:
        """What the tenant's activities share workers by; the same as at the start, where our doors made it."""
        return Priority(fairness_key=names.fairness_key(self.request.tenant))

    @property
    def requester(self) -> Actor | None:
        """Who asked."""
        return self.request.requester

    def emit(self, name: EventName, **details: Any) -> None:
        """Record one transition and log it; the workflow's logger is silent on replay."""
        self.event_count += 1
        event = make_event(
            name,
            number=self.event_count,
            moment=workflow.now(),
            transaction_id=self.transaction_id,
            request=self.request,
            tool_name=self.tool_name,
            details=details,
        )
        self.events.append(event)
        self.tell("event", **event.model_dump(mode="json"))
        workflow.logger.info(name.value, extra={"confirmo_event": event.model_dump(mode="json")})
        self._measure(event)

    def _measure(self, event: Event) -> None:
        now = workflow.now()
        standing = Standing(
            tool=self.tool.name if self.tool else UNRESOLVED,
            status=self.status,
            waited_seconds=(now - self.asked_at).total_seconds() if self.asked_at else None,
            result=self.result,
        )
        count(measures_of(event, standing))
        if event.name == EventName.CONFIRMATION_REQUIRED:
            self.asked_at = now
        elif ends_question(event, standing):
            self.asked_at = None

    def tell(self, what: str, **fact: Any) -> None:
        """Tell who watches; changes nothing."""
        if self.watch is not None:
            self.watch(what, fact)

    def emit_each(self, name: EventName, details: Sequence[Mapping[str, Any]]) -> None:
        """Record one transition of each of several items; where nobody logs them, only those that are kept."""
        logged = workflow.logger.isEnabledFor(logging.INFO) and not workflow.unsafe.is_replaying()
        unseen = 0 if logged else max(0, len(details) - KEPT_EVENTS)
        self.event_count += unseen
        for detail in details[unseen:]:
            self.emit(name, **detail)

    def move(self, status: Status) -> None:
        """Change the status, and what the Temporal UI and its search show."""
        self.status = status
        self.publish()

    def begin(self) -> None:
        """Note that effects may have begun; the confirmed set does not change any more."""
        self.executed = self.selected()
        self.move(Status.EXECUTING)
        self.emit(EventName.EXECUTION_STARTED, items_count=len(self.executed))

    def close(
        self, status: Status, event: EventName | None, reason: str | None, code: ReasonCode | None
    ) -> None:
        """End the transaction before anything was executed; the first close stands."""
        if self.closed:
            return
        self.question = None
        self.reason = None if reason is None else clean_text(reason)
        self.reason_code = code.value if code else None
        self.status = status
        if event is not None:
            self.emit(event, **({"reason_code": code.value} if code else {}))

    def publish_details(self) -> None:
        """Show the current state as markdown in the Temporal UI."""
        asker = self.requester.id if self.requester else None
        workflow.set_current_details(markdown_details(self.view(MAX_ITEMS_SHOWN), asker))

    def publish(self) -> None:
        """Show the current state as markdown details and search attributes."""
        self.publish_details()
        if not self.search_attributes:
            return
        values = {names.SEARCH_STATUS: self.status.value, names.SEARCH_TOOL: self.tool_name}
        values[names.SEARCH_TENANT] = self.request.tenant
        if self.result is not None:
            values[names.SEARCH_OUTCOME] = outcome_word(self.status, self.result)
        workflow.upsert_search_attributes(
            [
                SearchAttributeKey.for_keyword(key).value_set(cut(names.search_value(value), 200))
                for key, value in values.items()
            ]
        )

    def asked(self) -> Question:
        """Return what a decision is judged by. A cancel that came first has closed it, before the driver knows."""
        begun = self.closed or self.decided is not None or self.status is Status.EXECUTING
        cancelled = self.cancel_requested and not begun
        return Question(
            status=Status.CANCELLED if cancelled else self.status,
            closed=self.closed or cancelled,
            confirmation=self.confirmation,
            decided=self.decided,
            policy=self.confirmation_policy,
            requester=self.requester,
            eligible_ids=tuple(item.item_id for item in self.items if item.eligible),
            expires_at=self.deadline,
            people=self.people,
        )

    def asked_to_change(self) -> Question:
        """Return what a change of the set is judged by: once effects may have begun, none is possible."""
        question = self.asked()
        changed = {"status": Status.EXECUTING} if self.executed is not None and not question.closed else {}
        return question.model_copy(update=changed)

    def selected(self) -> tuple[FrozenItem, ...]:
        """Return the items that belong to the confirmed set: all, or those a yes named and the ineligible ones."""
        if self.executed is not None:
            return self.executed
        chosen = self.decided.item_ids if self.decided else None
        if chosen is None:
            return self.items
        return tuple(item for item in self.items if item.item_id in chosen or not item.eligible)

    def progress(self) -> Progress:
        """Count outcomes over the confirmed set."""
        counts = Counter(outcome.outcome for outcome in self.outcomes.values())
        return Progress(
            items_count=len(self.selected()),
            items_done_count=len(self.outcomes),
            items_succeeded_count=counts[Outcome.SUCCEEDED],
            items_failed_count=counts[Outcome.FAILED],
            items_unknown_count=counts[Outcome.UNKNOWN],
        )

    def answer(self) -> TransactionState:
        """Return the state as one answer carries it: above 2 MB it would stop the workflow for ever."""
        return bound_state(self._shown())

    async def reply(self) -> TransactionState:
        """Return what answers an update, in a workflow task that has room for it."""
        state, size = sized_state(self._shown())
        await self.budget.take(size)
        return state

    def _shown(self) -> TransactionState:
        return self.view(None if len(self.items) <= WHOLE_SET_ITEMS else SUMMARY_ITEMS)

    def page(self, asked: ItemsAsked) -> ItemPage:
        """Return a part of the set with its evidence."""
        assert self.tool is not None or not self.items
        return item_page(self.tool, self.shown_set(), self.outcomes, asked, self.root)

    def shown_set(self) -> tuple[FrozenItem, ...]:
        """Return the confirmed set, and before there is one the items in question."""
        return self.executed if self.executed is not None else self.items

    def view(self, limit: int | None = None) -> TransactionState:
        """Return the state as the outside sees it, with at most ``limit`` items; null for all."""
        items = shown_first(self.items, self.outcomes, limit)
        return TransactionState(
            transaction_id=self.transaction_id,
            status=self.status,
            tool_name=self.tool_name,
            requested_tool_name=self.request.tool_name,
            arguments=self.arguments,
            ignored_arguments=self.ignored,
            missing_parameters=self.missing,
            invalid_parameters=self.invalid,
            question=self.question,
            items=tuple(self._item_state(item) for item in items),
            items_omitted=len(self.items) - len(items),
            confirmation=self.confirmation,
            transaction_pre_validation=self.pre_validation,
            progress=self.progress(),
            result=self.result,
            reason=self.reason,
            reason_code=self.reason_code,
            events=tuple(self.events),
            redrive_of=self.request.redrive.of if self.request.redrive else None,
            parameter_types=self._parameter_types(),
            tenant=self.request.tenant,
            requester=self._asker(),
            confirmation_by=self.confirmation_policy.by if self.asking or self.tool else None,
        )

    def _asker(self) -> Actor | None:
        """Return who asked as a state carries it: without roles; an id that is out of all measure names nobody."""
        known = self.requester is not None and len(self.requester.id) <= MAX_ACTOR_ID
        return Actor(id=self.requester.id) if self.requester is not None and known else None

    def _parameter_types(self) -> dict[str, str]:
        asked = [*self.missing, *(invalid.name for invalid in self.invalid)]
        specs = [self.tool.argument(name) for name in asked] if self.tool else []
        return {spec.name: spec.type for spec in specs if spec is not None}

    def _item_state(self, item: FrozenItem) -> ItemState:
        outcome = self.outcomes.get(item.item_id)
        reason = outcome.reason if outcome and outcome.reason else item.reason
        return ItemState(
            item_id=item.item_id,
            label=clean_text(item.label),
            eligible=item.eligible,
            reason=None if reason is None else clean_text(reason),
            outcome=outcome.outcome if outcome else None,
        )
