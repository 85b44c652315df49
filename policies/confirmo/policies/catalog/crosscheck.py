"""What only shows when the files are read together: names that must exist and roles that must fit."""

from collections.abc import Mapping
from dataclasses import dataclass

from confirmo.policies.catalog.policies_file import RawPolicies
from confirmo.policies.catalog.problems import KeyPath, Source
from confirmo.policies.catalog.readers import nearest
from confirmo.policies.catalog.resolve import Stated
from confirmo.policies.item_arguments import item_argument
from confirmo.policies.models import OperationType
from confirmo.policies.tool_spec import ServerSpec, ToolSpec


@dataclass(frozen=True)
class House:
    """All that is known once the files are read.

    Attributes:
        stated: What the files say about each tool.
        tools: The same tools, resolved, without ``after``.
        policies: ``tool_policies.yaml``.
        servers: ``mcp_servers.yaml``, or null where it could not be read.
        tools_source: Where findings about ``tools.yaml`` go.
        policies_source: Where findings about ``tool_policies.yaml`` go.
    """

    stated: Mapping[str, Stated]
    tools: Mapping[str, ToolSpec]
    policies: RawPolicies
    servers: Mapping[str, ServerSpec] | None
    tools_source: Source
    policies_source: Source

    def origin(self, name: str, *keys: str) -> KeyPath:
        """Return the place of a policy's key: the tool's own policy where it states it, else the defaults."""
        for path in (("tool_policies", name, *keys), ("defaults", *keys)):
            if self.policies_source.knows(path):
                return path
        return ("tool_policies", name, *keys)


def check(house: House) -> None:
    """Report everything that does not fit together."""
    for name in house.policies.tool_policies:
        if name not in house.tools:
            message = f"There is a policy for '{name}', which tools.yaml does not declare."
            house.policies_source.error(("tool_policies", name), f"{message} {nearest(name, house.tools)}")
    for name, tool in house.tools.items():
        _check_server(name, tool, house)
        _check_requires(name, tool, house)
        if tool.enabled:
            _check_pre_validation(name, tool, house)
            _check_status_tool(name, tool, house)
            _check_execution(name, tool, house)
    _check_loops(house)


def _check_server(name: str, tool: ToolSpec, house: House) -> None:
    if house.servers is None or not tool.mcp_server:
        return
    server = house.servers.get(tool.mcp_server)
    path = ("tools", name, "mcp_server")
    if server is None:
        message = f"The server '{tool.mcp_server}' is not in mcp_servers.yaml."
        house.tools_source.error(path, f"{message} {nearest(tool.mcp_server, house.servers)}")
    elif tool.enabled and not server.enabled:
        message = (
            f"The server '{tool.mcp_server}' is disabled. Enable it, or set enabled: false for this tool."
        )
        house.tools_source.error(path, message)


def _check_requires(name: str, tool: ToolSpec, house: House) -> None:
    stated = house.stated[name]
    undeclared = [each for each in tool.requires if tool.argument(each) is None]
    known = [each.name for each in tool.arguments]
    for each in undeclared:
        message = (
            f"'{name}' requires '{each}', which its args_schema does not declare. {nearest(each, known)}"
        )
        if each in stated.tool.requires:
            house.tools_source.error(("tools", name, "requires"), message)
        elif each in stated.tool.execution_policy.get("requires", ()):
            house.tools_source.error(("tools", name, "execution_policy", "requires"), message)
        else:
            house.policies_source.error(house.origin(name, "requires"), message)


def _check_pre_validation(name: str, tool: ToolSpec, house: House) -> None:
    source, stated = house.policies_source, house.stated[name].policy.pre_validation
    path = house.origin(name, "pre_validation", "tool")
    validator = stated.get("tool")
    if not validator:
        if stated.get("enabled") and not source.knows(path):
            message = f"Pre-validation of '{name}' is enabled without 'tool'. Name the validator."
            source.error(house.origin(name, "pre_validation"), message)
    elif not _states_enabled(name, house):
        message = f"'{validator}' is named and not asked: pre_validation is off. Add enabled: true or false."
        source.warn(path, message)
    elif stated.get("enabled", True):
        _check_helper("validator", name, validator, path, house)
        if found := house.tools.get(validator):
            offered = {each.name for each in tool.arguments} | {"target_tool"}
            _warn_unmet("validator", found, offered, path, house)


