"""What a text says of each item, and of the whole."""

import re
from dataclasses import dataclass, field
from typing import Final

from confirmo.policies.checking.assigning import assign, header_of
from confirmo.policies.checking.clauses import Clause, Line, find_cues
from confirmo.policies.checking.facts import Told
from confirmo.policies.checking.folding import finder, phrase
from confirmo.policies.checking.naming import beside_a_yes, longer_names, strange_names, unknown_subject
from confirmo.policies.checking.words import EVERY, EXCEPT, OTHERS, Said
from confirmo.policies.models import Outcome

_NUMBERED: Final = re.compile(
    r"(?<![\w$.,])(?:\d{1,6}|um|uma|one|dois|duas|two|tres|three|quatro|four|cinco|five)\b"
)
_STOPPED: Final = re.compile(
    r"\b(?:operacao|solicitacao|execucao|confirmacao|operation|request|execution|confirmation)\b[^.;]{0,200}?"
    r"\b(?:cancelad|interromp|encerrad|cancell?ed|stopped|interrupted|closed)"
)
_STEP: Final = re.compile(
    r"\b(?:etapas?|aviso|notificac\w+|mensagem|auxiliar|steps?|notice|notification|message|auxiliary)\b"
)
_OUTCOME: Final = {
    Said.SUCCEEDED: Outcome.SUCCEEDED,
    Said.FAILED: Outcome.FAILED,
    Said.NONE: Outcome.FAILED,
    Said.UNKNOWN: Outcome.UNKNOWN,
}
_ITEM_WORDS: Final = frozenset({*_OUTCOME, Said.UNCLEAR})
_UNDO: Final = {
    Said.UNDONE: Outcome.SUCCEEDED,
    Said.NOT_UNDONE: Outcome.FAILED,
    Said.UNDO_UNKNOWN: Outcome.UNKNOWN,
}


