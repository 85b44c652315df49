"""What stands in a text beside what happened to the items, and nobody declared harmless."""

import re
import unicodedata
from collections.abc import Iterator, Sequence, Set
from typing import Final

from confirmo.policies.checking.clauses import Clause, Line
from confirmo.policies.checking.facts import Told
from confirmo.policies.checking.folding import FILL, HIDDEN, MENTION, finder, phrase
from confirmo.policies.checking.naming import BESIDE
from confirmo.policies.checking.phrases import FAMILIES, FRIENDLY, GLAD, GREETED, JOINING, PHRASES, When
from confirmo.policies.checking.words import Said
from confirmo.policies.models import Outcome, Status

_WORD: Final = re.compile(r"[^\W\d_][\w'-]*")
_DIGITS: Final = re.compile(r"(?<![\w.,/:-])[\w.,/:-]*\d[\w.,/:-]*")
_UNITS: Final = re.compile(
    r"(?:\b(?:\d[\d.,]*|uma?|one|a|dois|duas|two|tres|three|quatro|four|cinco|five|seis|six|sete|seven|oito|eight|nove|nine|"
    r"dez|ten|alguns|algumas|poucos|poucas|few|some)\s{1,3}"
    r"(?:dias?|horas?|minutos?|semanas?|meses|mes|anos?|reais|days?|hours?|minutes?|weeks?|months?|years?|dollars?|"
    r"por cento|percent|uteis|business)\b)|r\$|us\$|[$€£¥%]|\b(?:hoje|amanha|ontem|today|tomorrow|yesterday|"
    r"semana|mes|janeiro|fevereiro|marco|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro|january|"
    r"february|april|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|"
    r"friday|saturday|sunday|sabado|domingo)\b|\b(?:segunda|terca|quarta|quinta|sexta)-feira\b"
)
_LINK: Final = re.compile(
    r"\w:/|//\w|\bwww\b|[\w-]@|@\w|\b[\w-]{1,63}\.[a-z]{2,}|\]\s{0,3}[(\[:]|!\[|&\w{1,10};|&#|<\s{0,3}[/!?a-z]|"
    r"\b(?:javascript|mailto|tel|sms|data):"
)
_BESIDE_AN_ITEM_WORDS: Final = """
    pois porque because since encontrado encontrada encontrados encontradas found existe existem deu lotado lotada
    se ainda whether if sabemos sabe voce pediu quanto sobre about as regarding veja please antes before de repetir
    repeating it tentar trying again novamente verifique check verificar enviado enviada sent nor neither nem either
    pode may ter sido have nao not no eram era could que which that its
    """
_NO_SUBJECT: Final = """
    cliente customer usuario user sistema system mensagem message aviso notificacao notification notice voce you they
    them my our fui step etapa lista observacao atencao nota note id ref codigo comprovante favor us
    """
_NO_CUE: Final = """
    voce pediu solicitou you asked requested for sobre quanto em relacao ao aos a o os as about regarding the and e
    """
_BESIDE_AN_ITEM: Final = BESIDE | frozenset(_BESIDE_AN_ITEM_WORDS.split())
_ALONE: Final = (BESIDE - frozenset(_NO_SUBJECT.split())) | {"nao", "not", "no", "nem", "infelizmente", "era"}
_NAMING: Final = frozenset(_NO_CUE.split())
_ASKING: Final = JOINING | {"o", "a", "os", "as", "com", "the", "with"}
_BARE_NO: Final = re.compile(r"\W*(?:nao|not|no|never|nunca|nem)\W*")
_PEOPLE: Final = re.compile(
    r"\b(?:(?:we|i) (?:were|was|am|are)(?! (?:not )?(?:able|unable))|por el[ea]s?|by (?:it|them))\b"
)
_NUMBER_OF: Final = re.compile(
    r"\b(?:protocolos?|protocol|numero|number|codigo|code|id|item|no)\W{1,3}(?:e |is )?(\d+)\b(?!\s{1,3}\w)"
)
_SHOWN: Final = 100


def strangers(lines: Sequence[Line], masked: str, original: str, folded: str, told: Told) -> Iterator[str]:
    """Return a sentence for each clause with something that is neither of the result nor known to be harmless.

    Args:
        lines: Of the masked text.
        masked: Folded, with items and what the result says masked.
        original: As the text is shown, of the same length.
        folded: The same, folded.
        told: What the result says.
    """
    checker = _Checker(original, folded, told)
    for line in lines:
        told_and_asked = [(each, False) for each in line.clauses] + [(each, True) for each in line.questions]
        for clause, asked in told_and_asked:
            found = None if checker.is_own(clause) else checker.found_in(clause, asked)
            if found:
                yield f"“{checker.shown(clause)}”: {found}."
    for link in _LINK.finditer(masked):
        yield f"“{_around(original, link.start(), link.end())}” may be a link or HTML."
    for at, character in enumerate(original):
        if masked[at] not in (FILL, HIDDEN) and not MENTION.match(masked[at]) and _is_foreign(character):
            yield f"“{_around(original, at, at + 1)}” is in another script."
            return


