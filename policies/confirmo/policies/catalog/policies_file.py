"""``tool_policies.yaml``: what each policy states, before defaults and catalogue are taken into account."""

from dataclasses import dataclass, field
from typing import Any

from confirmo.policies.catalog.nodes import Mapping, Node, Scalar
from confirmo.policies.catalog.readers import (
    At,
    Reader,
    flag,
    integer,
    is_name,
    list_of,
    map_of,
    name,
    optional,
    positive,
    record,
    text,
    word,
)
from confirmo.policies.catalog.shapes import Schema, record_shape, shaped
from confirmo.policies.models import Effect, OperationType

_DAY = 86_400.0
_YEAR = 366 * _DAY

ALIASES = {
    "type": "operation_type",
    "requires_confirmation": "require_confirmation",
    "confirmation_required": "require_confirmation",
}
"""Other spelling of a policy's key to the canonical one."""


@dataclass(frozen=True)
class RawStep:
    """One entry of ``after``; the arguments are typed later, by the tool that they are for."""

    tool: str | None = None
    arguments: dict[str, Node] = field(default_factory=dict)
    when: str = "any_success"


@dataclass(frozen=True)
class RawPolicy:
    """One policy or the defaults; null where a key is not stated. The maps hold what is stated."""

    operation_type: OperationType | None = None
    require_confirmation: bool | None = None
    requires: tuple[str, ...] | None = None
    pre_validation: dict[str, Any] = field(default_factory=dict)
    confirmation: dict[str, Any] = field(default_factory=dict)
    execution: dict[str, Any] = field(default_factory=dict)
    after: tuple[RawStep, ...] | None = None
    compensate: RawStep | None = None


@dataclass(frozen=True)
class RawPolicies:
    """The whole of ``tool_policies.yaml``."""

    defaults: RawPolicy = field(default_factory=RawPolicy)
    tool_policies: dict[str, RawPolicy] = field(default_factory=dict)


def _same(*words: str) -> dict[str, str]:
    return {each: each for each in words}


@shaped({"type": "string", "pattern": r"^(any|requester|other|role:\S(.*\S)?)$"})
def _by(node: Node, at: At) -> str | None:
    value = node.text if isinstance(node, Scalar) else ""
    if value in ("any", "requester", "other") or (value.startswith("role:") and is_name(value[5:])):
        return value
    at.error(node, "'by' is one of any, requester, other, or role:<name> without a space.")
    return None


@shaped({"const": 1})
def _version(node: Node, at: At) -> int | None:
    if isinstance(node, Scalar) and node.plain and node.text == "1":
        return 1
    at.error(node, "This is not a version that Confirmo reads. Write version: 1, without quotes.")
    return None


_PRE_VALIDATION: dict[str, Reader] = {
    "enabled": flag,
    "tool": optional(name),
    "fail_open": flag,
    "timeout_seconds": positive(_DAY),
}

_CONFIRMATION: dict[str, Reader] = {
    "expires_seconds": positive(_YEAR),
    "revalidate_after_seconds": optional(positive(_YEAR)),
    "by": _by,
    "approvals": integer(1, 100),
    "items": word(_same("all", "any")),
    "channel": word(_same("any", "elicitation", "out_of_band")),
}

_EXECUTION: dict[str, Reader] = {
    "call": optional(word(_same("per_item", "whole"))),
    "item_argument": optional(name),
    "item_field": optional(name),
    "item_key": optional(name),
    "max_concurrency": integer(1, 1000),
    "timeout_seconds": positive(_DAY),
    "max_attempts": integer(1, 100),
    "effect": word({str(effect): effect for effect in Effect}),
    "status_tool": optional(name),
    "evidence": optional(word(_same("results", "envelope"))),
    "mode": word(_same("direct_tool", "workflow")),
    "workflow": text,
    "version": text,
}

_WITHOUT_EFFECT = ("workflow", "version")


@shaped(lambda: {"anyOf": [{"type": "boolean"}, record_shape("pre_validation", _PRE_VALIDATION)]})
def _pre_validation(node: Node, at: At) -> dict[str, Any]:
    if isinstance(node, Mapping):
        return record(node, at, "pre_validation", _PRE_VALIDATION)
    enabled = flag(node, at)
    return {} if enabled is None else {"enabled": enabled}


@shaped(lambda: record_shape("confirmation", _CONFIRMATION))
def _confirmation(node: Node, at: At) -> dict[str, Any]:
    return record(node, at, "confirmation", _CONFIRMATION)


@shaped(lambda: record_shape("execution", _EXECUTION))
def _execution(node: Node, at: At) -> dict[str, Any]:
    stated = record(node, at, "execution", _EXECUTION)
    return {key: value for key, value in stated.items() if key not in _WITHOUT_EFFECT}


@shaped({})
def _anything(node: Node, _: At) -> Node:
    """Leave an argument untyped until the tool that it is for is known."""
    return node


_STEP: dict[str, Reader] = {
    "tool": name,
    "arguments": map_of(_anything),
    "when": word(_same("any_success", "all_success", "always")),
}


@shaped(lambda: record_shape("A step of after", _STEP, required=["tool"]))
def _step(node: Node, at: At) -> RawStep:
    stated = record(node, at, "a step of after", _STEP)
    if isinstance(node, Mapping) and not at.source.knows((*at.path, "tool")):
        at.error(node, "'tool' is missing: name the tool of this step.")
    return RawStep(**stated)


_COMPENSATE: dict[str, Reader] = {
    "tool": name,
    "arguments": map_of(_anything),
    "when": word(_same("partial", "cancelled", "on_request")),
}


@shaped(lambda: record_shape("compensate", _COMPENSATE, required=["tool"]))
def _compensate(node: Node, at: At) -> RawStep:
    stated = record(node, at, "compensate", _COMPENSATE)
    if isinstance(node, Mapping) and not at.source.knows((*at.path, "tool")):
        at.error(node, "'tool' is missing: name the tool that undoes this one.")
    return RawStep(**{"when": "on_request"} | stated)


_POLICY: dict[str, Reader] = {
    "operation_type": word({str(kind): kind for kind in OperationType}),
    "require_confirmation": flag,
    "requires": list_of(name),
    "pre_validation": _pre_validation,
    "confirmation": _confirmation,
    "execution": _execution,
    "after": list_of(_step),
    "compensate": optional(_compensate),
}


@shaped(lambda: record_shape("A policy", _POLICY, aliases=ALIASES))
def _policy(node: Node, at: At) -> RawPolicy:
    return RawPolicy(**record(node, at, "a policy", _POLICY, ALIASES))


_FILE: dict[str, Reader] = {
    "version": _version,
    "defaults": _policy,
    "tool_policies": map_of(_policy),
}


def policies_shape() -> Schema:
    """Return the schema of the whole of ``tool_policies.yaml``."""
    return record_shape("The policies file", _FILE, root=True)


def read_policies(root: Node, at: At) -> RawPolicies:
    """Read the whole of ``tool_policies.yaml``."""
    stated = record(root, at, "tool_policies.yaml", _FILE)
    stated.pop("version", None)
    return RawPolicies(**stated)
