"""Alerts, dashboard, runbook and page name the metrics that there are."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import promql_parser
import pytest
import yaml

from confirmo.policies.measures import METRICS

PAGE, RUNBOOK = "docs/telemetry.md", "docs/runbooks/alerts.md"
SUFFIXES = {"counter": ("",), "gauge": ("",), "histogram": ("_bucket", "_sum", "_count")}
EVERYWHERE = {"namespace", "task_queue", "workflow_type", "service_name", "instance", "job", "le"}
VARIABLES = {"$__rate_interval": "5m", "$__range": "1h", "$tool": ".*"}


@pytest.fixture(scope="module")
def rules() -> list[dict[str, Any]]:
    text = (Path(__file__).parents[2] / "deploy/prometheus/alerts.yaml").read_text()
    (group,) = yaml.safe_load(text)["groups"]
    return list(group["rules"])


@pytest.fixture(scope="module")
def dashboard() -> dict[str, Any]:
    return json.loads((Path(__file__).parents[2] / "deploy/grafana/dashboard.json").read_text())


@pytest.fixture
def known(tables: Any) -> dict[str, set[str] | None]:
    """Names that a scrape has, with the labels of ours."""
    ours = {f"{metric.name}{end}": set(metric.labels) for metric in METRICS for end in SUFFIXES[metric.kind]}
    temporal = {row[0].strip("`") for row in tables(PAGE, "Temporal's own that they use")}
    return ours | {f"{name}{end}": None for name in temporal for end in ("", "_bucket", "_sum", "_count")}


def selectors(expression: str) -> Iterator[tuple[str, set[str]]]:
    """Metrics of an expression, each with the labels that it is picked by."""

    def visit(node: Any) -> Iterator[tuple[str, set[str]]]:
        if isinstance(node, promql_parser.VectorSelector):
            yield node.name, {matcher.name for matcher in node.matchers.matchers}
        for name in ("expr", "lhs", "rhs", "vector_selector", "param"):
            if (inner := getattr(node, name, None)) is not None:
                yield from visit(inner)
        for inner in getattr(node, "args", None) or ():
            yield from visit(inner)

    return visit(promql_parser.parse(expression))


def expressions(dashboard: dict[str, Any]) -> Iterator[str]:
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            expression = target["expr"]
            for variable, value in VARIABLES.items():
                expression = expression.replace(variable, value)
            yield expression


def unknown(expression: str, known: dict[str, set[str] | None]) -> list[str]:
    found = list(selectors(expression))
    assert found, expression
    wrong = [name for name, _ in found if name not in known]
    for name, labels in found:
        if (have := known.get(name)) is not None:
            grouped = {
                label for part in re.findall(r"by \(([^)]*)\)", expression) for label in part.split(", ")
            }
            wrong += [f"{name}: {label}" for label in (labels | grouped) - have - EVERYWHERE]
    return wrong


def test_every_alert_looks_at_metrics_that_there_are(rules, known):
    assert {rule["alert"]: wrong for rule in rules if (wrong := unknown(rule["expr"], known))} == {}


def test_every_panel_looks_at_metrics_that_there_are(dashboard, known):
    assert {text: wrong for text in expressions(dashboard) if (wrong := unknown(text, known))} == {}
    shown = {name for text in expressions(dashboard) for name, _ in selectors(text)}
    assert {metric.name for metric in METRICS} <= {
        re.sub(r"_(bucket|sum|count)$", "", name) for name in shown
    }
    assert "$" not in "".join(expressions(dashboard))


def test_panels_have_ids_of_their_own_and_do_not_overlap(dashboard):
    panels = dashboard["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken = [
        (x, y)
        for panel in panels
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
    ]
    assert len(taken) == len(set(taken))
    assert max(x for x, _ in taken) < 24


def test_every_alert_has_its_section_in_the_runbook(root, rules):
    text = (root / RUNBOOK).read_text(encoding="utf-8")
    assert [rule["alert"] for rule in rules] == re.findall(r"^## (\w+)$", text, re.MULTILINE)
    for rule in rules:
        assert rule["annotations"]["runbook_url"] == f"{RUNBOOK}#{rule['alert'].lower()}"
        assert rule["labels"]["severity"] in ("page", "ticket")
    for section in text.split("\n## ")[1:]:
        assert all(f"**{word}.**" in section for word in ("Meaning", "Look at", "Do")), section[:30]


def test_the_page_lists_the_metrics(tables):
    rows = tables(PAGE, "Metrics")
    listed = [(row[0].strip("`"), row[1], tuple(re.findall(r"`(\w+)`", row[2])), row[3]) for row in rows]
    assert listed == [(metric.name, metric.kind, metric.labels, metric.help) for metric in METRICS]


def test_nothing_is_listed_as_temporals_that_is_not_used(rules, dashboard, tables):
    used = {
        name
        for text in [*expressions(dashboard), *(rule["expr"] for rule in rules)]
        for name, _ in selectors(text)
    }
    used = {re.sub(r"_(bucket|sum|count)$", "", name) for name in used if name.startswith("temporal_")}
    assert used == {row[0].strip("`") for row in tables(PAGE, "Temporal's own that they use")}
