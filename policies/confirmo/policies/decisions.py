"""Who may say yes, and which yes counts. Only an explicit, unconditional ``confirm`` executes."""

import unicodedata
from collections.abc import Collection
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from pydantic import ValidationError

from confirmo.policies.errors import Refusal, UpdateErrorType
from confirmo.policies.events import timestamp
from confirmo.policies.models import Actor, Approval, Confirmation, Decision, Status, Wire
from confirmo.policies.texts import clean_text
from confirmo.policies.tool_spec import ConfirmationPolicy

_BLANK_BRAILLE: Final = "\u2800"
"""A symbol by its kind, and nothing to the eye."""

ROLE_PREFIX = "role:"


class DecisionEffect(StrEnum):
    """What an accepted decision does."""

    NOTHING = "nothing"
    """The same decision again: the current state is the answer."""
    APPROVED = "approved"
    """A yes that counts, but more are needed."""
    CONFIRMED = "confirmed"
    REJECTED = "rejected"


class Decided(Wire):
    """The decision that a question ended with."""

    decision: str
    digest: str
    item_ids: tuple[str, ...] | None = None


class Question(Wire):
    """All that a decision is judged by.

    Attributes:
        status: The transaction's status now.
        closed: Whether it is over.
        confirmation: The frozen question, also after it was answered; null where none was ever asked.
        decided: How it was answered, or null.
        eligible_ids: Items that a yes may name.
        expires_at: Deadline of the question.
        people: How people are told apart, as ``ResolvedPolicy`` says.
    """

    status: Status
    closed: bool
    confirmation: Confirmation | None = None
    decided: Decided | None = None
    policy: ConfirmationPolicy = ConfirmationPolicy()
    requester: Actor | None = None
    eligible_ids: tuple[str, ...] = ()
    expires_at: datetime | None = None
    people: int = 2


def parse_decision(raw: Any) -> Decision:
    """Read a decision as it came over the wire.

    Raises:
        Refusal: ``InvalidDecision``; the sentence names the offending keys, never a value.
    """
    if isinstance(raw, Decision):
        return raw
    if not isinstance(raw, dict):
        raise Refusal(
            UpdateErrorType.INVALID_DECISION, "A decision is a JSON object with decision and digest."
        )
    actor = raw.get("actor")
    if isinstance(actor, dict) and not set(actor) <= {"id", "roles"}:
        raise Refusal(
            UpdateErrorType.INVALID_DECISION, "The decision is not valid at: actor. It takes id and roles."
        )
    try:
        decision = Decision.model_validate(raw)
    except ValidationError as error:
        keys = sorted({".".join(str(part) for part in item["loc"]) for item in error.errors()})
        raise Refusal(
            UpdateErrorType.INVALID_DECISION,
            f"The decision is not valid at: {', '.join(keys)[:200]}. It takes decision (confirm or reject), digest, "
            "decision_id, actor, item_ids and comment, and nothing else.",
        ) from None
    if decision.decision == "confirm" and not decision.digest:
        raise Refusal(
            UpdateErrorType.INVALID_DECISION,
            "A confirm needs the digest of the question that was shown to the person.",
        )
    return decision


def check_decision(decision: Decision, question: Question, now: datetime) -> DecisionEffect:
    """Judge one decision, in the order of CONTRACT.md section 3.

    Raises:
        Refusal: With the type of the first rule that it breaks.
    """
    _check_subset_allowed(decision, question)
    check_not_closed(question)
    confirmation = question.confirmation
    if confirmation is None or (
        question.decided is None and question.status is not Status.AWAITING_CONFIRMATION
    ):
        raise Refusal(
            UpdateErrorType.NOT_AWAITING_CONFIRMATION,
            f"No question is open; the transaction is {question.status.value}. Ask for its state first.",
        )
    if question.decided is None:
        _check_not_expired(question, now)
    check_may_decide(decision, question)
    if decision.digest is not None and decision.digest != confirmation.digest:
        raise Refusal(
            UpdateErrorType.DIGEST_MISMATCH,
            "The digest is not that of the question that is open now. Show the current question and decide again.",
        )
    return _effect(decision, question, confirmation)


def check_not_closed(question: Question) -> None:
    """Raise ``AlreadyClosed`` where the transaction is over."""
    if question.closed:
        raise Refusal(
            UpdateErrorType.ALREADY_CLOSED,
            f"The transaction is over: {question.status.value}. Nothing was changed.",
        )


def _check_not_expired(question: Question, now: datetime) -> None:
    if question.expires_at is not None and now >= question.expires_at:
        raise Refusal(
            UpdateErrorType.CONFIRMATION_EXPIRED,
            f"The question expired at {timestamp(question.expires_at)}; nothing was executed. Start again to be asked "
            "anew.",
        )


def check_change(
    question: Question, statuses: Collection[Status], actor: Actor | None, now: datetime, advice: str
) -> None:
    """Judge whether ``actor`` may change the set now, in the order of CONTRACT.md section 3.

    Args:
        question: What the transaction is asking.
        statuses: In which the change is open; a question that was answered is not.
        actor: Who asks for the change.
        now: The workflow's time.
        advice: Sentence added to ``NotAwaitingConfirmation``.

    Raises:
        Refusal: With the type of the first rule that it breaks.
    """
    check_not_closed(question)
    answered = question.status is Status.AWAITING_CONFIRMATION and question.decided is not None
    if question.status not in statuses or answered:
        raise Refusal(
            UpdateErrorType.NOT_AWAITING_CONFIRMATION,
            f"The transaction is {question.status.value}. {advice}",
        )
    _check_not_expired(question, now)
    check_may_change(actor, question.requester, question.policy, question.people)


