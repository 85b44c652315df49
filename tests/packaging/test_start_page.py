"""The first page that a newcomer follows runs as it stands, from an empty folder to a redrive."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from confirmo.policies.catalog import load_texts
from harness.pages import blocks, dev, run

PAGE = "docs/start.md"
SHELL = blocks(PAGE, "bash")
(DEV,) = [block.strip() for block in SHELL if block.startswith("confirmo dev")]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the four files of the page, each under the name in its first line."""
    folder = tmp_path_factory.mktemp("library")
    for body in (*blocks(PAGE, "python"), *blocks(PAGE, "yaml")):
        (folder / body.split("\n")[0].removeprefix("# ")).write_text(body, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def environ(library: Path) -> Iterator[dict[str, str]]:
    with dev(library, DEV) as environ:
        yield environ


@pytest.mark.slow
def test_the_page_runs_from_check_to_a_redrive(library: Path, environ: dict[str, str]) -> None:
    for block in SHELL:
        if block.strip() != DEV:
            run(["bash", "-euo", "pipefail", "-c", block], library, environ)
    first = json.loads((library / "result.json").read_text())
    assert outcomes(first) == {"dune": "FAILED", "emma": "SUCCEEDED", "ulysses": "SUCCEEDED"}
    again = json.loads(run(["confirmo", "result", "tx-books-r", "--json"], library, environ))
    assert outcomes(again) == {"dune": "SUCCEEDED"}


def outcomes(result: dict) -> dict[str, str]:
    return {entry["book"]: entry["outcome"] for entry in result["result"]["output"]["renew_loans"]["results"]}


def test_the_three_files_load_without_a_finding() -> None:
    texts = {body.split("\n")[0].removeprefix("# "): body.encode() for body in blocks(PAGE, "yaml")}
    loaded = load_texts(texts, {})
    assert (loaded.errors, loaded.warnings) == ((), ())
