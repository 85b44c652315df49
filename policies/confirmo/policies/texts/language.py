"""Which sentences are said: those of a locale, with a deployment's own in their place."""

from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from confirmo.policies.texts import en, pt_BR
from confirmo.policies.tool_spec import TextOverrides

_TEXTS: Final = MappingProxyType({"en": en.TEXTS, "pt-BR": pt_BR.TEXTS})
_NOUNS: Final = MappingProxyType({"en": en.OPERATION_NOUNS, "pt-BR": pt_BR.OPERATION_NOUNS})
_NONE: Final = TextOverrides()
LOCALES: Final = tuple(_TEXTS)
"""The locales that have a catalogue."""

CONVERSATION_KEYS: Final = ("reply_", "turn_")
"""Beginnings of the keys that only a conversation says, never the workflow."""


@dataclass(frozen=True)
class Language:
    """A locale with a deployment's own texts.

    Attributes:
        locale: As a request names it.
        own: What stands in place of the built-in texts.
    """

    locale: str
    own: TextOverrides = _NONE


Locale = str | Language
"""A locale alone means its built-in texts."""


def is_portuguese(locale: Locale) -> bool:
    """Tell whether ``locale`` is read as pt-BR: everything is, except what begins with ``en``."""
    name = locale if isinstance(locale, str) else locale.locale
    return not name.strip().lower().startswith("en")


def language_code(locale: Locale) -> str:
    """Return which of ``LOCALES`` a locale is read as."""
    return "pt-BR" if is_portuguese(locale) else "en"


def catalogue(locale: Locale) -> Mapping[str, str]:
    """Return the sentences of ``locale``; an unknown locale gets the default, pt-BR."""
    texts = _TEXTS[language_code(locale)]
    if isinstance(locale, str) or not locale.own.texts:
        return texts
    return ChainMap(locale.own.texts, dict(texts))


def operation_nouns(locale: Locale) -> tuple[tuple[str, str], ...]:
    """Return ``(beginning of a tool name, its noun with article)`` pairs, the first match wins."""
    nouns = _NOUNS[language_code(locale)]
    return nouns if isinstance(locale, str) else (*locale.own.operation_nouns, *nouns)
