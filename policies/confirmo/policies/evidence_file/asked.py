"""One question of a file and what was answered: whether a call may follow it."""

from collections.abc import Iterator, Sequence
from typing import Any

from confirmo.policies.evidence_file.bodies import Decision, Question
from confirmo.policies.item_arguments import arguments_beside_items, arguments_for_item
from confirmo.policies.models import FrozenItem
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
        self._approvals = 0
        self._actors: set[str] = set()
        self._chosen: frozenset[str] | None = None
        self._items = _items(question) if question else dict[str, dict[str, Any]]()
        self._eligible = frozenset(id for id, item in self._items.items() if item.get("eligible") is True)
        self._beside: dict[str, dict[str, Any]] = {}

    def superseded(self) -> None:
        """Note that another question is the open one now; what was confirmed stays so."""
        self.open = False

    def decide(self, time: str, body: Decision) -> Iterator[str]:
        """Take a decision of that time and return what does not agree."""
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
            yield from self._approve(body.effect, decision)
        else:
            self.open = False

    def _approve(self, effect: str, decision: dict[str, Any]) -> Iterator[str]:
        assert self.question is not None
        self._approvals += 1
        chosen = _texts(decision.get("item_ids"))
        if chosen is not None and not chosen <= self._eligible:
            yield "it names items that were not in the question, or not eligible"
        self._chosen = chosen
        actor = decision.get("actor")
        name = str(actor.get("id")) if isinstance(actor, dict) else None
        needed = self.question.approvals_needed
        if needed > 1 and (name is None or name in self._actors):
            yield "more than one person has to say yes, and this one is not named or already did"
        self._actors |= {name} if name is not None else set()
        if (effect == "confirmed") != (self._approvals >= needed):
            yield f"it took {self._approvals} of {needed} approvals for {effect}"
        self.confirmed = effect == "confirmed"
        self.open = not self.confirmed

    def may_send(self, tool_name: str, item_ids: Sequence[str]) -> Iterator[str]:
        """Return why a call with these items may not follow."""
        assert self.question is not None
        if not self.confirmed:
            yield "it was handed over to be sent before the yes"
        if tool_name != self.question.frozen.tool_name:
            yield "the question was about another tool"
        allowed = self._eligible if self._chosen is None else self._eligible & self._chosen
        if not allowed.issuperset(item_ids):
            yield "an item of it was not in the question, not eligible, or not named by the yes"

    def arguments_of(self, tool: ToolSpec, item_id: str | None) -> dict[str, Any] | None:
        """Return what a call for an item, or one without items, has to send; null for an item that is not here."""
        assert self.question is not None
        arguments = self.question.frozen.arguments
        if item_id is None:
            return arguments
        shown = self._items.get(item_id)
        if shown is None:
            return None
        if tool.name not in self._beside:
            self._beside[tool.name] = arguments_beside_items(tool, arguments)
        item = FrozenItem.model_construct(
            item_id=item_id, label=str(shown.get("label")), data=shown.get("data")
        )
        return arguments_for_item(tool, self._beside[tool.name], item)


def _items(question: Question) -> dict[str, dict[str, Any]]:
    return {str(item.get("item_id")): item for item in question.frozen.items}


def _texts(value: Any) -> frozenset[str] | None:
    return frozenset(map(str, value)) if isinstance(value, list) else None
