"""From copies of a body to one proof per confirmed item.

Entries of ``results`` outrank every flag beside them. Each copy (structured, text) is read by itself; where
both tell about items, they have to agree on each.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from confirmo.policies import json_text
from confirmo.policies.matching import Matcher
from confirmo.policies.models import FrozenItem, OperationType, Outcome, ReasonCode, Wire
from confirmo.policies.outcomes import (
    REASON_LIMIT,
    CallReport,
    ItemOutcome,
    Proof,
    agree,
    has_flag,
    prove,
    prove_flags,
    reason_of,
    unknown,
)
from confirmo.policies.reading import Copy, Reading
from confirmo.policies.tool_spec import ToolSpec

RESULTS = "results"
_AFTER_THE_EFFECT = ("Output validation error",)
"""What MCP servers say under ``isError`` when a tool ran and its answer broke its output schema: no proof of a no.

The Python and the TypeScript SDK of MCP word it so.
"""
MISSING = "The tool's answer does not say what became of this item."


class Told(Wire):
    """What one copy tells.

    Attributes:
        entries: Its entries, or null where it has no ``results``.
        body: The map around the entries, or the flat answer; null for a bare list.
        holders: The maps whose flags count for a flat answer.
    """

    entries: tuple[Any, ...] | None = None
    body: Any = None
    holders: tuple[Any, ...] = ()

    @property
    def has_flags(self) -> bool:
        """Whether any flag stands outside the entries."""
        return any(map(has_flag, self.holders))

    @property
    def has_any_flag(self) -> bool:
        """Whether any flag stands anywhere."""
        return self.has_flags or any(map(has_flag, self.entries or ()))


def told(copy: Copy, tool_name: str) -> Told:
    """Find the entries of a copy.

    A bare list, ``results``, a workflow's ``output[tool].results``, or those under the one ``result``.
    """
    for value in (copy.body, copy.inner):
        found = _entries(value, tool_name)
        if found is not None:
            entries, around = found
            return Told(entries=tuple(entries), body=around, holders=(around,))
    holders = tuple(value for value in (copy.body, copy.inner) if isinstance(value, Mapping))
    return Told(body=copy.body, holders=holders)


def _entries(value: Any, tool_name: str) -> tuple[list[Any], Any] | None:
    if isinstance(value, list):
        return value, None
    if not isinstance(value, Mapping):
        return None
    output = value.get("output")
    for around in (output.get(tool_name) if isinstance(output, Mapping) else None, value):
        if isinstance(around, Mapping) and isinstance(around.get(RESULTS), list):
            return around[RESULTS], around
    return None


def evidence_of(reading: Reading, tool: ToolSpec) -> list[Told]:
    """Return what counts: the copies with entries, else those with flags, else nothing."""
    all_told = [told(copy, tool.name) for copy in reading.copies]
    with_entries = [one for one in all_told if one.entries is not None]
    return with_entries or [one for one in all_told if one.has_flags]


class Reconciled(Wire):
    """One outcome per item in the given order, and the entries that are about none of them."""

    outcomes: tuple[ItemOutcome, ...] = ()
    unrequested: tuple[Any, ...] = ()
    matched: bool = False


def reconcile_entries(evidence: Sequence[Told], items: Sequence[FrozenItem], tool: ToolSpec) -> Reconciled:
    """Match the entries of one or two copies with the items of a call."""
    matcher = Matcher(items, tool)
    sorted_copies = [_sort(one.entries or (), matcher, len(items)) for one in evidence]
    outcomes = tuple(
        _outcome(item, [own[position] for own, _ in sorted_copies]) for position, item in enumerate(items)
    )
    return Reconciled(
        outcomes=outcomes,
        unrequested=json_text.distinct([entry for _, rest in sorted_copies for entry in rest]),
        matched=any(entries for own, _ in sorted_copies for entries in own),
    )


def _sort(entries: Sequence[Any], matcher: Matcher, count: int) -> tuple[list[list[Any]], list[Any]]:
    own: list[list[Any]] = [[] for _ in range(count)]
    rest: list[Any] = []
    for entry in entries:
        position = matcher.find(entry)
        (rest if position is None else own[position]).append(entry)
    lone = count == 1 and len(entries) == 1 and len(rest) == 1
    if lone and isinstance(rest[0], Mapping) and not matcher.names_something_else(rest[0], flat=False):
        return [rest], []
    return own, rest


def _outcome(item: FrozenItem, copies: Sequence[list[Any]]) -> ItemOutcome:
    entries = json_text.distinct([entry for own in copies for entry in own])
    if not entries:
        return item_outcome(item, unknown(ReasonCode.MISSING_RESULT, MISSING))
    proofs = [agree([prove(entry) for entry in own]) if own else None for own in copies]
    known = [proof for proof in proofs if proof is not None]
    proof = agree(known)
    if len(known) < len(proofs):
        proof = unknown(
            ReasonCode.CONFLICTING_EVIDENCE, "Only one of the answer's two copies tells about this item."
        )
    return item_outcome(item, proof, entries)


def item_outcome(item: FrozenItem, proof: Proof, entries: Sequence[Any] = ()) -> ItemOutcome:
    """Return an item's outcome from what is proven; several different entries are all kept."""
    return ItemOutcome(
        item_id=item.item_id,
        outcome=proof.outcome,
        reason=proof.reason,
        reason_code=proof.reason_code,
        entry=entries[0] if entries else None,
        conflicting=tuple(entries) if len(entries) > 1 else (),
    )


