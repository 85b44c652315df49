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
    "pagar": "pay",
    "pay": "pagar paga pague",
    "transferir": "transfer transfere transfira",
    "transfer": "transferir transfere transfira",
    "enviar": "send",
    "estornar": "refund",
    "reembolsar": "refund",
    "bloquear": "block",
    "contratar": "subscribe",
    "alterar": "change",
    "trocar": "exchange change",
}
_DONE: Final[dict[str, str]] = {
    "pagar": "pagamento payment",
    "pay": "pagamento payment",
    "transferir": "transferencia transfer",
    "contratar": "contratacao",
    "estornar": "estorno refund",
    "reembolsar": "reembolso refund",
    "bloquear": "bloqueio",
    "alterar": "alteracao change",
    "trocar": "troca exchange",
    "enviar": "envio",
}
"""What the operation is called, for tools whose question calls it by its description."""

_ALL_OF_IT: Final = ("isso", "isso ai", "tudo", "tudo isso", "it", "that", "everything", "essa operacao")
_ITSELF: Final = ("operacao", "operation", "solicitacao", "request")
_THINGS: Final = ("itens", "items")
_MIN_WORD: Final = 4
_ENDINGS: Final = {"ar": ("a", "e", "o", "em"), "er": ("e", "a", "o", "am"), "ir": ("e", "a", "am")}
_NO_BEFORE_VERB: Final = (
    "nao", "nao quero", "nao quero mais", "nao pode", "nao vou", "nao vou mais", "nao precisa", "nao precisa mais",
    "melhor nao", "prefiro nao", "acho melhor nao", "desisti de", "n", "n quero", "n precisa",
    "don t", "do not", "please don t", "please do not", "i don t want to", "i do not want to", "better not",
)  # fmt: skip
_BEFORE_VERB: Final = ("pode", "quero", "pode sim", "pode ja", "i want to", "you can", "you may", "please")


class Operation:
    """The words of one tool's operation.

    Attributes:
        verbs: Forms of its verb.
        stops: It cancels or ends something, so that "cancel" may mean doing it.
        objects: Further words of its name, such as "pedido": what it acts on.
        names: What it is called itself, such as "cancelamento".
    """

    def __init__(self, tool_name: str) -> None:
        words = words_of(tool_name.replace("_", " "))
        verb = words[0] if words else ""
        self.verbs = frozenset({verb, *_conjugated(verb), *_VERBS.get(verb, "").split()} - {""})
        self.stops = verb in _STOPS
        self.names = frozenset([*_nouns(tool_name), *_DONE.get(verb, "").split(), *_ITSELF])
        self.objects = frozenset(
            word for word in words[1:] if len(word) >= _MIN_WORD and word.isalpha() and word not in self.names
        )

    def phrases(self) -> dict[tuple[str, ...], Role]:
        """Return the phrases that this operation adds to the vocabulary, or changes in it."""
        found: dict[str, Role] = dict.fromkeys([*self.names, *_THINGS], Role.NOUN)
        if not self.stops:
            found |= dict.fromkeys(CANCEL, Role.QUIT)
            found |= {
                f"{before} {word}": Role.QUIT for word in CANCEL for before in ("pode", "quero", "please")
            }
            found |= {f"{word} {all}": Role.QUIT for word in CANCEL for all in _ALL_OF_IT}
        for verb in self.verbs:
            found |= {f"{before} {verb}": Role.VERB for before in _BEFORE_VERB} | {verb: Role.VERB}
            found |= {f"{no} {verb}": Role.NO for no in _NO_BEFORE_VERB}
        if self.stops:
            found |= {"keep": Role.SPARE}
        else:
            found |= {
                "nao quero": Role.NO,
                "n quero": Role.NO,
                "i don t want": Role.NO,
                "nao quero mais": Role.QUIT,
            }
        return {tuple(phrase.split()): role for phrase, role in found.items()}


@lru_cache(maxsize=256)
def operation_of(tool_name: str) -> Operation:
    """Return the operation of a tool."""
    return Operation(tool_name)


def _conjugated(verb: str) -> Iterator[str]:
    for ending in _ENDINGS.get(verb[-2:], ()):
        yield verb[:-2] + ending
    if verb.endswith(("gar", "car")):
        yield verb[:-2].removesuffix("c") + ("ue" if verb.endswith("gar") else "que")


def _nouns(tool_name: str) -> Iterator[str]:
    for locale in ("pt-BR", "en"):
        noun = next((noun for start, noun in operation_nouns(locale) if tool_name.startswith(start)), "")
        words = words_of(noun)
        yield from words[1:]
