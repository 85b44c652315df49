"""The goals of scale and speed, each as a ratio in one run on one machine: ``make bench``.

Prints what was measured on what, a table for each part, and the goals; the last line counts those that are met, and the
exit code is 1 where one is missed. ``--only`` runs some parts, ``--quick`` all of them at small sizes, which shows that
everything runs and says little about speed. Numbers and picture go to ``--output``.
"""

import argparse
import asyncio
import csv
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path

from temporalio.runtime import LoggingConfig, Runtime, TelemetryConfig, TelemetryFilter

from benchmarks import engines, growth, latency, wire
from benchmarks.peers.setup import python_of
from benchmarks.report import Record, Report, machine, verdict

HERE = Path(__file__).resolve().parent
Part = Callable[[Path, argparse.Namespace], Awaitable[Report]]


async def part_latency(folder: Path, options: argparse.Namespace) -> Report:
    if options.quick:
        return await latency.run(folder, rounds=5, clients=options.clients, loops=1, each=1)
    return await latency.run(folder, rounds=60, clients=options.clients, loops=options.rounds, each=4)


async def part_wire(folder: Path, options: argparse.Namespace) -> Report:
    return await wire.run(folder, options.rounds, options.items)


async def part_engines(_folder: Path, options: argparse.Namespace) -> Report:
    sizes = dict(sorted({1: 5, 10: 20, 100: 5, options.items // 10: 2, options.items: 1}.items()))
    wanted = tuple(name for name in engines.ENGINES if not options.engines or name in options.engines)
    return await engines.run(options.rounds, sizes, wanted)


async def part_growth(folder: Path, options: argparse.Namespace) -> Report:
    few, many = options.rounds, options.items
    sizes = {1: few, 10: few, 100: few, many // 10: few, many: few, many * 10: 1}
    return await growth.run(folder, dict(sorted(sizes.items())))


PARTS: dict[str, Part] = {
    "latency": part_latency,
    "wire": part_wire,
    "engines": part_engines,
    "growth": part_growth,
}


async def part(name: str, folder: Path, options: argparse.Namespace) -> Report:
    """Run one part; one that breaks is a missed goal and not the end of the others."""
    try:
        return await PARTS[name](folder, options)
    except Exception as error:
        traceback.print_exc()
        report = Report(f"{name} broke: {type(error).__name__}: {error}")
        report.at_most(f"the part {name}", None, 0)
        return report


async def main(options: argparse.Namespace) -> int:
    """Run the parts one after another."""
    began = time.monotonic()
    say(f"# Benchmarks\n\n{machine()}\n")
    reports = []
    for name in options.only or PARTS:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            report = await part(name, Path(folder), options)
        reports.append(report)
        say("\n".join([f"## {report.title}", "", *report.lines]))
    records = [record for report in reports for record in report.records]
    if records:
        publish(records, options.output)
    goals = [goal for report in reports for goal in report.goals]
    say(f"{time.monotonic() - began:.0f} s, {options.rounds} rounds\n\n## Goals\n")
    say("\n".join(verdict(goals)))
    return 0 if all(goal.met for goal in goals) else 1


def publish(records: list[Record], output: Path) -> None:
    """Write the numbers as a table and draw them."""
    output.mkdir(parents=True, exist_ok=True)
    table, picture = output / "benchmarks.csv", output / "benchmarks.png"
    key = lambda record: (list(engines.ENGINES).index(record.engine), record.items)  # noqa: E731
    with table.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        columns = [f"{what}_{how}_ms" for what in ("start", "confirm") for how in ("median", "min", "max")]
        writer.writerow(["engine", "items", "measured", *columns])
        good = sorted((record for record in records if not record.error), key=key)
        for _, group in itertools.groupby(good, key=key):
            same = list(group)
            starts, confirms = [r.start for r in same], [r.confirm for r in same]
            writer.writerow([same[0].engine, same[0].items, len(same), *_three(starts), *_three(confirms)])
    if python_of("plot").exists():
        subprocess.run([python_of("plot"), HERE / "plot.py", table, picture], check=False, timeout=120)
    say(f"Numbers and picture are in {os.path.relpath(output)}.\n")


def _three(seconds: list[float]) -> list[str]:
    return [f"{value * 1000:.2f}" for value in (statistics.median(seconds), min(seconds), max(seconds))]


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=list(PARTS), metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--quick", action="store_true", help="small sizes, one round")
    parser.add_argument("--rounds", type=int, help="how often each side has its turn (3)")
    parser.add_argument(
        "--items", type=int, help="items of the large transactions (10000); growth goes to ten times"
    )
    parser.add_argument("--clients", type=int, default=50, help="clients of the closed loop (50)")
    parser.add_argument(
        "--engines", nargs="+", choices=list(engines.ENGINES), metavar="ENGINE", help="only these"
    )
    parser.add_argument(
        "--output", type=Path, default=HERE / ".results", help="folder for numbers and picture"
    )
    options = parser.parse_args()
    options.rounds = options.rounds or (1 if options.quick else 3)
    options.items = options.items or (500 if options.quick else 10_000)
    return options


if __name__ == "__main__":
    # The SDK's warnings about large payloads would stand between the tables.
    quiet = LoggingConfig(filter=TelemetryFilter(core_level="ERROR", other_level="ERROR"))
    Runtime.set_default(Runtime(telemetry=TelemetryConfig(logging=quiet)))
    code = asyncio.run(main(arguments()))
    sys.stdout.flush()
    os._exit(code)
