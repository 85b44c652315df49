"""What the tool servers say beside what the files say. Everything found is a warning."""

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from confirmo.activities.tools.listing import ListNeverEnds, ToolListing
from confirmo.activities.tools.servers import ToolServers
from confirmo.policies.errors import CallFailed
from confirmo.policies.models import Effect, OperationType
from confirmo.policies.names import ARGUMENT_IDEMPOTENCY_KEY
from confirmo.policies.tool_spec import ArgumentType, Catalog, ToolSpec

TOOLS_FILE: Final = "tools.yaml"
POLICIES_FILE: Final = "tool_policies.yaml"
SERVERS_FILE: Final = "mcp_servers.yaml"
_SENT_BY_US: Final = frozenset({ARGUMENT_IDEMPOTENCY_KEY, "items"})
_SENT_TO_VALIDATORS: Final = frozenset({"target_tool"})
_SENT_TO_STATUS_TOOLS: Final = frozenset({"item_id", "item"})
_FITTING: Final[dict[ArgumentType, frozenset[str]]] = {
    "string": frozenset({"string"}),
    "integer": frozenset({"integer", "number"}),
    "number": frozenset({"number", "integer"}),
    "boolean": frozenset({"boolean"}),
    "array": frozenset({"array"}),
    "object": frozenset({"object"}),
    "any": frozenset({"string", "integer", "number", "boolean", "array", "object", "null"}),
}
"""The JSON types of a server's schema that can take a value of one of ours."""


@dataclass(frozen=True)
class Finding:
    """One warning: base name of the file, line or null, dotted path, one sentence."""

    file: str
    line: int | None
    key: str
    message: str


@dataclass(frozen=True)
class ServerReport:
    """Whether a server answered; ``error`` says why not, in one sentence."""

    name: str
    reachable: bool
    error: str | None = None


@dataclass(frozen=True)
class _Heard:
    report: ServerReport
    tools: tuple[ToolListing, ...] = ()
    findings: tuple[Finding, ...] = ()


async def compare(catalog: Catalog, servers: ToolServers) -> tuple[list[ServerReport], list[Finding]]:
    """Ask every enabled server at once and lay its tools beside the enabled ones of the catalogue.

    A server that lists no tools, which one of transport ``http`` never does, is only checked for an answer.
    """
    names = [name for name, spec in catalog.servers.items() if spec.enabled]
    heard = dict(zip(names, await asyncio.gather(*(_ask(name, servers) for name in names)), strict=True))
    findings = [finding for answer in heard.values() for finding in answer.findings]
    for tool in catalog.tools.values():
        if tool.enabled and (answer := heard.get(tool.mcp_server)) is not None and answer.tools:
            findings += _compare_tool(catalog, tool, answer)
    return [answer.report for answer in heard.values()], findings


async def _ask(name: str, servers: ToolServers) -> _Heard:
    key = f"servers.{name}"
    try:
        await servers.reach(name)
    except CallFailed as failed:
        finding = Finding(SERVERS_FILE, None, key, failed.reason)
        return _Heard(ServerReport(name, False, failed.reason), (), (finding,))
    try:
        return _Heard(ServerReport(name, True), await servers.tools(name))
    except ListNeverEnds as endless:
        finding = Finding(SERVERS_FILE, None, key, endless.reason)
        return _Heard(ServerReport(name, True), endless.tools, (finding,))
    except CallFailed as failed:
        finding = Finding(SERVERS_FILE, None, key, failed.reason)
        return _Heard(ServerReport(name, True, failed.reason), (), (finding,))


def _compare_tool(catalog: Catalog, tool: ToolSpec, answer: _Heard) -> list[Finding]:
    listing = next((listing for listing in answer.tools if listing.name == tool.name), None)
    if listing is None:
        message = f"Tool server {tool.mcp_server!r} has no tool {tool.name!r}; calls to it will fail."
        return [Finding(TOOLS_FILE, None, f"tools.{tool.name}", message)]
    return [*_compare_arguments(catalog, tool, listing), *_compare_annotations(tool, listing)]


