"""Every command and snippet of the README and of CONTRIBUTING does what it says, against one ``confirmo dev``."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from confirmo.policies.catalog import load_texts
from harness.pages import FENCE, ROOT, blocks, dev, run

MAKE = re.compile(r"make (\w+)\s*(#.*)?")
QUIET_EXIT = (
    "import os, runpy, sys; runpy.run_path(sys.argv[1], run_name='__main__'); sys.stdout.flush(); os._exit(0)"
)
"""A process that is over at once may abort in its last moment: https://github.com/temporalio/sdk-python/issues/300"""


def is_make(block: str) -> bool:
    return all(MAKE.fullmatch(line) for line in block.strip().splitlines())


SHELL = [*blocks("README.md", "bash"), *blocks("CONTRIBUTING.md", "bash")]
(DEV,) = [line for block in SHELL for line in block.splitlines() if line.startswith("confirmo dev")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("readme")


@pytest.fixture(scope="module")
def environ(folder: Path) -> Iterator[dict[str, str]]:
    """The README's own ``confirmo dev``, on free ports; gives what a reader's shell would have."""
    with dev(folder, DEV) as environ:
        yield environ


def run_python(folder: Path, environ: dict[str, str]) -> str:
    (snippet,) = blocks("README.md", "python")
    (folder / "snippet.py").write_text(snippet, encoding="utf-8")
    return run([sys.executable, "-c", QUIET_EXIT, "snippet.py"], folder, environ)


@pytest.mark.parametrize("block", [block for block in SHELL if is_make(block)])
def test_every_make_target_exists(block: str) -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {match[1] for line in block.strip().splitlines() if (match := MAKE.fullmatch(line))}
    assert named
    assert named <= targets


def test_the_first_run_is_near_the_top() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert next(number for number, line in enumerate(lines, 1) if line.startswith("confirmo start")) <= 40


def test_the_shell_blocks_run_as_they_stand_one_after_another(folder: Path, environ: dict[str, str]) -> None:
    for block in (block for block in SHELL if not is_make(block) and DEV not in block):
        run(["bash", "-euo", "pipefail", "-c", block], folder, environ)


def test_the_python_snippet_runs_as_it_stands(folder: Path, environ: dict[str, str]) -> None:
    printed = run_python(folder, environ)
    assert "TIM Fashion Mensal" in printed
    assert "PARTIAL_SUCCESS" in printed


def test_the_answer_shown_is_the_one_that_the_snippet_gets(folder: Path, environ: dict[str, str]) -> None:
    run_python(folder, environ)
    listed = json.loads(run(["confirmo", "list", "--json"], folder, environ))
    (transaction,) = [each for each in listed if each["tool_name"] == "cancelar_vas_avulso"]
    answer = json.loads(run(["confirmo", "status", transaction["transaction_id"], "--json"], folder, environ))
    (shown,) = blocks("README.md", "json")
    assert holds(answer["result"], json.loads(shown)) == []


def holds(whole: Any, part: Any, path: str = "") -> list[str]:
    """Where ``whole`` does not hold ``part``: maps may hold more, lists are of one length."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return [
            place for key, value in part.items() for place in holds(whole.get(key), value, f"{path}.{key}")
        ]
    if isinstance(part, list) and isinstance(whole, list) and len(part) == len(whole):
        pairs = enumerate(zip(whole, part, strict=True))
        return [place for number, pair in pairs for place in holds(*pair, f"{path}.{number}")]
    return [] if whole == part else [f"{path}: {whole!r} is shown as {part!r}"]


def test_the_three_files_load_without_a_finding() -> None:
    texts = {body.split("\n")[0].removeprefix("# "): body.encode() for body in blocks("README.md", "yaml")}
    loaded = load_texts(texts, {"CONTAS_URL": "http://127.0.0.1:8100/mcp"})
    assert (loaded.errors, loaded.warnings) == ((), ())
    assert loaded.catalog is not None
    assert loaded.catalog.tools["cancelar_vas_avulso"].require_confirmation


def test_no_block_is_left_out() -> None:
    kinds = {
        tag
        for page in ("README.md", "CONTRIBUTING.md")
        for tag, _ in FENCE.findall((ROOT / page).read_text())
    }
    assert kinds == {"bash", "json", "python", "yaml"}
