"""Draw how cost grows: run in the environment of the plot, with the table of a benchmark run and the picture's path."""

import csv
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot

MARKERS = "osD^vPX"


def read(path: Path) -> dict[str, list[tuple[int, float, float, float]]]:
    """Per engine: items and the median, least and greatest seconds from confirm to result."""
    engines: dict[str, list[tuple[int, float, float, float]]] = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            seconds = tuple(
                float(row[name]) / 1000 for name in ("confirm_median_ms", "confirm_min_ms", "confirm_max_ms")
            )
            engines.setdefault(row["engine"], []).append((int(row["items"]), *seconds))
    return engines


def main(table: Path, picture: Path) -> None:
    figure, axes = pyplot.subplots(figsize=(8, 5), dpi=144)
    for number, (engine, points) in enumerate(read(table).items()):
        items, middle, low, high = zip(*sorted(points), strict=True)
        first = number == 0
        (line,) = axes.plot(
            items, middle, marker=MARKERS[number % len(MARKERS)], label=engine,
            linewidth=2.5 if first else 1.2, color="black" if first else None, zorder=3 if first else 2,
        )  # fmt: skip
        axes.fill_between(items, low, high, alpha=0.12, color=line.get_color())
    axes.set(
        xscale="log", yscale="log", xlabel="items under one confirmation", ylabel="confirm → result, seconds"
    )
    axes.grid(which="both", alpha=0.25)
    axes.legend()
    figure.tight_layout()
    figure.savefig(picture)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
