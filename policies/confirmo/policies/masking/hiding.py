"""What is left of a text, or of nested data, once nobody can be told from it."""

from collections.abc import Collection, Mapping
from typing import Any, Final

from confirmo.policies.masking.fields import HIDDEN, has_fields, hidden
from confirmo.policies.masking.finding import replaced

MOST_PASSES: Final = 10
"""A bound, so that the time stays proportional to the text."""


def masked(text: str, fields: Collection[str] = ()) -> str:
    """Return a text without personal data; the same where there is none.

    CPF, CNPJ, phone, e-mail and card become ``<cpf>`` and so on, the value of a declared field ``<masked>``. It
    never raises, and masking twice is masking once: what only shows once its neighbour is hidden, as of numbers that
    stand together without a gap, is hidden too.

    Args:
        text: For people to read, never data that goes on.
        fields: Names whose values are personal whatever they look like. They are recognised after the name only.
    """
    for _ in range(MOST_PASSES):
        before, text = text, replaced(hidden(text, fields))
        if text == before:
            break
    return text


def masked_value(value: Any, fields: Collection[str] = ()) -> Any:
    """Return nested data with every text in it masked, and the values of declared fields hidden.

    A whole number that reads like personal data becomes text. What is neither JSON nor a set stands as it is.
    """
    if isinstance(value, str):
        return masked(value, fields)
    if isinstance(value, Mapping):
        return {
            masked_value(key, fields): HIDDEN if has_fields(fields, key) else masked_value(part, fields)
            for key, part in value.items()
        }
    if isinstance(value, list | tuple | set | frozenset):
        return [masked_value(part, fields) for part in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return value if masked(str(value)) == str(value) else masked(str(value))
    return value


def is_personal(text: str) -> bool:
    """Whether a text holds anything that looks like personal data."""
    return masked(text) != text


def plainly_personal(text: str) -> bool:
    """Whether a text holds personal data that can be nothing else: written with its dots, brackets or ``@``."""
    return replaced(text, plain=True) != text
