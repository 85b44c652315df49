"""What people read, in pt-BR and English: one catalogue of sentences per locale, and how texts are shown."""

from collections.abc import Mapping

from confirmo.policies.texts import en, pt_BR
from confirmo.policies.texts.cleaning import clean_text, is_blank, one_line

__all__ = ["catalogue", "clean_text", "is_blank", "is_portuguese", "one_line", "operation_nouns"]


def is_portuguese(locale: str) -> bool:
    """Tell whether ``locale`` is read as pt-BR: everything is, except what begins with ``en``."""
    return not locale.strip().lower().startswith("en")


def catalogue(locale: str) -> Mapping[str, str]:
    """Return the sentences of ``locale``; an unknown locale gets the default, pt-BR."""
    return pt_BR.TEXTS if is_portuguese(locale) else en.TEXTS


def operation_nouns(locale: str) -> tuple[tuple[str, str], ...]:
    """Return ``(beginning of a tool name, its noun with article)`` pairs, the first match wins."""
    return pt_BR.OPERATION_NOUNS if is_portuguese(locale) else en.OPERATION_NOUNS
