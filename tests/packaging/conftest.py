"""The checkout, and both distributions built from it."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

PARTS = ("policies", "workflows", "activities", "worker", "client", "examples")


@pytest.fixture(scope="session")
def root() -> Path:
    return Path(__file__).parents[2]


@pytest.fixture(scope="session")
def parts(root: Path) -> dict[str, Path]:
    """Name of a part to its folder."""
    return {part: root / part / "confirmo" / part for part in PARTS}


@pytest.fixture(scope="session")
def pyproject(root: Path) -> dict[str, Any]:
    return tomllib.loads((root / "pyproject.toml").read_text())


@pytest.fixture(scope="session")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the sdist and not from the checkout."""
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(root)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def pages(root: Path) -> dict[str, str]:
    """Every page that people read, by its path from the root."""
    found = [*root.glob("*.md"), *root.glob("docs/**/*.md")]
    return {str(path.relative_to(root)): path.read_text(encoding="utf-8") for path in sorted(found)}


@pytest.fixture(scope="session")
def tables(pages: dict[str, str]) -> Any:
    """``tables(page, heading)``: rows of the first table below a heading, cells without backticks around them."""

    def read(page: str, heading: str) -> list[list[str]]:
        lines = pages[page].splitlines()
        start = next(
            number for number, line in enumerate(lines) if re.fullmatch(rf"#+ {re.escape(heading)}", line)
        )
        rows: list[list[str]] = []
        for line in lines[start + 1 :]:
            if line.startswith("|"):
                rows.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
            elif rows or line.startswith("#"):
                break
        return rows[2:]

    return read
