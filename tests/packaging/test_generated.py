"""Reference pages, JSON Schemas and pictures are what the code generates."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs.generating.everything import generated
from docs.generating.markdown import tables
from harness.forking import CONFIRMO, command
from harness.pages import run


def test_what_is_committed_is_what_the_code_generates(root: Path) -> None:
    texts = generated(root)
    stale = [name for name, text in texts.items() if (root / name).read_text(encoding="utf-8") != text]
    assert stale == [], "Run make reference."


def test_no_generated_page_or_schema_is_left_over(root: Path) -> None:
    folders = ("docs/reference", "policies/confirmo/policies/schemas")
    present = {str(path.relative_to(root)) for folder in folders for path in (root / folder).iterdir()}
    assert present <= generated(root).keys()


def test_every_page_is_in_the_navigation_of_the_site(root: Path) -> None:
    navigation = (root / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    named = re.findall(r"^ +- [^:\n]+: (\S+)$", navigation, re.MULTILINE)
    pages = {path.relative_to(root / "docs").as_posix() for path in root.glob("docs/**/*.md")}
    missing = [page for page in pages if page not in named and f"{page.rpartition('/')[0]}/" not in named]
    assert missing == []


def test_the_site_fetches_nothing_from_elsewhere(root: Path) -> None:
    settings = (root / "mkdocs.yml").read_text(encoding="utf-8")
    assert "font: false" in settings
    assert "```mermaid" not in "".join(path.read_text("utf-8") for path in root.glob("docs/**/*.md"))


def test_the_comparison_gives_the_numbers_of_the_benchmarks(pages: dict[str, str]) -> None:
    measured = {row[0]: row[1:] for row in tables(pages["docs/benchmarks.md"])["Against other engines"]}
    for engine, *told in tables(pages["docs/comparison.md"])["Speed, honestly"]:
        of_run = [cell.split(" ")[0] for cell in measured[engine]]
        assert told == [of_run[0], of_run[1], of_run[2], of_run[4]], engine


@pytest.mark.parametrize(
    ("word", "file"),
    [
        ("tools", "tools"),
        ("policies", "tool_policies"),
        ("servers", "mcp_servers"),
        ("texts.pt-BR", "texts.pt-BR"),
        ("texts.en", "texts.en"),
    ],
)
def test_the_command_line_prints_each_schema(root: Path, word: str, file: str) -> None:
    committed = root / f"policies/confirmo/policies/schemas/{file}.schema.json"
    done = subprocess.run(command(CONFIRMO, "schema", word), capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, committed.read_text(encoding="utf-8"))


def test_an_ordinary_validator_takes_the_example_files(root: Path, tmp_path: Path) -> None:
    """``check-jsonschema``, as the page about the files shows it, with a YAML reader of its own."""
    for file in ("tools", "tool_policies", "mcp_servers"):
        schema = root / f"policies/confirmo/policies/schemas/{file}.schema.json"
        example = root / f"examples/confirmo/examples/config/{file}.yaml"
        validator = Path(sys.executable).with_name("check-jsonschema")
        run([str(validator), "--schemafile", str(schema), str(example)], tmp_path, {})
