"""The JSON Schema words of an argument or of an array's entries: which go together, and what they refuse."""

from collections.abc import Mapping
from typing import Any

from confirmo.policies.argument_bounds import ArgumentError, check_bounds
from confirmo.policies.argument_types import coerce
from confirmo.policies.patterns import PatternError, check_pattern
from confirmo.policies.tool_spec import ArgumentSpec

TYPE_WORDS = {
    "string": "string",
    "str": "string",
    "text": "string",
    "integer": "integer",
    "int": "integer",
    "number": "number",
    "float": "number",
    "double": "number",
    "boolean": "boolean",
    "bool": "boolean",
    "array": "array",
    "list": "array",
    "object": "object",
    "dict": "object",
    "map": "object",
}
"""Every type word to its canonical one."""

BOUNDS = {
    "pattern": ("string",),
    "minLength": ("string",),
    "maxLength": ("string",),
    "minimum": ("integer", "number"),
    "maximum": ("integer", "number"),
    "minItems": ("array",),
    "maxItems": ("array",),
    "items": ("array",),
}
"""Each bound to the types that it says something about."""

_PAIRS = (("minLength", "maxLength"), ("minimum", "maximum"), ("minItems", "maxItems"))


def misfits(words: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what is wrong among the bounds themselves, as (word, sentence).

    Args:
        words: JSON Schema word to value, ``type`` canonical; without a type every bound is allowed.
    """
    found: list[tuple[str, str]] = []
    type_ = words.get("type")
    for word, types in BOUNDS.items():
        if word in words and type_ is not None and type_ not in types:
            found.append((word, f"'{word}' says nothing about type {type_}. Remove it or change the type."))
    for low, high in _PAIRS:
        if low in words and high in words and words[low] > words[high]:
            found.append((low, f"'{low}' is greater than '{high}', so that nothing fits."))
    if "pattern" in words and not _compiles(words["pattern"]):
        found.append(
            (
                "pattern",
                "'pattern' is not a clear regular expression without look-around. Check brackets and backslashes.",
            )
        )
    return found


def spec_of(name: str, words: Mapping[str, Any]) -> ArgumentSpec:
    """Return the argument that the words describe; other words than those of an argument are ignored."""
    return ArgumentSpec(
        name=name,
        type=words.get("type", "string"),
        label=words.get("label"),
        description=words.get("description"),
        user_prompt=words.get("user_prompt"),
        items=words.get("items"),
        enum=tuple(words["enum"]) if "enum" in words else None,
        pattern=words.get("pattern"),
        default=words.get("default"),
        has_default="default" in words,
        minimum=words.get("minimum"),
        maximum=words.get("maximum"),
        min_length=words.get("minLength"),
        max_length=words.get("maxLength"),
        min_items=words.get("minItems"),
        max_items=words.get("maxItems"),
    )


def refusal(value: Any, spec: ArgumentSpec, *, typed: bool = True) -> str | None:
    """Return why a transaction would not take this value for the argument, or null.

    Args:
        value: A value read from a file.
        spec: The argument.
        typed: Whether the type counts, or the bounds alone.
    """
    try:
        if typed:
            coerce(value, spec, "en")
        else:
            check_bounds(value, spec, "en")
    except ArgumentError as error:
        return error.reason
    return None


def _compiles(pattern: str) -> bool:
    try:
        check_pattern(pattern)
    except PatternError:
        return False
    return True
