"""Who may decide, who may look, and who counts as two people: the rules alone."""

import itertools
from datetime import UTC, datetime

import pytest

from confirmo.policies.access import (
    Anyone,
    check_change_at_door,
    check_decision_at_door,
    door_policy,
    may_read,
)
from confirmo.policies.decisions import (
    Decided,
    DecisionEffect,
    Question,
    check_decision,
    check_may_change,
    has_approved,
    is_named,
    may_confirm,
)
from confirmo.policies.errors import Refusal
from confirmo.policies.models import Actor, Approval, Confirmation, Decision, Status, TransactionState
from confirmo.policies.tool_spec import ConfirmationPolicy

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ANA, BETO, DORA = Actor(id="ana"), Actor(id="beto"), Actor(id="dora", roles=("gerente",))
CHIEF_ANA = Actor(id="ana", roles=("gerente",))
BLANK, NOBODY = Actor(id=" \u200b"), None
ALIKE = [Actor(id=id) for id in ("Ana", "ANA", " ana ", "a\u200bna", "\uff41na", "an a", "ana\u2800")]
EVERYBODY = {"ana": ANA, "beto": BETO, "dora": DORA, "chief ana": CHIEF_ANA, "blank": BLANK, "none": NOBODY}


def names(allowed):
    return {name for name, actor in EVERYBODY.items() if allowed(actor)}


@pytest.mark.parametrize(
    ("by", "confirms"),
    [
        ("any", {*EVERYBODY}),
        ("requester", {"ana", "chief ana"}),
        ("other", {"beto", "dora"}),
        ("role:gerente", {"dora", "chief ana"}),
        ("role:Gerente", set()),
    ],
)
def test_who_may_confirm_and_who_may_change(by, confirms):
    policy = ConfirmationPolicy(by=by)
    assert names(lambda actor: may_confirm(actor, ANA, policy)) == confirms
    changes = names(lambda actor: _passes(check_may_change, actor, ANA, policy))
    assert changes == confirms | {"ana", "chief ana"}


def _passes(rule, *arguments):
    try:
        rule(*arguments)
    except Refusal as refusal:
        assert refusal.type == "NotAllowed"
        return False
    return True


@pytest.mark.parametrize("by", ["requester", "other"])
def test_nobody_may_confirm_where_the_requester_counts_and_is_not_known(by):
    policy = ConfirmationPolicy(by=by)
    assert names(lambda actor: may_confirm(actor, None, policy)) == set()


def test_another_spelling_of_an_id_is_no_second_person_and_gives_no_right():
    other, requester = ConfirmationPolicy(by="other"), ConfirmationPolicy(by="requester")
    for actor in ALIKE:
        assert not may_confirm(actor, ANA, other), actor
        assert not may_confirm(actor, ANA, requester), actor
        assert has_approved([Approval(actor=ANA, at="")], actor), actor
        assert may_confirm(actor, ANA, other, people=1), "as transactions begun before 0.2 go on"
    assert not is_named(BLANK)
    assert not is_named(Actor(id="\u2800"))
    assert is_named(BLANK, people=1)


def question(policy, *approvals, decided=None):
    asked = Confirmation(
        message="?",
        digest="d",
        requested_at="",
        expires_at="",
        approvals_needed=policy.approvals,
        approvals=tuple(approvals),
    )
    return Question(
        status=Status.AWAITING_CONFIRMATION,
        closed=False,
        confirmation=asked,
        decided=decided,
        policy=policy,
        requester=ANA,
        eligible_ids=("1", "2"),
    )


def yes(actor, *item_ids):
    return Decision(decision="confirm", digest="d", actor=actor, item_ids=item_ids or None)


def effect(decision, asked):
    try:
        return check_decision(decision, asked, NOW).value
    except Refusal as refusal:
        return refusal.type.value


def given(actor, *item_ids):
    return Approval(actor=actor, at="", item_ids=item_ids or None)


