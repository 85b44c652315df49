"""A call without items: the tool's own answer, or the items that it tells of by itself."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from confirmo.policies import json_text
from confirmo.policies.identity import has_identity, identity, label
from confirmo.policies.models import FrozenItem, Outcome, ReasonCode, ToolAnswer
from confirmo.policies.outcomes import CallReport, ItemOutcome, Proof, agree, prove, unknown
from confirmo.policies.reading import Reading, read_answer
from confirmo.policies.reconcile import (
    Told,
    beside,
    evidence_of,
    item_outcome,
    prove_answer,
    prove_flat,
    takes_envelope,
    texts_beside,
)
from confirmo.policies.result_entries import lay_over
from confirmo.policies.tool_spec import ToolSpec


def report_single(answer: ToolAnswer, tool: ToolSpec) -> CallReport:
    """Return what the answer of a call without items proves.

    Entries under ``results`` are the tool's own items: they are in ``results``, each with our words laid over
    it, and ``outcome`` is theirs where they all have the same, ``UNKNOWN`` where any is unknown, else null.
    Under ``evidence: envelope`` entries without any flag are data, not items.
    """
    return judge_single(read_answer(answer), tool, envelope=takes_envelope(tool))


def judge_single(reading: Reading, tool: ToolSpec, *, envelope: bool) -> CallReport:
    """Judge what was read; see ``report_single``."""
    evidence = evidence_of(reading, tool)
    in_entries = any(one.entries for one in evidence)
    flagged = any(one.has_any_flag for one in evidence)
    if in_entries and (flagged or not envelope):
        return _told_items(reading, evidence, tool)
    if any(one.has_flags for one in evidence):
        return _answered(reading, prove_flat(reading, evidence), evidence[0].body)
    proof = prove_answer(reading, envelope=envelope)
    return _answered(reading, proof, reading.copies[0].body if reading.copies else None)


def _answered(reading: Reading, proof: Proof, body: Any) -> CallReport:
    unrecognised = proof.reason_code == ReasonCode.UNRECOGNISED_ANSWER.value
    report = texts_beside(reading, proof)
    return report.model_copy(
        update={
            "answer": None if unrecognised else body,
            "outcome": proof.outcome,
            "reason": proof.reason,
            "reason_code": proof.reason_code,
            "raw": reading.raw if proof.outcome is Outcome.UNKNOWN else None,
        }
    )


def _told_items(reading: Reading, evidence: Sequence[Told], tool: ToolSpec) -> CallReport:
    copies = [_by_identity(one.entries or (), tool) for one in evidence]
    ids = dict.fromkeys(item_id for own in copies for item_id in own)
    results, proofs = [], []
    for item_id in ids:
        told = [own.get(item_id, []) for own in copies]
        entries = json_text.distinct([entry for own in told for entry in own])
        item = FrozenItem(item_id=item_id, label=label(entries[0], tool.execution.item_key))
        outcome = item_outcome(item, _proof(told), entries)
        proofs.append(outcome.outcome)
        results.append(lay_over(outcome.entry, _words(outcome), outcome.conflicting, item.label))
    report = beside(reading, evidence)
    return report.model_copy(
        update={
            "results": tuple(results),
            "answer": report.summary,
            "summary": None,
            "outcome": _overall(proofs),
        }
    )


def _by_identity(entries: Sequence[Any], tool: ToolSpec) -> dict[str, list[Any]]:
    """Group entries by identity; equal ones that do not say what they are about stay apart."""
    groups: dict[str, list[Any]] = {}
    unnamed: Counter[str] = Counter()
    for entry in entries:
        name = identity(entry, tool.execution.item_key)
        if not has_identity(entry, tool.execution.item_key):
            unnamed[name] += 1
            name = name if unnamed[name] == 1 else f"{name}#{unnamed[name]}"
        groups.setdefault(name, []).append(entry)
    return groups


def _proof(copies: Sequence[list[Any]]) -> Proof:
    if not all(copies):
        return unknown(
            ReasonCode.CONFLICTING_EVIDENCE, "Only one of the answer's two copies tells about this item."
        )
    return agree([prove(entry) for own in copies for entry in own])


def _words(outcome: ItemOutcome) -> Mapping[str, Any]:
    words: dict[str, Any] = {
        "item_id": outcome.item_id,
        "success": outcome.outcome is Outcome.SUCCEEDED,
        "outcome": outcome.outcome.value,
        "reason": outcome.reason,
        "reason_code": outcome.reason_code,
    }
    return {name: value for name, value in words.items() if value is not None}


def _overall(outcomes: Sequence[Outcome]) -> Outcome | None:
    if Outcome.UNKNOWN in outcomes:
        return Outcome.UNKNOWN
    return outcomes[0] if len(set(outcomes)) == 1 else None
