"""Reasons that the workflow itself gives. Questions and answers are in ``questions``."""

from confirmo.policies.texts import Locale, catalogue


def say(key: str, locale: Locale, **values: str) -> str:
    """Return one sentence in ``locale`` (``en``, everything else is pt-BR)."""
    return catalogue(locale)[f"workflow_{key}"].format(**values)
