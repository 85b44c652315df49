"""JSON Schemas of the configuration files, made from the tables that read them."""

from typing import Final

from confirmo.policies.catalog.policies_file import policies_shape
from confirmo.policies.catalog.servers_file import servers_shape
from confirmo.policies.catalog.shapes import Schema
from confirmo.policies.catalog.texts_file import TEXTS_FILES, texts_shape
from confirmo.policies.catalog.tools_file import tools_shape

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def file_schemas() -> dict[str, Schema]:
    """Return the schema of each configuration file by the file's name."""
    shapes = {
        "tools.yaml": tools_shape(),
        "tool_policies.yaml": policies_shape(),
        "mcp_servers.yaml": servers_shape(),
        **{file: texts_shape(locale) for file, locale in TEXTS_FILES.items()},
    }
    return {file: _head(file) | shape for file, shape in shapes.items()}


def _head(file: str) -> Schema:
    return {"$schema": DIALECT, "$id": f"urn:confirmo:schema:1:{file.removesuffix('.yaml')}"}
