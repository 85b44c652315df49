"""YAML 1.2 core scalars, read only where a number, a boolean or null is due."""

import math
import re
from typing import Any

from confirmo.policies.catalog.nodes import Mapping, Node, Scalar

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {"true": True, "false": False}
_INTEGER = re.compile(r"[-+]?[0-9]{1,400}", re.ASCII)
_OCTAL = re.compile(r"0o[0-7]{1,400}")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]{1,400}")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", re.ASCII)


def is_null(node: Node) -> bool:
    """Return whether the node is a plain null."""
    return isinstance(node, Scalar) and node.plain and node.text in _NULLS


def as_boolean(node: Node) -> bool | None:
    """Return the boolean that a plain ``true`` or ``false`` says, else null."""
    return _BOOLEANS.get(node.text) if isinstance(node, Scalar) and node.plain else None


def as_number(node: Node) -> int | float | None:
    """Return the finite number that a plain scalar says, else null. ``1e3`` is a float, ``007`` is 7."""
    if not isinstance(node, Scalar) or not node.plain:
        return None
    text = node.text
    if _INTEGER.fullmatch(text):
        return int(text)
    if _OCTAL.fullmatch(text):
        return int(text[2:], 8)
    if _HEXADECIMAL.fullmatch(text):
        return int(text[2:], 16)
    if _FLOAT.fullmatch(text) and math.isfinite(value := float(text)):
        return value
    return None


def as_free(node: Node) -> Any:
    """Return the node as JSON-like data by the YAML 1.2 core rules; what is no number stays text."""
    if isinstance(node, Mapping):
        return {text: as_free(value) for text, (_, value) in node.entries.items()}
    if not isinstance(node, Scalar):
        return [as_free(entry) for entry in node.entries]
    if is_null(node):
        return None
    boolean = as_boolean(node)
    if boolean is not None:
        return boolean
    number = as_number(node)
    return node.text if number is None else number
