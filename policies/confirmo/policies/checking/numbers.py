"""Numbers in a text: counts that contradict the result, protocols that are missing, exchanged or made up."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from confirmo.policies.checking.clauses import Clause, Line
from confirmo.policies.checking.folding import HIDDEN, MENTION, finder, phrase
from confirmo.policies.checking.words import Said
from confirmo.policies.models import Outcome

_NUMBERS: Final = (
    "zero|um uma one|dois duas two|tres three|quatro four|cinco five|seis six|sete seven|oito eight|"
    "nove nine|dez ten"
)
_WORDS: Final = {word: number for number, words in enumerate(_NUMBERS.split("|")) for word in words.split()}
_NUMBER: Final = rf"(?:\d{{1,6}}|{'|'.join(_WORDS)})"
_COUNT: Final = re.compile(
    rf"(?<![\w$.,/:-])(?P<count>{_NUMBER})(?![\w%/:-]|[.,]\d)"
    rf"(?:\s+(?:de|dos|das|of|out of|em)\s+(?:the\s+|um total de\s+)?(?P<total>{_NUMBER})\b)?"
)
_UNITS: Final = re.compile(
    r"^\s*(?:dias?|horas?|minutos?|segundos?|meses|mes|anos?|reais|vez|vezes|days?|hours?|minutes?|seconds?|months?|years?|"
    r"times?|por cento|percent|uteis|business)\b"
)
_THINGS: Final = re.compile(
    r"^\s*(?:dos |das |of the |of them |deles |delas |desses |destes )?(?:itens|item|servicos?|pedidos?|"
    r"pacotes?|produtos?|"
    r"assinaturas?|encomendas?|solicitac\w+|operac\w+|items?|services?|orders?|packages?|subscriptions?|requests?|"
    r"deles|delas|"
    r"of)\b"
)
_ONLY: Final = re.compile(r"\b(?:apenas|so|somente|only|just)\s+$")
_NAMED: Final = re.compile(
    r"\b(?:protocol(?:o|os|s)?|comprovante|recibo|receipt|reference|confirmation number|numero de confirmacao)\b"
    r"[^\w\n]*(?:(?:e|is|n|no|nr|num|numero|number|de|do|da|of|o|the|para|for)\b[^\w\n]*){0,3}"
    r"(?P<value>[\w][\w./-]*\d[\w./-]*)"
)
_LONG: Final = re.compile(r"(?<![\w/.-])(?=[\w/.-]*\d[\w/.-]*\d[\w/.-]*\d[\w/.-]*\d)[\w/.-]*\w")
_NEAR: Final = 200
"""How far from a number stands what it counts."""


@dataclass(frozen=True)
class Facts:
    """The counts of a result. ``total`` counts those that a composition leaves out, too."""

    counts: Mapping[Outcome, int]
    total: int


def count_claims(clause: Clause, facts: Facts) -> Iterator[str]:
    """Return a sentence for each number of a clause that contradicts the counts."""
    for found in _COUNT.finditer(clause.text):
        rest = clause.text[found.end() :]
        if _UNITS.match(rest):
            continue
        word, total = found["count"], found["total"]
        said = _said_of(clause, found.start(), found.end())
        if total and not clause.cues and not clause.mentions:
            said = Outcome.SUCCEEDED  # "3 de 3."
        if said is None or (not word.isdigit() and not total and not _counts_things(clause, found, rest)):
            continue
        number = _value(word)
        named = len({item for _, item in clause.mentions})
        if total and _value(total) != facts.total:
            yield f"“{found[0]}”: there are {facts.total} items."
        elif number != facts.counts[said] and not (number == named > 0 and not total):
            yield f"“{found[0]}”: {facts.counts[said]} of {facts.total} items are {said.value}."


def states_count(clause: Clause, outcome: Outcome, number: int) -> bool:
    """Tell whether a clause gives this number for this outcome."""
    return any(
        _value(found["count"]) == number and _said_of(clause, found.start(), found.end()) is outcome
        for found in _COUNT.finditer(clause.text)
    )


def states_number(clause: Clause, number: int) -> bool:
    """Tell whether a clause names this number."""
    return any(_value(found["count"]) == number for found in _COUNT.finditer(clause.text))


def _counts_things(clause: Clause, found: re.Match[str], rest: str) -> bool:
    """Whether a number word, which may be an article, counts items."""
    if _WORDS[found["count"]] > 1 or _THINGS.match(rest) or _ONLY.search(clause.text[: found.start()]):
        return True
    after = clause.start + found.end()
    return any(0 <= cue.start - after <= 1 for cue in clause.cues)


def _said_of(clause: Clause, start: int, end: int) -> Outcome | None:
    """Return the outcome that a number is about: the nearest after it, before the next number; else the one before."""
    following = _COUNT.search(clause.text, end, end + _NEAR)
    stop = clause.start + (following.start() if following else end + _NEAR)
    mention = MENTION.search(clause.text, end, end + _NEAR)
    stop = min(stop, clause.start + mention.start()) if mention else stop
    after = [cue for cue in clause.cues if clause.start + end <= cue.start < stop]
    before = [cue for cue in clause.cues if cue.end <= clause.start + start]
    chosen = after[0] if after else before[-1] if before else None
    words = {Said.SUCCEEDED: Outcome.SUCCEEDED, Said.FAILED: Outcome.FAILED, Said.UNKNOWN: Outcome.UNKNOWN}
    return words.get(chosen.said) if chosen else None


def _value(word: str) -> int:
    return int(word) if word.isdigit() else _WORDS[word]


def protocol_places(masked: str, protocols: Sequence[str]) -> list[tuple[int, str]]:
    """Return where the protocols stand in a folded text, the longest ones taken first."""
    places: list[tuple[int, str]] = []
    for protocol in sorted(set(protocols), key=lambda each: len(phrase(each)), reverse=True):
        words = phrase(protocol)
        if words:
            pattern = re.compile(rf"(?<![\w-]){finder(words).pattern}(?![-]\w)")
            places += [(found.start(), protocol) for found in pattern.finditer(masked)]
            masked = pattern.sub(lambda found: HIDDEN * len(found[0]), masked)
    return sorted(places)


def invented(masked: str, known: str) -> list[str]:
    """Return protocols and numbers of four digits or more that stand nowhere in what is known."""
    named = [found["value"] for found in _NAMED.finditer(masked)]
    long = [found[0] for found in _LONG.finditer(masked)]
    values = [value.strip("./-") for value in dict.fromkeys([*named, *long])]
    return [value for value in dict.fromkeys(values) if value and not finder(value).search(known)]


def owners(
    places: Sequence[tuple[int, str]], lines: Sequence[Line], of: Mapping[str, set[int]]
) -> Iterator[str]:
    """Return the protocols that stand with another item than their own."""
    mentions = sorted(
        (place, item) for line in lines for clause in line.clauses for place, item in clause.mentions
    )
    runs: list[tuple[list[int], list[str]]] = []
    events = sorted(
        [(place, True, item) for place, item in mentions] + [(at, False, name) for at, name in places]
    )
    for _, is_item, what in events:
        if is_item and (not runs or runs[-1][1]):
            runs.append(([], []))
        if is_item and isinstance(what, int):
            runs[-1][0].append(what)
        elif runs:
            runs[-1][1].append(str(what))
    for items, names in runs:
        yield from _misplaced(items, names, of)


def _misplaced(items: list[int], names: list[str], of: Mapping[str, set[int]]) -> Iterator[str]:
    """Compare items with the protocols behind them: one by one where they are as many, else the last item's."""
    owners_of = items if len(items) == len(names) else [items[-1]] * len(names)
    pairs = zip(owners_of, names, strict=True)
    yield from (name for item, name in pairs if item not in of[name])
