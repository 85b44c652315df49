"""A line before it has its place: where it belongs in the history, when, and what it says."""

from dataclasses import dataclass
from typing import Any, Final

from confirmo.policies.evidence_file.bodies import BODIES, Body

_KINDS: Final = {model: kind for kind, model in BODIES.items()}


@dataclass(frozen=True)
class Draft:
    """One line to be.

    Attributes:
        place: Id of the history's event that it comes from, or that began the workflow task in which it was done; and
            0 for the former, 1 for the latter.
        time: RFC 3339 in UTC.
        body: What it says.
    """

    place: tuple[int, int]
    time: str
    body: Body

    @property
    def kind(self) -> str:
        """The line's kind."""
        return _KINDS[type(self.body)]

    def plain(self) -> dict[str, Any]:
        """Return the body as plain JSON."""
        return self.body.model_dump(mode="json")
