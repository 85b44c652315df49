"""The page about a tool server of one's own runs as it stands, from its four files to evidence."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.pages import blocks, dev, run

PAGE = "docs/your-tool-server.md"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the four files of the page, each under the name in its first line."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "desk").mkdir()
    for body in (*blocks(PAGE, "python"), *blocks(PAGE, "yaml")):
        (folder / body.split("\n")[0].removeprefix("# ")).write_text(body, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def environ(desk: Path) -> Iterator[dict[str, str]]:
    with dev(desk, "confirmo dev --config desk") as environ:
        yield environ


def test_the_page_runs_from_check_to_evidence(desk: Path, environ: dict[str, str]) -> None:
    for block in blocks(PAGE, "bash"):
        run(["bash", "-euo", "pipefail", "-c", block], desk, environ)
    state = json.loads(run(["confirmo", "status", "tx-desk", "--json"], desk, environ))
    assert state["result"]["multi_item_status"] == "PARTIAL_SUCCESS"
    assert [
        (entry["ticket"], entry["outcome"], entry.get("protocol") or entry.get("reason"))
        for entry in state["result"]["result"]["output"]["close_tickets"]["results"]
    ] == [
        ("T-1", "SUCCEEDED", "CLOSED-T-1"),
        ("T-2", "SUCCEEDED", "CLOSED-T-2"),
        ("T-9", "FAILED", "There is no such ticket."),
    ]


def test_check_finds_nothing_wrong(desk: Path, environ: dict[str, str]) -> None:
    report = json.loads(run(["confirmo", "check", "--config", "desk", "--json"], desk, environ))
    assert (report["errors"], report["warnings"]) == ([], [])
