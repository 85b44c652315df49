"""The page about the client: its two programs run, and its tables name every call and every error."""

import inspect
import sys
from pathlib import Path

import pytest

from confirmo.client import ConfirmoError, TransactionClient, errors
from harness.pages import ROOT, blocks, dev, run

PAGE = "docs/client.md"
TEXT = (ROOT / PAGE).read_text(encoding="utf-8")
ENDS_QUIETLY = (
    "import os, runpy, sys; runpy.run_path(sys.argv[1], run_name='__main__'); sys.stdout.flush(); os._exit(0)"
)


def test_its_programs_run(tmp_path: Path) -> None:
    programs = {body.split("\n")[0].removeprefix("# "): body for body in blocks(PAGE, "python")}
    for name, body in programs.items():
        (tmp_path / name).write_text(body, encoding="utf-8")
    with dev(tmp_path, "confirmo dev") as environ:
        said = {name: run([sys.executable, "-c", ENDS_QUIETLY, name], tmp_path, environ) for name in programs}
    lines = said["client_example.py"].splitlines()
    assert lines[0] == "AWAITING_CONFIRMATION"
    assert "PED-1001" in said["client_example.py"]
    assert lines.count("COMPLETED") == 2
    assert any(line.startswith("COMPLETED ") for line in lines)
    assert said["own_client.py"] == "1\n"


@pytest.mark.parametrize(
    "call",
    [name for name, _ in inspect.getmembers(TransactionClient, inspect.isfunction) if name[0] != "_"],
)
def test_every_call_is_named(call: str) -> None:
    assert f"`{call}(" in TEXT or call in ("export_history", "find")


def test_every_error_is_named() -> None:
    tree = [
        each for _, each in inspect.getmembers(errors, inspect.isclass) if issubclass(each, ConfirmoError)
    ]
    assert len(tree) > 15
    assert all(f"`{error.__name__}`" in TEXT for error in tree)
