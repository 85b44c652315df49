"""Reading a file of encryption keys: ``key_id: base64`` lines, the first of which encrypts."""

import base64
import binascii
import re
from typing import Final

KEY_BYTES: Final = 32
_LINE: Final = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]{0,63})\s*:\s*([A-Za-z0-9+/=_-]+)\s*")


class EncryptionKeyError(ValueError):
    """A file of keys that cannot be used. The text is a sentence for people, without any key."""


def read_keys(text: str) -> dict[str, bytes]:
    """Return the keys by their ids, in the order of the file.

    Blank lines and lines that begin with ``#`` say nothing.

    Raises:
        EncryptionKeyError: There is none, or a line is no key; names the line.
    """
    keys: dict[str, bytes] = {}
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        id, key = _read_line(line, number)
        if id in keys:
            raise EncryptionKeyError(
                f"Line {number} names the key {id!r} a second time: give each its own id."
            )
        keys[id] = key
    if not keys:
        raise EncryptionKeyError("It holds no key: make one with confirmo keys new.")
    return keys


def key_line(id: str, key: bytes) -> str:
    """Return the line of one key."""
    return f"{id}: {base64.b64encode(key).decode()}\n"


def _read_line(line: str, number: int) -> tuple[str, bytes]:
    found = _LINE.fullmatch(line)
    if found is None:
        raise EncryptionKeyError(
            f"Line {number} is not written as key_id: base64, with an id of letters, digits, dots and dashes."
        )
    try:
        key = base64.b64decode(found[2].replace("-", "+").replace("_", "/"), validate=True)
    except binascii.Error:
        raise EncryptionKeyError(f"The key on line {number} is no base64.") from None
    if len(key) != KEY_BYTES:
        raise EncryptionKeyError(f"The key on line {number} has {len(key)} bytes and needs {KEY_BYTES}.")
    return found[1], key
