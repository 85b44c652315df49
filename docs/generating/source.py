"""What only the source says: the docstrings below the members of an enumeration, and a model's ``Attributes:``."""

import ast
import inspect
import re
from enum import Enum
from itertools import pairwise
from textwrap import dedent


def member_docs(enumeration: type[Enum]) -> dict[str, str]:
    """Return member name to the docstring below it; members without one are absent."""
    (body,) = [
        node.body
        for node in ast.parse(dedent(inspect.getsource(enumeration))).body
        if isinstance(node, ast.ClassDef)
    ]
    found: dict[str, str] = {}
    for first, second in pairwise(body):
        if isinstance(first, ast.Assign) and isinstance(second, ast.Expr):
            (target,) = first.targets
            if isinstance(target, ast.Name) and isinstance(second.value, ast.Constant):
                found[target.id] = str(second.value.value)
    return found


def attribute_docs(model: type) -> dict[str, str]:
    """Return attribute name to what the ``Attributes:`` section of a Google docstring says."""
    _, _, section = (inspect.getdoc(model) or "").partition("Attributes:\n")
    entries = re.findall(r"^    (\w+): (.*(?:\n        .*)*)", section, re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in entries}
