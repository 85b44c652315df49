"""What changes a transaction's course is in a recorded history: each patch id, and what a policy freezes."""

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import confirmo.workflows.transaction
from confirmo.policies.tool_spec import ResolvedPolicy

HISTORIES = Path(__file__).parent / "histories"
WORKFLOWS = Path(confirmo.workflows.transaction.__file__).parent
PATCHED = re.compile(r"workflow\.patched\((\w+)\)")

UNSET = {"slice_seconds"}
"""Frozen with every policy, and no setting gives it another value yet."""


def details() -> Iterator[tuple[str, Any]]:
    """Yield the name of each recorded marker and what it holds."""
    for path in sorted(HISTORIES.glob("*.json")):
        for event in json.loads(path.read_text(encoding="utf-8"))["events"]:
            marker = event.get("markerRecordedEventAttributes", {})
            for part in marker.get("details", {}).values():
                for payload in part["payloads"]:
                    yield marker["markerName"], json.loads(base64.b64decode(payload.get("data", "bnVsbA==")))


def ids_in_use() -> set[str]:
    """Return the patch ids in ``workflows/``, by the constants that hold them."""
    sources = "\n".join(path.read_text(encoding="utf-8") for path in WORKFLOWS.rglob("*.py"))
    calls = sources.count("workflow.patched(")
    names = PATCHED.findall(sources)
    assert len(names) == calls, "a patch id is a constant of its module"
    return {
        found.group(1)
        for name in names
        for found in re.finditer(rf'^{name}(?:: [^=]+)? = "([^"]+)"', sources, re.MULTILINE)
    }


def test_every_patch_id_is_in_a_recorded_history() -> None:
    recorded = {held["id"] for name, held in details() if name == "core_patch"}
    assert len(ids_in_use()) >= 5
    assert ids_in_use() - recorded == set(), (
        "record a scenario that takes this branch: tests/replay/record.py"
    )


def test_whatever_is_frozen_with_a_policy_is_in_a_recorded_history() -> None:
    frozen = [held for _, held in details() if isinstance(held, dict) and "tool" in held]
    default = ResolvedPolicy().model_dump(mode="json")
    for field in ResolvedPolicy.model_fields:
        values = [held[field] for held in frozen if field in held]
        assert values, field
        if field not in UNSET:
            assert any(value != default[field] for value in values), field
