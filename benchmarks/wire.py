"""Many items under one confirmation against a plain loop, both over streamable HTTP to the same tool server."""

import sys
from pathlib import Path

from benchmarks import stage
from benchmarks.process import Failed, Measured, measured
from benchmarks.report import Report, ratio, shown, spread

GOAL = 1.3
CONCURRENCY = 16
SECONDS = 600.0
WARM_UP = 50


async def run(folder: Path, rounds: int, items: int) -> Report:
    """Measure both, in turns; each round has a warm process of its own."""
    ours: list[float] = []
    theirs: list[float] = []
    errors: list[str] = []
    async with stage.temporal(folder), stage.tool_server(folder) as endpoint:
        command = [sys.executable, "-m", "benchmarks.peers.plain_loop", str(CONCURRENCY), endpoint]
        for _ in range(rounds):
            async with stage.confirmo(folder, CONCURRENCY, endpoint) as confirmo:
                await _turn(confirmo, items, ours, errors)
            async with measured(command, folder / "loop.log") as loop:
                await _turn(loop, items, theirs, errors)
    report = Report("Over the wire")
    rows = [(f"{items:,} items, confirm → result", spread(ours), spread(theirs), shown(ratio(ours, theirs)))]
    report.table(("what, ms: median (least–most)", "Confirmo", "plain loop", "ratio"), rows)
    report.lines += [*(f"- not measured: {error}" for error in errors), ""]
    report.at_most(f"{items:,} items over streamable HTTP, to a plain loop", ratio(ours, theirs), GOAL)
    return report


async def _turn(process: Measured, items: int, taken: list[float], errors: list[str]) -> None:
    try:
        await process.transact(WARM_UP, SECONDS)
        taken.append((await process.transact(items, SECONDS))["confirm"])
    except Failed as failure:
        errors.append(str(failure))