@dataclass
class Statements:
    """What is gathered line by line.

    Attributes:
        said: Item to what is said of it.
        undone: Item to what is said of undoing it.
        mentioned: Every item that is named.
        invented: Names of nothing that there is.
        contradictions: Statements about the whole that are not so.
    """

    told: Told
    original: str
    folded: str
    said: dict[int, set[Said]] = field(default_factory=dict)
    undone: dict[int, set[Said]] = field(default_factory=dict)
    mentioned: set[int] = field(default_factory=set)
    invented: list[str] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)
    _header: Said | None = None
    _last: list[int] = field(default_factory=list)

    def read(self, lines: list[Line]) -> None:
        """Read all lines."""
        lists_items = any(line.listed and line.mentions for line in lines)
        for number, line in enumerate(lines):
            below = lines[number + 1] if number + 1 < len(lines) else None
            if self._is_header(line, below):
                self._header = header_of(line)
                if self._header is Said.SUCCEEDED and any(
                    beside_a_yes(clause, self.told.known_words) or EXCEPT.search(clause.text)
                    for clause in line.clauses
                ):
                    self._header = Said.UNCLEAR
                self._last = []
                for clause in line.clauses:
                    self._every(clause)
                continue
            if not line.listed and line.cues:
                self._header = None
            self._line(line, lists_items)

    def _is_header(self, line: Line, below: Line | None) -> bool:
        if header_of(line) is None or below is None or line.indented or (line.listed and not below.indented):
            return False
        return below.listed or bool(below.mentions and not below.cues)

    def _line(self, line: Line, lists_items: bool) -> None:
        fresh = not line.mentions
        strange = fresh and line.listed and line.clauses and (lists_items or self._header is not None)
        if strange and (name := unknown_subject(line.clauses[0], self.told.known_words)):
            self.invented.append(name)
        for clause in line.clauses:
            if clause.mentions:
                self._named(clause)
            else:
                self._unnamed(
                    clause, continues=not fresh or line.listed or line.indented, same_line=not fresh
                )
            self._every(clause)
            self.invented += strange_names(clause, self.original, self.told.known_words)
            self.invented += longer_names(clause, self.original)

    def _named(self, clause: Clause) -> None:
        for items, said in assign(clause):
            self.mentioned.update(items)
            self._last = items
            if Said.SUCCEEDED in said and beside_a_yes(clause, self.told.known_words):
                said = said | {Said.UNCLEAR}
            said = said | ({self._header} if self._header else set())
            for item in items:
                self._note(item, said or self._by_reason(clause, item))

    def _note(self, item: int, said: set[Said]) -> None:
        self.said.setdefault(item, set()).update(said & _ITEM_WORDS)
        self.undone.setdefault(item, set()).update(said & _UNDO.keys())

    def _by_reason(self, clause: Clause, item: int) -> set[Said]:
        """A reason alone says as much as its words do, where they say what happened."""
        if item >= len(self.told.items):
            return set()
        reason = phrase(self.told.items[item].reason)
        place = self.folded[clause.start : clause.start + len(clause.text)]
        if not reason or not finder(reason).search(place):
            return set()
        return {cue.said for cue in find_cues(reason)} & {Said.FAILED, Said.UNKNOWN, Said.NONE}

    def _unnamed(self, clause: Clause, *, continues: bool, same_line: bool) -> None:
        said = {cue.said for cue in clause.cues}
        if not said:
            for item in self._last if continues else ():
                if not self.said.get(item):
                    self._note(item, self._by_reason(clause, item))
            return
        if self._is_secondary(clause, said):
            return
        if self.told.midway and _STOPPED.search(clause.text):
            return
        if Said.SUCCEEDED in said and beside_a_yes(clause, self.told.known_words):
            said.add(Said.UNCLEAR)
        if self.told.nameless:
            self._note(0, said)
            self._strange_subject(clause)
            return
        open_items = [item for item in self._last if not self.said.get(item)]
        if self._last and continues and (same_line or open_items) and not _NUMBERED.search(clause.text):
            for item in self._last:
                self._note(item, said)
            said &= {Said.NO_FAILURE}
        else:
            self._strange_subject(clause)
        for each in said:
            if not self._holds(each, clause):
                self.contradictions.append(f"“{self._shown(clause)}” is not so of the whole.")

    def _is_secondary(self, clause: Clause, said: set[Said]) -> bool:
        """Whether a clause tells of the step that failed beside the items."""
        if not self.told.secondary or said != {Said.FAILED}:
            return False
        place = self.folded[clause.start : clause.start + len(clause.text)]
        return bool(_STEP.search(clause.text) or finder(phrase(self.told.secondary)).search(place))

    def _strange_subject(self, clause: Clause) -> None:
        if name := unknown_subject(clause, self.told.known_words):
            self.invented.append(name)

    def _holds(self, said: Said, clause: Clause) -> bool:
        counts, total = self.told.counts, self.told.total
        succeeded, failed, unknown = (
            counts[each] for each in (Outcome.SUCCEEDED, Outcome.FAILED, Outcome.UNKNOWN)
        )
        numbered = bool(_NUMBERED.search(clause.text))
        others = bool(EVERY.search(clause.text) and OTHERS.search(clause.text))
        truth = {
            Said.SUCCEEDED: succeeded == total or numbered or others,
            Said.FAILED: failed > 0 or numbered or bool(self.told.secondary),
            Said.UNKNOWN: unknown > 0 or numbered,
            Said.NONE: failed == total,
            Said.NO_FAILURE: succeeded == total and not self.told.secondary,
            Said.NOT_ALL: succeeded < total,
            Said.UNDONE: bool(self.told.undone),
            Said.NOT_UNDONE: bool(self.told.undone),
            Said.UNDO_UNKNOWN: bool(self.told.undone),
        }
        return truth.get(said, True)

    def _every(self, clause: Clause) -> None:
        """Check a statement about all items, but for those that it excepts."""
        places = [found.start() + clause.start for found in EVERY.finditer(clause.text)]
        outside = [at for at in places if not any(cue.start <= at < cue.end for cue in clause.cues)]
        words = {_OUTCOME[cue.said] for cue in clause.cues if cue.said in _OUTCOME}
        if not outside or not words or OTHERS.search(clause.text):
            return
        excepting = EXCEPT.search(clause.text)
        border = clause.start + excepting.start() if excepting else None
        main = [cue for cue in clause.cues if cue.said in _OUTCOME and cue.start >= outside[0]] or [
            cue for cue in clause.cues if cue.said in _OUTCOME
        ]
        claimed = _OUTCOME[main[0].said]
        excepted = {
            item
            for place, item in clause.mentions
            if border is not None and place > border and self._differs(item, claimed)
        }
        if len(excepted) != self.told.total - self.told.counts[claimed]:
            self.contradictions.append(f"“{self._shown(clause)}”: not so of all items.")

    def _differs(self, item: int, claimed: Outcome) -> bool:
        return item < len(self.told.items) and self.told.items[item].expected is not claimed

    def _shown(self, clause: Clause) -> str:
        return " ".join(self.original[clause.start : clause.start + len(clause.text)].split())[:100]

    def outcomes(self, item: int) -> set[str]:
        """Return the outcomes that are said of an item, and ``UNCLEAR``."""
        return {
            _OUTCOME[said].value if said in _OUTCOME else said.value for said in self.said.get(item, set())
        }

    def undo_outcomes(self, item: int) -> set[Outcome]:
        """Return what is said of undoing an item."""
        return {_UNDO[said] for said in self.undone.get(item, set())}


def says_nothing_was_done(lines: list[Line], status: str) -> tuple[bool, list[str]]:
    """Tell whether a text about what was not executed says so, with what it says against it."""
    said, against = False, []
    for line in lines:
        for clause in line.clauses:
            stopped = bool(_STOPPED.search(clause.text)) and status in ("CANCELLED", "EXPIRED")
            words = {cue.said for cue in clause.cues}
            if words & {Said.SUCCEEDED, Said.UNKNOWN} and not stopped:
                against.append(clause.text.strip()[:100])
            denies = bool(words & {Said.FAILED, Said.NONE}) or re.search(r"\b(?:nada|nothing)\b", clause.text)
            said = said or stopped or bool(denies)
    return said, against
