"""A text folded letter by letter, so that places in it are places in the original; what is known is masked in it."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from confirmo.policies.texts.cleaning import clean_text

FIRST: Final = 0xE000
"""Private-use characters stand for items; a text's own are taken out."""
FILL: Final = "\uf8ff"
"""Follows an item's character to the length of its label."""
HIDDEN: Final = "\uf8fe"
"""Stands for what is known and says nothing about an outcome."""
MENTION: Final = re.compile("[\ue000-\uf000]")

_PRIVATE: Final = re.compile("[\ue000-\uf8ff\U000f0000-\U0010ffff]")
_TOKEN: Final = re.compile(r"\w+|[^\w\s]")
_MARKS: Final = str.maketrans(
    dict.fromkeys("*_`~\\#>|", " ") | {"’": "'", "‘": "'", "“": '"', "”": '"', "«": '"', "»": '"'}
)


def readable(text: str) -> str:
    """Return a text without invisible and private characters, composed."""
    return unicodedata.normalize("NFC", _PRIVATE.sub("", clean_text(text)))


def fold(text: str) -> str:
    """Return ``text`` without case, accents and markdown marks, of the same length."""
    return "".join(map(_folded, text)).translate(_MARKS)


def _folded(character: str) -> str:
    if character.isascii():
        return character.lower()
    return (unicodedata.normalize("NFKD", character)[:1] or character).lower()[:1] or character


def phrase(text: str) -> str:
    """Return a known text as it is looked for: folded, single spaces."""
    return " ".join(fold(readable(text)).split())


def finder(words: str) -> re.Pattern[str]:
    """Return what finds a folded phrase as whole words, whatever spaces and marks stand between them."""
    tokens = _TOKEN.findall(words)
    pattern = "".join(
        (r"" if not number else r"\s+" if _is_word(token) and _is_word(tokens[number - 1]) else r"\s*")
        + re.escape(token)
        for number, token in enumerate(tokens)
    )
    return re.compile(rf"(?<!\w){pattern}(?!\w)")


def _is_word(token: str) -> bool:
    return token[0].isalnum()


def mask_items(folded: str, labels: Sequence[str]) -> str:
    """Put each mention of a label behind its own character, the longest labels first."""
    order = sorted(range(len(labels)), key=lambda index: len(phrase(labels[index])), reverse=True)
    for index in order:
        words = phrase(labels[index])
        if words:
            folded = finder(words).sub(lambda found, at=index: _stand_in(found, at), folded)  # type: ignore[misc]
    return folded


def _stand_in(found: re.Match[str], index: int) -> str:
    return chr(FIRST + index) + FILL * (len(found[0]) - 1)


def hide(folded: str, known: Sequence[str]) -> str:
    """Mask what is known beside the items: reasons, protocols, the operation's name."""
    for words in sorted(filter(None, map(phrase, known)), key=len, reverse=True):
        folded = finder(words).sub(lambda found: HIDDEN * len(found[0]), folded)
    return folded
