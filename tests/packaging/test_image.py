"""The Dockerfile's build, step by step in fresh environments, and what is installed that way."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

Steps = list[tuple[str, list[str]]]


@pytest.fixture(scope="module")
def stages(root: Path) -> list[Steps]:
    """Instruction and words of each line, by stage."""
    found: list[Steps] = []
    for line in (root / "Dockerfile").read_text().splitlines():
        instruction, _, rest = line.partition(" ")
        if instruction == "FROM":
            found.append([])
        if line and not line.startswith("#"):
            found[-1].append((instruction, shlex.split(rest)))
    return found


@pytest.fixture(scope="module")
def built(stages: list[Steps], root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``/opt`` of the build stage; ``/src`` holds what it copies, and nothing else."""
    top = tmp_path_factory.mktemp("image")
    places = {"/opt": str(top / "opt"), "/src": str(top / "src")}
    (top / "src").mkdir()
    environ = os.environ | {"PIP_COMPILE": "0"}
    for instruction, words in stages[0]:
        if instruction == "COPY":
            copy(words, root, top / "src")
        elif instruction == "RUN":
            here = [re.sub("^(/opt|/src)", lambda match: places[match[1]], word) for word in words]
            # This machine may lend pip's cache, and byte code is not what is tested.
            command = [
                sys.executable if word == "python" else word for word in here if word != "--no-cache-dir"
            ]
            done = subprocess.run(
                command, cwd=top / "src", capture_output=True, text=True, timeout=300, env=environ
            )
            assert done.returncode == 0, f"{shlex.join(words)}\n{done.stdout}{done.stderr}"
    return top / "opt"


def copy(words: list[str], root: Path, source: Path) -> None:
    *origins, target = words
    for origin in origins:
        into = source / target / origin if target == "./" else source / target
        if (root / origin).is_dir():
            shutil.copytree(root / origin, into, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(root / origin, into)


@pytest.mark.slow
def test_the_steps_of_the_build_end_in_a_program_that_starts(
    built: Path, stages: list[Steps], pyproject: dict[str, Any]
) -> None:
    ends = {instruction: re.findall(r"[\w-]+", " ".join(words)) for instruction, words in stages[-1]}
    assert ends["ENTRYPOINT"] == list(pyproject["project"]["scripts"])
    program = [built / "confirmo" / "bin" / ends["ENTRYPOINT"][0], *ends["CMD"]]
    done = subprocess.run(program, cwd=built, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "worker" in done.stdout
    copied = [words for instruction, words in stages[-1] if instruction == "COPY"]
    assert copied == [["--from=build", "/opt/confirmo", "/opt/confirmo"]]


@pytest.mark.slow
def test_the_same_sources_give_the_same_wheel_byte_for_byte(built: Path, wheel: Path) -> None:
    """One is built from the sdist of the checkout, the other from a part of it, elsewhere and later."""
    (again,) = (built / "dist").glob("*.whl")
    assert again.name == wheel.name
    assert again.read_bytes() == wheel.read_bytes()


def test_nothing_is_installed_without_a_hash(stages: list[Steps]) -> None:
    installs = [
        words for stage in stages for name, words in stage if name == "RUN" and "install" in words[:5]
    ]
    assert len(installs) == 3
    for words in installs:
        ours = {"--no-index", "--no-deps"} <= set(words) and words[-1] == "confirmo"
        assert "--require-hashes" in words or ours, words


def test_the_image_runs_as_a_numbered_user_that_is_not_root(
    stages: list[Steps], services: dict[str, Any]
) -> None:
    (user,) = (words[0] for instruction, words in stages[-1] if instruction == "USER")
    assert re.fullmatch(r"[1-9]\d+:[1-9]\d+", user)
    assert {services[name]["user"] for name in ("worker", "mcp", "contas", "retail")} == {user}


def test_the_build_copies_what_is_packaged(stages: list[Steps], pyproject: dict[str, Any]) -> None:
    copied = {path for instruction, words in stages[0] if instruction == "COPY" for path in words[:-1]}
    parts = {
        path.split("/")[0] for path in pyproject["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    }
    assert copied == parts | {"pyproject.toml", "README.md", "LICENSE", "deploy/image"}


def test_both_stages_have_the_same_pinned_python(stages: list[Steps]) -> None:
    bases = {words[0] for stage in stages for instruction, words in stage if instruction == "FROM"}
    (base,) = bases
    assert re.fullmatch(r"python:3\.\d+\.\d+-slim-\w+", base)
