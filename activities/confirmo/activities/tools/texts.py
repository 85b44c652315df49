"""Texts for reasons and logs: cut, on one line, and without anything secret."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from confirmo.policies.json_text import clean_text
from confirmo.policies.tool_spec import ServerSpec

SNIPPET_CHARACTERS: Final = 120
_SHORT = 3
_HIDDEN = "…"
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def snippet(text: str, secrets: Iterable[str] = ()) -> str:
    """Return the beginning of a server's text on one line, every secret in it replaced by an ellipsis.

    Very short secrets are replaced only where they stand as a word, or half of every text would go.
    """
    for secret in sorted({secret for secret in secrets if secret.strip()}, key=len, reverse=True):
        pattern = re.escape(secret)
        text = re.sub(pattern if len(secret) >= _SHORT else rf"(?<!\w){pattern}(?!\w)", _HIDDEN, text)
    line = clean_text(" ".join(text.split()))
    return line if len(line) <= SNIPPET_CHARACTERS else line[: SNIPPET_CHARACTERS - 1] + _HIDDEN


def secrets_of(spec: ServerSpec) -> frozenset[str]:
    """Return the texts of a server's entry that no reason may quote."""
    url = urlsplit(spec.endpoint or "")
    in_url = [url.username, url.password, *(value for _, value in parse_qsl(url.query))]
    words = [word for value in spec.headers.values() for word in (value, *value.split())]
    found = [*words, *spec.env.values(), *(unquote(text) for text in in_url if text)]
    return frozenset(text for text in found if len(text) >= _SHORT)


def scalars(value: Any) -> frozenset[str]:
    """Return every scalar inside an argument as the text in which a server might quote it."""
    if isinstance(value, Mapping):
        return frozenset().union(*(scalars(entry) for entry in value.values()))
    if isinstance(value, list | tuple):
        return frozenset().union(*(scalars(entry) for entry in value))
    return frozenset() if value is None or isinstance(value, bool) else frozenset({str(value)})


def without_lone_surrogates(data: bytes) -> bytes:
    r"""Return JSON text with each escaped lone surrogate replaced by ``\ufffd``.

    The SDK's parser refuses the whole message for one of them, and the answer with it. Real pairs stay.
    """
    if b"\\u" not in data:
        return data
    return _ESCAPE.sub(lambda match: b"\\ufffd" if match[1] else match[0], data)
