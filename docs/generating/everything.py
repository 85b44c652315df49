"""All generated files of the checkout."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from confirmo.policies.catalog.schemas import file_schemas
from docs.generating.command_line import command_line_page
from docs.generating.explaining import explained
from docs.generating.flow import flow_picture
from docs.generating.schema_page import yaml_page
from docs.generating.states import states_picture
from docs.generating.words import errors_page, events_page, search_attributes_page, settings_page

SCHEMAS = "policies/confirmo/policies/schemas"


def generated(root: Path) -> dict[str, str]:
    """Return every generated file's text by its path from the root."""
    schemas = explained(file_schemas(), root)
    return {
        **{f"docs/reference/{name}.md": text for name, text in _pages(schemas).items()},
        **{f"{SCHEMAS}/{name}": text for name, text in _schema_files(schemas).items()},
        "docs/images/states.svg": states_picture(),
        "docs/images/flow.svg": flow_picture(),
    }


def _pages(schemas: Mapping[str, Any]) -> dict[str, str]:
    return {
        "command-line": command_line_page(),
        "yaml": yaml_page(schemas),
        "events": events_page(),
        "errors": errors_page(),
        "settings": settings_page(),
        "search-attributes": search_attributes_page(),
    }


def _schema_files(schemas: Mapping[str, Any]) -> dict[str, str]:
    return {
        f"{file.removesuffix('.yaml')}.schema.json": json.dumps(schema, ensure_ascii=False, indent=1) + "\n"
        for file, schema in schemas.items()
    }
