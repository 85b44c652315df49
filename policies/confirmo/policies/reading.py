"""Reading a tool's answer: one bounded rule from what came over the wire to JSON values.

1. Structured content is the body. Without it the one text block that is JSON is; of several different ones none.
2. A text counts as JSON where it is a map or a list, or a JSON string that holds one (one level of JSON in text).
3. A body ``{"result": …}`` with no other key is unwrapped once; its value may be JSON in text.
4. Beside structured content, one JSON text is a second copy of the body, compared by ``reconcile``. Text blocks
   that are the entries of a structured list, one each, are one copy; several others are only kept.
5. All other text is prose: a message, never evidence.
"""

from collections.abc import Sequence
from typing import Any, Final

from confirmo.policies import json_text
from confirmo.policies.models import ToolAnswer, Wire

RAW_LIMIT: Final = 64 * 1024
"""Bytes of UTF-8 that are kept of an answer that follows no rule."""
_WRAPPER = "result"


class Copy(Wire):
    """One copy of the body.

    Attributes:
        body: The value, unwrapped where it was wrapped and nothing else.
        inner: The value under ``result`` beside other keys; null where there is none or it was unwrapped.
    """

    body: Any = None
    inner: Any = None


class Reading(Wire):
    """A tool's answer, read.

    Attributes:
        copies: No copy where nothing is structured; two where structured content and text both are.
        message: The prose, blocks joined by line ends; null where there is none.
        raw: All of the answer as text, at most 64 KiB.
        is_error: MCP's ``isError``.
    """

    copies: tuple[Copy, ...] = ()
    message: str | None = None
    raw: str | None = None
    is_error: bool = False


def read_answer(answer: ToolAnswer) -> Reading:
    """Read an answer by the module's rule. Total: any answer has a reading."""
    texts = [json_text.clean_text(text) for text in answer.texts]
    parsed = [(text, _container(text)) for text in texts if text.strip()]
    copies, beside = _copies(answer, [value for _, value in parsed if value is not None])
    prose = [text for text, value in parsed if value is None]
    prose += [copy.body for copy in copies if isinstance(copy.body, str) and copy.body.strip()]
    message = "\n".join(dict.fromkeys((*prose, *map(json_text.dump, beside))))
    return Reading(
        copies=tuple(copy for copy in copies if not isinstance(copy.body, str)),
        message=json_text.cut(message, RAW_LIMIT) or None,
        raw=_raw(answer, texts),
        is_error=answer.is_error,
    )


def _container(text: str) -> Any:
    value = _parsed(text)
    if isinstance(value, str):
        value = _parsed(value)
    return value if isinstance(value, dict | list) else None


def _parsed(text: str) -> Any:
    try:
        return json_text.parse(text)
    except json_text.JsonError:
        return None


def _copies(answer: ToolAnswer, blocks: Sequence[Any]) -> tuple[list[Copy], list[Any]]:
    """Return the copies of the body, and the JSON blocks that are beside it."""
    different = json_text.distinct(blocks)
    if not answer.has_structured or answer.structured is None:
        return ([_unwrapped(different[0])], []) if len(different) == 1 else ([], [])
    structured = json_text.clean(answer.structured)
    first = _unwrapped(structured)
    if _is_list_in_blocks(first.body, blocks):
        return [first, Copy(body=list(blocks))], []
    known = {json_text.canonical(value) for value in (structured, first.body)}
    others = [block for block in different if json_text.canonical(_unwrapped(block).body) not in known]
    if len(others) == len(different) == 1:
        return [first, _unwrapped(others[0])], []
    return [first], others


def _is_list_in_blocks(body: Any, blocks: Sequence[Any]) -> bool:
    if not isinstance(body, list) or len(body) != len(blocks):
        return False
    only = blocks[0] if len(blocks) == 1 else None
    return len(blocks) > 1 or (isinstance(only, dict) and not {"result", "results"} & set(only))


def _unwrapped(value: Any) -> Copy:
    if not isinstance(value, dict) or _WRAPPER not in value:
        return Copy(body=value)
    inner = value[_WRAPPER]
    if isinstance(inner, str):
        read = _container(inner)
        inner = inner if read is None else read
    return Copy(body=inner) if len(value) == 1 else Copy(body=value, inner=inner)


def _raw(answer: ToolAnswer, texts: Sequence[str]) -> str | None:
    if not answer.has_structured or answer.structured is None:
        return json_text.cut("\n".join(texts), RAW_LIMIT) or None
    structured = json_text.clean(answer.structured)
    known = json_text.canonical(structured)
    beside = [text for text in texts if json_text.canonical(_container(text)) != known]
    return json_text.cut("\n".join((json_text.dump(structured), *beside)), RAW_LIMIT)
