"""Reading a Prometheus endpoint as a scraper does."""

import re
from collections.abc import Mapping

import httpx2

SAMPLE = re.compile(r"^(?P<name>[a-z_]+)(?:\{(?P<labels>.*)\})? (?P<value>\S+)$")
LABEL = re.compile(r'([a-z_]+)="((?:[^"\\]|\\.)*)"')
BESIDES = {"service_name", "namespace", "workflow_type"}
"""What Temporal's SDK puts on every metric of a workflow."""

Samples = dict[str, dict[frozenset[tuple[str, str]], float]]


async def scrape(port: int) -> Samples:
    """Samples by name, then by labels."""
    async with httpx2.AsyncClient() as http:
        text = (await http.get(f"http://127.0.0.1:{port}/metrics")).text
    found: Samples = {}
    for line in text.splitlines():
        if (sample := SAMPLE.match(line)) is not None:
            labels = frozenset(
                pair for pair in LABEL.findall(sample["labels"] or "") if pair[0] not in BESIDES
            )
            found.setdefault(sample["name"], {})[labels] = float(sample["value"])
    return found


def value(samples: Samples, name: str, labels: Mapping[str, str] | None = None) -> float:
    """The sum over what has these labels."""
    wanted = (labels or {}).items()
    return sum(number for have, number in samples.get(name, {}).items() if set(wanted) <= have)
