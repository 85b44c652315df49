"""``mcp_servers.yaml``: the tool servers, with ``${NAME}`` read from the environment.

No message of this module quotes a value: any of them may be a secret.
"""

import re
from collections.abc import Mapping as AbstractMapping
from typing import Any
from urllib.parse import urlsplit

from confirmo.policies.catalog.nodes import Mapping, Node, Scalar
from confirmo.policies.catalog.readers import (
    At,
    Reader,
    flag,
    integer,
    list_of,
    map_of,
    optional,
    positive,
    record,
    text,
    word,
)
from confirmo.policies.catalog.shapes import SCALARS, Schema, Shaped, record_shape, shaped
from confirmo.policies.tool_spec import ServerSpec

_TRANSPORTS = ("streamable_http", "stdio", "sse", "http")
_DAY = 86_400.0
_REFERENCE = re.compile(r"\$\{([^}]*)\}?")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_STDIO_ONLY = ("command", "args", "env")
_URL_ONLY = ("endpoint", "headers")


@shaped({"type": [*SCALARS, "null"]})
def _exact(node: Node, at: At) -> str | None:
    """Read a text in which null is not nothing."""
    if isinstance(node, Scalar):
        return node.text
    at.error(node, "A text is due here, not a map or a list.")
    return None


@shaped({"type": [*SCALARS, "null"]})
def _literal(node: Node, at: At) -> str | None:
    value = _exact(node, at)
    if value is not None and "${" in value:
        message = "'${…}' is not filled in here: it is read in endpoint, headers and env only."
        at.source.warn(at.path, message, node.line)
    return value


_SERVER: dict[str, Reader] = {
    "transport": word({each: each for each in _TRANSPORTS}),
    "enabled": flag,
    "description": text,
    "endpoint": optional(_exact),
    "command": optional(_literal),
    "args": list_of(_literal),
    "env": map_of(_exact),
    "headers": map_of(_exact),
    "timeout_seconds": positive(_DAY),
    "max_concurrency": optional(integer(1, 10_000)),
    "max_calls_per_second": optional(positive(100_000.0)),
}


def servers_shape() -> Schema:
    """Return the schema of the whole of ``mcp_servers.yaml``."""
    return record_shape("mcp_servers.yaml", _file({}), required=["servers"], root=True)


def _file(environ: AbstractMapping[str, str]) -> dict[str, Reader]:
    def server(node: Node, place: At) -> ServerSpec:
        return _server(node, place, environ)

    return {"servers": map_of(Shaped(server, _server_shape))}


def _server_shape() -> Schema:
    stated = {"properties": {"transport": {"const": "stdio"}}, "required": ["transport"]}
    inferred = {"required": ["command"], "properties": {"transport": False, "endpoint": False}}
    stdio = {"properties": dict.fromkeys(_URL_ONLY, False), "required": ["command"]}
    url = {
        "properties": dict.fromkeys(_STDIO_ONLY, False) | {"endpoint": {"type": "string"}},
        "required": ["endpoint"],
    }
    rule = {"if": {"anyOf": [stated, inferred]}, "then": stdio, "else": url}
    return record_shape("A server", _SERVER) | {"allOf": [rule]}


def read_servers(root: Node, at: At, environ: AbstractMapping[str, str]) -> dict[str, ServerSpec]:
    """Read the whole of ``mcp_servers.yaml``."""
    servers: dict[str, ServerSpec] | None = record(root, at, "mcp_servers.yaml", _file(environ)).get(
        "servers"
    )
    if isinstance(root, Mapping) and not at.source.knows(("servers",)):
        at.error(root, "The key 'servers' is missing: put all tool servers below it.")
    return servers or {}


def _server(node: Node, at: At, environ: AbstractMapping[str, str]) -> ServerSpec:
    stated = record(node, at, "a server", _SERVER)
    stated["name"] = at.path[-1]
    if isinstance(node, Mapping):
        _fill_in(stated, at, environ)
        if "transport" in stated or not _has(at, "transport"):
            stated.setdefault("transport", _inferred_transport(at))
            _check_transport(stated, at)
    return ServerSpec(**stated)


def _inferred_transport(at: At) -> str:
    return "stdio" if _has(at, "command") and not _has(at, "endpoint") else "streamable_http"


def _has(at: At, key: str) -> bool:
    return at.source.knows((*at.path, key))


def _fill_in(stated: dict[str, Any], at: At, environ: AbstractMapping[str, str]) -> None:
    required = bool(stated.get("enabled", True))
    if stated.get("endpoint"):
        stated["endpoint"] = _expanded(stated["endpoint"], at.child("endpoint"), environ, required)
    for key in ("headers", "env"):
        place = at.child(key)
        for each, value in stated.get(key, {}).items():
            stated[key][each] = _expanded(value, place.child(each), environ, required)
    _check_headers(stated.get("headers", {}), at.child("headers"))
    for each in stated.get("env", {}):
        if "=" in each:
            at.source.error((*at.path, "env", each), "The name of an environment variable has no '='.")


def _expanded(value: str, at: At, environ: AbstractMapping[str, str], required: bool) -> str:
    def one(match: re.Match[str]) -> str:
        variable = match.group(1)
        if not match.group().endswith("}") or not _VARIABLE.fullmatch(variable):
            at.source.error(at.path, "'${' is not followed by a variable's name and '}'. Write ${NAME}.")
        elif variable not in environ:
            report = at.source.error if required else at.source.warn
            report(
                at.path, f"The environment variable {variable} is not set. Set it, or remove ${{{variable}}}."
            )
        elif not environ[variable]:
            at.source.warn(at.path, f"The environment variable {variable} is set and empty.")
        return environ.get(variable, match.group())

    return _REFERENCE.sub(one, value)


def _check_headers(headers: dict[str, str], at: At) -> None:
    for header, value in headers.items():
        if not _HEADER.fullmatch(header):
            at.source.error((*at.path, header), "This is not the name of an HTTP header.")
        if any(char in value for char in "\r\n\0"):
            at.source.error((*at.path, header), "The value of a header is one line. Remove the line end.")


def _check_transport(stated: dict[str, Any], at: At) -> None:
    transport = stated["transport"]
    is_stdio = transport == "stdio"
    for key in _URL_ONLY if is_stdio else _STDIO_ONLY:
        if _has(at, key):
            at.source.error(
                (*at.path, key), f"Transport {transport} has no '{key}'. Remove it or set transport."
            )
    if is_stdio and not str(stated.get("command") or "").strip():
        at.source.error((*at.path, "command"), "Transport stdio needs 'command', the program to start.")
    if not is_stdio and not stated.get("endpoint"):
        at.source.error(
            (*at.path, "endpoint"), f"Transport {transport} needs 'endpoint', an http or https URL."
        )
    elif not is_stdio and "${" not in stated["endpoint"] and not _is_url(stated["endpoint"]):
        at.source.error((*at.path, "endpoint"), "'endpoint' is not an http or https URL with a host.")


def _is_url(value: str) -> bool:
    try:
        parts = urlsplit(value)
        port_fits = parts.port is None or parts.port > 0
    except ValueError:
        return False
    blank = any(char.isspace() for char in value)
    return parts.scheme in ("http", "https") and bool(parts.hostname) and port_fits and not blank
