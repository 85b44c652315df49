"""How much one workflow task brings to the server: above 4 MB the server ends the whole run.

What does not fit waits for the next task. The bytes count as if nothing went into a payload store, so that a run does
the same with and without one, and while it is away.
"""

import asyncio
from datetime import timedelta
from typing import Final

from temporalio import workflow

TASK_BYTES: Final = 2_900_000
"""Of the payloads of one workflow task."""
ROOM_IN_THE_NEXT_TASK: Final = "room-in-the-next-task"
"""Id of a ``workflow.patched``: transactions begun before 0.2 sent all at once."""


class TaskBudget:
    """The bytes of the current workflow task. A new task, told by the history's length, begins at nothing."""

    def __init__(self) -> None:
        self._task = -1
        self._bytes = 0
        self._waking: asyncio.Task[None] | None = None

    @property
    def used(self) -> bool:
        """Whether this task brings anything yet."""
        return self._task == _length() and self._bytes > 0

    def fits(self, size: int) -> bool:
        """Take ``size`` bytes of this task where they are free; the first ones always are."""
        if self._task != _length():
            self._task, self._bytes = _length(), 0
        if self._bytes and self._bytes + size > TASK_BYTES:
            return False
        self._bytes += size
        return True

    async def take(self, size: int) -> None:
        """Wait until ``size`` bytes are free, and take them."""
        while not self.fits(size) and await self.next_task():
            pass

    async def next_task(self) -> bool:
        """Wait for another workflow task; false where the transaction is too old to wait."""
        if not workflow.patched(ROOM_IN_THE_NEXT_TASK):
            return False
        task = _length()
        if self._waking is None or self._waking.done():
            self._waking = asyncio.create_task(_wake())
        await workflow.wait_condition(lambda: _length() != task)
        return True


async def _wake() -> None:
    await workflow.sleep(timedelta(milliseconds=1), summary="room for more in the next task")


def _length() -> int:
    return workflow.info().get_current_history_length()
