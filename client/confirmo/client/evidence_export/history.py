"""From Temporal's history to lines: the request, what was handed over, what came back, messages, the end."""

from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC
from typing import Any, Final

from pydantic import ValidationError
from temporalio.api.history.v1 import HistoryEvent
from temporalio.converter import DataConverter

from confirmo.client.errors import UnreadableRecord
from confirmo.client.evidence_export.drafts import Draft
from confirmo.client.evidence_export.failures import failed
from confirmo.client.evidence_export.messages_told import Messages
from confirmo.client.evidence_export.payloads import first
from confirmo.policies import names
from confirmo.policies.calls import ConfirmationRequest
from confirmo.policies.events import timestamp
from confirmo.policies.evidence_file import bodies
from confirmo.policies.evidence_file.telling import REQUESTS, answers_of, calls_of, failures_of

ENDS: Final = {
    "workflow_execution_completed_event_attributes": "completed",
    "workflow_execution_failed_event_attributes": "failed",
    "workflow_execution_terminated_event_attributes": "terminated",
    "workflow_execution_canceled_event_attributes": "cancelled",
    "workflow_execution_timed_out_event_attributes": "timed_out",
    "workflow_execution_continued_as_new_event_attributes": "continued",
}
_Reader = Callable[[Any, HistoryEvent], Awaitable[None]]


def time_of(event: HistoryEvent) -> str:
    """Return when an event was recorded, by Temporal's clock."""
    return timestamp(event.event_time.ToDatetime(UTC))