def _around(original: str, start: int, end: int) -> str:
    return " ".join(original[max(0, start - 20) : end + 20].split())


def _is_foreign(character: str) -> bool:
    if character.isascii():
        return False
    category = unicodedata.category(character)
    letter = category[0] in "LM" and "LATIN" not in unicodedata.name(character, "")
    return (letter and character not in "ªº\ufe0f\ufe0e\u20e3") or category[0] == "N"


class _Checker:
    def __init__(self, original: str, folded: str, told: Told) -> None:
        self._original, self._folded, self._told = original, folded, told
        about = phrase(told.about)
        self._families = [family for family in FAMILIES if not family.search(about)]
        self._operation = set(_WORD.findall(phrase(told.operation)))
        counts, done = told.counts, told.all_done
        self._glad = done
        beside = {
            When.COURTESY: True,
            When.ALWAYS: True,
            When.NEWS: done,
            When.SUCCESS: done,
            When.CALM: done or told.status is Status.CANCELLED,
            When.UNKNOWN: told.executed and counts[Outcome.UNKNOWN] > 0,
            When.EXPIRED: told.status is Status.EXPIRED,
        }
        self._phrases = [pattern for when, pattern in PHRASES.items() if beside[when]]
        self._numbers = {str(number) for number in (*counts.values(), told.total, told.omitted)}

    def shown(self, clause: Clause) -> str:
        """The clause as it stands."""
        return " ".join(self._original[clause.start : clause.start + len(clause.text)].split())[:_SHOWN]

    def is_own(self, clause: Clause) -> bool:
        """Whether the product's own text says the same."""
        words = " ".join(self._folded[clause.start : clause.start + len(clause.text)].split()).strip(' ,:"')
        return len(words.split()) > 1 and bool(finder(words).search(self._told.text))

    def found_in(self, clause: Clause, asked: bool) -> str | None:
        """Return what is strange in a clause, or null."""
        if symbol := next((each for each in clause.text if self._is_odd(each)), None):
            return f"{symbol} is no symbol that is known here"
        if number := self._number(clause):
            return f"{number} is not in the result"
        if self._is_another_operation(clause):
            return "this is another operation"
        if not clause.mentions and _BARE_NO.fullmatch(clause.text):
            return "it may take back what stands before"
        if people := _PEOPLE.search(clause.text):
            return f"{people[0]} is about people"
        if not clause.cues and not clause.mentions and self._greets(clause):
            return None
        return self._strange_words(clause, asked)

    def _strange_words(self, clause: Clause, asked: bool) -> str | None:
        text = clause.text
        for pattern in self._phrases:
            text = pattern.sub(lambda found: " " * len(found[0]), text)
        words = _WORD.findall(text) if asked else list(self._words(clause, text))
        known: Set[str]
        if not clause.cues or asked:
            words += _DIGITS.findall(text)
            known = _ASKING if asked else _NAMING if clause.mentions else JOINING
        elif clause.mentions:
            known = _BESIDE_AN_ITEM | self._told.known_words
        else:
            known = _ALONE | self._operation | (self._told.secondary_words if self._told.secondary else set())
        strange = [word for word in words if word not in known]
        return f"nobody knows what {strange[0]} says here" if strange else None

    def _is_odd(self, character: str) -> bool:
        if character.isascii() or character in FRIENDLY or (self._glad and character in GLAD):
            return False
        return unicodedata.category(character) in ("So", "Sc", "Sm")

    def _number(self, clause: Clause) -> str | None:
        if found := _UNITS.search(clause.text):
            words = " ".join(found[0].split())
            return None if words in self._told.known else words
        if (of := _NUMBER_OF.search(clause.text)) and not finder(of[0]).search(self._told.known):
            return of[0]
        numbers = self._numbers | {str(len(clause.mentions))}
        for found in _DIGITS.finditer(clause.text):
            value = found[0].strip(".,:/-")
            if value not in numbers and not finder(value).search(self._told.known):
                return value
        return None

    def _is_another_operation(self, clause: Clause) -> bool:
        said = {cue.said for cue in clause.cues}
        if (
            not self._told.executed
            and said
            and said <= {Said.NONE, Said.FAILED, Said.NOT_ALL, Said.NO_FAILURE}
        ):
            return False
        stopped = self._told.midway or self._told.status in (Status.CANCELLED, Status.EXPIRED)
        return any(
            family.search(clause.text)
            for family in self._families
            if family is not FAMILIES[0] or not stopped
        )

    def _greets(self, clause: Clause) -> bool:
        found = GREETED.fullmatch(self._folded[clause.start : clause.start + len(clause.text)])
        if not found or any(family.search(found[1]) for family in FAMILIES):
            return False
        return self._original[clause.start + found.start(1)].isupper()

    @staticmethod
    def _words(clause: Clause, text: str) -> Iterator[str]:
        for found in _WORD.finditer(text):
            place = clause.start + found.start()
            if not any(cue.start <= place < cue.end for cue in clause.cues):
                yield found[0]
