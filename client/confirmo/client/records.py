"""What a history shows of a transaction, without any worker: how it started, what was asked, how it ended."""

import re
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

from pydantic import ValidationError
from temporalio.api.common.v1 import Payloads
from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import Client
from temporalio.converter import DataConverter, WorkflowSerializationContext

from confirmo.client.answers import TerminatedState, progress_of
from confirmo.client.connection import store_fault
from confirmo.client.ending import Ending, ended_as, ending_of
from confirmo.policies import names
from confirmo.policies.calls import ConfirmationRequest
from confirmo.policies.models import (
    Approval,
    Confirmation,
    ItemState,
    Outcome,
    Status,
    TransactionRequest,
    TransactionState,
)
from confirmo.policies.outcomes import CallReport, ItemOutcome
from confirmo.workflows.payload_drivers import PayloadProblem

_RETRY: Final = re.compile(r"-retry-[0-9]+$")
_UNDO: Final = re.compile(r"undo-([0-9]+)")


@dataclass
class Record:
    """Facts read from one history.

    Attributes:
        request: What the run was started with, null where it is no request.
        seen: The last state that an update answered with.
        asked: The last question that was delivered since.
        approvals: Digest of a question and the yes that a worker took for it.
        outcomes: What calls proved, by item id.
        begun: Whether any call of the primary tool was handed to a worker.
        undone: What is known of undoing calls, by the item's number from 1; unknown until a call proved something.
        ending: How the run ended, null while it is open.
    """

    transaction_id: str
    request: TransactionRequest | None = None
    seen: TransactionState | None = None
    asked: ConfirmationRequest | None = None
    approvals: list[tuple[str, Approval]] = field(default_factory=list)
    outcomes: dict[str, ItemOutcome] = field(default_factory=dict)
    begun: bool = False
    undone: dict[int, Outcome] = field(default_factory=dict)
    ending: Ending | None = None

    @property
    def open(self) -> bool:
        """Whether the run has not ended."""
        return self.ending is None

    def state(self) -> TransactionState | TerminatedState:
        """Return the state that these facts add up to."""
        known = self._asked(self.seen or self._started())
        items = tuple(self._item(item) for item in known.items)
        shown = {item.item_id for item in items} if known.items_omitted else self.outcomes.keys()
        beside = [outcome.outcome for id, outcome in self.outcomes.items() if id not in shown]
        progress = progress_of(items, known.items_omitted, beside)
        known = known.model_copy(update={"items": items, "progress": progress} | self._whose())
        return known if self.ending is None else ended_as(known, self.ending)

    def _whose(self) -> dict[str, Any]:
        """Return whose it is: a state that an older worker answered with does not tell."""
        if self.request is None:
            return {}
        return {"tenant": self.request.tenant, "requester": self.request.requester}

    def _started(self) -> TransactionState:
        request = self.request or TransactionRequest(tool_name="")
        return TransactionState(
            transaction_id=self.transaction_id,
            status=Status.VALIDATING,
            tool_name=request.tool_name,
            requested_tool_name=request.tool_name,
            arguments=request.arguments,
        )

    def _asked(self, known: TransactionState) -> TransactionState:
        """Lay the last delivered question over a state that is older than it."""
        asked, confirmation = self.asked, known.confirmation
        if asked is not None and (confirmation is None or confirmation.digest != asked.digest):
            confirmation = Confirmation.model_validate(asked.model_dump())
            changes = {
                "tool_name": asked.tool_name,
                "question": asked.message,
                "status": Status.AWAITING_CONFIRMATION,
                "confirmation_by": None,  # the question may be about another tool, and does not say
            }
            known = known.model_copy(update=changes)
        if confirmation is None:
            return known
        approvals = tuple(approval for digest, approval in self.approvals if digest == confirmation.digest)
        confirmation = confirmation.model_copy(update={"approvals": approvals or confirmation.approvals})
        return known.model_copy(update={"confirmation": confirmation})

    def _item(self, item: ItemState) -> ItemState:
        outcome = self.outcomes.get(item.item_id)
        if outcome is None:
            return item
        reason = None if outcome.outcome is Outcome.SUCCEEDED else outcome.reason
        return item.model_copy(update={"outcome": outcome.outcome, "reason": reason or item.reason})


async def read_record(client: Client, transaction_id: str, timeout: timedelta) -> Record:
    """Read the history of the newest run of an id. What cannot be decoded is left out.

    ``timeout`` bounds each page. Raises ``RPCError``, and ``PayloadNotFound`` where a part is in no store known here.
    """
    context = WorkflowSerializationContext(namespace=client.namespace, workflow_id=transaction_id)
    reader = _Reader(Record(transaction_id), client.data_converter.with_context(context))
    async for event in client.get_workflow_handle(transaction_id).fetch_history_events(rpc_timeout=timeout):
        await reader.read(event)
    return reader.record


