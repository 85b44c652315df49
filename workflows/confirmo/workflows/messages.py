"""What a message changes in the book, or why it is refused. Handlers are thin; the rules are in ``policies``."""

from typing import Any

from pydantic import ValidationError
from temporalio import workflow
from temporalio.exceptions import ApplicationError

from confirmo.policies.amending import (
    Changed,
    apply_amendment,
    apply_parameters,
    parse_amendment,
    parse_parameters,
)
from confirmo.policies.decisions import (
    Decided,
    DecisionEffect,
    check_change,
    check_decision,
    check_may_change,
    check_not_closed,
    parse_decision,
)
from confirmo.policies.errors import Refusal, UpdateErrorType
from confirmo.policies.events import EventName, timestamp
from confirmo.policies.models import (
    WAITING_STATUSES,
    Actor,
    Approval,
    Cancellation,
    Decision,
    Status,
    TransactionRequest,
)
from confirmo.policies.snapshot import request_digest
from confirmo.policies.wording import say
from confirmo.workflows.book import Book

_COLLECTING = frozenset({Status.COLLECTING_PARAMETERS})


def refused(refusal: Refusal) -> ApplicationError:
    """Return the error of a refused update."""
    return ApplicationError(refusal.message, type=refusal.type.value, non_retryable=True)


def _one(surplus: tuple[Any, ...], type: UpdateErrorType) -> None:
    """Raise ``Refusal`` where a message came with more than its one argument."""
    if surplus:
        raise Refusal(type, "The message takes one argument, a JSON object.")


def check_same_request(book: Book, request: Any, *surplus: Any) -> None:
    """Raise ``RequestMismatch`` where ``request`` is not the one that started the run; null is no question."""
    _one(surplus, UpdateErrorType.INVALID_ARGUMENTS)
    if request is None:
        return
    try:
        parsed = TransactionRequest.model_validate(request)
    except ValidationError:
        raise Refusal(
            UpdateErrorType.INVALID_ARGUMENTS, "awaiting takes a TransactionRequest or null."
        ) from None
    if request_digest(parsed) != request_digest(book.request):
        raise Refusal(
            UpdateErrorType.REQUEST_MISMATCH,
            "This id belongs to a transaction with another tool, arguments, tenant or requester. "
            "Use a new request_id for a new request.",
        )


def check(book: Book, raw: Any, *surplus: Any) -> DecisionEffect:
    """Return what a decision would do; raises ``Refusal``."""
    _one(surplus, UpdateErrorType.INVALID_DECISION)
    return check_decision(parse_decision(raw), book.asked(), workflow.now())


def decide(book: Book, raw: Any, *surplus: Any) -> None:
    """Take a decision; raises ``Refusal`` and changes nothing then."""
    effect = check(book, raw, *surplus)
    decision = parse_decision(raw)
    book.tell("decision", effect=effect.value)
    if effect is DecisionEffect.NOTHING:
        return
    assert book.confirmation is not None
    if effect is not DecisionEffect.REJECTED:
        _approve(book, decision)
    if effect is DecisionEffect.APPROVED:
        book.publish_details()
        return
    digest = book.confirmation.digest
    book.decided = Decided(decision=decision.decision, digest=digest, item_ids=decision.item_ids)
    if effect is DecisionEffect.REJECTED:
        book.reject_comment = decision.comment
    else:
        book.emit(EventName.CONFIRMED, approvals=len(book.confirmation.approvals))


def _approve(book: Book, decision: Decision) -> None:
    assert book.confirmation is not None
    approval = Approval(
        actor=decision.actor,
        at=timestamp(workflow.now()),
        decision_id=decision.decision_id,
        comment=decision.comment,
        item_ids=decision.item_ids,
    )
    approvals = (*book.confirmation.approvals, approval)
    book.confirmation = book.confirmation.model_copy(update={"approvals": approvals})


def provided(book: Book, raw: Any, *surplus: Any) -> Changed | None:
    """Return the arguments with what was provided; null where nothing changes. Raises ``Refusal``."""
    _one(surplus, UpdateErrorType.INVALID_ARGUMENTS)
    parameters = parse_parameters(raw)
    if {**book.given, **parameters.arguments} == book.given:
        check_open(book, parameters.actor)
        return None
    advice = "No parameters are being asked for: use amend instead."
    check_change(book.asked_to_change(), _COLLECTING, parameters.actor, workflow.now(), advice)
    return apply_parameters(parameters, book.given, frozenset(book.removed_ids), book.requested_tool)


def amended(book: Book, raw: Any, *surplus: Any) -> Changed:
    """Return the arguments and exclusions after an amendment. Raises ``Refusal``."""
    _one(surplus, UpdateErrorType.INVALID_ARGUMENTS)
    amendment = parse_amendment(raw)
    advice = "Nothing can be amended now."
    check_change(book.asked_to_change(), WAITING_STATUSES, amendment.actor, workflow.now(), advice)
    return apply_amendment(
        amendment,
        book.items,
        book.given,
        book.requested_tool,
        book.tool or book.requested_tool,
        frozenset(book.removed_ids),
        locale=book.language,
    )


def take_over(book: Book, changed: Changed) -> None:
    """Make changed arguments the given ones; they are validated anew."""
    book.given = changed.arguments
    book.removed_ids = set(changed.removed_ids)
    book.changed = True
    book.status = Status.VALIDATING


def check_open(book: Book, actor: Actor | None) -> None:
    """Raise ``Refusal`` where the transaction is over, or the actor may not change it."""
    if book.closed:
        check_not_closed(book.asked())
    check_may_change(actor, book.requester, book.confirmation_policy, book.people)


def parse_cancellation(raw: Any, *surplus: Any) -> Cancellation:
    """Read the argument of ``cancel``; raises ``Refusal``."""
    _one(surplus, UpdateErrorType.INVALID_ARGUMENTS)
    try:
        return Cancellation.model_validate(raw if raw is not None else {})
    except ValidationError:
        raise Refusal(
            UpdateErrorType.INVALID_ARGUMENTS, "cancel takes a JSON object with reason and actor."
        ) from None


def request_cancel(book: Book, reason: str | None) -> None:
    """Note that nothing more shall be sent; the first cancel stands."""
    if book.cancel_requested or book.closed:
        return
    book.cancel_requested = True
    book.cancel_reason = reason or say("cancelled", book.language)
