"""The rows of the ledger and the words for what a tool does with one item."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

Answer = dict[str, Any]


class KnobKind(StrEnum):
    """How a server can be made to misbehave.

    The ``…_before`` kinds act on every call of an effect tool, before it looks at anything. The ``…_after``
    kinds act only where an effect has just been committed: they lose the answer, never the effect.
    """

    DELAY_BEFORE = "delay_before"
    """Waits, then does it; it does it even if the caller has hung up meanwhile."""
    CRASH_BEFORE = "crash_before"
    """The process ends with nothing done."""
    ERROR_BEFORE = "error_before"
    """JSON-RPC −32603 with nothing done."""
    DELAY_AFTER = "delay_after"
    """Answers late."""
    CRASH_AFTER = "crash_after"
    """The process ends with the effect committed, unanswered; in a batch right after the item that it hit."""
    ERROR_AFTER = "error_after"
    """JSON-RPC −32603 although the effect happened."""
    SMS_GATEWAY_DOWN = "sms_gateway_down"
    """``notificar_cliente`` fails on the channel ``sms`` with "SMS gateway 502"."""
    REFUSE_REPEATED = "refuse_repeated"
    """What is cancelled already is refused. Off by default: an effect that happens twice must be seen."""


BEFORE = (KnobKind.DELAY_BEFORE, KnobKind.CRASH_BEFORE, KnobKind.ERROR_BEFORE)
AFTER = (KnobKind.DELAY_AFTER, KnobKind.CRASH_AFTER, KnobKind.ERROR_AFTER)


class Dedupe(StrEnum):
    """By what a tool knows that it has done something already."""

    KEY = "key"
    """By the idempotency key; without one, it does it again."""
    ITEM = "item"
    """By the item itself: a second request finds the first."""
    NEVER = "never"
    """By nothing: it keeps the key as a reference, and does it again."""


@dataclass(frozen=True, slots=True)
class Knob:
    """One armed misbehaviour.

    Attributes:
        tool: Only for this tool; null for all.
        item: Only for this item; null for all.
        seconds: Length of a delay.
        times: How often it still acts; null for always. Spent ones stay at 0.
    """

    kind: KnobKind
    tool: str | None = None
    item: str | None = None
    seconds: float = 0.0
    times: int | None = None


@dataclass(frozen=True, slots=True)
class Demand:
    """One item that a tool is asked to act on, with the idempotency key that came for it."""

    item: str
    idempotency_key: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a tool makes of one item: its answer, and whether something changed in the world."""

    answer: Answer
    effect: bool


@dataclass(frozen=True, slots=True)
class CallRow:
    """One item of one call, as it was answered. Read-only calls are rows too.

    Attributes:
        time: RFC 3339, UTC, milliseconds.
        effect: Whether this very call changed something.
        replayed: Whether the answer is a recorded one.
    """

    id: int
    time: str
    tool: str
    item: str
    idempotency_key: str | None
    transaction_id: str | None
    effect: bool
    replayed: bool
    answer: Answer


@dataclass(frozen=True, slots=True)
class EffectRow:
    """One thing that happened, with the answer that was, or should have been, given for it."""

    id: int
    time: str
    tool: str
    item: str
    idempotency_key: str | None
    transaction_id: str | None
    answer: Answer
