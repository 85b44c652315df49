"""The customer's services: which there are, and what a person means who names some."""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import Literal

Category = Literal["avulso", "estrategico", "bundle", "plano"]


@dataclass(frozen=True, slots=True)
class Service:
    """One service on the customer's bill.

    Attributes:
        code: The operator's own, part of protocols.
        price: In reais per month.
        aliases: Other names that mean exactly this one.
        refusal: What the operator's system says when it is cancelled, although it is on the bill; null for
            "done".
    """

    code: str
    name: str
    price: float
    category: Category = "avulso"
    aliases: tuple[str, ...] = ()
    refusal: str | None = None


SERVICES = (
    Service("101", "TIM Fashion Mensal", 10.00, aliases=("TIM Fashion",)),
    Service("102", "Aya Audiobooks Premium", 12.90, aliases=("Aya Audiobooks",), refusal="not_found"),
    Service("103", "Neymar Jr", 9.90),
    Service("104", "Tamboro Mensal", 14.99, aliases=("Tamboro",)),
    Service("105", "Paramount+", 18.90, aliases=("Paramount", "Paramount Plus"), refusal="service_not_found"),
    Service("106", "Banca Jornais e Revistas", 11.90, aliases=("Jornais e Revistas",)),
    Service("201", "Youtube Premium", 24.90, "estrategico", aliases=("youtube",)),
    Service("301", "TIM Segurança", 19.90, "bundle"),
    Service("302", "Caixa Postal", 0.00, "bundle"),
    Service("401", "TIM CTRL Redes Sociais 8.0", 71.99, "plano"),
)

_GENERATED = re.compile(r"VAS-(\d{5})", re.IGNORECASE)
_SEPARATOR = re.compile(r'("[^"]*"|“[^”]*”)|([,;\n]+\s*(?:e\s+|and\s+)?|\s+(?:e|and|&)\s+)', re.IGNORECASE)
_FILLER = frozenset(
    {"a", "o", "as", "os", "do", "da", "de", "dos", "das", "meu", "minha", "servico", "servicos"}
)
_EVERYTHING = frozenset({"tudo", "todos", "todas"})
_LONGEST_NAME = 3
"""Most parts that one name may fall into at separators ("Banca Jornais e Revistas" is two)."""


def resolve(text: str) -> tuple[Service, ...]:
    """Return the services that a name may mean: none, the one, or several.

    A full name or alias is exact. Otherwise every word of the text must be in the service's name; ``tudo``
    and ``todos`` mean each of them, and are thus never clear. ``VAS-10000`` to ``VAS-99999`` exist for large
    batches.
    """
    if generated := _GENERATED.fullmatch(text.strip()):
        return (_generated(generated[1]),) if generated[1] >= "10000" else ()
    words = _words(text)
    if exact := _exact().get(" ".join(words)):
        return (exact,)
    telling = {word for word in words if word not in _FILLER}
    if telling & _EVERYTHING:
        return SERVICES
    return tuple(service for service in SERVICES if telling and telling <= set(_words(service.name)))


def split(expression: str) -> list[str]:
    """Split an expression such as ``TIM Fashion, Aya Audiobooks e Neymar Jr`` into names, in order.

    Commas, semicolons, line ends and a standing ``e``, ``and`` or ``&`` separate; quotes keep a part whole,
    and so does a known name that contains a separator.
    """
    pieces = _pieces(expression)
    names: list[str] = []
    start = 0
    while start < len(pieces):
        size = next((n for n in range(_LONGEST_NAME, 1, -1) if _is_known(pieces[start : start + n])), 1)
        names.append(_joined(pieces[start : start + size]))
        start += size
    return [name for name in (name.strip() for name in names) if name]


def _pieces(expression: str) -> list[tuple[str, str]]:
    """Return ``(separator before, text)`` pairs; a quoted part is a text of its own."""
    pieces: list[tuple[str, str]] = []
    separator, position = "", 0
    for match in _SEPARATOR.finditer(expression):
        pieces.append((separator, expression[position : match.start()]))
        separator, position = match.group(), match.end()
        if match[1]:
            pieces.append(("", match[1][1:-1]))
            separator = ""
    pieces.append((separator, expression[position:]))
    return [(separator, text) for separator, text in pieces if text.strip()]


def _joined(pieces: list[tuple[str, str]]) -> str:
    return pieces[0][1] + "".join(separator + text for separator, text in pieces[1:])


def _is_known(pieces: list[tuple[str, str]]) -> bool:
    return len(pieces) > 1 and " ".join(_words(_joined(pieces))) in _exact()


@cache
def _exact() -> dict[str, Service]:
    return {
        " ".join(_words(name)): service for service in SERVICES for name in (service.name, *service.aliases)
    }


def _generated(digits: str) -> Service:
    return Service(digits, f"VAS-{digits}", 1.00)


def _words(text: str) -> list[str]:
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return re.findall(r"[a-z0-9+]+", plain.casefold())
