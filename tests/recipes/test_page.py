"""The page "Plug it into your agent" says what is so."""

import re
from pathlib import Path

import pytest

from recipes.__main__ import RECIPES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "plug-in.md").read_text(encoding="utf-8")
FOLDER = ROOT / "examples" / "recipes"
HELPERS = {"__main__.py", "keyword_models.py"}
ROW = re.compile(r"^\| \[[^]]+\]\(\.\./examples/recipes/(\w+\.py)\)[^|]*\| (\d+) \|", re.MULTILINE)


def test_every_recipe_is_in_the_table_with_its_lines() -> None:
    files = {path.name: path for path in FOLDER.glob("*.py") if path.name not in HELPERS}
    written = {name: int(lines) for name, lines in ROW.findall(PAGE)}
    counted = {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in files.items()}
    assert written == counted


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.name)
def test_a_recipe_has_fewer_than_80_lines(path: Path) -> None:
    if path.name not in HELPERS:
        assert len(path.read_text(encoding="utf-8").splitlines()) < 80


def test_the_commands_of_the_page_name_what_there_is() -> None:
    for name in RECIPES:
        assert name in PAGE
    assert "\nrecipes: " in (ROOT / "Makefile").read_text(encoding="utf-8")
