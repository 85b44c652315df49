"""What each event counts for."""

import pytest

from confirmo.policies.events import EventName
from confirmo.policies.measures import METRICS, UNRESOLVED, Standing, measures_of, outcome_word
from confirmo.policies.models import Event, Status, TransactionResult

TOOL = "cancelar"


def event(name: EventName, **details: object) -> Event:
    return Event(event_id="tx/1", name=name.value, time="", transaction_id="tx", tool_name="text", **details)


def counted(name: EventName, status: Status, waited: float | None = None, result=None, **details: object):
    standing = Standing(TOOL, status, waited, result)
    return {
        (
            each.metric.name.removeprefix("confirmo_").removesuffix("_total"),
            *dict(each.labels).values(),
        ): each.value
        for each in measures_of(event(name, **details), standing)
    }


def result(status: Status, primary: dict[str, object], **more: object) -> TransactionResult:
    done = {"status": status.value, "output": {TOOL: primary}}
    return TransactionResult(
        transaction_id="tx", tool_name=TOOL, ok=False, result=done, transaction_status=status, **more
    )


@pytest.mark.parametrize(
    ("name", "status"),
    [
        (EventName.REJECTED, Status.CANCELLED),
        (EventName.CANCELLED, Status.CANCELLED),
        (EventName.EXPIRED, Status.EXPIRED),
        (EventName.BLOCKED, Status.BLOCKED),
        (EventName.PREVALIDATION_REJECTED, Status.OUT_OF_SCOPE),
        (EventName.COMPLETED, Status.COMPLETED),
        (EventName.FAILED, Status.FAILED),
    ],
)
def test_every_end_is_counted_with_its_status(name, status):
    assert counted(name, status)["transactions", TOOL, status.value, status.value] == 1


@pytest.mark.parametrize("status", [Status.COMPLETED, Status.FAILED])
def test_a_cancel_while_executing_is_not_an_end_of_its_own(status):
    assert counted(EventName.CANCELLED, status) == {}


def test_a_question_ends_once_and_a_yes_says_how_long_it_took():
    asked = counted(EventName.CONFIRMATION_REQUIRED, Status.AWAITING_CONFIRMATION)
    assert asked == {("questions", TOOL): 1}
    assert counted(EventName.CONFIRMED, Status.AWAITING_CONFIRMATION, 12.5) == {
        ("question_ends", TOOL, "confirmed"): 1,
        ("time_to_confirm_seconds", TOOL): 12.5,
    }
    assert ("question_ends", TOOL, "expired") not in counted(EventName.EXPIRED, Status.EXPIRED)
    assert counted(EventName.EXPIRED, Status.EXPIRED, 900.0)["question_ends", TOOL, "expired"] == 1
    assert counted(EventName.ITEM_COMPLETED, Status.EXECUTING, 1.0) == {}


def test_a_question_that_nobody_answered_before_the_end_ends_with_it():
    assert counted(EventName.COMPLETED, Status.COMPLETED, 5.0)["question_ends", TOOL, "other"] == 1


def test_items_and_unknown_outcomes_are_counted_at_the_end():
    counts = {"items_succeeded_count": 4, "items_failed_count": 0, "items_unknown_count": 3, "items_count": 7}
    found = counted(EventName.COMPLETED, Status.COMPLETED, **counts)
    assert found["items", TOOL, "SUCCEEDED"] == 4
    assert found["items", TOOL, "UNKNOWN"] == found["unknown_outcomes", TOOL] == 3
    assert ("items", TOOL, "FAILED") not in found


def test_a_call_without_items_that_is_in_doubt_is_an_unknown_outcome():
    doubtful = result(Status.FAILED, {"outcome": "UNKNOWN"}, metadata={"needs_review": True})
    found = counted(EventName.FAILED, Status.FAILED, result=doubtful, items_count=0)
    assert found["unknown_outcomes", TOOL] == found["transactions_needing_review", TOOL] == 1
    assert outcome_word(Status.FAILED, doubtful) == "FAILED"


@pytest.mark.parametrize(
    ("name", "details", "verdict"),
    [
        (EventName.PREVALIDATION_PASSED, {}, "passed"),
        (EventName.PREVALIDATION_BYPASSED, {}, "bypassed"),
        (EventName.PREVALIDATION_PARAMETER_REJECTED, {}, "parameter_rejected"),
        (EventName.PREVALIDATION_REJECTED, {"reason_code": "prevalidation_error"}, "failed"),
        (EventName.PREVALIDATION_REJECTED, {"reason_code": "not_eligible"}, "rejected"),
        (EventName.PREVALIDATION_REJECTED, {"reason_code": "nothing_to_do"}, "rejected"),
    ],
)
def test_a_validators_verdicts_and_failures_are_told_apart(name, details, verdict):
    assert counted(name, Status.VALIDATING, **details) == {("prevalidations", TOOL, verdict): 1}


def test_a_parameter_that_was_rejected_too_often_counts_no_second_verdict():
    found = counted(EventName.PREVALIDATION_REJECTED, Status.OUT_OF_SCOPE, reason_code="too_many_attempts")
    assert found == {("transactions", TOOL, "OUT_OF_SCOPE", "OUT_OF_SCOPE"): 1}


def test_no_label_holds_an_id_or_what_a_caller_typed():
    forbidden = {"transaction_id", "event_id", "item_id", "session_id", "tenant", "reason", "actor"}
    assert not forbidden & {label for metric in METRICS for label in metric.labels}
    unresolved = measures_of(event(EventName.BLOCKED), Standing(UNRESOLVED, Status.BLOCKED))
    assert "text" not in str(list(unresolved))
