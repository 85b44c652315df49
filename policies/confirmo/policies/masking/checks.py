"""Check digits: what tells a CPF, a CNPJ or a card from any other number of that length."""

from collections.abc import Sequence
from typing import Final

_CNPJ_WEIGHTS: Final = (6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)


def digits_of(text: str) -> str:
    """Return the digits of a text as ASCII, whatever script they are written in."""
    return "".join(str(int(character)) for character in text if character.isdecimal())


def is_cpf(digits: str) -> bool:
    """Whether eleven digits end in the two check digits of a CPF."""
    return len(digits) == 11 and all(
        _check_digit(digits[:length], range(length + 1, 1, -1)) == int(digits[length]) for length in (9, 10)
    )


def is_cnpj(digits: str) -> bool:
    """Whether fourteen digits end in the two check digits of a CNPJ."""
    return len(digits) == 14 and all(
        _check_digit(digits[:length], _CNPJ_WEIGHTS[13 - length :]) == int(digits[length])
        for length in (12, 13)
    )


def is_card(digits: str) -> bool:
    """Whether digits pass the Luhn check."""
    doubled = [
        int(digit) if index % 2 == 0 else sum(divmod(2 * int(digit), 10))
        for index, digit in enumerate(reversed(digits))
    ]
    return sum(doubled) % 10 == 0


def _check_digit(digits: str, weights: Sequence[int]) -> int:
    rest = sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=True)) % 11
    return 0 if rest < 2 else 11 - rest