class HistoryLines:
    """Reads a history, event after event.

    Attributes:
        drafts: Lines in the order of the history.
        messages: What people and programs sent.
        request: What the run was started with, as it was sent.
        root: What its idempotency keys are derived from.
        started: The attributes of the first event.
        end: How the run ended; ``open`` where it has not.
        workers: Identities of those who ran the workflow.
        replayed_to: The last event that began a workflow task which was completed.
    """

    def __init__(self, converter: DataConverter) -> None:
        self._converter = converter
        self.drafts: list[Draft] = []
        self.messages = Messages(converter)
        self.request: Any = None
        self.root = ""
        self.started: Any = None
        self.end = bodies.End(status="open")
        self.ended_at: str | None = None
        self.workers: dict[str, None] = {}
        self.replayed_to = 0
        self._digest: str | None = None
        self._activities: dict[int, tuple[str, str, Any]] = {}
        self._attempts: dict[int, int] = {}
        self._earlier: dict[int, dict[str, Any]] = {}
        self._readers: dict[str, _Reader] = {
            "workflow_execution_started": self._started,
            "workflow_task_completed": self._task_completed,
            "workflow_properties_modified": self._memo,
            "activity_task_scheduled": self._scheduled,
            "activity_task_started": self._attempt,
            "activity_task_completed": self._completed,
            "activity_task_failed": self._failed,
            "activity_task_timed_out": self._failed,
            "activity_task_canceled": self._cancelled,
        }

    async def read(self, event: HistoryEvent) -> None:
        """Take one event. Raises ``UnreadableRecord`` where a part of it cannot be decoded."""
        kind = event.WhichOneof("attributes") or ""
        attributes = getattr(event, kind, None)
        reader = self._readers.get(kind.removesuffix("_event_attributes"))
        if reader is not None:
            await reader(attributes, event)
        elif kind in ENDS:
            await self._ended(kind, attributes, event)
        else:
            await self.messages.read(kind, attributes, event.event_id, time_of(event))

    @property
    def redrive(self) -> dict[str, Any]:
        """What the transaction takes up, as it was sent; empty where that is none."""
        redrive = self.request.get("redrive") if isinstance(self.request, dict) else None
        return redrive if isinstance(redrive, dict) else {}

    def start(self) -> Draft:
        """Return the line of the request."""
        request = bodies.Request(
            request=self.request, request_digest=self._digest, identity=self.started.identity or None
        )
        return Draft((1, 0), self._started_at, request)

    def _add(self, event: HistoryEvent, body: bodies.Body) -> None:
        self.drafts.append(Draft((event.event_id, 0), time_of(event), body))

    async def _started(self, started: Any, event: HistoryEvent) -> None:
        self.started, self._started_at = started, time_of(event)
        self.request = await first(self._converter, started.input.payloads)
        self.root = str(self.redrive.get("root") or started.workflow_id)
        await self._read_memo(started.memo.fields)

    async def _memo(self, modified: Any, event: HistoryEvent) -> None:
        await self._read_memo(modified.upserted_memo.fields)

    async def _read_memo(self, fields: Any) -> None:
        if names.MEMO_REQUEST_DIGEST in fields:
            digest = await first(self._converter, [fields[names.MEMO_REQUEST_DIGEST]])
            self._digest = digest if isinstance(digest, str) else self._digest

    async def _task_completed(self, completed: Any, event: HistoryEvent) -> None:
        self.replayed_to = completed.started_event_id
        if completed.identity:
            self.workers[completed.identity] = None

    async def _scheduled(self, scheduled: Any, event: HistoryEvent) -> None:
        name, call_id = scheduled.activity_type.name, scheduled.activity_id
        raw = await first(self._converter, scheduled.input.payloads)
        model = REQUESTS.get(name) or (ConfirmationRequest if name == names.CONFIRM_SIGNAL else None)
        asked = raw
        if model is not None:
            asked = _as(model, raw)
        self._activities[event.event_id] = (name, call_id, asked)
        if name in REQUESTS:
            for call in calls_of(call_id, asked, self.root):
                self._add(event, call)

    async def _attempt(self, started: Any, event: HistoryEvent) -> None:
        self._attempts[started.scheduled_event_id] = started.attempt
        if started.HasField("last_failure"):
            earlier, _ = await failed(started.last_failure, self._converter)
            self._earlier[started.scheduled_event_id] = earlier

    def _answers(self, event: HistoryEvent, scheduled: int, answers: Iterable[bodies.Answer]) -> None:
        for answer in answers:
            earlier = self._earlier.pop(scheduled, None)
            self._add(event, answer.model_copy(update={"earlier_failure": earlier}) if earlier else answer)

    async def _completed(self, completed: Any, event: HistoryEvent) -> None:
        name, call_id, asked = self._activities[completed.scheduled_event_id]
        raw = await first(self._converter, completed.result.payloads)
        attempts = self._attempts.get(completed.scheduled_event_id, 0)
        if name in REQUESTS:
            try:
                answers = list(answers_of(call_id, asked, self.root, raw, attempts))
            except ValidationError:
                raise _foreign(name) from None
            self._answers(event, completed.scheduled_event_id, answers)
        elif name == names.CONFIRM_SIGNAL:
            self._add(event, _delivery(asked, raw, None))

    async def _failed(self, ended: Any, event: HistoryEvent) -> None:
        failure, heartbeat = await failed(ended.failure, self._converter)
        self._without_answer(ended.scheduled_event_id, failure, heartbeat, event)

    async def _cancelled(self, ended: Any, event: HistoryEvent) -> None:
        self._without_answer(ended.scheduled_event_id, {"type": "Cancelled", "message": ""}, None, event)

    def _without_answer(
        self, scheduled: int, failure: dict[str, Any], heartbeat: Any, event: HistoryEvent
    ) -> None:
        name, call_id, asked = self._activities[scheduled]
        if name in REQUESTS:
            attempts = self._attempts.get(scheduled, 0)
            told = failures_of(call_id, asked, self.root, failure, heartbeat, attempts)
            self._answers(event, scheduled, told)
        elif name == names.CONFIRM_SIGNAL:
            self._add(event, _delivery(asked, None, failure))

    async def _ended(self, kind: str, attributes: Any, event: HistoryEvent) -> None:
        status, reason, type = ENDS[kind], None, None
        if status == "completed":
            raw = await first(self._converter, attributes.result.payloads)
            if not isinstance(raw, dict):
                raise _foreign(names.TRANSACTION_WORKFLOW)
            self._add(event, bodies.Result(result=raw))
        elif status == "failed":
            failure, _ = await failed(attributes.failure, self._converter)
            reason, type = failure["message"], failure["type"]
        elif status == "terminated":
            reason = attributes.reason or None
        self.end = bodies.End(status=status, reason=reason, failure_type=type)
        self.ended_at = time_of(event)


def _delivery(asked: ConfirmationRequest, raw: Any, failure: dict[str, Any] | None) -> bodies.Delivery:
    told = raw if isinstance(raw, dict) else {}
    return bodies.Delivery(
        delivery_id=asked.delivery_id,
        digest=asked.digest,
        sink=told.get("sink"),
        delivered=failure is None and told.get("delivered", True) is True,
        failure=failure,
    )


def _as(model: Any, raw: Any) -> Any:
    try:
        return model.model_validate(raw)
    except ValidationError:
        raise _foreign(model.__name__) from None


def _foreign(what: str) -> UnreadableRecord:
    return UnreadableRecord(
        f"The record holds something under {what} that no Confirmo wrote: look at it in the Temporal UI."
    )
