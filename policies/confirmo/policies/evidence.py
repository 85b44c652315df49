"""Evidence: what a tool's answer proves about the confirmed items. The only reader of tool answers.

``reading`` turns an answer into JSON values, ``matching`` finds the item of an entry, ``reconcile`` makes one
proof per item, ``outcomes`` holds the models and the flags, ``single`` judges calls without items. Nothing
here raises on any answer, and nothing says "try again": an answer that follows no rule is ``UNKNOWN`` and
kept.
"""

from collections.abc import Mapping, Sequence

from confirmo.policies import json_text
from confirmo.policies.matching import Matcher
from confirmo.policies.models import FrozenItem, Outcome, ReasonCode, ToolAnswer
from confirmo.policies.outcomes import (
    FLAGS,
    KEY_FOLLOWS,
    CallReport,
    ItemOutcome,
    Known,
    Proof,
    StatusVerdict,
    unknown,
)
from confirmo.policies.plain_answers import plain_success
from confirmo.policies.reading import Copy, Reading, read_answer
from confirmo.policies.reconcile import (
    MISSING,
    Told,
    beside,
    evidence_of,
    item_outcome,
    prove_answer,
    prove_flat,
    reconcile_entries,
    takes_envelope,
    texts_beside,
)
from confirmo.policies.result_entries import result_entry
from confirmo.policies.single import judge_single, report_single
from confirmo.policies.tool_spec import ToolSpec

__all__ = [
    "KEY_FOLLOWS",
    "CallReport",
    "ItemOutcome",
    "Known",
    "Reading",
    "StatusVerdict",
    "read_answer",
    "report_items",
    "report_single",
    "report_status",
    "result_entry",
    "takes_envelope",
]

_FOUND = "found"


def report_items(answer: ToolAnswer, items: Sequence[FrozenItem], tool: ToolSpec) -> CallReport:
    """Return what an answer proves about the items of its call: one outcome each, in their order."""
    plain = plain_success(answer, items[0], tool) if len(items) == 1 else None
    return plain or _report(read_answer(answer), items, tool, envelope=takes_envelope(tool))


def _report(reading: Reading, items: Sequence[FrozenItem], tool: ToolSpec, *, envelope: bool) -> CallReport:
    evidence = evidence_of(reading, tool)
    envelope = envelope and len(items) == 1
    if any(one.entries for one in evidence):
        return _by_entries(reading, evidence, items, tool, envelope=envelope)
    if any(one.has_flags for one in evidence):
        return _by_flags(reading, evidence, items, tool)
    return _by_answer(reading, evidence, items, envelope=envelope)


def _by_entries(
    reading: Reading, evidence: Sequence[Told], items: Sequence[FrozenItem], tool: ToolSpec, *, envelope: bool
) -> CallReport:
    found = reconcile_entries(evidence, items, tool)
    outcomes = found.outcomes
    if envelope and found.matched and not reading.is_error and not any(one.has_any_flag for one in evidence):
        outcomes = (item_outcome(items[0], Proof(outcome=Outcome.SUCCEEDED), [outcomes[0].entry]),)
    raw = None if found.matched else reading.raw
    report = beside(reading, evidence)
    return report.model_copy(update={"items": outcomes, "unrequested": found.unrequested, "raw": raw})


def _by_flags(
    reading: Reading, evidence: Sequence[Told], items: Sequence[FrozenItem], tool: ToolSpec
) -> CallReport:
    proof = prove_flat(reading, evidence)
    matcher = Matcher(items, tool)
    holders = [holder for one in evidence for holder in one.holders]
    named = {position for holder in holders if (position := matcher.find(holder)) is not None}
    if len(items) == 1:
        foreign = not named and any(matcher.names_something_else(holder, flat=True) for holder in holders)
        return (
            _about_another(reading, evidence, items)
            if foreign
            else _about_one(reading, evidence, items, proof)
        )
    if proof.outcome is Outcome.SUCCEEDED:
        proof = unknown(ReasonCode.MISSING_RESULT, "One success flag for several items proves none of them.")
    outcomes = [item_outcome(item, proof) for item in items]
    if proof.outcome is Outcome.FAILED and len(named) == 1:
        # A no that names one of several items says nothing about those that came before it.
        missing = unknown(ReasonCode.MISSING_RESULT, MISSING)
        outcomes = [
            own if at in named else item_outcome(items[at], missing) for at, own in enumerate(outcomes)
        ]
    summary = next((one.body for one in evidence if isinstance(one.body, dict)), None)
    report = texts_beside(reading, proof).model_copy(update={"summary": summary})
    return _finished(reading, report, outcomes)


