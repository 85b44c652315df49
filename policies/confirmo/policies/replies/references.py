"""Which items a few words mean: by name, by a part of the name, by number, by ordinal."""

from collections.abc import Sequence
from typing import Final

from confirmo.policies.replies import words_en, words_pt
from confirmo.policies.replies.models import OpenQuestion, ReplyReason
from confirmo.policies.replies.segments import names_of
from confirmo.policies.replies.tokens import Token

_NUMBERS: Final = {**words_pt.NUMBERS, **words_en.NUMBERS}
_ORDINALS: Final = {**words_pt.ORDINALS, **words_en.ORDINALS}
_LAST: Final = words_pt.LAST | words_en.LAST
_SKIPPED: Final = frozenset(
    {
        "o",
        "a",
        "os",
        "as",
        "do",
        "da",
        "dos",
        "das",
        "de",
        "com",
        "the",
        "of",
        "no",
        "number",
        "numero",
        "n",
        "#",
    }
    | {"item", "itens", "items", "servico", "servicos", "pedido", "pedidos", "one", "ones"}
)
_SUFFIXES: Final = ("o", "a", "st", "nd", "rd", "th")


class Unresolved(Exception):
    """The words name no item, or more than one.

    Attributes:
        reason: Which of the two.
    """

    def __init__(self, reason: ReplyReason) -> None:
        super().__init__(reason)
        self.reason = reason


def resolve(tokens: Sequence[Token], question: OpenQuestion) -> tuple[int, ...]:
    """Return positions among the question's items for one reference, such as "o segundo" or "the first two".

    Raises:
        Unresolved: It names nothing, several readings differ, or the item is not part of the question.
    """
    shown = [position for position, item in enumerate(question.items) if item.eligible]
    named = [token.item for token in tokens if token.item is not None]
    words = [token.plain for token in tokens if token.item is None and token.plain not in _SKIPPED]
    if named:
        if words or len(named) > 1:
            raise Unresolved(ReplyReason.AMBIGUOUS_ITEM)
        return _part_of(named[0], question)
    if not words:
        words = [token.plain for token in tokens if token.plain in ("one",)]
    counted = _counted(words, shown)
    partly = _partly_named(words, question)
    if counted is not None and partly and tuple(partly) != counted:
        raise Unresolved(ReplyReason.AMBIGUOUS_ITEM)
    if counted is not None:
        return counted
    if len(partly) > 1:
        raise Unresolved(ReplyReason.AMBIGUOUS_ITEM)
    if not partly:
        raise Unresolved(ReplyReason.NO_SUCH_ITEM)
    return _part_of(partly[0], question)


def _part_of(position: int, question: OpenQuestion) -> tuple[int, ...]:
    if not question.items[position].eligible:
        raise Unresolved(ReplyReason.NOT_PART)
    return (position,)


def _counted(words: Sequence[str], shown: Sequence[int]) -> tuple[int, ...] | None:
    """Return what a number or an ordinal counts, null where the words are none."""
    if len(words) == 1:
        number = len(shown) if words[0] in _LAST else _number(words[0])
        if number is None:
            return None
        return (shown[number - 1],) if 0 < number <= len(shown) else None
    if len(words) == 2:
        return _several(words, shown) or _several(words[::-1], shown)
    return None


def _several(words: Sequence[str], shown: Sequence[int]) -> tuple[int, ...] | None:
    """Return "first two", "últimos dois"."""
    number = _NUMBERS.get(words[1]) or (int(words[1]) if words[1].isdecimal() else 0)
    if not 0 < number <= len(shown):
        return None
    if _ORDINALS.get(words[0]) == 1:
        return tuple(shown[:number])
    return tuple(shown[-number:]) if words[0] in _LAST else None


def _number(word: str) -> int | None:
    digits = next((word.removesuffix(suffix) for suffix in _SUFFIXES if word.endswith(suffix)), word)
    if digits.isdecimal() and digits.isascii():
        return int(digits) if len(digits) < 6 else None
    return _ORDINALS.get(word) or _NUMBERS.get(word)


def _partly_named(words: Sequence[str], question: OpenQuestion) -> list[int]:
    """Return the items in whose names all the words stand."""
    if not words:
        return []
    return [
        position
        for position, item in enumerate(question.items)
        if set(words) <= {word for name in names_of(item) for word in name}
    ]
