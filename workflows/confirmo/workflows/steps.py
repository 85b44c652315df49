"""How one step of a preparation ends."""

from enum import Enum, auto


class Next(Enum):
    """What comes next."""

    FROZEN = auto()
    AGAIN = auto()
    CLOSED = auto()
