"""A message as phrases: the longest known phrase at each place, names of items first."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from confirmo.policies.replies import words_en, words_pt
from confirmo.policies.replies.models import NamedItem
from confirmo.policies.replies.operation import operation_of
from confirmo.policies.replies.roles import Role
from confirmo.policies.replies.tokens import Token, fold, words_of

LONGEST: Final = 6
"""Words of a phrase."""

_COUNTS: Final = {**words_pt.NUMBERS, **words_en.NUMBERS, "ambos": 2, "ambas": 2, "both": 2}
_BEFORE_COUNT: Final = (
    (),
    ("os",),
    ("as",),
    ("dos",),
    ("das",),
    ("all",),
    ("todos", "os"),
    ("todas", "as"),
    ("the",),
)
_THINGS: Final = (
    (),
    *((word,) for word in ("servicos", "itens", "pedidos", "assinaturas", "items", "services", "orders")),
)
MIN_ID: Final = 3
"""Characters of an id by which people may name an item."""

Phrases = Mapping[tuple[str, ...], Role]


@dataclass(frozen=True)
class Segment:
    """Tokens with one role."""

    role: Role
    tokens: tuple[Token, ...]

    @property
    def broken(self) -> bool:
        """Punctuation stands before it."""
        return self.tokens[0].broken


def names_of(item: NamedItem) -> tuple[tuple[str, ...], ...]:
    """Return the texts that name an item: its label, and its id where that cannot be an ordinary word or a number."""
    item_id = item.item_id
    telling = len(item_id) >= MIN_ID and any(character.isdecimal() for character in item_id)
    return (words_of(item.label), words_of(item_id)) if telling else (words_of(item.label),)


def name_items(tokens: Sequence[Token], items: Sequence[NamedItem]) -> tuple[Token, ...]:
    """Return the tokens with each whole name of an item, or its id, as one token. The longest name wins."""
    names: dict[tuple[str, ...], set[int]] = {}
    for position, item in enumerate(items):
        for name in names_of(item):
            if name:
                names.setdefault(name, set()).add(position)
    found: list[Token] = []
    at = 0
    longest = max(map(len, names), default=0)
    while at < len(tokens):
        for length in range(min(longest, len(tokens) - at), 0, -1):
            plain = tuple(token.plain for token in tokens[at : at + length])
            if len(names.get(plain, ())) == 1:
                (position,) = names[plain]
                found.append(replace(tokens[at], end=tokens[at + length - 1].end, item=position))
                at += length
                break
        else:
            found.append(tokens[at])
            at += 1
    return tuple(found)


def segment(tokens: Sequence[Token], tool_name: str) -> tuple[Segment, ...]:
    """Cut tokens into phrases. A phrase never reaches over punctuation."""
    phrases = phrases_for(tool_name)
    segments: list[Segment] = []
    at = 0
    while at < len(tokens):
        taken = _longest(tokens[at : at + LONGEST], phrases)
        segments.append(taken)
        at += len(taken.tokens)
    return tuple(segments)


def _longest(tokens: Sequence[Token], phrases: Phrases) -> Segment:
    if tokens[0].item is not None:
        return Segment(Role.ITEM, (tokens[0],))
    for length in range(len(tokens), 0, -1):
        part = tuple(tokens[:length])
        if any(token.broken or token.item is not None for token in part[1:]):
            continue
        role = phrases.get(tuple(token.word for token in part))
        if role is not None:
            return Segment(role, part)
    return Segment(Role.UNKNOWN, (tokens[0],))


@lru_cache(maxsize=256)
def phrases_for(tool_name: str) -> Phrases:
    """Return the vocabulary for questions of one tool."""
    operation = operation_of(tool_name)
    objects: dict[tuple[str, ...], Role] = {(word,): Role.NOUN for word in operation.objects}
    return {**objects, **dict(_known()), **operation.phrases()}


def _known() -> Iterable[tuple[tuple[str, ...], Role]]:
    for language in (words_en.PHRASES, words_pt.PHRASES):
        for role, listed in language.items():
            for phrase in listed.split("|"):
                yield tuple(fold(phrase).split()), role
    for word, number in _COUNTS.items():
        if number > 1:
            for before in _BEFORE_COUNT:
                for things in _THINGS:
                    yield (*before, word, *things), Role.COUNT


def count_of(part: Segment) -> int:
    """Return the number that a ``COUNT`` names."""
    return next(_COUNTS[token.word] for token in part.tokens if token.word in _COUNTS)
