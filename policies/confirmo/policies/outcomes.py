"""What became of items: the models, and the outcome that one entry of a tool proves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal

from pydantic import model_serializer

from confirmo.policies import json_text
from confirmo.policies.models import Outcome, ReasonCode, Wire

REASON_LIMIT: Final = 2000
"""Characters of a reason; the entry itself keeps the whole text."""
FLAGS: Final = ("success", "ok")
KEY_FOLLOWS: Final = ""
"""An ``idempotency_key`` that is left out because it follows from the transaction's root and the item."""
_REASON_FIELDS = ("reason", "error", "message")
_CAUSE_FIELDS = ("message", "type", "code", "reason")


class ItemOutcome(Wire):
    """What became of one item.

    Attributes:
        entry: The tool's entry whole, or null where it gave none.
        conflicting: Every different entry that the tool gave for the item, where it gave several.
        verified_by: The status tool that was asked after a lost answer.
        attempts: Calls in which the item was sent.
        retryable: The failure table allows another call for it, which the workflow makes.
        retry_after: Seconds that the server asked to wait before it, or null.
        overdue: Its call ran out of time and nobody saw that it ended: a "not found" proves nothing yet.
        idempotency_key: Empty text where it follows from the transaction's root and the item; see ``result_entry``.

    On the wire fields with their default are left out.
    """

    item_id: str
    outcome: Outcome
    reason: str | None = None
    reason_code: str | None = None
    entry: Any = None
    conflicting: tuple[Any, ...] = ()
    verified_by: str | None = None
    attempts: int = 0
    idempotency_key: str | None = None
    retryable: bool = False
    retry_after: float | None = None
    overdue: bool = False

    @model_serializer(mode="plain", when_used="json")
    def _compact(self) -> dict[str, Any]:
        wire: dict[str, Any] = {"item_id": self.item_id, "outcome": self.outcome.value}
        for name, value in self.__dict__.items():
            if value is not None and value is not False and value != () and name not in wire:
                wire[name] = value
        if self.attempts == 0:
            wire.pop("attempts", None)
        return wire


@dataclass(frozen=True, slots=True)
class Known:
    """What became of one item, as a transaction keeps it: a tenth of an ``ItemOutcome`` in memory.

    Attributes:
        outcome: And the other fields: as in ``ItemOutcome``.
    """

    outcome: Outcome
    reason: str | None = None
    reason_code: str | None = None
    entry: Any = None
    conflicting: tuple[Any, ...] = ()
    verified_by: str | None = None
    attempts: int = 0
    idempotency_key: str | None = None

    @classmethod
    def of(cls, outcome: ItemOutcome) -> "Known":
        """Return what an outcome says beside whose it is."""
        return cls(
            outcome.outcome,
            outcome.reason,
            outcome.reason_code,
            outcome.entry,
            outcome.conflicting,
            outcome.verified_by,
            outcome.attempts,
            outcome.idempotency_key,
        )


class CallReport(Wire):
    """What one call proved.

    Attributes:
        items: One outcome per confirmed item, in the confirmed order; empty for a call without items.
        message: Text beside the evidence.
        secondary_error: Error text beside the evidence: under ``isError``, or the answer's own ``error``.
        unrequested: Entries for items that nobody asked for.
        raw: An answer that follows no rule, at most 64 KiB of UTF-8.
        answer: For a call without items: the tool's own structured answer.
        summary: For a call with items: what the answer says beside the entries, such as a batch's protocol.
        outcome: For a call without items; null where the tool's own ``results`` are mixed.
        results: For a call without items: the tool's own entries with our words laid over them.
        verified_by: For a call without items, as in ``ItemOutcome``.
        attempts: For a call without items, as in ``ItemOutcome``.
        idempotency_key: The call's own key.
        retryable: For a call without items, as in ``ItemOutcome``; so are ``retry_after`` and ``overdue``.
    """

    internal: ClassVar[bool] = True
    items: tuple[ItemOutcome, ...] = ()
    message: str | None = None
    secondary_error: str | None = None
    unrequested: tuple[Any, ...] = ()
    raw: str | None = None
    answer: Any = None
    summary: dict[str, Any] | None = None
    outcome: Outcome | None = None
    reason: str | None = None
    reason_code: str | None = None
    results: tuple[Any, ...] = ()
    verified_by: str | None = None
    attempts: int = 0
    idempotency_key: str | None = None
    retryable: bool = False
    retry_after: float | None = None
    overdue: bool = False


class Proof(Wire):
    """What an entry, or several for one thing, prove: an outcome and why."""

    outcome: Outcome
    reason: str | None = None
    reason_code: str | None = None


class StatusVerdict(Wire):
    """What a status tool said about an item in doubt.

    Attributes:
        kind: ``found`` is evidence; ``not_found`` means that it may be sent again; ``unknown`` is neither.
        outcome: The item's outcome with ``verified_by``; null under ``not_found``.
        reason: Why it is ``unknown``.
    """

    kind: Literal["found", "not_found", "unknown"]
    outcome: ItemOutcome | None = None
    reason: str | None = None


def unknown(code: ReasonCode, reason: str) -> Proof:
    """Return the proof that nobody can say."""
    return Proof(outcome=Outcome.UNKNOWN, reason=reason, reason_code=code.value)


def has_flag(entry: Any) -> bool:
    """Whether an entry holds ``success`` or ``ok``, boolean or not."""
    return isinstance(entry, Mapping) and any(name in entry for name in FLAGS)


def prove(entry: Any) -> Proof:
    """Return what one entry proves: only a boolean ``success`` or ``ok`` counts, and both have to agree."""
    return prove_flags(entry, [entry])


def prove_flags(entry: Any, holders: Sequence[Any]) -> Proof:
    """Return what the flags of several maps prove together; ``entry`` gives the reason text."""
    flags = [
        holder[name] for holder in holders if isinstance(holder, Mapping) for name in FLAGS if name in holder
    ]
    if not flags:
        return unknown(ReasonCode.INVALID_FLAG, "The tool gave no success flag for this.")
    if not all(isinstance(flag, bool) for flag in flags):
        return unknown(ReasonCode.INVALID_FLAG, "The tool's success flag is not a boolean.")
    if len(set(flags)) > 1:
        return unknown(ReasonCode.CONFLICTING_EVIDENCE, "The tool's own flags contradict each other.")
    if flags[0]:
        return Proof(outcome=Outcome.SUCCEEDED)
    return Proof(outcome=Outcome.FAILED, reason=next(filter(None, map(reason_of, holders)), None))


def agree(proofs: Sequence[Proof]) -> Proof:
    """Return what several entries for one thing prove: the same outcome, or a conflict."""
    if len({proof.outcome for proof in proofs}) > 1:
        return unknown(ReasonCode.CONFLICTING_EVIDENCE, "The tool's answers contradict each other.")
    return proofs[0]


def reason_of(entry: Any) -> str | None:
    """Return an entry's ``reason``, else ``error``, else ``message``; at most 2000 characters."""
    if not isinstance(entry, Mapping):
        return None
    return next(filter(None, (_reason_text(entry.get(name)) for name in _REASON_FIELDS)), None)


def _reason_text(value: Any) -> str | None:
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, Mapping):
        causes = (
            cause
            for cause in map(value.get, _CAUSE_FIELDS)
            if isinstance(cause, str | int) and str(cause).strip()
        )
        value = next(causes, value or None)
    text = value if isinstance(value, str) else json_text.dump(value) if value else ""
    return text.strip()[:REASON_LIMIT] or None
