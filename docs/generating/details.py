"""Which details each event carries: the keywords of the calls that emit it."""

import ast
from collections import defaultdict
from pathlib import Path

import confirmo.workflows
from confirmo.policies.events import EventName
from confirmo.policies.models import Progress


def event_details() -> dict[EventName, list[str]]:
    """Return event to the names of its details, as the workflow's code emits them."""
    found: dict[EventName, list[str]] = defaultdict(list)
    (folder,) = confirmo.workflows.__path__
    for path in sorted(Path(folder).glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                for event in _events(node):
                    found[event] += [name for name in _details(node) if name not in found[event]]
    for event in (EventName.COMPLETED, EventName.FAILED):
        found[event] = ["multi_item_status", *Progress.model_fields]
    return dict(found)


def _events(call: ast.Call) -> list[EventName]:
    return [
        EventName[argument.attr]
        for argument in call.args
        if isinstance(argument, ast.Attribute)
        and isinstance(argument.value, ast.Name)
        and argument.value.id == "EventName"
    ]


def _details(call: ast.Call) -> list[str]:
    assert isinstance(call.func, ast.Attribute)
    if call.func.attr == "close":
        return ["reason_code"]
    literal = [
        key.value
        for node in ast.walk(call)
        if isinstance(node, ast.Dict)
        for key in node.keys
        if isinstance(key, ast.Constant)
    ]
    return [*(keyword.arg for keyword in call.keywords if keyword.arg), *map(str, literal)]
