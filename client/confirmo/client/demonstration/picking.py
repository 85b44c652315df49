"""A keyword picker in the place of a model: from what a person says to a tool of the examples, in pt-BR and en."""

import re
from typing import Any

from confirmo.client.conversation import ToolCall

_ORDER = re.compile(r"\b(?:PED-\w+|P-\d+|\d{3,})\b", re.IGNORECASE)
_ORDER_WORD = re.compile(r"\b(?:pedidos?|orders?)\b", re.IGNORECASE)
_SERVICE_WORD = re.compile(r"^(?:serviços?|servicos?|services?|subscriptions?|assinaturas?)\b", re.IGNORECASE)
_ARTICLE = re.compile(
    r"^(?:o|a|os|as|um|uma|uns|umas|meu|minha|meus|minhas|the|an?|my)\s+(?=\S)", re.IGNORECASE
)
_AMOUNT = re.compile(r"(?:R\$\s*)?(\d+(?:[.,]\d{2})?)", re.IGNORECASE)
_CHARGE = re.compile(
    r"^(?:cobranças?|cobrancas?|charges?)\b\s*(?:d[eoa]s?\b|for\b|of\b)?\s*(?:the\s+)?", re.IGNORECASE
)
_REASON = re.compile(r"\b(?:porque|pois|because|motivo:?)\s+(.+)$", re.IGNORECASE)
_VERB = re.compile(
    r"\b(?:(?P<cancel>cancel\w*)|(?P<give_back>devolv\w*|return\w*)|(?P<dispute>contest\w*|disput\w*))\b\s*(?P<what>.*)$",
    re.IGNORECASE | re.DOTALL,
)


def pick(message: str) -> ToolCall | None:
    """Return the tool call that a message asks for, null where it asks for none that is known.

    What the message does not say is left out: Confirmo asks for it.
    """
    found = _VERB.search(message.strip().rstrip(".!"))
    if found is None:
        return None
    what = _without_articles(found["what"])
    if found["dispute"]:
        return _dispute(what)
    if found["give_back"]:
        return _give_back(what)
    return _cancel(what)


def _cancel(what: str) -> ToolCall | None:
    orders = [order.upper() for order in _ORDER.findall(what)]
    if len(orders) > 1:
        return ToolCall(tool_name="cancelar_pedidos", arguments={"order_ids": orders})
    if orders or _ORDER_WORD.search(what):
        return ToolCall(tool_name="cancelar_pedido", arguments={"order_id": orders[0]} if orders else {})
    subject = _SERVICE_WORD.sub("", what).strip(" :")
    if not subject and not what:
        return None  # "cancela" alone is an answer
    return ToolCall(tool_name="cancelar_vas_avulso", arguments={"subject": subject} if subject else {})


def _give_back(what: str) -> ToolCall | None:
    order, reason = _ORDER.search(what), _REASON.search(what)
    if order is None and not _ORDER_WORD.search(what):
        return None
    arguments: dict[str, Any] = {"order_id": order[0].upper()} if order else {}
    return ToolCall(
        tool_name="solicitar_devolucao", arguments=arguments | ({"reason": reason[1]} if reason else {})
    )


def _dispute(what: str) -> ToolCall:
    amount = _AMOUNT.search(what)
    subject = _CHARGE.sub("", what[: amount.start()] if amount else what).strip(" ,:")
    subject = re.sub(r"\s+(?:de|of)$", "", subject, flags=re.IGNORECASE)
    arguments = {"subject": subject} if subject else {}
    return ToolCall(
        tool_name="contestar_cobranca", arguments=arguments | ({"valor": amount[1]} if amount else {})
    )


def _without_articles(text: str) -> str:
    return _ARTICLE.sub("", text.strip()).strip()
