"""A catalogue from what a tool server says of itself: everything not plainly read-only asks for confirmation."""

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from confirmo.activities.tools import ListNeverEnds, ToolListing, ToolServers
from confirmo.policies.catalog.resolve import versioned
from confirmo.policies.errors import CallFailed
from confirmo.policies.models import OperationType
from confirmo.policies.tool_spec import (
    ArgumentSpec,
    Catalog,
    ExecutionPolicy,
    ToolSpec,
)
from confirmo.worker.errors import ServerUnavailable
from confirmo.worker.wrap_target import SERVER, WrapTarget

_FLAGS: Final = ("success", "ok")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_\-.\s]+")


async def wrap(target: WrapTarget) -> tuple[Catalog, tuple[ToolListing, ...]]:
    """Ask a server for its tools and return the catalogue of them, beside what it said.

    Raises:
        ServerUnavailable: It does not answer, or lists no tool, or its list never ends.
        ConfigurationError: As ``WrapTarget.server`` says.
    """
    server = target.server(os.environ)
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

    Its arguments go out as they came: the server judges them itself, with all of its own schema. It has items where
    its output schema promises a flag for each, see ``_item_argument``; else a call is one thing. Its ``idempotentHint``
    decides nothing.
    """
    reads = listing.read_only_hint is True and listing.destructive_hint is not True
    schema = listing.input_schema or {}
    properties, stated = _part(schema, "properties"), schema.get("required")
    required = [name for name in properties if isinstance(stated, list) and name in stated]
    items = None if reads else _item_argument(schema, required, listing.output_schema or {})
    return versioned(
        ToolSpec(
            name=listing.name,
            description=listing.description,
            mcp_server=SERVER,
            operation_type=OperationType.READ_ONLY if reads else OperationType.TRANSACTIONAL,
            require_confirmation=not reads,
            arguments=tuple(_argument(name, _part(properties, name), name == items) for name in properties),
            requires=tuple(required),
            execution=ExecutionPolicy(evidence="results" if items else "envelope", call="whole"),
        )
    )


def _item_argument(
    schema: Mapping[str, Any], required: Sequence[str], output: Mapping[str, Any]
) -> str | None:
    """Return the one required list, where the answer is declared as ``results`` with a boolean flag in each entry."""
    properties = _part(schema, "properties")
    lists = [name for name in required if _referred(_part(properties, name), schema).get("type") == "array"]
    results = _referred(_part(_part(output, "properties"), "results"), output)
    fields = _part(_referred(_part(results, "items"), output), "properties")
    flagged = any(_part(fields, flag).get("type") == "boolean" for flag in _FLAGS)
    return lists[0] if flagged and len(lists) == 1 else None


def _part(schema: Mapping[str, Any], key: str) -> dict[str, Any]:
    found = schema.get(key)
    return found if isinstance(found, dict) else {}


def _argument(name: str, declared: Mapping[str, Any], is_items: bool) -> ArgumentSpec:
    described = _text(declared.get("description"))
    return ArgumentSpec(
        name=name,
        type="array" if is_items else "any",
        items=_part(declared, "items") or None if is_items else None,
        label=_text(declared.get("title")) or (None if described else _words(name)),
        description=described,
    )


def _words(name: str) -> str:
    """Return a technical name as words: without them, the person would see a bare value."""
    return _HUMP.sub(" ", name).strip().lower()


def _referred(schema: dict[str, Any], root: Mapping[str, Any]) -> dict[str, Any]:
    """Follow a reference inside the same schema, once: what points on is nothing that is looked for here."""
    reference = schema.get("$ref")
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return schema
    found: Mapping[str, Any] = root
    for part in reference[2:].split("/"):
        found = _part(found, part)
    return dict(found)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
