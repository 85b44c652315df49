"""Lock files, the audit's honesty and the workflow of the public CI."""

import json
import re
import subprocess
import sys
from importlib.metadata import requires
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

IMAGE, BUILD, TOOLS = "deploy/image/requirements.txt", "deploy/image/build.txt", "deploy/supply/tools.txt"


@pytest.fixture(scope="module")
def pins(root: Path) -> Any:
    """``pins(path)``: name to version of a lock file."""

    def read(path: str) -> dict[str, str]:
        return dict(re.findall(r"^([\w.-]+)==([^ ;\\\n]+)", (root / path).read_text(), re.MULTILINE))

    return read


def test_what_the_image_installs_is_what_is_tested(pins: Any, pyproject: dict[str, Any]) -> None:
    tested = pins("requirements.lock")
    assert pins(IMAGE).items() <= tested.items()
    assert pins(BUILD).items() <= tested.items() | {(k, v) for k, v in pins(BUILD).items() if k not in tested}
    needed = {Requirement(text).name.lower() for text in pyproject["project"]["dependencies"]}
    assert needed <= pins(IMAGE).keys()


def test_the_lock_holds_every_dependency_within_its_bounds(pins: Any) -> None:
    tested = pins("requirements.lock")
    for text in requires("confirmo") or ():
        requirement = Requirement(text)
        if requirement.name != "confirmo":
            assert tested[requirement.name.lower()] in requirement.specifier, text


@pytest.mark.parametrize("path", [IMAGE, BUILD, TOOLS])
def test_every_pin_of_the_image_and_of_the_tools_has_a_hash(root: Path, path: str) -> None:
    entries = re.split(r"\n(?=\S)", (root / path).read_text().strip())
    assert [entry.split()[0] for entry in entries if "--hash=sha256:" not in entry] == []


def test_no_lock_file_says_where_it_came_from(root: Path) -> None:
    for path in ("requirements.lock", IMAGE, BUILD, TOOLS):
        assert not re.search(r"https?://|^--?[a-z]", (root / path).read_text(), re.MULTILINE), path


PIP_AUDIT = """#!{python}
import sys
sys.stdout.write({answer!r})
"""


def entry(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "version": "1.0", "vulns": []} | more


KNOWN = {"id": "PYSEC-1", "fix_versions": ["1.1"], "aliases": [], "description": ""}


@pytest.mark.parametrize(
    ("answer", "code", "says"),
    [
        ([entry("one")], 0, "1 of 1 looked up, 0 known"),
        ([entry("one", vulns=[KNOWN])], 1, "one 1.0: PYSEC-1, fixed in 1.1"),
        ([entry("one"), {"name": "two", "skip_reason": "not found"}], 2, "1 of 2 looked up"),
        ([entry("one", vulns=[KNOWN]), {"name": "two", "skip_reason": "not found"}], 1, "1 of 2 looked up"),
        ([], 2, "0 of 0 looked up"),
        (None, 2, "did not answer"),
    ],
)
def test_an_audit_that_could_not_look_everything_up_is_no_success(
    root: Path, tmp_path: Path, answer: Any, code: int, says: str
) -> None:
    stand_in = tmp_path / "pip-audit"
    told = "" if answer is None else json.dumps({"dependencies": answer, "fixes": []})
    stand_in.write_text(PIP_AUDIT.format(python=sys.executable, answer=told))
    stand_in.chmod(0o755)
    command = [sys.executable, root / "deploy/supply/audit.py", stand_in, "requirements.lock"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == code
    assert says in done.stdout


def test_the_public_workflow_is_valid_and_runs_our_own_commands(root: Path) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"]
    file = ".github/workflows/ci.yml"
    done = subprocess.run([*command, file], cwd=root, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    workflow = yaml.safe_load((root / file).read_text())
    assert workflow["permissions"] == {"contents": "read"}
    targets = set(re.findall(r"^([a-z]+):", (root / "Makefile").read_text(), re.MULTILINE))
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    made = {word for step in steps for word in re.findall(r"make ([a-z]+)", step.get("run", ""))}
    assert {"check", "audit", "sbom"} <= made <= targets


def test_our_own_gate_does_not_ask_the_vulnerability_service(root: Path) -> None:
    makefile = (root / "Makefile").read_text()
    (needed,) = re.findall(r"^check: (.+)$", makefile, re.MULTILINE)
    assert "audit" not in needed.split()
    assert (root / ".ci/run").read_text().rstrip().endswith("exec make check")
