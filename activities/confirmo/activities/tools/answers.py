"""From a raw ``tools/call`` result to a ``ToolAnswer``, as much of it as can be read."""

from collections.abc import Mapping
from typing import Any

from confirmo.policies.json_text import clean, clean_text
from confirmo.policies.models import ToolAnswer


class UnreadableAnswer(Exception):
    """A result that says nothing that could be relied on; the text is a cause for a reason."""


def answer_of(raw: Mapping[str, Any]) -> ToolAnswer:
    """Return the answer in a raw MCP result.

    The values are cleaned (``confirmo.policies.json_text.clean``): lone surrogates become U+FFFD, NaN and the
    infinities become text, integers stay exact. Null structured content counts as absent.

    Raises:
        UnreadableAnswer: the server wants input first, the result has no content of any kind, or ``isError``
            is not a boolean.
    """
    if raw.get("resultType", "complete") not in (None, "complete"):
        raise UnreadableAnswer("the server asks for more input in place of a result")
    is_error = raw.get("isError")
    if is_error is not None and not isinstance(is_error, bool):
        raise UnreadableAnswer("the result's isError is not a boolean")
    structured = raw.get("structuredContent")
    content = raw.get("content")
    if structured is None and not isinstance(content, list | str | dict):
        raise UnreadableAnswer("the result has no content")
    return ToolAnswer(
        structured=clean(structured),
        has_structured=structured is not None,
        texts=tuple(clean_text(text) for text in _texts(content)),
        is_error=is_error is True,
    )


def _texts(content: Any) -> list[str]:
    blocks = content if isinstance(content, list) else [content]
    texts = [block.get("text") if _is_text_block(block) else block for block in blocks]
    return [text for text in texts if isinstance(text, str)]


def _is_text_block(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type", "text") == "text"
