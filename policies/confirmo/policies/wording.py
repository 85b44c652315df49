"""Reasons that the workflow itself gives, in pt-BR and en. Questions and answers are in ``questions``."""

_PT = {
    "unknown_tool": "A ferramenta «{tool}» não existe no catálogo.",
    "tool_disabled": "A ferramenta «{tool}» está desativada no catálogo.",
    "target_not_allowed": "A validação indicou a ferramenta «{tool}», que não existe ou está desativada no catálogo.",
    "too_many_hops": "A validação mudou de ferramenta vezes demais; a última indicada foi «{tool}».",
    "requester_required": "A política de «{tool}» exige saber quem fez o pedido (requester).",
    "collecting_expired": "As informações pedidas não chegaram a tempo; nada foi executado.",
    "expired": "Ninguém respondeu à confirmação a tempo; nada foi executado.",
    "rejected": "A pessoa não confirmou; nada foi executado.",
    "cancelled": "A operação foi cancelada.",
    "not_eligible": "A operação não é permitida para este pedido.",
    "not_verified": "A validação não pôde ser feita, por isso a operação não foi oferecida. Tente mais tarde.",
    "too_many_attempts": "As informações continuaram insuficientes após várias tentativas.",
    "nothing_to_do": "Nenhum item restou para ser processado.",
    "nothing_to_undo": "A política desta operação não diz como desfazê-la, ou nada há a desfazer.",
    "too_large": "O pedido é grande demais para uma só operação ({count} itens).",
    "not_executed": "não executado",
}
_EN = {
    "unknown_tool": "The tool «{tool}» is not in the catalogue.",
    "tool_disabled": "The tool «{tool}» is switched off in the catalogue.",
    "target_not_allowed": "Validation pointed at the tool «{tool}», which does not exist or is switched off.",
    "too_many_hops": "Validation changed the tool too often; the last one named was «{tool}».",
    "requester_required": "The policy of «{tool}» needs to know who asked (requester).",
    "collecting_expired": "What was asked for did not come in time; nothing was executed.",
    "expired": "Nobody answered the question in time; nothing was executed.",
    "rejected": "The person did not confirm; nothing was executed.",
    "cancelled": "The operation was cancelled.",
    "not_eligible": "The operation is not allowed for this request.",
    "not_verified": "Validation could not be done, so the operation was not offered. Try again later.",
    "too_many_attempts": "The information stayed insufficient after several attempts.",
    "nothing_to_do": "No item was left to be processed.",
    "nothing_to_undo": "The policy of this operation does not say how to undo it, or there is nothing to undo.",
    "too_large": "The request is too large for one operation ({count} items).",
    "not_executed": "not executed",
}


def say(key: str, locale: str, **values: str) -> str:
    """Return one sentence in ``locale`` (``en``, everything else is pt-BR)."""
    table = _EN if locale.lower().startswith("en") else _PT
    return table[key].format(**values)