def takes_envelope(tool: ToolSpec) -> bool:
    """Whether an answer without flags and ``isError`` is a success: by policy, or where nothing changes."""
    return tool.execution.evidence == "envelope" or tool.operation_type is not OperationType.TRANSACTIONAL


def prove_flat(reading: Reading, evidence: Sequence[Told]) -> Proof:
    """Return what flat flags prove: all copies have to agree, and a yes must not be an ``isError``."""
    flagged = [one for one in evidence if one.has_flags]
    proof = agree([prove_flags(one.body, one.holders) for one in flagged])
    if reading.is_error and proof.outcome is Outcome.SUCCEEDED:
        return unknown(ReasonCode.CONFLICTING_EVIDENCE, "The tool reported an error and a success at once.")
    if proof.outcome is Outcome.FAILED and proof.reason is None and reading.message:
        return proof.model_copy(update={"reason": reading.message[:REASON_LIMIT]})
    return proof


def prove_answer(reading: Reading, *, envelope: bool) -> Proof:
    """Return what an answer without any flag proves: no under ``isError``, yes by envelope, else nothing."""
    if reading.is_error and any(words in (reading.message or "") for words in _AFTER_THE_EFFECT):
        return unknown(
            ReasonCode.UNRECOGNISED_ANSWER, "The tool ran, and its server refused the tool's answer."
        )
    if reading.is_error:
        bodies = [body for copy in reading.copies for body in (copy.body, copy.inner)]
        reason = next(filter(None, map(reason_of, bodies)), None) or reading.message
        return Proof(
            outcome=Outcome.FAILED,
            reason=(reason or "The tool reported an error without a text.")[:REASON_LIMIT],
        )
    if envelope:
        return Proof(outcome=Outcome.SUCCEEDED)
    return unknown(ReasonCode.UNRECOGNISED_ANSWER, "The tool's answer follows no known form.")


def beside(reading: Reading, evidence: Sequence[Told]) -> CallReport:
    """Return a report of what stands beside entries: texts, the answer's own error, what else it says."""
    body = next((one.body for one in evidence if isinstance(one.body, Mapping)), {})
    summary = {name: value for name, value in body.items() if name != RESULTS}
    prose, own = reading.message, _text(summary.get("message"))
    error = reason_of({"error": summary.get("error")})
    if reading.is_error:
        prose, error = None, reading.message or error or own
    return CallReport(
        message=prose or own,
        secondary_error=error[:REASON_LIMIT] if error else None,
        summary=summary or None,
    )


def texts_beside(reading: Reading, proof: Proof) -> CallReport:
    """Return a report of the prose beside a flat answer, unless it is the reason or all there is."""
    text = None if reading.message == proof.reason else reading.message
    if proof.reason_code == ReasonCode.UNRECOGNISED_ANSWER.value:
        text = None
    if reading.is_error:
        return CallReport(secondary_error=text[:REASON_LIMIT] if text else None)
    return CallReport(message=text)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value.strip() else None
