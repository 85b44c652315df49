"""The schemas with what docs/files.md says about each key, so that an editor shows it."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docs.generating.markdown import tables

LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")


def explained(schemas: Mapping[str, Any], root: Path) -> dict[str, Any]:
    """Return the schemas with a ``description`` of every key of every record that has a table in docs/files.md."""
    rows = tables((root / "docs/files.md").read_text(encoding="utf-8"))
    return {file: _explain(schema, rows) for file, schema in schemas.items()}


def _explain(schema: Any, rows: Mapping[str, list[list[str]]]) -> Any:
    if isinstance(schema, list):
        return [_explain(entry, rows) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    copied = {key: _explain(value, rows) for key, value in schema.items()}
    if isinstance(schema.get("title"), str) and isinstance(schema.get("properties"), dict):
        said = _said(rows, schema["title"])
        copied["properties"] = {
            key: value | {"description": said[key]} if key in said else value
            for key, value in copied["properties"].items()
        }
    return copied


def _said(rows: Mapping[str, list[list[str]]], title: str) -> dict[str, str]:
    own = {row[0].strip("`"): _sentence(*row[1:3]) for row in rows.get(title, [])}
    shared = _said(rows, "An argument") if title == "A schema of entries" else {}
    return shared | {key: sentence for key, sentence in own.items() if sentence}


def _sentence(default: str, meaning: str) -> str:
    plain = LINK.sub(r"\1", meaning).replace("**", "").replace("\\|", "|")
    end = f" (default: {default.strip('`')})" if default not in ("—", "required", "see below") else ""
    return f"{plain}{end}".strip()