@pytest.mark.parametrize(
    ("by", "first", "then", "expected"),
    [
        ("any", ANA, BETO, "confirmed"),
        ("any", ANA, ANA, "nothing"),
        ("any", ANA, ALIKE[0], "nothing"),
        ("any", ANA, BLANK, "NotAllowed"),
        ("any", ANA, NOBODY, "NotAllowed"),
        ("other", BETO, ANA, "NotAllowed"),
        ("other", BETO, ALIKE[2], "NotAllowed"),
        ("other", BETO, DORA, "confirmed"),
        ("role:gerente", DORA, BETO, "NotAllowed"),
        ("role:gerente", DORA, CHIEF_ANA, "confirmed"),
    ],
)
def test_two_approvals_are_two_people_whom_the_policy_lets(by, first, then, expected):
    policy = ConfirmationPolicy(by=by, approvals=2)
    assert effect(yes(first), question(policy)) == "approved"
    assert effect(yes(then), question(policy, given(first))) == expected


def test_approvals_have_to_be_for_the_same_items():
    policy = ConfirmationPolicy(approvals=3, items="any")
    earlier = [given(ANA, "1", "2")]
    assert effect(yes(BETO, "2", "1"), question(policy, *earlier)) == "approved"
    for other in ((), ("1",)):
        assert effect(yes(BETO, *other), question(policy, *earlier)) == "ConflictingDecision"
        assert effect(yes(ANA, *other), question(policy, *earlier)) == "ConflictingDecision"


def test_one_no_is_enough_and_after_the_answer_only_the_same_answer_is_heard():
    policy = ConfirmationPolicy(by="other", approvals=2)
    no = Decision(decision="reject", actor=ANA)
    assert effect(no, question(policy, given(BETO))) == "rejected"
    done = question(policy, given(BETO), given(DORA), decided=Decided(decision="confirm", digest="d"))
    assert effect(yes(BETO), done) == DecisionEffect.NOTHING
    assert effect(no, done) == "ConflictingDecision"
    assert effect(yes(ANA), done) == "NotAllowed"


def state(by, approvals=1, status=Status.AWAITING_CONFIRMATION, requester=ANA):
    asked = question(ConfirmationPolicy(by="any", approvals=approvals)).confirmation
    return TransactionState(
        transaction_id="tx",
        status=status,
        tool_name="t",
        requested_tool_name="t",
        confirmation=asked if status is not Status.COLLECTING_PARAMETERS else None,
        requester=requester,
        confirmation_by=by,
    )


@pytest.mark.parametrize(
    ("by", "approvals", "anyone", "readers"),
    [
        ("any", 1, "requester", {"ana", "chief ana"}),
        ("any", 1, "tenant", {*EVERYBODY} - {"none"}),
        ("any", 2, "requester", {*EVERYBODY} - {"none"}),
        ("requester", 1, "tenant", {"ana", "chief ana"}),
        ("other", 1, "requester", {"ana", "chief ana", "beto", "dora"}),
        ("role:gerente", 1, "tenant", {"ana", "chief ana", "dora"}),
        (None, 1, "tenant", {"ana", "chief ana"}),
    ],
)
def test_who_may_look_at_a_door_that_knows_who_calls(by, approvals, anyone, readers):
    asked = state(by, approvals)
    assert names(lambda actor: actor is not None and may_read(asked, actor, Anyone(anyone))) == readers


def test_nobody_may_look_where_nobody_asked_and_any_means_the_requester():
    asked = state("any", requester=None)
    assert names(lambda actor: actor is not None and may_read(asked, actor, Anyone.REQUESTER)) == set()
    assert not may_read(state("any", requester=Actor(id="")), Actor(id=""), Anyone.REQUESTER)


@pytest.mark.parametrize("anyone", Anyone)
@pytest.mark.parametrize("by", ["any", "requester", "other", "role:gerente", None])
def test_a_door_refuses_nothing_that_the_rules_of_the_workflow_allow_but_what_any_means(by, anyone):
    for actor, word in itertools.product(EVERYBODY.values(), ("confirm", "reject")):
        decision = Decision(decision=word, digest="d", actor=actor)
        asked = state(by)
        policy = door_policy(asked, anyone)
        expected = policy is None or effect(decision, question(policy)) != "NotAllowed"
        assert _passes(check_decision_at_door, asked, decision, anyone) == expected
        allowed = policy is None or _passes(check_may_change, actor, ANA, policy)
        assert _passes(check_change_at_door, asked, actor, anyone) == allowed


@pytest.mark.parametrize("status", [s for s in Status if s is not Status.AWAITING_CONFIRMATION])
def test_a_door_leaves_other_refusals_than_who_to_the_workflow(status):
    check_decision_at_door(state("requester", status=status), yes(BETO))
