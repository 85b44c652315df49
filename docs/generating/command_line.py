"""The page about the command line, from the application itself."""

from enum import Enum
from typing import Any

import typer

from confirmo.client.commands import build_app
from confirmo.client.exits import Exit
from docs.generating.markdown import code, from_docstring, page, table
from docs.generating.meanings import EXITS

INTRODUCTION = """
Every command takes `--help`. With `--json` stdout is one JSON document and nothing else; whatever goes wrong is one
sentence on stderr, with what to do next. The connection is Temporal's own: `TEMPORAL_ADDRESS`, `TEMPORAL_NAMESPACE`,
`TEMPORAL_API_KEY`, TLS variables and profiles. A command gives up after ten seconds without Temporal.
"""


def command_line_page() -> str:
    """Return the page: exit codes, then every command in the order of ``confirmo --help``."""
    group: Any = typer.main.get_command(build_app())
    exits = table(
        ["code", "name", "meaning"], [[code(str(int(each))), code(each.name), EXITS[each]] for each in Exit]
    )
    parts = ["## Exit codes", exits]
    for path, command in _commands(group, "confirmo"):
        parts += _section(path, command)
    return page("Command line", INTRODUCTION, *parts)


def _commands(group: Any, prefix: str) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name, command in group.commands.items():
        path = f"{prefix} {name}"
        found += _commands(command, path) if hasattr(command, "commands") else [(path, command)]
    return [(path, command) for path, command in found if not command.hidden]


def _section(path: str, command: Any) -> list[str]:
    shown = [
        param for param in command.params if param.name != "help" and not getattr(param, "hidden", False)
    ]
    arguments = [param for param in shown if param.param_type_name == "argument"]
    options = [param for param in shown if param.param_type_name == "option"]
    usage = " ".join([path, *(_argument(param) for param in arguments), *(["[OPTIONS]"] if options else [])])
    rows = [
        *([code(_argument(param)), param.help or "", ""] for param in arguments),
        *([code(_option(param)), param.help or "", _default(param)] for param in options),
    ]
    parts = [f"## {path}", from_docstring(command.help or ""), f"```text\n{usage}\n```"]
    return [*parts, table(["argument or option", "meaning", "default"], rows)] if rows else parts


def _argument(param: Any) -> str:
    name = _value(param) or param.name.upper()
    many = " …" if param.nargs == -1 else ""
    return f"{name}{many}" if param.required else f"[{name}]{many}"


def _option(param: Any) -> str:
    names = " / ".join([*param.opts, *param.secondary_opts])
    return names if param.is_flag else f"{names} {_value(param)}"


def _value(param: Any) -> str:
    annotation = param.type_descriptor.annotation
    if param.metavar:
        return str(param.metavar)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return "|".join(str(each.value) for each in annotation)
    return str(param.name).upper().replace("-", "_")


def _default(param: Any) -> str:
    if param.required:
        return "required"
    if param.default in (None, False, [], ()):
        return ""
    return code(str(getattr(param.default, "value", param.default)))
