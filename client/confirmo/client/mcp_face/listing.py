"""A tool of the catalogue as an MCP tool: its schema from the declared arguments, its hints from the policy."""

from collections.abc import Iterator
from typing import Any, Final

import mcp_types as types

from confirmo.client.mcp_face.answers import OUTPUT_SCHEMA
from confirmo.client.mcp_face.options import FaceOptions, Wrapped
from confirmo.policies.json_text import cut
from confirmo.policies.models import Effect, OperationType
from confirmo.policies.texts import clean_text, one_line
from confirmo.policies.tool_spec import ArgumentSpec, Catalog, ToolSpec

TITLE_BYTES: Final = 80
_ASKS: Final = "The person is asked for confirmation before anything is executed."
_BOUNDS: Final = {
    "pattern": "pattern",
    "minimum": "minimum",
    "maximum": "maximum",
    "min_length": "minLength",
    "max_length": "maxLength",
    "min_items": "minItems",
    "max_items": "maxItems",
    "items": "items",
}


def offered(catalog: Catalog) -> dict[str, ToolSpec]:
    """Return the tools that agents see: enabled, not internal, and no other tool's validator."""
    validators = {tool.pre_validation.tool for tool in catalog.tools.values() if tool.pre_validation.enabled}
    return {
        name: tool
        for name, tool in catalog.tools.items()
        if tool.enabled and tool.operation_type is not OperationType.INTERNAL and name not in validators
    }


def mcp_tools(catalog: Catalog, options: FaceOptions) -> Iterator[types.Tool]:
    """Yield the offered tools as MCP describes them."""
    for name, tool in offered(catalog).items():
        yield mcp_tool(tool, options.wrapped.get(name, Wrapped()))


def mcp_tool(tool: ToolSpec, wrapped: Wrapped) -> types.Tool:
    """Describe one tool."""
    title = wrapped.title or _title(tool)
    described = clean_text(tool.description).strip()
    return types.Tool(
        name=tool.name,
        title=title,
        description="\n".join(
            part for part in (described, _ASKS if tool.require_confirmation else "") if part
        ),
        input_schema=dict(wrapped.input_schema) if wrapped.input_schema else input_schema(tool),
        output_schema=OUTPUT_SCHEMA,
        annotations=annotations(tool, title),
    )


def annotations(tool: ToolSpec, title: str) -> types.ToolAnnotations:
    """Return the hints that the policy allows; what it does not know is left out."""
    if tool.operation_type is not OperationType.TRANSACTIONAL:
        return types.ToolAnnotations(title=title, read_only_hint=True)
    return types.ToolAnnotations(
        title=title,
        read_only_hint=False,
        destructive_hint=True,
        idempotent_hint=tool.execution.effect is Effect.IDEMPOTENT,
    )


def input_schema(tool: ToolSpec) -> dict[str, Any]:
    """Return the JSON Schema of the declared arguments."""
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {argument.name: _property(argument) for argument in tool.arguments},
    }
    required = [name for name in tool.requires if not _has_default(tool.argument(name))]
    return schema | {"required": required} if required else schema


def _has_default(argument: ArgumentSpec | None) -> bool:
    return argument is not None and argument.has_default


def _property(argument: ArgumentSpec) -> dict[str, Any]:
    told: dict[str, Any] = {"type": argument.type}
    if argument.label:
        told["title"] = one_line(argument.label)
    if argument.description:
        told["description"] = clean_text(argument.description)
    if argument.enum is not None:
        told["enum"] = list(argument.enum)
    if argument.has_default:
        told["default"] = argument.default
    bounds = {word: getattr(argument, name) for name, word in _BOUNDS.items()}
    return told | {word: value for word, value in bounds.items() if value is not None}


def _title(tool: ToolSpec) -> str:
    first = one_line(tool.description.strip().partition("\n")[0])
    return cut(first or tool.name.replace("_", " "), TITLE_BYTES)
