"""A catalogue from what a tool server says of itself: everything not plainly read-only asks for confirmation."""

import hashlib
import os
import shlex
from collections.abc import Iterator, Mapping
from typing import Any, Final

from confirmo.activities.tools import ListNeverEnds, ToolListing, ToolServers
from confirmo.policies.catalog.resolve import versioned
from confirmo.policies.errors import CallFailed
from confirmo.policies.models import OperationType
from confirmo.policies.tool_spec import (
    ArgumentSpec,
    ArgumentType,
    Catalog,
    ExecutionPolicy,
    ServerSpec,
    ToolSpec,
)
from confirmo.worker.errors import ServerUnavailable

SERVER: Final = "wrapped"
_TYPES: Final[dict[str, ArgumentType]] = {
    "string": "string",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
    "array": "array",
    "object": "object",
}


def wrapped_server(target: str, environ: Mapping[str, str]) -> ServerSpec:
    """Return the server that a URL or a command line names; a command gets this process's environment.

    Raises:
        ServerUnavailable: It is neither.
    """
    if target.startswith(("http://", "https://")):
        return ServerSpec(name=SERVER, endpoint=target)
    try:
        command, *arguments = shlex.split(target)
    except ValueError:
        raise ServerUnavailable("The command to wrap is empty or not quoted correctly.") from None
    return ServerSpec(
        name=SERVER, transport="stdio", command=command, args=tuple(arguments), env=dict(environ)
    )


def wrapping_queue(target: str) -> str:
    """Return the task queue for a target: the same after a restart, so that open transactions go on."""
    return f"confirmo-wrap-{hashlib.sha256(target.encode()).hexdigest()[:16]}"


async def wrap(target: str) -> tuple[Catalog, tuple[ToolListing, ...]]:
    """Ask a server for its tools and return the catalogue of them, beside what it said.

    Raises:
        ServerUnavailable: It does not answer, or lists no tool, or its list never ends.
    """
    server = wrapped_server(target, os.environ)
    servers = ToolServers({SERVER: server})
    try:
        listings = await servers.tools(SERVER)
    except (CallFailed, ListNeverEnds) as failed:
        raise ServerUnavailable(f"The server to wrap does not say what it can do: {failed.reason}") from None
    finally:
        await servers.aclose()
    if not listings:
        raise ServerUnavailable("The server to wrap lists no tool.")
    tools = {listing.name: wrapped_tool(listing) for listing in listings}
    return Catalog(tools=tools, servers={SERVER: server}), listings


def wrapped_tool(listing: ToolListing) -> ToolSpec:
    """Return a tool with its policy.

    A call is one thing: such a server has no results by item. That is why no list is a required argument here, as it
    would be taken for the items; that it is required, the server says itself. Its ``idempotentHint`` decides nothing.
    """
    reads = listing.read_only_hint is True and listing.destructive_hint is not True
    schema = listing.input_schema or {}
    arguments = tuple(_arguments(schema))
    required = schema.get("required")
    names = required if isinstance(required, list) else []
    return versioned(
        ToolSpec(
            name=listing.name,
            description=listing.description,
            mcp_server=SERVER,
            operation_type=OperationType.READ_ONLY if reads else OperationType.TRANSACTIONAL,
            require_confirmation=not reads,
            arguments=arguments,
            requires=tuple(spec.name for spec in arguments if spec.name in names and spec.type != "array"),
            execution=ExecutionPolicy(evidence="envelope", call="whole"),
        )
    )


def _arguments(schema: Mapping[str, Any]) -> Iterator[ArgumentSpec]:
    properties = schema.get("properties")
    for name, declared in (properties if isinstance(properties, dict) else {}).items():
        words = declared if isinstance(declared, dict) else {}
        yield ArgumentSpec(
            name=name,
            type=_type(words, schema),
            label=_text(words.get("title")),
            description=_text(words.get("description")),
        )


def _type(words: Mapping[str, Any], schema: Mapping[str, Any]) -> ArgumentType:
    """Return the type by which a value is taken; the server judges it itself, with all of its own schema."""
    return next(_stated(words, schema, 0), "object" if "properties" in words else "string")


def _stated(words: Mapping[str, Any], schema: Mapping[str, Any], depth: int) -> Iterator[ArgumentType]:
    stated = words.get("type")
    for word in stated if isinstance(stated, list) else [stated]:
        if isinstance(word, str) and word in _TYPES:
            yield _TYPES[word]
    branches = [entry for key in ("anyOf", "oneOf", "allOf") for entry in words.get(key) or []]
    branches.append(_referred(words.get("$ref"), schema))
    for branch in branches:
        if isinstance(branch, dict) and depth < len(_TYPES):
            yield from _stated(branch, schema, depth + 1)


def _referred(reference: Any, schema: Mapping[str, Any]) -> Any:
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return None
    found: Any = schema
    for part in reference[2:].split("/"):
        found = found.get(part) if isinstance(found, dict) else None
    return found


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
