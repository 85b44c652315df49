"""A message as words: no case, no accents in either Unicode form, no markup; every other sign is a word of its own.

A sign that nobody declared harmless can therefore never be part of a yes: not a strike-through, not an emoji.
"""

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from confirmo.policies.texts import clean_text

MAX_CHARACTERS: Final = 2000
"""Of a message that is read; a longer one is no answer to a question."""

_TOKEN: Final = re.compile(
    r"(?P<word>[^\W_]+)|(?P<box>\[\s*\])|(?P<question>[?¿؟])|(?P<hesitation>\.{2,})"
    r"|(?P<break>\s[-–—]+\s|[.,;:!–—()\[\]\n]+)|(?P<nothing>[\s\-'’‘\"“”«»*_`´]|[\U0001f3fb-\U0001f3ff])|(?P<sign>.)"
)
_REPEATED: Final = re.compile(r"(.)\1+")
_STRETCHED: Final = frozenset(
    {"sim", "nao", "yes", "no", "ok", "okay", "claro", "confirmo", "confirma", "yeah", "yep", "yup", "nope"}
    | {"nunca", "jamais", "beleza", "pode", "isso", "certo", "cancela", "bora", "show", "please"}
)
"""Words that people stretch: siiim, nãããão, yesss."""


@dataclass(frozen=True)
class Token:
    """One word or sign.

    Attributes:
        word: Folded; a stretched yes or no is its plain form.
        plain: Folded alone; names are compared by it.
        start: Where it stands in the message's text.
        end: Where it ends there.
        broken: Punctuation stands before it.
        item: The position of the item that it names, among all; null for none.
    """

    word: str
    plain: str
    start: int
    end: int
    broken: bool = False
    item: int | None = None


@dataclass(frozen=True)
class Message:
    """A message in tokens; ``text`` is what their positions refer to."""

    text: str
    tokens: tuple[Token, ...]
    asks: bool
    hesitates: bool


def fold(text: str) -> str:
    """Return ``text`` without case and accents."""
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def tokenize(text: str) -> Message:
    """Cut a message into tokens; NFC, NFD and width variants of the same text make the same tokens."""
    clean = unicodedata.normalize("NFKC", clean_text(text))
    tokens: list[Token] = []
    asks = hesitates = broken = False
    for found in _TOKEN.finditer(clean):
        kind = found.lastgroup
        asks = asks or kind == "question"
        hesitates = hesitates or kind == "hesitation"
        broken = broken or kind in ("break", "question", "hesitation")
        if kind in ("word", "sign", "box"):
            plain = fold(found[0])
            tokens.append(Token(_plain_form(plain), plain, *found.span(), broken=broken))
            broken = False
    return Message(clean, tuple(tokens), asks, hesitates)


def words_of(text: str) -> tuple[str, ...]:
    """Return the folded words of a name."""
    return tuple(token.plain for token in tokenize(text).tokens)


def _plain_form(word: str) -> str:
    squeezed = _REPEATED.sub(r"\1", word)
    return squeezed if squeezed in _STRETCHED else word
