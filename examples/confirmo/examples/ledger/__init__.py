"""The example servers' memory: what they were asked, what they did, and how they shall misbehave."""

from confirmo.examples.ledger.knobs import Knobs
from confirmo.examples.ledger.rows import Answer, CallRow, Dedupe, Demand, EffectRow, Knob, KnobKind, Outcome
from confirmo.examples.ledger.store import Batch, Ledger

__all__ = [
    "Answer",
    "Batch",
    "CallRow",
    "Dedupe",
    "Demand",
    "EffectRow",
    "Knob",
    "KnobKind",
    "Knobs",
    "Ledger",
    "Outcome",
]
