"""What a result says, as a check needs it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from confirmo.policies.checking.folding import fold, mask_items, phrase, readable
from confirmo.policies.models import Outcome, Status, TransactionResult
from confirmo.policies.texts.rendering import SENTENCE_ITEMS

_STEP_WORDS = ("outra", "another", "etapa", "aviso", "notificacao", "mensagem", "step", "notice", "message")
_EXECUTED = frozenset({Status.COMPLETED, Status.FAILED})


@dataclass(frozen=True)
class Item:
    """One item of a composition."""

    label: str
    expected: Outcome
    protocol: str
    reason: str


@dataclass(frozen=True)
class Told:
    """A result as data.

    Attributes:
        items: The listed ones.
        undone: Outcome of undoing by label.
        counts: Of all items.
        omitted: How many are not listed.
        nameless: There is one item, and it is the operation itself: nothing has to name it.
        midway: A cancel came while it was executed.
        known: Everything that the result itself says, folded.
        text: The product's own sentences, folded.
        about: What the operation is, in words.
    """

    items: tuple[Item, ...]
    undone: Mapping[str, Outcome]
    counts: Mapping[Outcome, int]
    omitted: int
    executed: bool
    status: Status
    nameless: bool
    midway: bool
    operation: str
    secondary: str
    reason: str
    known: str
    text: str
    about: str

    @property
    def total(self) -> int:
        """How many items there are, listed or not."""
        return sum(self.counts.values())

    @property
    def all_done(self) -> bool:
        """Whether everything was done, and nothing failed beside it."""
        return self.executed and self.counts[Outcome.SUCCEEDED] == self.total and not self.secondary

    @property
    def is_long(self) -> bool:
        """Whether successes may be counted instead of named."""
        return self.total > SENTENCE_ITEMS

    @cached_property
    def known_words(self) -> set[str]:
        """The single words of ``known``."""
        rest = mask_items(self.known, self.labels())
        return {word.strip(".,:;!?()\"'“”") for word in rest.split()}

    @property
    def secondary_words(self) -> set[str]:
        """The words of the step that failed beside the items, and for it."""
        return {*phrase(self.secondary).split(), *_STEP_WORDS}

    def labels(self) -> list[str]:
        """Return the labels of items, then of what was undone beside them."""
        named = [item.label for item in self.items]
        return [*named, *(label for label in self.undone if label not in named)]


def told_by(result: TransactionResult) -> Told | None:
    """Return what a result says; null where it has no composition that can be read."""
    data = result.composition
    try:
        items = tuple(_item(view) for view in data["items"])
        undone = {str(view["label"]): Outcome(view["outcome"]) for view in data.get("undone", ())}
        counts = {outcome: int(data["counts"][outcome.value]) for outcome in Outcome}
        operation, omitted = str(data["operation"]), int(data["items_omitted"])
    except (KeyError, TypeError, ValueError, AttributeError):
        return None
    said = [
        operation,
        data.get("text"),
        data.get("reason"),
        data.get("secondary_error"),
        result.transaction_id,
    ]
    said += [part for item in items for part in (item.label, item.reason, item.protocol)]
    return Told(
        items=items,
        undone=undone,
        counts=counts,
        omitted=omitted,
        executed=result.transaction_status in _EXECUTED,
        status=result.transaction_status,
        nameless=len(items) == 1 and phrase(items[0].label) == phrase(operation),
        midway=result.reason_code == "cancelled",
        operation=operation,
        secondary=str(data.get("secondary_error") or ""),
        reason=str(data.get("reason") or ""),
        text=phrase(str(data.get("text") or "")),
        about=f"{result.tool_name.replace('_', ' ')} {operation}",
        known=" ".join(fold(readable(" ".join(str(part) for part in said if part))).split()),
    )


def _item(view: Mapping[str, Any]) -> Item:
    return Item(
        str(view["label"]),
        Outcome(view["outcome"]),
        str(view.get("protocol", "")),
        str(view.get("reason", "")),
    )
