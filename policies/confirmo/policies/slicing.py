"""How large a set is cut into slices: by what the calls of the last slice took, so that one lasts seconds."""

from collections.abc import Sequence
from typing import Final

from confirmo.policies.bounding import bytes_of
from confirmo.policies.models import FrozenItem

TARGET_SECONDS: Final = 2.0
MAX_SLICE_ITEMS: Final = 2_000
SLICE_BYTES: Final = 600_000
"""Of the items of one slice, on their way to the worker."""
EVIDENCE_BYTES: Final = 500_000
"""Of what a slice brings back before it ends early."""
BARREN_SLICES: Final = 10
"""So many slices in a row that reached no item end the execution: workers die before they send anything."""


def next_size(size: int, reached: int, seconds: float) -> int:
    """Return how many items the next slice takes.

    Args:
        size: What the last one was meant to take.
        reached: Items that it did.
        seconds: How long it took.
    """
    if reached <= 0:
        return size
    wanted = int(reached * TARGET_SECONDS / max(seconds, 0.001))
    return max(1, min(wanted, size * 4, MAX_SLICE_ITEMS))


def next_slice(items: Sequence[FrozenItem], start: int, size: int) -> int:
    """Return where a slice that begins at ``start`` ends: after ``size`` items or ``SLICE_BYTES``, at least one."""
    room, end = SLICE_BYTES, start
    while end < min(len(items), start + size):
        room -= bytes_of(items[end])
        if room < 0 and end > start:
            break
        end += 1
    return end
