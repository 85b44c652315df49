"""Small things that every tool says in pt-BR."""

from collections.abc import Sequence


def enumerate_names(names: Sequence[str]) -> str:
    """Join names as a person would: ``A, B e C``."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} e {names[-1]}"
