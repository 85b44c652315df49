"""The ledger in SQLite: a claim and its effect are one transaction, so that no crash falls between them."""

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from confirmo.examples.ledger.database import Database
from confirmo.examples.ledger.knobs import Knobs
from confirmo.examples.ledger.rows import (
    AFTER,
    Answer,
    CallRow,
    Dedupe,
    Demand,
    EffectRow,
    Knob,
    KnobKind,
    Outcome,
)

_ORIGIN = ("id", "time", "tool", "item", "idempotency_key", "transaction_id")


@dataclass(frozen=True, slots=True)
class Batch:
    """What a call of an effect tool gave.

    Attributes:
        answers: One per demand, in order; shorter where a crash is due.
        after: The ``…_after`` knobs that are due, now that all is committed.
    """

    answers: tuple[Answer, ...]
    after: tuple[Knob, ...] = ()


class Ledger:
    """What the servers were asked and what they did, in one SQLite file.

    Attributes:
        knobs: The misbehaviours armed in the same file.

    Args:
        path: The file, created if absent; ``:memory:`` for a ledger that ends with the process.
    """

    def __init__(self, path: str | Path = ":memory:") -> None:
        self._database = Database(path)
        self.knobs = Knobs(self._database)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file. A second call does nothing."""
        self._database.close()

    def record(self, tool: str, item: str, answer: Answer, transaction_id: str | None = None) -> None:
        """Write down a call that changed nothing."""
        self._insert_call(tool, Demand(item), transaction_id, Outcome(answer, effect=False), replayed=False)

    def perform(
        self,
        tool: str,
        demands: Sequence[Demand],
        act: Callable[[str], Outcome],
        *,
        dedupe: Dedupe = Dedupe.KEY,
        transaction_id: str | None = None,
    ) -> Batch:
        """Act on each item, or give the recorded answer where it was done before.

        Only an answer that came with an effect is recorded against the key: a "no" changed nothing, and is
        judged afresh the next time.

        Args:
            tool: Name of the tool.
            demands: Items with their keys, in order.
            act: Decides one item, inside the transaction.
            dedupe: By what a repetition is known.
            transaction_id: The caller's, for the rows.
        """
        answers: list[Answer] = []
        after: list[Knob] = []
        with self._database.transaction():
            armed = self.knobs.armed(AFTER, tool)
            for demand in demands:
                recorded = self._recorded(tool, demand, dedupe)
                outcome = act(demand.item) if recorded is None else Outcome(recorded, effect=False)
                if outcome.effect:
                    self._insert_effect(tool, demand, transaction_id, outcome.answer)
                self._insert_call(tool, demand, transaction_id, outcome, replayed=recorded is not None)
                answers.append(outcome.answer)
                due = self.knobs.spend(armed, demand.item) if armed and outcome.effect else []
                after.extend(due)
                if any(knob.kind is KnobKind.CRASH_AFTER for knob in due):
                    break
        return Batch(tuple(answers), tuple(after))

    def effects(
        self, *, tool: str | None = None, item: str | None = None, idempotency_key: str | None = None
    ) -> list[EffectRow]:
        """Return the effects, oldest first; each given argument narrows."""
        rows = self._rows("effects", "answer", tool, item, idempotency_key)
        return [EffectRow(**_origin(row), answer=json.loads(row[6])) for row in rows]

    def calls(
        self, *, tool: str | None = None, item: str | None = None, idempotency_key: str | None = None
    ) -> list[CallRow]:
        """Return the calls, item by item, oldest first; each given argument narrows."""
        rows = self._rows("calls", "effect, replayed, answer", tool, item, idempotency_key)
        return [
            CallRow(**_origin(row), effect=bool(row[6]), replayed=bool(row[7]), answer=json.loads(row[8]))
            for row in rows
        ]

    def repeated_effects(self) -> list[tuple[str, str, str, int]]:
        """Return ``(tool, item, idempotency_key, count)`` of all that happened more than once for one key."""
        rows = self._database.select(
            "SELECT tool, item, idempotency_key, COUNT(*) FROM effects WHERE idempotency_key IS NOT NULL"
            " GROUP BY tool, item, idempotency_key HAVING COUNT(*) > 1 ORDER BY MIN(id)"
        )
        return [(str(row[0]), str(row[1]), str(row[2]), int(row[3])) for row in rows]

    def has_effect(self, tools: Collection[str], item: str) -> bool:
        """Tell whether one of the tools has ever changed this item."""
        marks = ",".join("?" * len(tools))
        query = f"SELECT 1 FROM effects WHERE item = ? AND tool IN ({marks}) LIMIT 1"
        return bool(self._database.select(query, (item, *tools)))

    def next_number(self) -> int:
        """Return the number that the next effect will have."""
        return int(self._database.select("SELECT COALESCE(MAX(id), 0) + 1 FROM effects")[0][0])

    def _recorded(self, tool: str, demand: Demand, dedupe: Dedupe) -> Answer | None:
        if dedupe is Dedupe.NEVER or (dedupe is Dedupe.KEY and demand.idempotency_key is None):
            return None
        by_key = dedupe is Dedupe.KEY
        column, value = ("idempotency_key", demand.idempotency_key) if by_key else ("item", demand.item)
        rows = self._database.select(
            f"SELECT item, answer FROM effects WHERE tool = ? AND {column} = ? LIMIT 1", (tool, value)
        )
        if not rows:
            return None
        if rows[0][0] != demand.item:
            return {"success": False, "reason": "idempotency_key_reused"}
        answer: Answer = json.loads(rows[0][1])
        return answer

    def _insert_effect(self, tool: str, demand: Demand, transaction_id: str | None, answer: Answer) -> None:
        self._database.execute(
            "INSERT INTO effects (time, tool, item, idempotency_key, transaction_id, answer)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (_now(), tool, demand.item, demand.idempotency_key, transaction_id, _dump(answer)),
        )

    def _insert_call(
        self, tool: str, demand: Demand, transaction_id: str | None, outcome: Outcome, *, replayed: bool
    ) -> None:
        whence = (_now(), tool, demand.item, demand.idempotency_key, transaction_id)
        self._database.execute(
            "INSERT INTO calls (time, tool, item, idempotency_key, transaction_id, effect, replayed, answer)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (*whence, outcome.effect, replayed, _dump(outcome.answer)),
        )

    def _rows(
        self, table: str, columns: str, tool: str | None, item: str | None, key: str | None
    ) -> list[tuple[Any, ...]]:
        wanted = {"tool": tool, "item": item, "idempotency_key": key}
        given = {name: value for name, value in wanted.items() if value is not None}
        where = " AND ".join(f"{name} = ?" for name in given) or "1"
        return self._database.select(
            f"SELECT {', '.join(_ORIGIN)}, {columns} FROM {table} WHERE {where} ORDER BY id",
            tuple(given.values()),
        )


def _origin(row: tuple[Any, ...]) -> dict[str, Any]:
    return dict(zip(_ORIGIN, row, strict=False))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _dump(answer: Answer) -> str:
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
