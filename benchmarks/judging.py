"""The judge of a run of kills and faults: every outcome against the ledger of the example tool servers."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.desk import Tx
from rig import Rig

TOOLS = (
    "cancelar_vas_avulso",
    "cancelar_produtos",
    "contestar_cobranca",
    "cancelar_pedido",
    "cancelar_pedidos",
)
BOUND = 240.0


@dataclass
class Tally:
    """What happened in a run."""

    faults: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    unknown: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Tool and reason code of each item whose outcome nobody could say."""
    statuses: Counter[str] = field(default_factory=Counter)
    double: list[str] = field(default_factory=list)
    false: list[str] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        """Whether nothing was doubled, told falsely, or left without a result."""
        return not (self.double or self.false or self.unfinished)


Transaction = tuple[str, list[str], Tx]
"""The tool, the items that it acts on, and the transaction."""


async def judge(rig: Rig, transactions: Sequence[Transaction], tally: Tally) -> None:
    """Wait for every transaction and compare each outcome with the ledger."""
    effects: Counter[tuple[str, str]] = Counter()
    results = [(tool, items, tx, await _result_of(tx)) for tool, items, tx in transactions]
    for name in ("contas", "retail"):
        ledger = rig.ledger(name)
        effects.update((effect.tool, effect.item) for effect in ledger.effects() if effect.tool in TOOLS)
        tally.double += [f"{tool} {item} ({key})" for tool, item, key, _ in ledger.repeated_effects()]
        ledger.close()
    asked = {(tool, item) for tool, items, _ in transactions for item in items}
    tally.double += [f"{tool} {item}" for (tool, item), times in effects.items() if times > 1]
    tally.false += [f"never confirmed: {pair}" for pair in effects if pair not in asked]
    for tool, items, tx, result in results:
        if result is None:
            tally.unfinished.append(tx.id)
            continue
        tally.statuses[result["transaction_status"]] += 1
        _compare(tool, items, result, effects, tally)


async def _result_of(tx: Tx) -> dict[str, Any] | None:
    with contextlib.suppress(Exception):
        async with asyncio.timeout(BOUND):
            return dict(await tx.handle.result())
    return None


def _compare(
    tool: str, items: list[str], result: dict[str, Any], effects: Counter[tuple[str, str]], tally: Tally
) -> None:
    output = result["result"]["output"].get(tool)
    entries = [] if output is None else output.get("results") or [output | {"item_id": items[0]}]
    told = {str(entry["item_id"]): entry["outcome"] for entry in entries}
    tally.unknown.update(
        (tool, str(entry.get("reason_code"))) for entry in entries if entry["outcome"] == "UNKNOWN"
    )
    for item in items:
        outcome = told.get(item, "FAILED" if output is None else "UNKNOWN")
        tally.outcomes[outcome] += 1
        happened = effects[(tool, item)] > 0
        if outcome != "UNKNOWN" and happened != (outcome == "SUCCEEDED"):
            tally.false.append(f"{tool} {item}: {outcome}, in the ledger: {happened}")


def tables(tally: Tally) -> list[str]:
    """The tables of a run."""
    lines = ["| fault | times |", "|---|---|"]
    lines += [f"| {name} | {times} |" for name, times in sorted(tally.faults.items())]
    lines += [f"| **all** | **{tally.faults.total()}** |", "", "| items | |", "|---|---|"]
    lines += [f"| {name} | {times} |" for name, times in sorted(tally.outcomes.items())]
    lines += [
        *(
            f"| of the UNKNOWN: {tool}, {code} | {times} |"
            for (tool, code), times in sorted(tally.unknown.items())
        ),
        f"| effects that happened twice | {len(tally.double)} |",
        f"| false outcomes | {len(tally.false)} |",
        f"| transactions without a result | {len(tally.unfinished)} |",
        "",
    ]
    return [*lines, *tally.double[:10], *tally.false[:10], *tally.unfinished[:10]]
