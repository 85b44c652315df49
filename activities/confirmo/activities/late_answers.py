"""Answers that came after their attempt had given up, for the next attempt with the same key."""

from dataclasses import dataclass, field

from confirmo.activities.tools import Late
from confirmo.policies.models import ToolAnswer

Call = tuple[str, str, str]
"""Server, tool and idempotency key."""

MAX_GRACE_SECONDS = 60.0


def grace_for(timeout: float) -> float:
    """Return for how many seconds an answer is listened for after ``timeout``: as long again, a minute at most."""
    return min(timeout, MAX_GRACE_SECONDS)


@dataclass
class LateAnswers:
    """What is still listened for; one per worker."""

    _calls: dict[Call, Late] = field(default_factory=dict)

    def keep(self, call: Call, late: Late) -> None:
        """Remember where the answer of ``call`` would come. An earlier one for the same call is given up."""
        for known, listening in list(self._calls.items()):
            if known == call:
                listening.forget()
            if known == call or (listening.over and len(self._calls) > 1000):
                del self._calls[known]
        self._calls[call] = late

    def pending(self, call: Call) -> bool:
        """Whether an earlier attempt of this call may still be answered."""
        return call in self._calls and not self._calls[call].over

    async def take(self, call: Call, seconds: float = 0.0) -> ToolAnswer | None:
        """Return the late answer of ``call``, waiting at most that long; null where none came."""
        late = self._calls.get(call)
        if late is None:
            return None
        answer = await late.answer(seconds)
        if answer is not None:
            self._calls.pop(call, None)
        return answer

    def ended(self, call: Call) -> bool:
        """Whether the server was seen to end an earlier attempt of this call."""
        return call in self._calls and self._calls[call].answered
