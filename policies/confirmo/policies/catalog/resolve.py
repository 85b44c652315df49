"""One tool and its policy: catalogue, defaults and the tool's own policy become one ``ToolSpec``.

Fails closed: where files disagree or are silent, the stricter reading counts. ``defaults`` count for tools
without a policy too, except ``requires`` there, and ``pre_validation``, ``after`` and the argument and tool
names of ``execution`` for any tool that is not transactional.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from confirmo.policies.catalog.policies_file import RawPolicies, RawPolicy
from confirmo.policies.catalog.tools_file import RawTool
from confirmo.policies.models import OperationType
from confirmo.policies.tool_spec import (
    ArgumentSpec,
    ConfirmationPolicy,
    ExecutionPolicy,
    PreValidationPolicy,
    ToolSpec,
)

_STRICTNESS = (
    OperationType.READ_ONLY,
    OperationType.CONVERSATIONAL,
    OperationType.INTERNAL,
    OperationType.TRANSACTIONAL,
)
_NAMES = ("status_tool", "item_argument", "item_field", "item_key")


@dataclass(frozen=True)
class Stated:
    """What the files say about one tool.

    Attributes:
        own: Its own policy, or null.
        helps: Whether a policy names it as validator or ``status_tool``.
    """

    name: str
    tool: RawTool
    own: RawPolicy | None
    defaults: RawPolicy
    helps: bool

    @property
    def operation_type(self) -> OperationType:
        """The own word, else the stricter of catalogue and defaults, else transactional.

        A helper without a policy goes by its own ``tool_type``, and without any word it is ``internal``:
        who names a tool as a validator says that it has no effect.
        """
        if self.own and self.own.operation_type:
            return self.own.operation_type
        if self.helps and self.own is None and self.tool.tool_type:
            return self.tool.tool_type
        words = [word for word in (self.tool.tool_type, self.defaults.operation_type) if word]
        if not words:
            return OperationType.INTERNAL if self.helps else OperationType.TRANSACTIONAL
        return max(words, key=_STRICTNESS.index)

    @property
    def is_untyped(self) -> bool:
        """Whether no file says what kind of tool this is."""
        words = (self.own and self.own.operation_type, self.tool.tool_type, self.defaults.operation_type)
        return not any(words)

    @property
    def is_transactional(self) -> bool:
        """Whether it takes the transaction path."""
        return self.operation_type is OperationType.TRANSACTIONAL

    @property
    def legacy_confirmation(self) -> bool | None:
        """What the catalogue's legacy keys say about confirmation; true wins."""
        words = (self.tool.confirmation_required, self.tool.execution_policy.get("confirmation_required"))
        stated = [word for word in words if word is not None]
        return any(stated) if stated else None

    @property
    def require_confirmation(self) -> bool:
        """The own word, else true where transactional, else whether defaults or legacy keys ask for it."""
        if self.own and self.own.require_confirmation is not None:
            return self.own.require_confirmation
        return self.is_transactional or bool(self.defaults.require_confirmation or self.legacy_confirmation)

    @property
    def policy(self) -> RawPolicy:
        """Own policy over defaults, key by key."""
        own, defaults = self.own or RawPolicy(), self._defaults()
        return RawPolicy(
            requires=defaults.requires if own.requires is None else own.requires,
            pre_validation={**defaults.pre_validation, **own.pre_validation},
            confirmation={**defaults.confirmation, **own.confirmation},
            execution={**defaults.execution, **own.execution},
            after=defaults.after if own.after is None else own.after,
            compensate=own.compensate,
        )

    @property
    def requires(self) -> tuple[str, ...]:
        """Catalogue's first, then the policy's, each once."""
        legacy = self.tool.execution_policy.get("requires", ())
        return tuple(dict.fromkeys((*self.tool.requires, *legacy, *(self.policy.requires or ()))))

    def _defaults(self) -> RawPolicy:
        if self.is_transactional:
            return self.defaults
        execution = {key: value for key, value in self.defaults.execution.items() if key not in _NAMES}
        requires = self.defaults.requires if self.own else None
        return replace(self.defaults, requires=requires, pre_validation={}, after=None, execution=execution)


def gather(tools: Mapping[str, RawTool], policies: RawPolicies) -> dict[str, Stated]:
    """Return what is stated about each tool of the catalogue, in file order."""
    helpers = _helpers(policies)
    own = policies.tool_policies
    return {
        name: Stated(name, tool, own.get(name), policies.defaults, name in helpers)
        for name, tool in tools.items()
    }


def _helpers(policies: RawPolicies) -> set[str]:
    named: set[str] = set()
    for policy in (policies.defaults, *policies.tool_policies.values()):
        if policy.pre_validation.get("enabled", policies.defaults.pre_validation.get("enabled")):
            named.add(policy.pre_validation.get("tool", ""))
        named.add(policy.execution.get("status_tool", ""))
    return named


def resolve(stated: Stated) -> ToolSpec:
    """Return the tool with its policy, without ``after`` and ``version``: these need the other tools.

    A required name that a tool without any ``args_schema`` does not declare becomes a string argument.
    """
    policy = stated.policy
    arguments = stated.tool.args_schema or tuple(ArgumentSpec(name=name) for name in stated.requires)
    evidence: dict[str, Any] = {"evidence": "results" if stated.is_transactional else "envelope"}
    pre_validation = policy.pre_validation
    if not pre_validation.get("tool"):
        # Reported as an error where it is enabled; the frozen form keeps its promise that a tool is set.
        pre_validation = {**pre_validation, "enabled": False}
    return ToolSpec(
        name=stated.name,
        description=stated.tool.description,
        mcp_server=stated.tool.mcp_server or "",
        enabled=stated.tool.enabled,
        operation_type=stated.operation_type,
        require_confirmation=stated.require_confirmation,
        arguments=arguments,
        requires=stated.requires,
        pre_validation=PreValidationPolicy(**pre_validation),
        confirmation=ConfirmationPolicy(**policy.confirmation),
        execution=ExecutionPolicy(**{**evidence, **policy.execution}),
    )


def versioned(spec: ToolSpec) -> ToolSpec:
    """Return the tool with its ``version``: 16 hex digits of SHA-256 over the canonical JSON of the rest."""
    fields = spec.model_dump(mode="json", exclude={"version"})
    canonical = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    version = hashlib.sha256(canonical.encode()).hexdigest()[:16]
    return spec.model_copy(update={"version": version})
