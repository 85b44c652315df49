"""Phrases that say nothing of an outcome: the only ones that may stand where a text names no item.

Without case and accents. What is about a result of one kind only stands in a table of its own.
"""

import re
from enum import StrEnum
from typing import Final


class When(StrEnum):
    """Beside which results a phrase is harmless."""

    COURTESY = "COURTESY"
    """Anywhere, also within a sentence about an item."""
    ALWAYS = "ALWAYS"
    NEWS = "NEWS"
    """Everything was done; also within a sentence about an item."""
    SUCCESS = "SUCCESS"
    """Everything was done."""
    CALM = "CALM"
    """Everything was done, or nothing was executed."""
    UNKNOWN = "UNKNOWN"
    EXPIRED = "EXPIRED"


_HELP: Final = "(?: (?:em|com|de|algo|mais|alguma|coisa|outra|hoje|ajuda|qualquer|duvidas?|por perto)){1,6}"
_HELP_EN: Final = (
    "(?: (?:you|i|we|need|have|can|help|assist|with|anything|else|any|questions?|further|assistance|more|"
    "other|today|do|for)){1,10}"
)
_ABOUT: Final = (
    "(?: (?:d[oae]s?|of|for)(?: (?:seus?|suas?|your|the|this))? (?:pedidos?|solicitac(?:ao|oes)|operac(?:ao|oes)|"
    "cancelamentos?|encerramentos?|devoluc(?:ao|oes)|contestac(?:ao|oes)|trocas?|itens|servicos|requests?|"
    "orders?|cancellations?|operations?|returns?|disputes?|exchanges?|items|services))?"
)
_FOR_WHAT: Final = (
    "(?: (?:pel[oa]s?|por|o|about|for)(?: (?:the|any))? "
    "(?:transtornos?|inconvenientes?|incomodo|isso|that|this|inconvenience|trouble))?"
)
_PATIENCE: Final = "(?:paciencia|compreensao|espera)"
_RESULT: Final = (
    "(?:(?:o|os|a|um|the) )?(?:resultados?|resumo|detalhes|results?|summary|details|outcome)(?: final)?"
    + _ABOUT
)

_PHRASES: Final[dict[When, tuple[str, ...]]] = {
    When.COURTESY: (
        "ola|oi|bom dia|boa tarde|boa noite|hi|hello|hey|hi there|good (?:morning|afternoon|evening)",
        f"(?:muito )?obrigad[oa](?: (?:por (?:aguardar|esperar)|pelo contato|pela {_PATIENCE}))?",
        f"agradec(?:o|emos) (?:o contato|pelo contato|(?:a|pela) {_PATIENCE})",
        "(?:thank you|thanks)(?: (?:so|very) much)?"
        "(?: for (?:your patience|waiting|contacting us|reaching out|your understanding))?",
        f"(?:posso|podemos)(?: (?:te|lhe))? ajudar(?: voce)?(?:{_HELP})?",
        f"(?:precisa|deseja|quer)(?:{_HELP})",
        f"(?:quer|deseja|gostaria) que eu (?:te )?ajude(?:{_HELP})?",
        f"(?:se (?:voce )?(?:precisar|tiver|quiser)|caso (?:voce )?(?:precise|tenha|queira))(?:{_HELP})?",
        "(?:em caso de|qualquer) (?:duvidas?|coisa)",
        "(?:e so|pode|basta) (?:me )?(?:chamar|avisar|falar|dizer)|conte comigo",
        "(?:fico|ficamos|estou|estamos|sigo|seguimos)(?: (?:a|aqui|sua|disposicao|por|para|te|ajudar)){1,5}",
        "tenha (?:um|uma) (?:otim[oa]|bom|boa|excelente) (?:dia|tarde|noite)|ate (?:mais|logo|breve)",
        f"(?:please )?let me know if(?: there(?:'s| is))?{_HELP_EN}",
        f"(?:is there )?anything else(?:{_HELP_EN})?|how (?:else )?can (?:i|we) help(?: you)?",
        f"can (?:i|we) (?:help|assist)(?:{_HELP_EN})?|if you (?:need|have){_HELP_EN}",
        "(?:i am|i'm|we are|we're) (?:here|happy|glad) to help|feel free to (?:ask|reach out|let me know)",
        "have a (?:great|nice|good|wonderful) (?:day|evening)|bye|goodbye",
        "(?:quer|deseja) (?:que eu tente|tentar) (?:novamente|de novo|outra vez)",
        "(?:would you like me to|shall i|should i) try again",
        f"(?:sinto|lamento|sentimos|lamentamos)(?: muito)?{_FOR_WHAT}|infelizmente|unfortunately",
        f"(?:peco|pedimos) desculpas?{_FOR_WHAT}|desculpe{_FOR_WHAT}",
        f"(?:(?:i am|i'm|we are|we're) )?(?:very )?sorry{_FOR_WHAT}|(?:i|we) apologi[sz]e{_FOR_WHAT}|my apologies",
        "(?:(?:como|conforme) (?:voce )?(?:pediu|solicitou|solicitado|pedido)|as (?:you )?(?:requested|asked))",
    ),
    When.ALWAYS: (
        f"(?:(?:aqui (?:esta|estao|vai|vao)|seguem?|eis|confira|veja|here (?:is|are)|here's|below (?:is|are))"
        f"(?: (?:abaixo|below))? )?{_RESULT}(?: (?:abaixo|a seguir|below))?",
        "(?:(?:o|a|os|as|the|your|seus?) )?(?:(?:numeros? d[eo]s? )?protocolos?|protocol(?: number)?)"
        "(?: (?:e|is|sao|are))?",
        "status|situacao|servicos?|itens|item|motivos?|observac(?:ao|oes)|obs|reasons?|services?|items?",
        "(?:anote|guarde|keep|note|save) (?:(?:o|este|esse|seu|the|this|your) )?(?:numero|number|protocolo|protocol)",
        r"(?:(?:sao|foram|they are) )?\d{1,6} (?:de|of|out of) \d{1,6}(?: (?:itens|servicos|items|services))?",
    ),
    When.NEWS: ("(?:boa|otima)s? noticias?|(?:good|great) news",),
    When.SUCCESS: ("pronto|prontinho|certo|perfeito|great|perfect",),
    When.CALM: (
        "tudo bem|sem problemas?|claro|entendi(?:do)?|combinado|okay|of course|no problem|sure|all right",
    ),
    When.UNKNOWN: (
        "(?:(?:please|por favor),? )?(?:verifique|confira|recomend(?:o|amos) (?:verificar|conferir)|check|verify)"
        "(?: (?:isso|it|this))?(?: (?:antes de|before)(?: (?:repetir|repeating|tentar|trying|it|again|novamente|"
        "de novo|pedir|asking)){1,3})?",
        "(?:(?:o|a|the|seu|sua|your) )?(?:pedido|solicitacao|operacao|request|operation) "
        "(?:foi|was) (?:enviad[oa]|sent)",
    ),
    When.EXPIRED: (
        "o prazo(?: para (?:responder|confirmar))? (?:terminou|acabou|expirou)",
        "the time(?: to (?:answer|respond|confirm))? is over|the (?:deadline|time) (?:has )?(?:passed|expired)",
    ),
}