def _states_enabled(name: str, house: House) -> bool:
    is_written = house.policies_source.knows(house.origin(name, "pre_validation", "enabled"))
    return is_written or "enabled" in house.stated[name].policy.pre_validation


def _check_status_tool(name: str, tool: ToolSpec, house: House) -> None:
    helper = tool.execution.status_tool
    if not helper:
        return
    path = house.origin(name, "execution", "status_tool")
    _check_helper("status_tool", name, helper, path, house)
    if found := house.tools.get(helper):
        offered = {"idempotency_key", "item_id", "item", item_argument(tool) or "item"}
        _warn_unmet("status_tool", found, offered, path, house)
        if found.arguments and not offered & {each.name for each in found.arguments}:
            message = f"'{helper}' declares none of {', '.join(sorted(offered))}: it is asked about nothing."
            house.policies_source.warn(path, message)


def _check_helper(role: str, owner: str, name: str, path: KeyPath, house: House) -> None:
    tool = house.tools.get(name)
    report = house.policies_source.error
    if name == owner:
        report(path, f"'{owner}' cannot be its own {role}: asking would do what is asked about.")
    elif tool is None:
        report(path, f"The {role} '{name}' is not declared in tools.yaml. {nearest(name, house.tools)}")
    elif not tool.enabled:
        report(path, f"The {role} '{name}' is disabled. Enable it or name another one.")
    elif tool.operation_type is OperationType.TRANSACTIONAL:
        report(
            path,
            f"The {role} '{name}' is itself transactional. Name one without effect (read_only, internal).",
        )
    elif not _has_server(tool, house):
        report(path, f"The {role} '{name}' has no tool server that is declared and enabled.")


def _has_server(tool: ToolSpec, house: House) -> bool:
    if house.servers is None:
        return True
    server = house.servers.get(tool.mcp_server)
    return server is not None and server.enabled


def _warn_unmet(role: str, helper: ToolSpec, offered: set[str], path: KeyPath, house: House) -> None:
    unmet = [
        each
        for each in helper.requires
        if each not in offered and not ((spec := helper.argument(each)) and spec.has_default)
    ]
    if unmet:
        message = f"The {role} '{helper.name}' requires {', '.join(unmet)}, which it is never given."
        house.policies_source.warn(path, message)


def _check_execution(name: str, tool: ToolSpec, house: House) -> None:
    argument = tool.execution.item_argument
    if argument and tool.argument(argument) is None:
        known = [each.name for each in tool.arguments]
        message = f"item_argument '{argument}' is not an argument that '{name}' declares."
        path = house.origin(name, "execution", "item_argument")
        house.policies_source.error(path, f"{message} {nearest(argument, known)}")
    elif tool.execution.call == "per_item" and not tool.arguments:
        message = (
            f"'{name}' declares no argument that could carry an item, so that call: per_item cannot work."
        )
        house.policies_source.error(house.origin(name, "execution", "call"), message)
    if tool.confirmation.approvals > 1 and tool.confirmation.by == "requester":
        message = "One requester cannot give several approvals: this question can only expire."
        house.policies_source.warn(house.origin(name, "confirmation", "approvals"), message)


def _check_loops(house: House) -> None:
    for name in house.tools:
        chain = _validators(name, house)
        if len(chain) > 1 and chain[-1] == name:
            message = f"The validators go round in a circle: {' -> '.join((name, *chain))}. Break it."
            house.policies_source.error(house.origin(name, "pre_validation", "tool"), message)
        elif len(chain) > 1 and chain[-1] not in chain[:-1]:
            message = (
                f"'{chain[0]}' has a validator of its own, which is not asked while it validates '{name}'."
            )
            house.policies_source.warn(house.origin(name, "pre_validation", "tool"), message)


def _validators(name: str, house: House) -> list[str]:
    chain: list[str] = []
    tool = house.tools.get(name)
    while tool and tool.pre_validation.enabled and tool.pre_validation.tool:
        following = tool.pre_validation.tool
        if following in chain:
            break
        chain.append(following)
        if following == name:
            break
        tool = house.tools.get(following)
    return chain
