"""From the bytes of a configuration file to text that a YAML scanner may see."""

import re

from yaml.reader import Reader

from confirmo.policies.catalog.problems import UnreadableError

MAX_BYTES = 8 * 1024 * 1024

_LINE_END = re.compile(r"\r\n|\r|\n")


def decode(data: bytes) -> str:
    """Return the text of a UTF-8 file, without its byte order mark.

    Raises:
        UnreadableError: It is too large, not UTF-8, or holds characters that YAML does not allow.
    """
    if len(data) > MAX_BYTES:
        raise UnreadableError(None, "The file is larger than 8 MiB, which is the limit. Split or shorten it.")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UnreadableError(1, "The file is UTF-16. Save it as UTF-8.")
    text = _utf8(data.removeprefix(b"\xef\xbb\xbf"))
    found = Reader.NON_PRINTABLE.search(text)
    if found:
        code = f"U+{ord(found.group()):04X}"
        raise UnreadableError(
            _line(text[: found.start()]), f"The character {code} is not allowed in YAML. Remove it."
        )
    return text


def _utf8(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = _line(data[: error.start].decode("latin-1"))
        raise UnreadableError(
            line,
            f"The byte 0x{data[error.start]:02X} is not UTF-8; the file looks like Latin-1 or Windows-1252. "
            "Save it as UTF-8.",
        ) from None


def _line(before: str) -> int:
    return len(_LINE_END.findall(before)) + 1
