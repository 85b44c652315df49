"""What a transaction costs as it grows: time, history, payloads, the worker's memory, and whether all can be read."""

import asyncio
import sys
import time
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from temporalio.client import Client

from benchmarks import ours, stage
from benchmarks.engines import OURS
from benchmarks.history import Size, size_of
from benchmarks.peers.protocol import ids_of
from benchmarks.process import Measured, answer, measured
from benchmarks.report import Record, Report, median, spread

SECONDS = 240.0
EVENTS, HISTORY_KB, PAYLOAD_KB, PER_ITEM_KB = 1_000, 2_000, 2_000, 3.0


@dataclass(frozen=True)
class Run:
    """One transaction in a fresh worker."""

    record: Record
    size: Size | None = None
    readable: int = 0
    """Items whose result was read, each by its id."""


async def run(folder: Path, sizes: Mapping[int, int]) -> Report:
    """Measure each size so many times, in turns; ``sizes`` maps items to times."""
    runs: list[Run] = []
    async with stage.temporal(folder):
        client = await ours.connected()
        command = [sys.executable, "-m", "benchmarks.peers.worker_only", str(stage.IN_PROCESS_CONCURRENCY)]
        for turn in range(max(sizes.values())):
            for items in (size for size, times in sizes.items() if turn < times):
                queue = f"bench-{turn}-{items}"
                async with measured([*command, queue], folder / "worker.log") as worker:
                    runs.append(await _one(client, queue, worker, items))
    return _report(runs, sorted(sizes))


async def _one(client: Client, queue: str, worker: Measured, items: int) -> Run:
    """One transaction; what does not come to its end is a record with an error."""
    begin, finish = ours.steps(client, queue)
    name = f"tx-{uuid.uuid4().hex}"
    try:
        async with asyncio.timeout(SECONDS):
            started = time.perf_counter()
            question = await begin(name, ids_of(items))
            asked = time.perf_counter()
            told = await finish(question)
            ended = time.perf_counter()
            size = await size_of(client, name)
            did = await ask(worker)
    except Exception as error:
        return Run(Record(OURS, items, error=f"{type(error).__name__}: {str(error)[:200]}"))
    record = Record(OURS, items, asked - started, ended - asked, 0.0, did["peak_kib"])
    if (did["acted_on"], did["twice"]) != (items, 0):
        record = replace(record, error=f"{did['acted_on']} acted on, {did['twice']} of them twice")
    return Run(record, size, told)


async def ask(worker: Measured) -> dict[str, int]:
    """The worker's peak memory and what it did."""
    assert worker.process.stdin is not None
    worker.process.stdin.write(b"{}\n")
    return await answer(worker.process, 30)


def _report(runs: list[Run], sizes: list[int]) -> Report:
    report = Report("As it grows")
    report.records += [run.record for run in runs]
    report.table(
        (
            "items", "start → question, ms", "confirm → result, ms", "events", "runs", "history, KB",
            "largest payload, KB", "in the payload store, KB", "peak memory of the worker, MiB", "results read",
        ),
        [_row(runs, size) for size in sizes],
    )  # fmt: skip
    problems = [f"- {run.record.items:,} items: {run.record.error}" for run in runs if run.record.error]
    report.lines += [*problems, ""]
    _goals(report, runs, sizes)
    return report


def _good(runs: list[Run], items: int) -> list[Run]:
    return [run for run in runs if run.record.items == items and not run.record.error]


def _row(runs: list[Run], items: int) -> tuple[str, ...]:
    good = _good(runs, items)
    sizes = [run.size for run in good if run.size is not None]
    cells = [
        spread([run.record.start for run in good]),
        spread([run.record.confirm for run in good]),
        _most(size.events for size in sizes),
        _most(size.runs for size in sizes),
        _most(size.bytes / 1000 for size in sizes),
        _most(size.largest_payload / 1000 for size in sizes),
        _most(size.stored / 1000 for size in sizes),
        spread([run.record.peak_kib / 1024 for run in good], 1.0),
        f"{min((run.readable for run in good), default=0):,}",
    ]
    return (f"{items:,}", *cells)


def _most(values: Iterable[float]) -> str:
    known = list(values)
    return f"{max(known):,.0f}" if known else "–"


def _goals(report: Report, runs: list[Run], sizes: list[int]) -> None:
    huge, large = sizes[-1], sizes[-2]
    small = next((size for size in reversed(sizes) if size * 10 <= large), sizes[0])
    histories = [run.size for run in _good(runs, large) if run.size is not None]
    events = max((size.events for size in histories), default=None)
    size = max((size.bytes / 1000 for size in histories), default=None)
    report.at_most(f"history of {large:,} items, events", events, EVENTS, "events", 0)
    report.at_most(f"history of {large:,} items, bytes", size, HISTORY_KB, "KB", 0)
    every = all(_good(runs, items) for items in sizes)
    payload = max((run.size.largest_payload / 1000 for run in runs if run.size), default=None)
    said = "largest payload at any size" + ("" if every else " (not every size was measured)")
    report.at_most(said, payload if every else None, PAYLOAD_KB, "KB", 0)
    peaks = [median([float(run.record.peak_kib) for run in _good(runs, items)]) for items in (small, large)]
    grown = (peaks[1] - peaks[0]) * 1.024 / (large - small) if peaks[0] and peaks[1] else None
    report.at_most(f"memory of the worker per item, {small:,} to {large:,} items", grown, PER_ITEM_KB, "KB")
    read = min((run.readable for run in _good(runs, huge)), default=None)
    report.at_least(f"{huge:,} items complete, results that can be read", read, huge, "items", 0)
