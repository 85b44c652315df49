"""Small pieces of markdown."""

import re
from collections.abc import Iterable, Sequence

NOTE = "<!-- Written by `make reference`; a test compares it with the code. -->"


def page(title: str, *parts: str) -> str:
    """Return a whole page; parts are separated by empty lines."""
    return "\n\n".join([f"# {title}", NOTE, *(part.strip("\n") for part in parts)]) + "\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; bars within cells are escaped."""
    lines = [head, ["---"] * len(head), *([_cell(text) for text in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(text: str) -> str:
    return re.sub(r"(?<!\\)\|", r"\\|", " ".join(text.split()))


def code(text: str) -> str:
    """Return text as code."""
    return f"`{text}`"


def from_docstring(text: str) -> str:
    """Return a docstring's prose as markdown on one line."""
    return " ".join(text.replace("``", "`").split())


def tables(text: str) -> dict[str, list[list[str]]]:
    """Return the first table below each heading of a page: rows of cells, without the head."""
    found: dict[str, list[list[str]]] = {}
    heading = ""
    for line in text.splitlines():
        if match := re.fullmatch(r"#+ (.+)", line):
            heading = match[1]
        elif line.startswith("|") and heading:
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            found.setdefault(heading, []).append(cells)
    return {heading: rows[2:] for heading, rows in found.items()}