def _compare_arguments(catalog: Catalog, tool: ToolSpec, listing: ToolListing) -> Iterator[Finding]:
    schema = listing.input_schema or {}
    for argument in tool.arguments:
        if not _knows(schema, argument.name):
            message = f"The server's input schema of {tool.name!r} does not know this argument."
            yield Finding(TOOLS_FILE, None, f"tools.{tool.name}.args_schema.{argument.name}", message)
        elif (taken := _types(schema, argument.name)) and not taken & _FITTING[argument.type]:
            types = " or ".join(sorted(taken))
            message = (
                f"The server takes this argument of {tool.name!r} as {types}; here it is {argument.type}."
            )
            yield Finding(TOOLS_FILE, None, f"tools.{tool.name}.args_schema.{argument.name}.type", message)
    sent = _always_sent(catalog, tool)
    for name in _names(schema.get("required")):
        if name not in sent:
            where = "is optional here" if tool.argument(name) else "is not declared here"
            message = f"The server requires the argument {name!r} of {tool.name!r}, which {where}."
            yield Finding(TOOLS_FILE, None, f"tools.{tool.name}.args_schema", message)


def _knows(schema: dict[str, Any], name: str) -> bool:
    """Whether a schema may take an argument.

    By JSON Schema an absent ``additionalProperties`` allows everything, but servers that are generated from
    signatures leave it out and drop what they do not know: only an explicit permission counts. A schema without
    ``properties`` (a reference, or any object) says nothing.
    """
    properties = schema.get("properties")
    if not isinstance(properties, dict) or name in properties:
        return True
    if schema.get("additionalProperties", False) is not False:
        return True
    patterns = schema.get("patternProperties")
    return isinstance(patterns, dict) and any(_matches(pattern, name) for pattern in patterns)


def _types(schema: dict[str, Any], name: str) -> frozenset[str]:
    """Return the JSON types that a schema names for an argument; empty where it does not say so plainly."""
    properties = schema.get("properties")
    said = properties.get(name) if isinstance(properties, dict) else None
    if not isinstance(said, dict):
        return frozenset()
    branches = said.get("anyOf")
    parts = branches if isinstance(branches, list) else [said]
    named: list[Any] = [part.get("type") if isinstance(part, dict) else None for part in parts]
    if any(each is None for each in named):
        return frozenset()
    types = frozenset(word for each in named for word in (_names(each) or [each]) if isinstance(word, str))
    return types - {"null"}


def _matches(pattern: str, name: str) -> bool:
    try:
        return re.search(pattern, name) is not None
    except re.error:
        return True


def _names(value: Any) -> list[str]:
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def _always_sent(catalog: Catalog, tool: ToolSpec) -> frozenset[str]:
    """Return the arguments that a call always carries, what we add ourselves included."""
    defaults = {argument.name for argument in tool.arguments if argument.has_default}
    sent = _SENT_BY_US | defaults | set(tool.requires)
    others = catalog.tools.values()
    if any(other.pre_validation.tool == tool.name for other in others):
        sent |= _SENT_TO_VALIDATORS
    if any(other.execution.status_tool == tool.name for other in others):
        sent |= _SENT_TO_STATUS_TOOLS
    return frozenset(sent)


def _compare_annotations(tool: ToolSpec, listing: ToolListing) -> Iterator[Finding]:
    for policy_key, message in _contradictions(tool, listing):
        yield Finding(POLICIES_FILE, None, f"tool_policies.{tool.name}.{policy_key}", message)


def _contradictions(tool: ToolSpec, listing: ToolListing) -> Iterator[tuple[str, str]]:
    """Yield where a server's hints and the policy disagree. The policy decides; a hint is only shown."""
    if tool.operation_type is OperationType.TRANSACTIONAL:
        if listing.read_only_hint is True:
            yield "operation_type", "The server says readOnlyHint: true; the policy says transactional."
        said, effect = listing.idempotent_hint, tool.execution.effect
        if said is not None and effect is (Effect.UNSAFE if said else Effect.IDEMPOTENT):
            word = "true" if said else "false"
            yield (
                "execution.effect",
                f"The server says idempotentHint: {word}; the policy's {effect} decides.",
            )
    if tool.operation_type is not OperationType.READ_ONLY or listing.read_only_hint is True:
        return
    if listing.read_only_hint is False:
        yield "operation_type", "The server says readOnlyHint: false; the policy says read_only."
    elif listing.destructive_hint is True:
        yield "operation_type", "The server says destructiveHint: true; the policy says read_only."
