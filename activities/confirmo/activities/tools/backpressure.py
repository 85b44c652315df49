"""What a server asks for with 429 and 503: its calls wait, all of them, and then go on slowly first.

Kept per worker. Nothing of it is needed for a call to be right; without it a thousand calls would each have to be told.
"""

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import Final

MAX_PAUSE_SECONDS: Final = 300.0
"""A ``Retry-After`` may ask to wait this long at most: a person is waiting, too."""
FIRST_PAUSE_SECONDS: Final = 0.5
LONGEST_UNASKED_SECONDS: Final = 30.0
"""Pauses where the server names none: half a second, doubled with every refusal in a row."""
SHORTEST_PAUSE_SECONDS: Final = 0.05
SLOWEST: Final = 0.5
"""Calls a second below which no refusal slows a server down."""
GROWTH: Final = 0.1
"""The pace grows by this part a second, and by one call a second at least."""
FORGOTTEN_SECONDS: Final = 60.0
"""So long after the last refusal the pace is free again."""


@dataclass(frozen=True)
class Turn:
    """One call's turn: when it came (time of the loop), and who waits for its answer, or null."""

    at: float
    probe: asyncio.Event | None = None


class Backpressure:
    """One server's wishes, as its answers tell them.

    A refusal closes for everyone. When the time is over one call goes first; its answer opens for the others, at half
    the pace that the server was seen to take, which grows from there. Calls that were under way together count as one
    refusal.
    """

    def __init__(self) -> None:
        """Begin without any limit."""
        self._turn = asyncio.Lock()
        self._opens = self._last = self._refused = float("-inf")
        self._refusals = 0
        self._pace: float | None = None
        self._accepted: deque[float] = deque()
        self._probe: asyncio.Event | None = None

    @property
    def wait_seconds(self) -> float:
        """How long it stays closed, as far as is known."""
        return max(0.0, self._opens - self._now())

    async def opened(self) -> None:
        """Wait until the server may be spoken to."""
        if (seconds := self.wait_seconds) > 0:
            await asyncio.sleep(seconds)
            await self.opened()

    async def turn(self) -> Turn:
        """Wait for a call's turn, first come, first served; each is followed by ``passed``."""
        if self._pace is None and self.wait_seconds == 0:
            return Turn(self._now())
        async with self._turn:
            while True:
                await self.opened()
                if self._probe is not None:
                    await self._probe.wait()
                elif (ahead := self._ahead()) > 0:
                    await asyncio.sleep(ahead)
                else:
                    return self._take()

    def _ahead(self) -> float:
        return 0.0 if self._pace is None else self._last + 1 / self._pace - self._now()

    def _take(self) -> Turn:
        self._last = self._now()
        if self._refusals:
            self._probe = asyncio.Event()
        return Turn(self._last, self._probe)

    def passed(self, turn: Turn) -> None:
        """Let the others go on where they wait for this call's answer, whatever came of it."""
        if turn.probe is not None:
            turn.probe.set()
        if self._probe is turn.probe:
            self._probe = None

    def refused(self, sent: float, retry_after: float | None) -> None:
        """Note a refusal of a call that was sent at ``sent`` (time of the loop), and what it asked for in seconds."""
        now = self._now()
        together = sent <= self._refused
        if not together:
            self._refusals += 1
        unasked = min(FIRST_PAUSE_SECONDS * 2.0 ** min(self._refusals - 1, 10), LONGEST_UNASKED_SECONDS)
        pause = unasked if retry_after is None else min(retry_after, MAX_PAUSE_SECONDS)
        if not together:
            self._slow_down(now, pause)
            self._refused = now
        self._opens = max(self._opens, now + pause)

    def accepted(self, sent: float) -> None:
        """Note an answer of a call that was sent at ``sent``."""
        now = self._now()
        self._accepted.append(now)
        self._forget(now)
        if self._pace is None or sent <= self._refused:
            return
        self._refusals = 0
        # Each answer brings its part of a second's growth, so that the number of calls does not matter.
        self._pace += max(1.0, GROWTH * self._pace) / self._pace
        if now - self._refused > FORGOTTEN_SECONDS:
            self._pace = None

    def _slow_down(self, now: float, pause: float) -> None:
        self._forget(now)
        seen = float(len(self._accepted)) if self._pace is None else self._pace
        # Who says when to come again takes a call by then at least.
        self._pace = max(seen / 2, 1 / max(pause, SHORTEST_PAUSE_SECONDS), SLOWEST)

    def _forget(self, now: float) -> None:
        while self._accepted and self._accepted[0] < now - 1.0:
            self._accepted.popleft()

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()