def _about_one(
    reading: Reading, evidence: Sequence[Told], items: Sequence[FrozenItem], proof: Proof
) -> CallReport:
    entries = json_text.distinct([one.body for one in evidence])
    if proof.outcome is Outcome.SUCCEEDED and any(one.entries is not None for one in evidence):
        proof, entries = unknown(ReasonCode.MISSING_RESULT, MISSING), ()
    return _finished(reading, texts_beside(reading, proof), [item_outcome(items[0], proof, entries)])


def _about_another(reading: Reading, evidence: Sequence[Told], items: Sequence[FrozenItem]) -> CallReport:
    proof = unknown(ReasonCode.MISSING_RESULT, MISSING)
    report = texts_beside(reading, proof).model_copy(update={"unrequested": (evidence[0].body,)})
    return _finished(reading, report, [item_outcome(items[0], proof)])


def _by_answer(
    reading: Reading, evidence: Sequence[Told], items: Sequence[FrozenItem], *, envelope: bool
) -> CallReport:
    proof = prove_answer(reading, envelope=envelope)
    if proof.outcome is Outcome.UNKNOWN and evidence:
        proof = unknown(ReasonCode.MISSING_RESULT, MISSING)
    body = reading.copies[0].body if reading.copies else None
    known = proof.outcome is not Outcome.UNKNOWN
    entries = [body] if known and len(items) == 1 and isinstance(body, Mapping) else []
    summary = body if known and not entries and isinstance(body, dict) else None
    report = texts_beside(reading, proof).model_copy(update={"summary": summary})
    return _finished(reading, report, [item_outcome(item, proof, entries) for item in items])


def _finished(reading: Reading, report: CallReport, outcomes: Sequence[ItemOutcome]) -> CallReport:
    unexplained = any(own.outcome is Outcome.UNKNOWN and own.entry is None for own in outcomes)
    return report.model_copy(update={"items": tuple(outcomes), "raw": reading.raw if unexplained else None})


def report_status(
    answer: ToolAnswer, item: FrozenItem | None, tool: ToolSpec, verified_by: str | None = None
) -> StatusVerdict:
    """Return what a status tool says about an item, or a call without items, whose answer was lost.

    ``found`` has to be a boolean. True is evidence: the rest of the answer is read like the tool's own answer
    and needs a flag, whatever ``evidence`` says. False is ``not_found`` unless the answer claims a success.
    All else, ``isError`` included, is ``unknown`` and leaves the item ``lost_answer``.

    Args:
        answer: The status tool's answer.
        item: The item; null for a call without items.
        tool: The tool whose answer was lost, or the status tool: only how it names items is read from it.
        verified_by: Name of the status tool; default ``tool.name``.
    """
    reading, by = read_answer(answer), verified_by or tool.name
    subject = item or FrozenItem(item_id="", label="")
    copies = [copy for copy in reading.copies if isinstance(copy.body, Mapping) and _FOUND in copy.body]
    values = [copy.body[_FOUND] for copy in copies]
    clear = bool(values) and isinstance(values[0], bool) and all(value is values[0] for value in values)
    if reading.is_error or not clear or (not values[0] and _claims_success(copies)):
        reason = "The status tool gave no clear answer."
        doubt = item_outcome(subject, unknown(ReasonCode.LOST_ANSWER, reason))
        return StatusVerdict(kind="unknown", outcome=_verified(doubt, by), reason=reason)
    if not values[0]:
        return StatusVerdict(kind="not_found")
    found = reading.model_copy(update={"copies": tuple(map(_without_found, copies))})
    if item is None:
        return StatusVerdict(kind="found", outcome=_verified(_single_outcome(found, tool), by))
    return StatusVerdict(
        kind="found", outcome=_verified(_report(found, [item], tool, envelope=False).items[0], by)
    )


def _claims_success(copies: Sequence[Copy]) -> bool:
    holders = [value for copy in copies for value in (copy.body, copy.inner) if isinstance(value, Mapping)]
    return any(holder.get(flag) is True for holder in holders for flag in FLAGS)


def _without_found(copy: Copy) -> Copy:
    rest = {name: value for name, value in copy.body.items() if name != _FOUND}
    # A result that stands alone beside ``found`` is the wrapper that a plain answer may have.
    if set(rest) == {"result"} and isinstance(copy.inner, dict | list):
        return Copy(body=copy.inner)
    return Copy(body=rest, inner=copy.inner)


def _single_outcome(reading: Reading, tool: ToolSpec) -> ItemOutcome:
    report = judge_single(reading, tool, envelope=False)
    outcome = report.outcome or Outcome.UNKNOWN
    return ItemOutcome(
        item_id="", outcome=outcome, reason=report.reason, reason_code=report.reason_code, entry=report.answer
    )


def _verified(outcome: ItemOutcome, by: str) -> ItemOutcome:
    return outcome.model_copy(update={"verified_by": by})
