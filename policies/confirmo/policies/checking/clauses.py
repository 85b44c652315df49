"""A text cut into lines and clauses, each with its mentions of items and the words that say what happened."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from confirmo.policies.checking.folding import FIRST, HIDDEN, MENTION
from confirmo.policies.checking.words import PATTERNS, Said

_MARKER: Final = re.compile(r"^[ \t]*(?:[-•–—+]|\d{1,3}[.)](?=\s))[ \t]*")
_END: Final = re.compile(
    r"([.!?;]+)(?=\s|$|\")|"
    r",?\s*\b(?:mas(?! nao\s+[\ue000-\uf000])|porem|contudo|entretanto|todavia|enquanto|ao passo que|por outro lado|"
    r"but(?! not\s+[\ue000-\uf000])|however|while|whereas|although)\b|,\s*(?=ja\b)"
)


@dataclass(frozen=True)
class Cue:
    """A place that says what happened."""

    start: int
    end: int
    said: Said


@dataclass(frozen=True)
class Clause:
    """One statement. Places are of the folded text.

    Attributes:
        start: Where it begins.
        text: The folded text of it, items masked.
        mentions: ``(place, item)`` in order.
        cues: In order.
    """

    start: int
    text: str
    mentions: tuple[tuple[int, int], ...]
    cues: tuple[Cue, ...]


@dataclass
class Line:
    """One line.

    Attributes:
        listed: It is an entry of a list.
        indented: It begins with white space.
        ended: It ends like a sentence, so that it is no heading.
        clauses: Without the list marker and without questions.
        questions: What is asked in it.
    """

    listed: bool
    indented: bool
    ended: bool = False
    clauses: list[Clause] = field(default_factory=list)
    questions: list[Clause] = field(default_factory=list)

    @property
    def mentions(self) -> list[int]:
        """The items that it mentions."""
        return [item for clause in self.clauses for _, item in clause.mentions]

    @property
    def cues(self) -> list[Cue]:
        """All that it says."""
        return [cue for clause in self.clauses for cue in clause.cues]


def lines_of(masked: str) -> Iterator[Line]:
    """Cut a folded text with masked items into lines."""
    start = 0
    for raw in masked.split("\n"):
        marker = _MARKER.match(raw)
        begin = marker.end() if marker else len(raw) - len(raw.lstrip())
        line = Line(bool(marker), raw[:1].isspace(), raw.rstrip()[-1:] in (".", "!", "…"))
        for clause, asked in _clauses(raw, begin, start):
            (line.questions if asked else line.clauses).append(clause)
        if line.clauses or line.questions:
            yield line
        start += len(raw) + 1


def _clauses(raw: str, begin: int, offset: int) -> Iterator[tuple[Clause, bool]]:
    at = begin
    for end in [*_END.finditer(raw, begin), None]:
        stop = end.start() if end else len(raw)
        text = raw[at:stop]
        asked = bool(end and "?" in end[0])
        if text.strip(" \t,:\"'()"):
            yield _clause(text, offset + at), asked
        at = end.end() if end else stop


def _clause(text: str, start: int) -> Clause:
    mentions = tuple((start + found.start(), ord(found[0]) - FIRST) for found in MENTION.finditer(text))
    return Clause(start, text, mentions, tuple(find_cues(text, start)))


def find_cues(text: str, start: int = 0) -> list[Cue]:
    """Return what a clause says, in order; what one pattern took, no later one sees."""
    found: list[Cue] = []
    rest = text
    for said, pattern in PATTERNS:
        for match in pattern.finditer(rest):
            if match[0]:
                found.append(Cue(start + match.start(), start + match.end(), said))
        rest = pattern.sub(_blank, rest)
    return sorted(found, key=lambda cue: cue.start)


def _blank(match: re.Match[str]) -> str:
    """Blank out what was taken; the items in it stay where they are."""
    return "".join(char if MENTION.match(char) else HIDDEN for char in match[0])
