"""Standard output and error: one JSON document, or text for people; notes and errors always on standard error."""

import contextlib
import sys
from collections.abc import Iterable
from typing import Any, TextIO

from pydantic_core import PydanticSerializationError, to_json
from rich.console import Console, RenderableType

from confirmo.policies.texts import clean_text, one_line

SENTENCE_CHARACTERS = 1000


class Output:
    """Where one command writes.

    Attributes:
        json: Whether standard output is one JSON document.
    """

    def __init__(self, json: bool) -> None:
        self.json = json

    @property
    def live(self) -> bool:
        """Whether a person looks at standard output."""
        return not self.json and sys.stdout.isatty()

    @property
    def can_ask(self) -> bool:
        """Whether a person can be shown something and can answer."""
        shown = sys.stderr if self.json else sys.stdout
        return sys.stdin.isatty() and shown.isatty()

    def document(self, value: Any) -> None:
        """Write the JSON document; nothing where text was asked for."""
        if self.json:
            _write(sys.stdout, json_text(value))

    def lines(self, lines: Iterable[str]) -> None:
        """Write lines of text; nothing where JSON was asked for."""
        if not self.json:
            for line in lines:
                _write(sys.stdout, clean_text(line))

    def show(self, renderable: RenderableType) -> None:
        """Write something rich; nothing where JSON was asked for."""
        if not self.json:
            Console(markup=False, highlight=False, emoji=False).print(renderable)

    def aside(self, lines: Iterable[str]) -> None:
        """Write what a person must see in either case: beside the JSON document on standard error."""
        for line in lines:
            _write(sys.stderr if self.json else sys.stdout, clean_text(line))


def json_text(value: Any) -> str:
    """Return indented JSON. What UTF-8 cannot hold is replaced, NaN becomes null."""
    try:
        return to_json(value, indent=2).decode()
    except PydanticSerializationError:
        return to_json(_encodable(value), indent=2).decode()


def _encodable(value: Any) -> Any:
    if hasattr(value, "model_dump"):
        return _encodable(value.model_dump(mode="python"))
    if isinstance(value, str):
        return str(value).encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_encodable(str(key)): _encodable(entry) for key, entry in value.items()}
    return [_encodable(entry) for entry in value] if isinstance(value, list | tuple) else value


def note(sentence: str) -> None:
    """Write one sentence to standard error."""
    _write(sys.stderr, one_line(sentence, SENTENCE_CHARACTERS))


def _write(stream: TextIO, text: str) -> None:
    """Write UTF-8 whatever the locale says."""
    data = (text + "\n").encode("utf-8", "replace")
    stream.flush()
    stream.buffer.write(data)
    stream.buffer.flush()


def flush() -> None:
    """Flush both streams; a reader that has gone is none of our business."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
