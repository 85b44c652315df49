"""``confirmo schema``."""

from enum import StrEnum
from importlib.resources import files
from typing import Annotated

import typer

from confirmo.client.commands.common import Json
from confirmo.client.exits import Exit


class File(StrEnum):
    """The files that have a schema."""

    TOOLS = "tools"
    POLICIES = "policies"
    SERVERS = "servers"
    TEXTS_PT_BR = "texts.pt-BR"
    TEXTS_EN = "texts.en"


_NAMES = {File.POLICIES: "tool_policies", File.SERVERS: "mcp_servers"}


def schema(
    file: Annotated[File, typer.Argument(metavar="FILE", help=f"{', '.join(File)}.", show_default=False)],
    json: Json = False,
) -> int:
    """Print the JSON Schema of one of the configuration files, for an editor or for CI."""
    name = f"{_NAMES.get(file, file.value)}.schema.json"
    typer.echo(files("confirmo.policies").joinpath("schemas", name).read_text(encoding="utf-8"), nl=False)
    return Exit.DONE


def add_to(app: typer.Typer) -> None:
    """Add this group's command."""
    app.command()(schema)
