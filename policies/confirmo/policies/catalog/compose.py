"""From YAML text to nodes: one document, no bombs, no cycles, no recursion."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import yaml
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    DocumentStartEvent,
    Event,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceStartEvent,
)

from confirmo.policies.catalog.nodes import Mapping, Node, Scalar, Sequence, fill
from confirmo.policies.catalog.problems import KeyPath, Source, UnreadableError

MAX_NODES = 300_000
"""Nodes of a file with all aliases filled in; far above any real catalogue."""
MAX_DEPTH = 64

_CORE = "tag:yaml.org,2002:"
_SCALAR_TAGS = {_CORE + word for word in ("int", "float", "bool", "null")}
_TEXT_TAGS = {"!", _CORE + "str"}

_QUOTED = re.compile(r"'(?!<)[^']{3,}'")
"""What a scanner quotes beyond one character and its own ``<token>`` names; it may be part of a secret."""

_HINTS = {
    "'\\t'": "A tab cannot stand here. Use spaces to indent, and before a comment.",
    "mapping values are not allowed": "Check the indentation, and quote a text that contains ': '.",
    "could not find expected ':'": "A ':' is missing, or a text that goes over several lines is not quoted.",
    "expected <block end>": "Check the indentation of this line and of the one before it.",
    "found unexpected end of stream": "A quote is opened and never closed.",
}


def compose(text: str, source: Source) -> Node:
    """Return the root of the only document in ``text``.

    Duplicate keys go to ``source``. The nodes form a graph without cycles, at most ``MAX_DEPTH`` levels high.

    Raises:
        UnreadableError: The text is not one YAML document that can be used.
    """
    composer = _Composer(source)
    for event in _events(text, source.shows_values):
        composer.take(event)
    root = composer.root
    if root is None or (isinstance(root, Scalar) and root.plain and not root.text):
        raise UnreadableError(None, "The file is empty or holds only comments. Fill it in, or restore it.")
    return root


def _events(text: str, shows_values: bool) -> Iterator[Event]:
    loader = yaml.SafeLoader(text)
    try:
        while loader.check_event():
            yield loader.get_event()  # type: ignore[no-untyped-call]
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise UnreadableError(
            mark.line + 1 if mark else None, _sentence(str(error.problem), shows_values)
        ) from None
    except (yaml.YAMLError, ValueError, OverflowError, IndexError):
        # The scanner lets these out on escapes and version numbers beyond any range.
        raise UnreadableError(loader.line + 1, "The YAML cannot be read here. Check this line.") from None


def _sentence(problem: str, shows_values: bool) -> str:
    if not shows_values:
        problem = _QUOTED.sub("'…'", problem)
    hint = next((hint for sign, hint in _HINTS.items() if sign in problem), "Check quotes and indentation.")
    return f"The YAML cannot be read here: {problem}. {hint}"


@dataclass(slots=True, eq=False)
class _Open:
    node: Sequence | Mapping
    children: list[Node] = field(default_factory=list)


class _Composer:
    def __init__(self, source: Source) -> None:
        self.root: Node | None = None
        self._source = source
        self._open: list[_Open] = []
        self._anchors: dict[str, Node] = {}
        self._documents = 0
        self._nodes = 0

    def take(self, event: Event) -> None:
        if isinstance(event, DocumentStartEvent):
            self._document(event)
        elif isinstance(event, AliasEvent):
            self._attach(self._target(event))
        elif isinstance(event, NodeEvent):
            self._node(event)
        elif isinstance(event, CollectionEndEvent):
            self._close()

    def _document(self, event: Event) -> None:
        self._documents += 1
        if self._documents > 1:
            raise UnreadableError(
                _line(event), "A second document begins here ('---'). Keep one document per file."
            )

    def _node(self, event: NodeEvent) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise UnreadableError(_line(event), f"The file holds more than {MAX_NODES} values, the limit.")
        node = _new(event, self._source.shows_values)
        if event.anchor:
            self._anchors[event.anchor] = node
        if isinstance(node, Scalar):
            self._attach(node)
            return
        self._open.append(_Open(node))
        if len(self._open) > MAX_DEPTH:
            raise UnreadableError(_line(event), _too_deep())

    def _target(self, event: AliasEvent) -> Node:
        node = self._anchors.get(event.anchor or "")
        shown = event.anchor if self._source.shows_values else "…"
        if node is None:
            message = (
                f"The alias '*{shown}' has no anchor '&{shown}' above. Quote a text that begins with '*'."
            )
            raise UnreadableError(_line(event), message)
        if any(frame.node is node for frame in self._open):
            raise UnreadableError(_line(event), f"The anchor '&{shown}' contains itself. Remove this alias.")
        return node

    def _attach(self, node: Node) -> None:
        if not self._open:
            self.root = node
            return
        frame = self._open[-1]
        frame.children.append(node)
        frame.node.size += node.size
        frame.node.height = max(frame.node.height, node.height + 1)
        if frame.node.size > MAX_NODES:
            raise UnreadableError(
                frame.node.line,
                f"With its aliases filled in, this part holds more than {MAX_NODES} values, the limit. "
                "Remove aliases that contain aliases.",
            )
        if frame.node.height > MAX_DEPTH:
            raise UnreadableError(frame.node.line, _too_deep())

    def _close(self) -> None:
        frame = self._open.pop()
        if isinstance(frame.node, Sequence):
            frame.node.entries = frame.children
        else:
            self._fill(frame.node, frame.children)
        self._attach(frame.node)

    def _fill(self, mapping: Mapping, children: list[Node]) -> None:
        pairs: list[tuple[Scalar, Node]] = []
        for key, value in zip(children[::2], children[1::2], strict=True):
            if not isinstance(key, Scalar):
                raise UnreadableError(key.line, "A key must be one text. Quote it, or check the braces.")
            pairs.append((key, value))
        fill(mapping, pairs, self._path(), self._source)

    def _path(self) -> KeyPath:
        return tuple(_current(frame) for frame in self._open)


def _current(frame: _Open) -> str:
    if isinstance(frame.node, Sequence):
        return str(len(frame.children))
    key = frame.children[-1] if len(frame.children) % 2 else None
    return key.text if isinstance(key, Scalar) else "?"


def _new(event: NodeEvent, shows_values: bool) -> Node:
    line = _line(event)
    if isinstance(event, ScalarEvent):
        return Scalar(_whole(event.value, line), _is_plain(event, shows_values), line)
    expected = "seq" if isinstance(event, SequenceStartEvent) else "map"
    assert isinstance(event, SequenceStartEvent | MappingStartEvent)
    if event.tag not in (None, "!", _CORE + expected):
        raise _refused_tag(event.tag, line, shows_values)
    return Sequence(line) if expected == "seq" else Mapping(line)


def _is_plain(event: ScalarEvent, shows_values: bool) -> bool:
    if event.tag is None:
        return bool(event.implicit[0])
    if event.tag in _SCALAR_TAGS:
        return True
    if event.tag in _TEXT_TAGS:
        return False
    raise _refused_tag(event.tag, _line(event), shows_values)


def _whole(text: str, line: int) -> str:
    if text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text):
        return text
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise UnreadableError(line, "Half a character (a lone \\uD800 to \\uDFFF). Write it whole.") from None


def _refused_tag(tag: str, line: int, shows_values: bool) -> UnreadableError:
    shown = tag.replace(_CORE, "!!", 1) if shows_values else "!…"
    return UnreadableError(
        line, f"The tag '{shown}' is not accepted here. Remove it; quote the text if needed."
    )


def _too_deep() -> str:
    return f"More than {MAX_DEPTH} levels inside one another, which is the limit. Check brackets and aliases."


def _line(event: Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1
