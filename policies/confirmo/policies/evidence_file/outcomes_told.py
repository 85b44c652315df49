"""Whether a result says what the answers say, and counts as the normaliser counts."""

from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from confirmo.policies.evidence_file.bodies import MIXED, Answer
from confirmo.policies.json_text import same
from confirmo.policies.models import CLOSED_STATUSES, Outcome, Redrive, Status, TransactionResult
from confirmo.policies.normalizer import normalize

_COUNTED = ("ok", "multi_item_status", "partial_success")


class OutcomesTold:
    """The last outcome that each item's answers told.

    Attributes:
        redrive: What the transaction takes up, or null.
    """

    def __init__(self) -> None:
        self.redrive: Redrive | None = None
        self._last: dict[tuple[str, str | None], str] = {}

    def answer(self, body: Answer) -> None:
        """Take an answer; a status tool's doubt after a call's own word is its last word."""
        if body.outcome is not None:
            self._last[body.role, body.item_id] = body.outcome

    def check(self, transaction_id: str, raw: dict[str, Any]) -> Iterator[str]:
        """Return what does not agree in a result."""
        try:
            result = TransactionResult.model_validate(raw)
        except ValidationError:
            yield "it is no TransactionResult"
            return
        if result.transaction_id != transaction_id:
            yield "the result is of another transaction"
        if result.transaction_status not in CLOSED_STATUSES:
            yield "a result is of a transaction that is over"
        if not _counts(result, raw):
            yield "status and counts are not those of its own items"
        yield from self._entries(result)

    def _entries(self, result: TransactionResult) -> Iterator[str]:
        output = result.result.get("output")
        own = output.get(result.tool_name) if isinstance(output, dict) else None
        entries = own.get("results") if isinstance(own, dict) else None
        role = "undo" if self.redrive and self.redrive.mode == "undo" else "primary"
        resolved = {one.item_id for one in self.redrive.resolutions} if self.redrive else set()
        for entry in entries if isinstance(entries, list) else []:
            if not isinstance(entry, dict):
                continue
            if (entry.get("outcome") == Outcome.SUCCEEDED) != (entry.get("success") is True):
                yield "an item's success is not its outcome"
            told = self._last.get((role, entry.get("item_id"))) if _named(entry) else None
            if _named(entry) and entry["item_id"] not in resolved and not self._of_a_whole(role):
                yield from _agrees(entry.get("outcome"), told)
        told_of = {outcome for (of, _), outcome in self._last.items() if of == role}
        done = bool(told_of & {Outcome.SUCCEEDED, MIXED})
        if result.transaction_status is not Status.COMPLETED and Outcome.SUCCEEDED in told_of:
            yield "an answer says that something was done, and the transaction did not complete"
        if result.transaction_status is Status.COMPLETED and not (done or resolved):
            yield "the transaction completed, and no answer says that anything was done"

    def _of_a_whole(self, role: str) -> bool:
        """Whether a call without items answered, whose results are the tool's own."""
        return (role, None) in self._last


def _named(entry: dict[str, Any]) -> bool:
    return isinstance(entry.get("item_id"), str)


def _agrees(outcome: Any, told: str | None) -> Iterator[str]:
    if outcome == Outcome.SUCCEEDED and told != Outcome.SUCCEEDED:
        yield "an item is said to have succeeded, and no answer says so"
    if outcome != Outcome.SUCCEEDED and told == Outcome.SUCCEEDED:
        yield "an answer says that an item succeeded, and the result does not"


def _counts(result: TransactionResult, raw: dict[str, Any]) -> bool:
    metadata = {name: value for name, value in result.metadata.items() if name != "multi_item"}
    before = {"result": raw.get("result"), "metadata": metadata, "ok": result.ok}
    if result.original_ok is not None:
        before["ok"] = result.original_ok
    normal = normalize(result.tool_name, before)
    expected = [normal.get("ok"), normal.get("multi_item_status"), normal.get("partial_success", False)]
    counted = normal["metadata"].get("multi_item") if isinstance(normal.get("metadata"), dict) else None
    told = [getattr(result, name) for name in _COUNTED]
    return same(expected, told) and same(counted, result.metadata.get("multi_item"))