def _check_subset_allowed(decision: Decision, question: Question) -> None:
    if decision.item_ids is None:
        return
    if question.policy.items != "any" or decision.decision != "confirm":
        raise Refusal(
            UpdateErrorType.INVALID_DECISION,
            "item_ids is not allowed here: only all items may be confirmed together.",
        )
    if not decision.item_ids:
        raise Refusal(
            UpdateErrorType.INVALID_DECISION, "item_ids is empty: name at least one item, or reject."
        )
    if question.confirmation is not None and not set(decision.item_ids) <= set(question.eligible_ids):
        raise Refusal(
            UpdateErrorType.INVALID_DECISION,
            "item_ids names an item that is unknown or not eligible in this question.",
        )


def _effect(decision: Decision, question: Question, confirmation: Confirmation) -> DecisionEffect:
    chosen = _chosen(decision.item_ids)
    if question.decided is not None:
        if decision.decision == question.decided.decision and chosen == _chosen(question.decided.item_ids):
            return DecisionEffect.NOTHING
        raise Refusal(
            UpdateErrorType.CONFLICTING_DECISION,
            f"The question was already answered with {question.decided.decision}; that decision stands.",
        )
    if decision.decision == "reject":
        return DecisionEffect.REJECTED
    approvals = confirmation.approvals
    if any(_chosen(approval.item_ids) != chosen for approval in approvals):
        raise Refusal(
            UpdateErrorType.CONFLICTING_DECISION, "An earlier approval names other items; that one stands."
        )
    if has_approved(approvals, decision.actor, question.people):
        return DecisionEffect.NOTHING
    enough = len(approvals) + 1 >= confirmation.approvals_needed
    return DecisionEffect.CONFIRMED if enough else DecisionEffect.APPROVED


def _chosen(item_ids: tuple[str, ...] | None) -> frozenset[str] | None:
    return None if item_ids is None else frozenset(item_ids)


def has_approved(approvals: Collection[Approval], actor: Actor | None, people: int = 2) -> bool:
    """Whether one of the approvals is this person's."""
    return actor is not None and any(
        given.actor is not None and not _are_two(given.actor, actor, people) for given in approvals
    )


def check_may_decide(decision: Decision, question: Question) -> None:
    """Raise ``NotAllowed`` unless the actor may give this decision."""
    policy = question.policy
    nobody = not is_named(decision.actor, question.people)
    if decision.decision == "confirm" and policy.approvals > 1 and nobody:
        raise Refusal(
            UpdateErrorType.NOT_ALLOWED,
            "More than one approval is needed: an approval has to name its actor.",
        )
    if may_confirm(decision.actor, question.requester, policy, question.people):
        return
    if decision.decision == "reject" and is_requester(decision.actor, question.requester):
        return
    raise Refusal(
        UpdateErrorType.NOT_ALLOWED, f"This actor may not decide here (confirmation.by: {policy.by})."
    )


def check_may_change(
    actor: Actor | None, requester: Actor | None, policy: ConfirmationPolicy, people: int = 2
) -> None:
    """Raise ``NotAllowed`` unless the actor may cancel, amend or provide parameters."""
    if not (may_confirm(actor, requester, policy, people) or is_requester(actor, requester)):
        raise Refusal(
            UpdateErrorType.NOT_ALLOWED,
            f"This actor may not change this transaction (confirmation.by: {policy.by}).",
        )


def is_requester(actor: Actor | None, requester: Actor | None) -> bool:
    """Whether both are known and the same person, by exactly the same id."""
    return actor is not None and requester is not None and actor.id == requester.id


def is_named(actor: Actor | None, people: int = 2) -> bool:
    """Whether anybody is named; a blank id names nobody. In older transactions, any id did where one was given."""
    return actor is not None and (people < 2 or bool(_spelled(actor.id)))


def may_confirm(
    actor: Actor | None, requester: Actor | None, policy: ConfirmationPolicy, people: int = 2
) -> bool:
    """Whether ``actor`` may say yes under ``confirmation.by``."""
    if policy.by == "any":
        return True
    if actor is None or not actor.id or not is_named(actor, people):
        return False
    if policy.by == "requester":
        return is_requester(actor, requester)
    if policy.by == "other":
        return requester is not None and _are_two(actor, requester, people)
    return policy.by.removeprefix(ROLE_PREFIX) in actor.roles


def needs_requester(policy: ConfirmationPolicy) -> bool:
    """Whether the policy cannot be kept without knowing who asked."""
    return policy.by in ("requester", "other")


def _are_two(one: Actor, other: Actor, people: int) -> bool:
    """Whether two ids are two people. ``Ana`` and ``ana `` are more likely one than two pairs of eyes."""
    return one.id != other.id if people < 2 else _spelled(one.id) != _spelled(other.id)


def _spelled(id: str) -> str:
    """Return an id without what a person overlooks: case, width, spaces and what cannot be seen."""
    seen = clean_text(unicodedata.normalize("NFKC", id)).replace(_BLANK_BRAILLE, " ")
    return "".join(seen.casefold().split())
