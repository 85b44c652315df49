"""The part of ``confirmo check --json`` that the files alone decide."""

from dataclasses import asdict
from typing import Any

from confirmo.policies.catalog.loader import LoadedCatalog
from confirmo.policies.item_arguments import call_of
from confirmo.policies.tool_spec import ToolSpec


def check_report(loaded: LoadedCatalog) -> dict[str, Any]:
    """Return ``ok``, ``errors``, ``warnings`` and ``tools`` as JSON-like data.

    ``servers`` come from elsewhere. ``tools`` is in file order, and empty where there is an error.
    """
    tools = loaded.catalog.tools.values() if loaded.catalog else ()
    return {
        "ok": not loaded.errors,
        "errors": [asdict(problem) for problem in loaded.errors],
        "warnings": [asdict(problem) for problem in loaded.warnings],
        "tools": [_line(tool) for tool in tools],
    }


def _line(tool: ToolSpec) -> dict[str, Any]:
    return {
        "name": tool.name,
        "operation_type": str(tool.operation_type),
        "require_confirmation": tool.require_confirmation,
        "requires": list(tool.requires),
        "call": call_of(tool, has_items=True),
        "effect": str(tool.execution.effect),
    }
