"""Warnings: readings of the files that are safe and that their author may not have meant."""

from confirmo.policies.catalog.crosscheck import House
from confirmo.policies.catalog.resolve import Stated
from confirmo.policies.models import OperationType
from confirmo.policies.tool_spec import ToolSpec


def advise(house: House) -> None:
    """Warn about every enabled tool whose reading may surprise."""
    for name, stated in house.stated.items():
        if stated.tool.enabled:
            _type(stated, house)
            _confirmation(stated, house.tools[name], house)
            _catalogue(stated, house)


def _type(stated: Stated, house: House) -> None:
    path = ("tools", stated.name)
    is_action = stated.tool.tool_type is OperationType.TRANSACTIONAL
    if stated.is_untyped:
        why = "with confirmation" if stated.is_transactional else "because a policy names it as a helper"
        message = (
            f"No file says what kind of tool '{stated.name}' is: taken as {stated.operation_type} {why}. "
            "Add tool_type, or operation_type in tool_policies.yaml."
        )
        house.tools_source.warn(path, message)
    elif is_action and stated.own is None:
        message = (
            f"The action '{stated.name}' has no policy: taken as transactional with confirmation. "
            "Add one to tool_policies.yaml."
        )
        house.tools_source.warn(path, message)
    elif is_action and not stated.is_transactional:
        message = (
            f"'{stated.name}' is an action in tools.yaml, and its policy makes it {stated.operation_type}: "
            "no transaction protects it."
        )
        house.policies_source.warn(("tool_policies", stated.name, "operation_type"), message)


def _confirmation(stated: Stated, tool: ToolSpec, house: House) -> None:
    if not stated.is_transactional:
        return
    if not tool.require_confirmation:
        message = (
            f"'{stated.name}' is transactional and its policy switches confirmation off: nobody is asked."
        )
        house.policies_source.warn(("tool_policies", stated.name, "require_confirmation"), message)
    elif stated.legacy_confirmation is False:
        message = (
            f"confirmation_required: false has no effect: '{stated.name}' is transactional, and only its own "
            "policy can switch confirmation off."
        )
        house.tools_source.warn(("tools", stated.name, "confirmation_required"), message)


def _catalogue(stated: Stated, house: House) -> None:
    path = ("tools", stated.name)
    if stated.is_transactional and stated.tool.cache:
        message = f"'{stated.name}' is transactional and is never cached, whatever 'cache' says."
        house.tools_source.warn((*path, "cache"), message)
    if (
        stated.requires
        and not stated.tool.args_schema
        and not house.tools_source.knows((*path, "args_schema"))
    ):
        message = f"'{stated.name}' has no args_schema: {', '.join(stated.requires)} taken as string."
        house.tools_source.warn(path, message)
