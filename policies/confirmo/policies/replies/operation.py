"""What the operation of a question is called, from the tool's name: so that "cancela" is not taken for a no."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from confirmo.policies.replies.roles import Role
from confirmo.policies.replies.tokens import words_of
from confirmo.policies.texts import operation_nouns

CANCEL: Final = frozenset(["cancelar", "cancela", "cancele", "cancelem", "cancel", "cancelo"])
"""Words that stop a transaction, unless cancelling is what it does."""

_STOPS: Final = frozenset({"cancelar", "cancel", "encerrar", "terminate"})
_VERBS: Final[dict[str, str]] = {
    "cancelar": "cancel",
    "cancel": "cancelar cancela cancele",
    "encerrar": "terminate cancelar cancela cancele cancel",
    "terminate": "encerrar encerra encerre cancel",
    "devolver": "return",
    "contestar": "dispute",
}
_ENDINGS: Final = {"ar": ("a", "e", "o", "em"), "er": ("e", "a", "o", "am"), "ir": ("e", "a", "am")}
_BEFORE_VERB: Final = ("pode", "quero", "pode sim", "i want to", "you can", "you may", "please")


class Operation:
    """The words of one tool's operation.

    Attributes:
        verbs: Forms of its verb.
        stops: It cancels or ends something, so that "cancel" may mean doing it.
    """

    def __init__(self, tool_name: str) -> None:
        words = words_of(tool_name.replace("_", " "))
        verb = words[0] if words else ""
        self.verbs = frozenset({verb, *_conjugated(verb), *_VERBS.get(verb, "").split()} - {""})
        self.stops = verb in _STOPS
        self._nouns = frozenset(_nouns(tool_name))

    def phrases(self) -> dict[tuple[str, ...], Role]:
        """Return the phrases that this operation adds to the vocabulary, or changes in it."""
        found: dict[str, Role] = {"operacao": Role.NOUN, "operation": Role.NOUN}
        found |= dict.fromkeys(self._nouns, Role.NOUN)
        if not self.stops:
            found |= dict.fromkeys(CANCEL, Role.QUIT)
            found |= {
                f"{before} {word}": Role.QUIT for word in CANCEL for before in ("pode", "quero", "please")
            }
        for verb in self.verbs:
            found |= {f"{before} {verb}": Role.VERB for before in _BEFORE_VERB} | {verb: Role.VERB}
            for no in (
                "nao",
                "nao quero",
                "nao pode",
                "nao quero mais",
                "don t",
                "do not",
                "i don t want to",
            ):
                found[f"{no} {verb}"] = Role.NO
        if not self.stops:
            found |= {"nao quero": Role.NO, "nao quero mais": Role.NO, "i don t want": Role.NO}
        return {tuple(phrase.split()): role for phrase, role in found.items()}


@lru_cache(maxsize=256)
def operation_of(tool_name: str) -> Operation:
    """Return the operation of a tool."""
    return Operation(tool_name)


def _conjugated(verb: str) -> Iterator[str]:
    for ending in _ENDINGS.get(verb[-2:], ()):
        yield verb[:-2] + ending


def _nouns(tool_name: str) -> Iterator[str]:
    for locale in ("pt-BR", "en"):
        noun = next((noun for start, noun in operation_nouns(locale) if tool_name.startswith(start)), "")
        words = words_of(noun)
        yield from words[1:]
