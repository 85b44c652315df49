"""What a workflow asked of the server: the part of a history that replay compares only by type."""

from typing import Any

from google.protobuf.json_format import MessageToDict
from temporalio.api.history.v1 import History
from temporalio.client import WorkflowHistory

KEPT = {
    "activityTaskScheduledEventAttributes": (
        "activityType",
        "scheduleToStartTimeout",
        "startToCloseTimeout",
        "heartbeatTimeout",
        "retryPolicy",
    ),
    "startChildWorkflowExecutionInitiatedEventAttributes": ("workflowType", "parentClosePolicy"),
    "timerStartedEventAttributes": ("startToFireTimeout",),
    "timerCanceledEventAttributes": (),
    "upsertWorkflowSearchAttributesEventAttributes": (),
    "workflowPropertiesModifiedEventAttributes": (),
    "markerRecordedEventAttributes": ("markerName",),
    "workflowExecutionUpdateAcceptedEventAttributes": (),
    "workflowExecutionCompletedEventAttributes": (),
    "workflowExecutionFailedEventAttributes": (),
}


def shape(history: WorkflowHistory) -> list[dict[str, Any]]:
    """Return the commands of a history with their timeouts, retry policies and timer lengths, in order."""
    found = []
    for event in MessageToDict(history_proto(history))["events"]:
        if _of_a_patch(event):
            continue
        for attributes, fields in KEPT.items():
            if attributes in event:
                kept = {field: event[attributes][field] for field in fields if field in event[attributes]}
                found.append({"event": event["eventType"].removeprefix("EVENT_TYPE_")} | kept)
    return found


def _of_a_patch(event: dict[str, Any]) -> bool:
    """Whether an event only notes a ``workflow.patched``: whether one comes may depend on what was still under way."""
    marker = event.get("markerRecordedEventAttributes", {}).get("markerName") == "core_patch"
    upsert = event.get("upsertWorkflowSearchAttributesEventAttributes", {}).get("searchAttributes", {})
    return marker or "TemporalChangeVersion" in upsert.get("indexedFields", {})


def history_proto(history: WorkflowHistory) -> Any:

    return History(events=history.events)
