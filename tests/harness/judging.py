"""The ledger of the example servers as the judge of a result."""

import asyncio
from typing import Any

from confirmo.examples.ledger import Ledger

BOUND = 60.0


def effects_of(ledger: Ledger, tool: str) -> list[str]:
    """Items on which the tool had an effect, sorted; one that happened twice stands twice."""
    return sorted(effect.item for effect in ledger.effects() if effect.tool == tool)


def all_agree(result: dict[str, Any], ledger: Ledger, tool: str) -> None:
    """Every outcome of a result is the truth or says UNKNOWN, and nothing happened twice."""
    done = effects_of(ledger, tool)
    assert len(done) == len(set(done)), done
    output = result["result"]["output"][tool]
    for entry in output.get("results") or [output]:
        if entry["outcome"] == "UNKNOWN":
            continue
        names = {str(entry.get(field)) for field in ("item_id", "subject", "order_id", "name", "label")}
        happened = bool(names & set(done)) or (bool(done) and "results" not in output)
        assert happened == (entry["outcome"] == "SUCCEEDED"), (entry, done)


async def until_called(ledger: Ledger, tool: str, times: int) -> None:
    """Wait until the tool had that many effects; bounded."""
    async with asyncio.timeout(BOUND):
        while len(effects_of(ledger, tool)) < times:
            await asyncio.sleep(0.02)
