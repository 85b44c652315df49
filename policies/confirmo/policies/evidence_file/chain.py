"""Lines of an evidence file: canonical JSON, each with the hash of the bytes of the line before."""

import hashlib
from dataclasses import dataclass
from typing import Any, Final

from confirmo.policies.json_text import JsonError, canonical, clean, parse_strict

FORMAT: Final = "confirmo-evidence/1"
GENESIS: Final = "0" * 64
"""``prev`` of the first line."""
MAX_LINE_BYTES: Final = 64 * 1024 * 1024
"""Longest line that is read: a question of a hundred thousand items has a third of it."""
_KEYS: Final = frozenset({"seq", "prev", "kind", "time", "body"})


class Broken(Exception):
    """The file is not what was sealed; ``line`` counts from 1, and the text never quotes a value."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True)
class Line:
    """One line.

    Attributes:
        seq: Its number, from 0.
        prev: SHA-256 of the bytes of the line before, without its line end; 64 zeros on the first.
        kind: What ``body`` is.
        time: RFC 3339 in UTC: when it happened, by Temporal's clock; on the seal when it was signed.
        body: By kind, as ``bodies`` says.
        digest: SHA-256 of this line's own bytes, without its line end.
    """

    seq: int
    prev: str
    kind: str
    time: str
    body: dict[str, Any]
    digest: str


class Chain:
    """Makes the lines of a file, one after the other.

    Attributes:
        count: Lines made so far.
        head: Hash of the last one.
    """

    def __init__(self) -> None:
        self.count = 0
        self.head = GENESIS

    def add(self, kind: str, time: str, body: dict[str, Any]) -> bytes:
        """Return the next line, its line end included."""
        line = {"seq": self.count, "prev": self.head, "kind": kind, "time": time, "body": clean(body)}
        data = canonical(line).encode()
        self.count, self.head = self.count + 1, sha256(data)
        return data + b"\n"


def sha256(data: bytes) -> str:
    """Return 64 hex digits."""
    return hashlib.sha256(data).hexdigest()


def read_line(data: bytes, seq: int, prev: str) -> Line:
    """Read one line and check that it follows the one before.

    Args:
        data: Its bytes, the line end included.
        seq: The number that it must have.
        prev: Hash of the line before.

    Raises:
        Broken: It is no line of this format, or another one stood here.
    """
    number = seq + 1
    if len(data) > MAX_LINE_BYTES:
        raise Broken(number, f"it is longer than {MAX_LINE_BYTES // 2**20} MiB")
    if not data.endswith(b"\n"):
        raise Broken(number, "it has no end: the file was cut off here")
    value = _parsed(data[:-1], number)
    if value["seq"] != seq:
        raise Broken(number, "its number is not the next one: lines are missing, doubled or in another order")
    if value["prev"] != prev:
        before = f"line {seq}" if seq else "the beginning"
        raise Broken(
            number, f"it does not follow {before}: a line was changed, taken out or moved before this one"
        )
    return Line(**value, digest=sha256(data[:-1]))


def _parsed(data: bytes, number: int) -> dict[str, Any]:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise Broken(number, "it is not UTF-8 text") from None
    try:
        value = parse_strict(text)
    except JsonError as error:
        raise Broken(number, f"it is not JSON: {str(error)[:100]}") from None
    if not isinstance(value, dict) or value.keys() != _KEYS or not _typed(value):
        raise Broken(
            number, "it is no line of an evidence file: seq, prev, kind, time and body are what one has"
        )
    if canonical(value) != text:
        raise Broken(number, "it is not written as this format writes it (spaces, order of keys, numbers)")
    return value


def _typed(value: dict[str, Any]) -> bool:
    texts = all(isinstance(value[name], str) for name in ("prev", "kind", "time"))
    return texts and type(value["seq"]) is int and isinstance(value["body"], dict)