def _compiled(phrases: tuple[str, ...]) -> re.Pattern[str]:
    either = "|".join(f"(?:{each})" for each in phrases).replace(" ", r"[ \t]{1,3}")
    return re.compile(rf"(?<![\w'-])(?:{either})(?![\w'-])")


PHRASES: Final = {when: _compiled(phrases) for when, phrases in _PHRASES.items()}
GREETED: Final = re.compile(
    r"\W*(?:ola|oi|bom dia|boa tarde|boa noite|hi|hello|hey|dear|prezad[oa]|car[oa])\s{0,3},?\s{1,3}([a-z]{2,20})"
    r"(?:\s{0,3},\s{0,3}tudo bem)?[\s,]{0,3}"
)
"""A greeting by a name: one word."""
JOINING: Final = frozenset({"e", "and", "mas", "but"})
FRIENDLY: Final = frozenset("😊🙂👋🙏📋📝📌ℹ⚠✅✔✓☑❌✖✗✘❎❓❔")
"""Symbols that may stand anywhere; what they say of an outcome is read elsewhere."""
GLAD: Final = frozenset("🎉👍😀😃🥳✨")
"""Symbols beside what was all done."""
_FAMILIES: Final = (
    r"cancel\w*|encerr\w+|desativ\w+|remov\w+|terminat\w+|ends?|ended|closed?|deactivat\w+|exclu(?:i|id\w+|sao)|"
    r"retirad\w+",
    r"devol\w+|returns?|returned(?! an? error)",
    r"contest\w+|disput\w+",
    r"troc\w+|alter(?:a|ad|ar|ou|ei|am|ac)\w*|exchang\w+|chang\w+|updat\w+|atualiz\w+",
    r"ativ(?:a|ad\w+|ar|ou|ei|am\w+|ac\w+)|activat\w+|contrat(?:a|ad\w+|ar|ou|ei|am\w+|ac\w+)|adquir\w+",
    r"estorn\w+|reembols\w+|refund\w*",
    r"transfer\w+",
)
FAMILIES: Final = tuple(re.compile(rf"\b(?:{family})\b") for family in _FAMILIES)
"""Words for one kind of operation each: what was cancelled was not returned."""
