"""``after`` and ``compensate``: steps that follow, checked against the tools that they call."""

from collections.abc import Mapping
from typing import Any

from confirmo.policies.catalog.fields import typed
from confirmo.policies.catalog.nodes import Node
from confirmo.policies.catalog.policies_file import RawStep
from confirmo.policies.catalog.problems import KeyPath, Source
from confirmo.policies.catalog.readers import At, nearest
from confirmo.policies.catalog.scalars import is_null
from confirmo.policies.catalog.schema_words import refusal
from confirmo.policies.models import OperationType
from confirmo.policies.templates import ITEM_NAMES, STEP_NAMES, is_template, unknown_names
from confirmo.policies.tool_spec import ArgumentSpec, AuxiliaryStep, Compensation, ToolSpec


def read_steps(
    owner: str, steps: tuple[RawStep, ...], path: KeyPath, source: Source, tools: Mapping[str, ToolSpec]
) -> tuple[AuxiliaryStep, ...]:
    """Return the steps with typed arguments; what is wrong with them goes to ``source``.

    Args:
        owner: The tool after which they run.
        steps: As they were read.
        path: Place of ``after`` in the file.
        source: ``tool_policies.yaml``.
        tools: All tools, resolved.
    """
    found: list[AuxiliaryStep] = []
    for index, step in enumerate(steps):
        place = At(source, (*path, str(index)))
        tool = tools.get(step.tool or "")
        if step.tool and _is_callable(owner, step.tool, tool, place, tools) and tool:
            if tool.operation_type is OperationType.TRANSACTIONAL:
                message = f"'{tool.name}' is transactional and runs as a step without a question of its own."
                source.warn((*place.path, "tool"), message)
            arguments = _arguments(step, tool, place.child("arguments"), STEP_NAMES)
            found.append(
                AuxiliaryStep.model_validate({"tool": step.tool, "arguments": arguments, "when": step.when})
            )
    return tuple(found)


def read_compensation(
    owner: str, step: RawStep, path: KeyPath, source: Source, tools: Mapping[str, ToolSpec]
) -> Compensation | None:
    """Return ``compensate`` with typed arguments, or null where it cannot be used; see ``read_steps``."""
    place = At(source, path)
    tool = tools.get(step.tool or "")
    if not step.tool or not _is_callable(owner, step.tool, tool, place, tools) or tool is None:
        return None
    arguments = _arguments(step, tool, place.child("arguments"), ITEM_NAMES)
    return Compensation.model_validate({"tool": step.tool, "arguments": arguments, "when": step.when})


def _is_callable(owner: str, name: str, tool: ToolSpec | None, at: At, tools: Mapping[str, ToolSpec]) -> bool:
    path = (*at.path, "tool")
    if tool is None:
        at.source.error(path, f"The tool '{name}' is not declared in tools.yaml. {nearest(name, tools)}")
    elif name == owner:
        at.source.error(path, "A tool cannot be its own auxiliary step: its effect would happen again.")
    elif not tool.enabled:
        at.source.error(path, f"The tool '{name}' is disabled. Enable it or remove the step.")
    else:
        return True
    return False


def _arguments(step: RawStep, tool: ToolSpec, at: At, names: frozenset[str]) -> dict[str, Any]:
    given = {name: node for name, node in step.arguments.items() if not is_null(node)}
    values = {name: _value(name, node, tool, at, names) for name, node in given.items()}
    for name in tool.requires:
        declared = tool.argument(name)
        is_reported = name in given and values[name] is None
        if _is_missing(values.get(name)) and not is_reported and not (declared and declared.has_default):
            message = (
                f"'{tool.name}' requires '{name}', and this step gives it no value. Add it to arguments."
            )
            at.source.error(at.path, message)
    return {name: value for name, value in values.items() if value is not None}


def _value(name: str, node: Node, tool: ToolSpec, at: At, names: frozenset[str]) -> Any:
    declared: ArgumentSpec | None = tool.argument(name)
    place = at.child(name)
    if declared is None and tool.arguments:
        known = [each.name for each in tool.arguments]
        place.source.warn(place.path, f"'{tool.name}' does not declare '{name}'. {nearest(name, known)}")
    plain = typed(node, {}, place)
    if declared is None or is_template(plain):
        for unknown in unknown_names(plain, names):
            offered = ", ".join(sorted(names))
            place.error(
                node, f"'{unknown}' is not a name that can stand in braces here. Use one of: {offered}."
            )
        return plain
    value = typed(node, {"type": declared.type, "items": declared.items}, place)
    if value is not None and (reason := refusal(value, declared)):
        place.error(node, f"'{tool.name}' does not take this value: it {reason}.")
    return value


def _is_missing(value: Any) -> bool:
    return value is None or value in ([], {}) or (isinstance(value, str) and not value.strip())
