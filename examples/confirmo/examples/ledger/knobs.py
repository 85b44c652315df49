"""Misbehaviour on demand, kept in the ledger's file so that a test can arm it from another process."""

import json
from collections.abc import Collection, Sequence

from confirmo.examples.ledger.database import Database
from confirmo.examples.ledger.rows import Knob, KnobKind

ENVIRONMENT_VARIABLE = "EXAMPLES_KNOBS"
"""JSON list of maps with ``kind``, and as needed ``tool``, ``item``, ``seconds``, ``times``."""

_LIVE = "(remaining IS NULL OR remaining > 0)"
ArmedKnob = tuple[int, Knob]


class Knobs:
    """The armed misbehaviours of one ledger."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def turn(
        self,
        kind: KnobKind | str,
        *,
        tool: str | None = None,
        item: str | None = None,
        seconds: float = 0.0,
        times: int | None = None,
        source: str | None = None,
    ) -> None:
        """Arm a misbehaviour; it acts from the next call on, in every process that has this file open.

        Args:
            kind: What to do.
            tool: Only for this tool; null for all.
            item: Only for this item; null for all.
            seconds: Length of a delay.
            times: How often; null for always.
            source: Where it comes from. A source that is in the file already, spent or not, is not armed
                again.

        Raises:
            ValueError: If the kind is unknown.
        """
        values = (KnobKind(kind).value, tool, item, float(seconds), times, source)
        self._database.execute(
            "INSERT INTO knobs (kind, tool, item, seconds, remaining, source) SELECT ?, ?, ?, ?, ?, ?"
            " WHERE NOT EXISTS (SELECT 1 FROM knobs WHERE source = ?)",
            (*values, source),
        )

    def turn_from(self, text: str, *, once: bool = False) -> None:
        """Arm what a JSON text says, in the form of ``EXAMPLES_KNOBS``.

        Args:
            text: The JSON.
            once: Arm nothing where this very text was armed in this file before, so that a restart of a
                server that was made to crash does not make it crash again.

        Raises:
            ValueError: If the text is not such a list.
        """
        wanted = json.loads(text)
        if not isinstance(wanted, list) or not all(isinstance(knob, dict) for knob in wanted):
            raise ValueError("a JSON list of maps is expected")
        for position, knob in enumerate(wanted):
            try:
                self.turn(**knob, source=f"{position}:{text}" if once else None)
            except TypeError as error:
                raise ValueError(f"entry {position} is not a knob: {knob}") from error

    def all(self) -> list[Knob]:
        """Return all knobs, the spent ones too."""
        rows = self._database.select("SELECT kind, tool, item, seconds, remaining FROM knobs ORDER BY id")
        return [Knob(KnobKind(row[0]), *row[1:]) for row in rows]

    def reset(self) -> None:
        """Disarm everything."""
        self._database.execute("DELETE FROM knobs")

    def take(self, kinds: Collection[KnobKind], tool: str, items: Sequence[str]) -> list[Knob]:
        """Return the knobs that are due for this call, and count them down."""
        if not self._database.select(f"SELECT 1 FROM knobs WHERE {_LIVE} LIMIT 1"):
            return []
        with self._database.transaction():
            armed = self.armed(kinds, tool)
            return [knob for item in items for knob in self.spend(armed, item)]

    def armed(self, kinds: Collection[KnobKind], tool: str) -> list[ArmedKnob]:
        """Return the live knobs of these kinds for this tool, with their row numbers."""
        marks = ",".join("?" * len(kinds))
        rows = self._database.select(
            f"SELECT id, kind, tool, item, seconds, remaining FROM knobs WHERE kind IN ({marks})"
            f" AND (tool IS NULL OR tool = ?) AND {_LIVE} ORDER BY id",
            (*(kind.value for kind in kinds), tool),
        )
        return [(row[0], Knob(KnobKind(row[1]), *row[2:])) for row in rows]

    def spend(self, armed: Sequence[ArmedKnob], item: str) -> list[Knob]:
        """Count down and return those that are meant for this item; to be called in a transaction."""
        return [
            knob
            for number, knob in armed
            if knob.item in (None, item)
            and self._database.execute(
                f"UPDATE knobs SET remaining = remaining - 1 WHERE id = ? AND {_LIVE}", (number,)
            )
        ]
