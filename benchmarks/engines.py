"""Confirmo against what people would use instead, with a trivial effect in the worker's own process.

Each visit starts one engine on an empty store, warms it up, measures every size and ends it, so that nothing else runs
meanwhile; the engines take turns, round by round.
"""

import asyncio
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from benchmarks import stage
from benchmarks.peers import services
from benchmarks.peers.setup import python_of
from benchmarks.process import Failed, Measured, measured
from benchmarks.report import Record, Report, median, ratio, spread

OURS, DBOS_POSTGRES = "Confirmo", "DBOS, PostgreSQL"
IN_SLICES = "Confirmo, small sets in a slice too"
"""Shown beside the default, one activity per item of a small set; no goal is judged by it."""
GOAL_BATCH, GOAL_FASTEST = 3.0, 2.0
SECONDS = 300.0
WARM_UP = (10, 10, 50)
FEW = 10

Open = Callable[[Path], AbstractAsyncContextManager[Measured]]


def _command(env: str, module: str, *arguments: str) -> list[str]:
    python = python_of(env)
    if not python.exists():
        raise services.NotInstalled(f"{env} is not installed")
    return [str(python), "-m", f"benchmarks.peers.{module}", *arguments]


@asynccontextmanager
async def confirmo(folder: Path) -> AsyncIterator[Measured]:
    async with stage.temporal(folder), stage.confirmo(folder) as process:
        yield process


@asynccontextmanager
async def confirmo_in_slices(folder: Path) -> AsyncIterator[Measured]:
    async with (
        stage.temporal(folder),
        stage.confirmo(folder, environ={"CONFIRMO_ITEM_ACTIVITIES": "0"}) as process,
    ):
        yield process


@asynccontextmanager
async def dbos_sqlite(folder: Path) -> AsyncIterator[Measured]:
    command = _command("dbos", "dbos_peer", f"sqlite:///{folder / 'dbos.db'}")
    async with measured(command, folder / "dbos.log") as process:
        yield process


@asynccontextmanager
async def dbos_postgres(folder: Path) -> AsyncIterator[Measured]:
    async with services.postgres(folder) as address:
        driver = address.replace("postgresql:", "postgresql+psycopg:")
        async with measured(_command("dbos", "dbos_peer", driver), folder / "dbos.log") as process:
            yield process


@asynccontextmanager
async def langgraph_sqlite(folder: Path) -> AsyncIterator[Measured]:
    command = _command("langgraph", "langgraph_peer", str(folder / "langgraph.db"))
    async with measured(command, folder / "langgraph.log") as process:
        yield process


@asynccontextmanager
async def langgraph_postgres(folder: Path) -> AsyncIterator[Measured]:
    async with services.postgres(folder) as address:
        command = _command("langgraph", "langgraph_peer", address)
        async with measured(command, folder / "langgraph.log") as process:
            yield process


@asynccontextmanager
async def restate(folder: Path) -> AsyncIterator[Measured]:
    async with services.restate(folder) as ports:
        command = _command("restate", "restate_peer", *ports)
        async with measured(command, folder / "restate-peer.log") as process:
            yield process


ENGINES: dict[str, Open] = {
    OURS: confirmo,
    IN_SLICES: confirmo_in_slices,
    "DBOS, SQLite": dbos_sqlite,
    DBOS_POSTGRES: dbos_postgres,
    "LangGraph, SQLite": langgraph_sqlite,
    "LangGraph, PostgreSQL": langgraph_postgres,
    "Restate": restate,
}


async def visit(name: str, sizes: Mapping[int, int], versions: dict[str, str]) -> list[Record]:
    """Measure one engine once through: ``sizes`` maps a number of items to how often it is measured."""
    records: list[Record] = []
    items = 0
    try:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            async with ENGINES[name](Path(folder)) as process:
                versions |= process.versions
                for size in WARM_UP:
                    await process.transact(size, SECONDS)
                for items in (size for size, times in sizes.items() for _ in range(times)):
                    records.append(Record(name, items, **await process.transact(items, SECONDS)))
    except (Failed, services.NotInstalled, OSError, RuntimeError) as problem:
        records.append(Record(name, items, error=str(problem)))
    return records


async def run(rounds: int, sizes: Mapping[int, int], wanted: tuple[str, ...]) -> Report:
    """Measure all engines, in turns."""
    await asyncio.to_thread(subprocess.run, [sys.executable, "-m", "benchmarks.peers.setup"], check=False)
    report = Report("Against other engines")
    versions: dict[str, str] = {}
    for _ in range(rounds):
        for name in wanted:
            report.records += await visit(name, sizes, versions)
    _tables(report, sizes, wanted, versions)
    _goals(report, max(sizes), wanted)
    return report


def taken(records: list[Record], engine: str, items: int) -> list[float]:
    """Seconds from confirm to result."""
    return [
        record.confirm
        for record in records
        if (record.engine, record.items) == (engine, items) and not record.error
    ]


def _tables(
    report: Report, sizes: Mapping[int, int], wanted: tuple[str, ...], versions: dict[str, str]
) -> None:
    rows = []
    for name in wanted:
        cells = [spread(taken(report.records, name, size)) for size in sizes]
        rows.append((name, *cells))
    report.table(
        (
            "confirm → result, ms: median (least–most)",
            *(f"{size:,} item{'s' * (size > 1)}" for size in sizes),
        ),
        rows,
    )
    problems = {f"{r.engine}, {_where(r)}: {r.error}" for r in report.records if r.error}
    report.lines += [f"- not measured: {problem}" for problem in sorted(problems)]
    report.lines += ["", ", ".join(f"{name} {number}" for name, number in sorted(versions.items())), ""]


def _where(record: Record) -> str:
    return f"{record.items:,} items" if record.items else "at its start"


def _goals(report: Report, most: int, wanted: tuple[str, ...]) -> None:
    peers = [name for name in ENGINES if name not in (OURS, IN_SLICES)]
    every = all(taken(report.records, name, size) for name in peers for size in (FEW, most))
    missing = "" if every else " (not all of them were measured)"

    def best(items: int) -> list[float]:
        """The fastest peer's times; nothing where one is missing, because that one could have been the fastest."""
        measured_peers = [taken(report.records, name, items) for name in peers]
        return min(measured_peers, key=lambda times: median(times) or 0.0) if every else []

    ours = {items: taken(report.records, OURS, items) for items in (FEW, most)}
    report.at_least(
        f"{most:,} items in process, how many times as fast as the best other engine{missing}",
        ratio(best(most), ours[most]),
        GOAL_BATCH,
    )
    postgres = ratio(ours[FEW], taken(report.records, DBOS_POSTGRES, FEW))
    report.at_most(f"confirm → result, {FEW} items, to DBOS on PostgreSQL", postgres, 1.0)
    report.at_most(
        f"confirm → result, {FEW} items, to the fastest other engine{missing}",
        ratio(ours[FEW], best(FEW)),
        GOAL_FASTEST,
    )
