"""What people read, in pt-BR and English: one catalogue of sentences per locale, and how texts are shown."""

from confirmo.policies.texts.cleaning import clean_text, is_blank, one_line
from confirmo.policies.texts.language import (
    CONVERSATION_KEYS,
    LOCALES,
    Language,
    Locale,
    catalogue,
    is_portuguese,
    language_code,
    operation_nouns,
)

__all__ = [
    "CONVERSATION_KEYS",
    "LOCALES",
    "Language",
    "Locale",
    "catalogue",
    "clean_text",
    "is_blank",
    "is_portuguese",
    "language_code",
    "one_line",
    "operation_nouns",
]
