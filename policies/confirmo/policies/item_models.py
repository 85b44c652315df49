"""Wire models of the items of a set, and of what is taken up of them again. Import them from ``models``."""

from typing import Any, Literal

from pydantic import Field, model_serializer, model_validator

from confirmo.policies.wire import Outcome, Wire

WHOLE_SET_ITEMS = 3_000
"""A set of up to so many items stands in every state whole."""
SUMMARY_ITEMS = 500
"""So many items stand in the state of a larger one."""


class ItemState(Wire):
    """One item as the outside sees it."""

    item_id: str
    label: str
    eligible: bool = True
    reason: str | None = None
    outcome: Outcome | None = None


class FrozenItem(Wire):
    """One item of the frozen set.

    Attributes:
        item_id: Identity, normalised text (CONTRACT.md section 5).
        label: What a person is shown.
        data: The entry as it was resolved or given: a map, a text or a number.
        aliases: Every identity field and label text by which a tool may name it.

    On the wire an item that is nothing but its own name is that text alone, and fields with their default are left
    out: a set of ten thousand has to fit beside all else.
    """

    item_id: str
    label: str
    eligible: bool = True
    reason: str | None = None
    data: Any = None
    aliases: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        if isinstance(value, str):
            return {"item_id": value, "label": value, "data": value, "aliases": (value,)}
        return value

    @model_serializer(mode="plain", when_used="json")
    def _compact(self) -> Any:
        name = self.item_id
        plain = self.eligible and self.reason is None and self.aliases == (name,)
        if plain and self.data == name and self.label == name and isinstance(self.data, str):
            return name
        wire: dict[str, Any] = {"item_id": name, "label": self.label}
        if not self.eligible:
            wire["eligible"] = False
        if self.reason is not None:
            wire["reason"] = self.reason
        if self.data is not None:
            wire["data"] = self.data
        if self.aliases:
            wire["aliases"] = self.aliases
        return wire


class Resolution(Wire):
    """What an operator found out about an item whose outcome nobody could say. Evidence of its own kind."""

    item_id: str
    outcome: Literal["succeeded", "failed"]
    note: str
    actor: str | None = None
    at: str


class Redrive(Wire):
    """What a transaction takes up from an earlier one.

    Attributes:
        of: The earlier transaction.
        root: The first one: idempotency keys are derived from it.
        mode: ``retry`` executes the named items again, ``undo`` compensates them.
        whole_call: The earlier transaction had no items: its one call is made again.
        item_ids: The items to act on.
        verify_item_ids: Those of them that may have been sent: the status tool is asked first, where there is one.
        verify_call: The same for a call without items.
        known_items: The earlier transaction's whole set.
        entries: The earlier evidence by item id.
        resolutions: What an operator found out; those items are not sent.
    """

    of: str
    root: str
    mode: Literal["retry", "undo"] = "retry"
    whole_call: bool = False
    item_ids: tuple[str, ...] = ()
    verify_item_ids: tuple[str, ...] = ()
    verify_call: bool = False
    known_items: tuple[FrozenItem, ...] = ()
    entries: dict[str, dict[str, Any]] = {}
    resolutions: tuple[Resolution, ...] = ()


class Progress(Wire):
    """Counts of the frozen set."""

    items_count: int = 0
    items_done_count: int = 0
    items_succeeded_count: int = 0
    items_failed_count: int = 0
    items_unknown_count: int = 0


class ItemPage(Wire):
    """Answer of the query ``items``: a part of the set, each with the evidence that there is.

    Attributes:
        items: ``results[]`` entries where there is an outcome, else what the set says of the item.
        items_count: Items that the filter lets pass, over all pages.
        next_cursor: Where the next page begins; null on the last one.
    """

    items: tuple[dict[str, Any], ...] = ()
    items_count: int = 0
    next_cursor: int | None = None


class ItemsAsked(Wire):
    """Argument of the query ``items``.

    Attributes:
        cursor: ``next_cursor`` of the page before; 0 for the first.
        limit: Items of one page, 1 to 1,000.
        outcome: Only those; null for all.
    """

    cursor: int = Field(default=0, ge=0)
    limit: int = Field(default=200, ge=1, le=1000)
    outcome: Outcome | None = None