async def read_request(client: Client, transaction_id: str, timeout: timedelta) -> TransactionRequest | None:
    """Read what the newest run of an id was started with; null where that is no request, or cannot be decoded.

    Raises as ``read_record`` does.
    """
    context = WorkflowSerializationContext(namespace=client.namespace, workflow_id=transaction_id)
    reader = _Reader(Record(transaction_id), client.data_converter.with_context(context))
    handle = client.get_workflow_handle(transaction_id)
    async for event in handle.fetch_history_events(page_size=1, rpc_timeout=timeout):
        await reader.read(event)
        break
    return reader.record.request


class _Reader:
    """Turns events into facts."""

    def __init__(self, record: Record, converter: DataConverter) -> None:
        self.record = record
        self._converter = converter
        self._activities: dict[int, str] = {}
        self._undoing: dict[int, int] = {}

    async def read(self, event: HistoryEvent) -> None:
        kind = event.WhichOneof("attributes") or ""
        attributes = getattr(event, kind, None)
        read = getattr(self, f"_{kind.removesuffix('_event_attributes')}", None)
        if read is not None:
            await read(attributes, event)
        elif (ending := await ending_of(kind, attributes, self._converter)) is not None:
            self.record.ending = ending

    async def _workflow_execution_started(self, started: Any, event: HistoryEvent) -> None:
        self.record.request = _as(TransactionRequest, await self._first(started.input))

    async def _activity_task_scheduled(self, scheduled: Any, event: HistoryEvent) -> None:
        name = scheduled.activity_type.name
        self._activities[event.event_id] = name
        if name in (names.EXECUTE_ITEM, names.EXECUTE_ITEMS):
            undo = _UNDO.match(scheduled.activity_id)
            if undo is None:
                self.record.begun = True
                await self._sent_again(scheduled)
            else:
                self._undoing[event.event_id] = int(undo[1])
                self.record.undone[int(undo[1])] = Outcome.UNKNOWN
        if name == names.CONFIRM_SIGNAL:
            asked = _as(ConfirmationRequest, await self._first(scheduled.input))
            self.record.asked = asked or self.record.asked

    async def _sent_again(self, scheduled: Any) -> None:
        """Forget what an earlier activity proved of items that go out once more."""
        if not _RETRY.search(scheduled.activity_id):
            return
        sent = await self._first(scheduled.input)
        if isinstance(sent, dict):
            for item in [sent.get("item"), *(sent.get("items") or [])]:
                name = item.get("item_id") if isinstance(item, dict) else item
                self.record.outcomes.pop(str(name), None)

    async def _activity_task_completed(self, completed: Any, event: HistoryEvent) -> None:
        if self._activities.get(completed.scheduled_event_id) in (names.EXECUTE_ITEM, names.EXECUTE_ITEMS):
            report = _as(CallReport, await self._first(completed.result))
            number = self._undoing.get(completed.scheduled_event_id)
            if number is not None:
                self.record.undone[number] = (report.outcome if report else None) or Outcome.UNKNOWN
                return
            self.record.outcomes |= {item.item_id: item for item in report.items} if report else {}

    async def _workflow_execution_update_accepted(self, accepted: Any, event: HistoryEvent) -> None:
        message = accepted.accepted_request.input
        decision = await self._first(message.args) if message.name == names.CONFIRM else None
        if isinstance(decision, dict) and decision.get("decision") == "confirm":
            at = event.event_time.ToJsonString()
            approval = _as(Approval, {**decision, "at": at})
            if approval is not None:
                self.record.approvals.append((str(decision.get("digest")), approval))

    async def _workflow_execution_update_completed(self, completed: Any, event: HistoryEvent) -> None:
        if completed.outcome.HasField("success"):
            seen = _as(TransactionState, await self._first(completed.outcome.success))
            if seen is not None:
                self.record.seen, self.record.asked = seen, None

    async def _first(self, payloads: Payloads) -> Any:
        """Return the first value as plain JSON, null where there is none or it cannot be decoded.

        A part that is in a payload store is worth a sentence: without it the rest would tell another story.
        """
        try:
            values = await self._converter.decode(payloads.payloads)
        except PayloadProblem as problem:
            raise store_fault(problem) from None
        except Exception:  # another codec, another encoding: the rest of the record is still worth reading
            return None
        return values[0] if values else None


def _as(model: type[Any], value: Any) -> Any:
    try:
        return model.model_validate(value) if isinstance(value, dict) else None
    except ValidationError:
        return None
