"""The checkout, and both distributions built from it."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from confirmo.client.commands import build_app
from harness.compose import read_compose

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


@pytest.fixture(scope="session")
def source(root: Path) -> str:
    """The compose file's text."""
    return (root / "docker-compose.yml").read_text()


@pytest.fixture(scope="session")
def compose(source: str) -> dict[str, Any]:
    """The compose file, every variable at its default."""
    return read_compose(source)


@pytest.fixture(scope="session")
def services(compose: dict[str, Any]) -> dict[str, Any]:
    """All services, those of profiles included."""
    return compose["services"]


@pytest.fixture(scope="session")
def secrets(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The secrets that the script makes."""
    folder = tmp_path_factory.mktemp("secrets")
    subprocess.run(["sh", root / "deploy/secrets.sh", folder], check=True, capture_output=True, timeout=30)
    return folder


@pytest.fixture(scope="session")
def parse() -> Any:
    """``parse(words)``: what follows ``confirmo`` read by the real command line, and not run."""
    group = get_command(build_app())

    def read(words: list[str]) -> None:
        command = group
        while commands := getattr(command, "commands", None):
            command, words = commands[words[0]], words[1:]
        with command.make_context(command.name, list(words)):
            pass

    return read
