"""One question of a file and what was answered: whether a call may follow it."""

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import ValidationError

from confirmo.policies.decisions import has_approved, is_named
from confirmo.policies.evidence_file.bodies import Call, Decision, Question
from confirmo.policies.item_arguments import (
    arguments_beside_items,
    arguments_for_all,
    arguments_for_item,
)
from confirmo.policies.models import Actor, Approval, FrozenItem
from confirmo.policies.tool_spec import ToolSpec

YES = frozenset({"approved", "confirmed"})


class Asked:
    """A question, open until it was answered or another one took its place.

    Attributes:
        question: Null where none was asked.
        open: Whether a decision may still come.
        confirmed: Whether the yes is complete.
    """

    def __init__(self, question: Question | None = None) -> None:
        self.question = question
        self.open = question is not None
        self.confirmed = False
        self._approvals: list[Approval] = []
        self._chosen: frozenset[str] | None = None
        self._items = _items(question) if question else dict[str, dict[str, Any]]()
        self._eligible = frozenset(id for id, item in self._items.items() if item.get("eligible") is True)
        self._beside: dict[str, dict[str, Any]] = {}

    def superseded(self) -> None:
        """Note that another question is the open one now; what was confirmed stays so."""
        self.open = False

    def decide(self, time: str, body: Decision, people: int) -> Iterator[str]:
        """Take a decision of that time and return what does not agree; ``people`` as ``ResolvedPolicy`` says."""
        if body.effect in ("refused", "not_processed", "nothing"):
            return
        if self.question is None or self.confirmed:
            yield "it was taken, and no question was open"
            return
        if time >= self.question.expires_at:
            yield "it was taken when the question had expired"
        decision = body.decision if isinstance(body.decision, dict) else {}
        said = decision.get("decision")
        if said != ("confirm" if body.effect in YES else "reject"):
            yield "the person said something else than what was taken"
        digest = decision.get("digest")
        if digest != self.question.digest and (body.effect in YES or digest is not None):
            yield "its digest is not that of the question that was open"
        if body.effect in YES:
            yield from self._approve(time, body.effect, decision, people)
        else:
            self.open = False

    def _approve(self, time: str, effect: str, decision: dict[str, Any], people: int) -> Iterator[str]:
        assert self.question is not None
        chosen = _texts(decision.get("item_ids"))
        if chosen is not None and not chosen <= self._eligible:
            yield "it names items that were not in the question, or not eligible"
        if self._approvals and chosen != self._chosen:
            yield "it names other items than the yes before it"
        self._chosen = chosen
        actor = _actor(decision.get("actor"))
        needed = self.question.approvals_needed
        if needed > 1 and (not is_named(actor, people) or has_approved(self._approvals, actor, people)):
            yield "more than one person has to say yes, and this one is not named or already did"
        self._approvals.append(Approval(actor=actor, at=time))
        if (effect == "confirmed") != (len(self._approvals) >= needed):
            yield f"it took {len(self._approvals)} of {needed} approvals for {effect}"
        self.confirmed = effect == "confirmed"
        self.open = not self.confirmed

    def may_send(self, time: str, tool_name: str, item_ids: Sequence[str]) -> Iterator[str]:
        """Return why a call of that time with these items may not follow."""
        assert self.question is not None
        if not self.confirmed or time < self._approvals[-1].at:
            yield "it was handed over to be sent before the yes"
        if tool_name != self.question.frozen.tool_name:
            yield "the question was about another tool"
        allowed = self._eligible if self._chosen is None else self._eligible & self._chosen
        if not allowed.issuperset(item_ids):
            yield "an item of it was not in the question, not eligible, or not named by the yes"

    def arguments_of(self, tool: ToolSpec, call: Call) -> list[dict[str, Any]]:
        """Return what a call may send: one set of arguments, for all items one of two; none for an unknown item.

        A file does not say whether a validator resolved the items, which decides in which shape all of them go out.
        """
        assert self.question is not None
        arguments = self.question.frozen.arguments
        if call.call == "whole":
            every = [self._item(id, id in (call.item_ids or ())) for id in self._items]
            return [arguments_for_all(tool, arguments, every, resolved) for resolved in (True, False)]
        if call.item_id is None:
            return [arguments]
        if call.item_id not in self._items:
            return []
        if tool.name not in self._beside:
            self._beside[tool.name] = arguments_beside_items(tool, arguments)
        return [arguments_for_item(tool, self._beside[tool.name], self._item(call.item_id, True))]

    def _item(self, item_id: str, eligible: bool) -> FrozenItem:
        shown = self._items[item_id]
        return FrozenItem.model_construct(
            item_id=item_id, label=str(shown.get("label")), data=shown.get("data"), eligible=eligible
        )


def _actor(value: Any) -> Actor | None:
    """Return who is named; null for nobody, and for what is no actor, of which the file is told elsewhere."""
    try:
        return Actor.model_validate(value) if value is not None else None
    except ValidationError:
        return None


def _items(question: Question) -> dict[str, dict[str, Any]]:
    return {str(item.get("item_id")): item for item in question.frozen.items}


def _texts(value: Any) -> frozenset[str] | None:
    return frozenset(map(str, value)) if isinstance(value, list) else None
