"""``tools.yaml``: what each tool says about itself, before any policy."""

from dataclasses import dataclass, field
from typing import Any

from confirmo.policies.catalog.fields import entry_shape, read_arguments
from confirmo.policies.catalog.nodes import Mapping, Node
from confirmo.policies.catalog.readers import (
    At,
    Reader,
    flag,
    free_map,
    list_of,
    map_of,
    name,
    optional,
    record,
    text,
    word,
)
from confirmo.policies.catalog.scalars import as_free
from confirmo.policies.catalog.shapes import Schema, record_shape, shape_of, shaped
from confirmo.policies.models import OperationType
from confirmo.policies.tool_spec import ArgumentSpec

TOOL_TYPES = {"action": OperationType.TRANSACTIONAL, **{str(kind): kind for kind in OperationType}}


@dataclass(frozen=True)
class RawTool:
    """One entry of ``tools``; null where a key is not stated.

    Attributes:
        execution_policy: The legacy map: ``requires`` and ``confirmation_required`` count.
        cache: Whether the agent runtime would cache its answers.
    """

    description: str = ""
    mcp_server: str | None = None
    enabled: bool = True
    tool_type: OperationType | None = None
    args_schema: tuple[ArgumentSpec, ...] = ()
    requires: tuple[str, ...] = ()
    confirmation_required: bool | None = None
    execution_policy: dict[str, Any] = field(default_factory=dict)
    cache: bool = False


@shaped(lambda: {"anyOf": [{"type": "boolean"}, record_shape("cache", _CACHE)]})
def _cache(node: Node, at: At) -> bool | None:
    if not isinstance(node, Mapping):
        return flag(node, at)
    return bool(record(node, at, "cache", _CACHE).get("enabled", False))


@shaped({})
def _free(node: Node, _: At) -> tuple[Any]:
    return (as_free(node),)


_CACHE: dict[str, Reader] = {"enabled": flag, "ttl_seconds": _free, "ttl": _free, "cache_ttl_seconds": _free}

_EXECUTION_POLICY: dict[str, Reader] = {
    "requires": list_of(name),
    "confirmation_required": flag,
    "cache": _free,
    "cacheable": _free,
    "cache_ttl_seconds": _free,
}


@shaped(lambda: record_shape("execution_policy", _EXECUTION_POLICY))
def _execution_policy(node: Node, at: At) -> dict[str, Any]:
    return record(node, at, "execution_policy", _EXECUTION_POLICY)


_TOOL: dict[str, Reader] = {
    "description": text,
    "mcp_server": name,
    "enabled": flag,
    "tool_type": optional(word(TOOL_TYPES)),
    "args_schema": read_arguments,
    "requires": list_of(name),
    "confirmation_required": flag,
    "execution_policy": _execution_policy,
    "selection_keywords": list_of(text),
    "response": free_map,
    "cache": _cache,
}

_CARRIED = ("selection_keywords", "response")


@shaped(lambda: record_shape("A tool", _TOOL, required=["mcp_server"]))
def _tool(node: Node, at: At) -> RawTool:
    stated = record(node, at, "a tool", _TOOL)
    if isinstance(node, Mapping) and not at.source.knows((*at.path, "mcp_server")):
        at.source.error(
            at.path, "'mcp_server' is missing: name the entry of mcp_servers.yaml that has the tool."
        )
    return RawTool(**{key: value for key, value in stated.items() if key not in _CARRIED})


_FILE: dict[str, Reader] = {"tools": map_of(_tool)}


def tools_shape() -> Schema:
    """Return the schema of the whole of ``tools.yaml``."""
    schema = record_shape("tools.yaml", _FILE, required=_FILE, root=True)
    schema["properties"] = {"tools": shape_of(_FILE["tools"]) | {"minProperties": 1}}
    return schema | {"$defs": {"entry": entry_shape()}}


def read_tools(root: Node, at: At) -> dict[str, RawTool]:
    """Read the whole of ``tools.yaml``."""
    tools: dict[str, RawTool] | None = record(root, at, "tools.yaml", _FILE).get("tools")
    if isinstance(root, Mapping) and not at.source.knows(("tools",)):
        at.error(root, "The key 'tools' is missing: put all tools below it.")
    elif tools == {} and not at.source.errors:
        at.source.error(("tools",), "No tool is declared. Declare at least one below 'tools'.")
    return tools or {}
