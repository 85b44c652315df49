"""What is shipped: exactly the checkout's package files."""

import subprocess
import sys
import sysconfig
import zipfile
from email.parser import Parser
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="module")
def shipped(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_from_the_sdist_holds_exactly_the_package_files_of_the_checkout(
    shipped: set[str], parts: dict[str, Path]
) -> None:
    checkout = {
        str(path.relative_to(folder.parents[1]))
        for folder in parts.values()
        for path in folder.parent.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in shipped if ".dist-info/" not in name} == checkout


def test_every_part_is_typed(shipped: set[str], parts: dict[str, Path]) -> None:
    assert {f"confirmo/{part}/py.typed" for part in parts} <= shipped


def test_the_example_configuration_is_shipped(shipped: set[str]) -> None:
    files = {"tools.yaml", "tool_policies.yaml", "mcp_servers.yaml"}
    assert {f"confirmo/examples/config/{file}" for file in files} <= shipped


def test_the_namespace_package_has_no_init(shipped: set[str], parts: dict[str, Path]) -> None:
    assert "confirmo/__init__.py" not in shipped
    assert not [folder for folder in parts.values() if (folder.parent / "__init__.py").exists()]


def test_the_metadata_names_command_licence_and_python(wheel: Path, pyproject: dict[str, Any]) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (info,) = {name.split("/")[0] for name in archive.namelist() if ".dist-info/" in name}
        metadata = Parser().parsestr(archive.read(f"{info}/METADATA").decode())
        entry_points = archive.read(f"{info}/entry_points.txt").decode()
        assert f"{info}/licenses/LICENSE" in archive.namelist()
    assert metadata["Version"] == pyproject["project"]["version"]
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Requires-Python"] == ">=3.11"
    assert "confirmo = confirmo.client.main:main" in entry_points


def test_the_wheel_runs_without_the_checkout(wheel: Path, tmp_path: Path) -> None:
    """What the Dockerfile installs: unpacked alone, beside the dependencies, without the editable install."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    paths = [str(tmp_path), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    code = (
        f"import sys; sys.path[:0] = {paths!r}\n"
        "from confirmo.examples import config_directory, contas, retail\n"
        "from confirmo.worker import app, dev\n"
        "from confirmo.client.main import main\n"
        "print(config_directory(), main.__module__)"
    )
    # Without site no .pth file is read, so that nothing of the checkout is on the path.
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, timeout=60, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    folder = Path(done.stdout.split()[0])
    assert folder.is_relative_to(tmp_path)
    assert (folder / "tools.yaml").is_file()
