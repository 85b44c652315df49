"""The page about the shapes of the files, from their schemas."""

from collections.abc import Iterator, Mapping
from typing import Any

from docs.generating.markdown import code, page, table

INTRODUCTION = """
Which keys there are and what each takes, from the tables by which the loader reads the files. What they mean and their
defaults: [The configuration files](../files.md). The same as JSON Schema, for editors and CI:
[`confirmo schema FILE`](../files.md#in-an-editor).

A *text* keeps its bytes, so that `0123` and `true` without quotes are texts where a text is due. A *name* is a text of
up to 200 characters without spaces at its ends.
"""


def yaml_page(schemas: Mapping[str, Any]) -> str:
    """Return the page: a table for each record of each file."""
    parts: list[str] = []
    for file, schema in schemas.items():
        if file == "texts.en.yaml":
            continue
        parts.append(f"## {'texts.<locale>.yaml' if file.startswith('texts') else file}")
        for title, record in _records(schema):
            parts += _record(title, record)
    return page("The files, key by key", INTRODUCTION, *parts)


def _records(schema: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(schema, list):
        for entry in schema:
            yield from _records(entry)
    elif isinstance(schema, dict):
        if isinstance(schema.get("title"), str) and "properties" in schema:
            yield schema["title"], schema
        seen: set[str] = set()
        for key, value in schema.items():
            if key in ("if", "then", "else", "allOf"):
                continue
            for title, record in _records(value):
                if title not in seen:
                    seen.add(title)
                    yield title, record


def _record(title: str, record: Any) -> list[str]:
    if title == "The texts":
        return ["### The texts", "Key to sentence, of the keys listed in [Texts](../texts.md#the-keys)."]
    required = record.get("required", [])
    rows = [
        [code(key), takes(value), "yes" if key in required else ""]
        for key, value in record["properties"].items()
    ]
    return [f"### {title}", table(["key", "takes", "required"], rows)]


def takes(schema: Any) -> str:
    """Return in words what a schema takes."""
    if "const" in schema:
        return code(str(schema["const"]))
    if "enum" in schema:
        return ", ".join("null" if word is None else code(word) for word in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(takes(each) for each in schema["anyOf"])
    if "$ref" in schema:
        return "a type word or a schema of entries"
    if "title" in schema:
        return f"a map: {schema['title']}" if schema["title"][0].islower() else f"a map: *{schema['title']}*"
    return _plain(schema)


def _plain(schema: Any) -> str:
    types = schema.get("type", [])
    words = [types] if isinstance(types, str) else list(types)
    null = " or null" if "null" in words else ""
    if "string" in words:
        return (f"a text{_pattern(schema)}" if "maxLength" not in schema else "a name") + null
    if "array" in words:
        return f"a list{_of(schema.get('items'))}{null}"
    if "object" in words:
        return f"a map from name{_to(schema.get('additionalProperties'))}{null}"
    if "boolean" in words:
        return f"`true` or `false`{null}"
    return f"{_number(schema, words)}{null}" if words else "anything"


def _pattern(schema: Any) -> str:
    return f" that fits {code(schema['pattern'])}" if "pattern" in schema else ""


def _of(schema: Any) -> str:
    return f" of entries, each {takes(schema)}" if schema else ""


def _to(schema: Any) -> str:
    return f" to {takes(schema)}" if schema else " to anything"


def _number(schema: Any, words: list[str]) -> str:
    kind = "an integer" if "integer" in words else "a number"
    if "exclusiveMinimum" in schema:
        return f"{kind} above {schema['exclusiveMinimum']:g}, up to {schema['maximum']:,.0f}"
    if "minimum" in schema:
        large = schema["maximum"] >= 2**53
        return f"{kind} from {schema['minimum']}" + ("" if large else f" to {schema['maximum']:,}")
    return kind
