"""Words by which a text says what happened, in Portuguese and English, without case and accents.

They are looked for from the most specific to the least: what one pattern has taken, no other one sees.
"""

import re
from enum import StrEnum
from typing import Final


class Said(StrEnum):
    """What a place in a text says."""

    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    UNKNOWN = "UNKNOWN"
    UNCLEAR = "UNCLEAR"
    """A future, a condition, a guess."""
    NO_FAILURE = "NO_FAILURE"
    """"Sem erros": says of an item nothing by itself."""
    NOT_ALL = "NOT_ALL"
    NONE = "NONE"
    """Nothing at all was done."""
    UNDONE = "UNDONE"
    NOT_UNDONE = "NOT_UNDONE"
    UNDO_UNKNOWN = "UNDO_UNKNOWN"


OUTCOMES: Final = (Said.SUCCEEDED, Said.FAILED, Said.UNKNOWN, Said.UNCLEAR)

_DONE_PT: Final = (
    r"(?:(?:cancelad|concluid|realizad|efetuad|executad|desativad|removid|encerrad|devolvid|contestad|"
    r"trocad|alterad|"
    r"processad|finalizad|excluid|efetivad|completad|confirmad|ativad|resolvid|estornad|reembolsad|retirad|"
    r"atendid|aplicad|atualizad|contratad|transferid|feit|bem[- ]sucedid)[oa]s?|"
    r"(?:cancel|desativ|encerr|realiz|efetu|execut|contest|alter|finaliz|process|complet)(?:ei|amos|ou|aram)|"
    r"conclui(?:mos|u|ram)?|remov(?:i|emos|eu|eram)|devolv(?:i|emos|eu|eram)|troquei|trocamos|trocou|"
    r"funcionou|funcionaram|deu certo|deram certo|sucesso|exito|fiz|fizemos)"
)
_DONE_EN: Final = (
    r"(?:cancell?ed|completed|done|succeeded|successful(?:ly)?|success|removed|deactivated|terminated|"
    r"closed|returned|"
    r"refunded|processed|executed|carried out|went through|gone through|finished|disputed|exchanged|changed|"
    r"updated|"
    r"confirmed|ended|worked)"
)
DONE: Final = rf"(?:{_DONE_PT}|{_DONE_EN}|ok)"
_DO: Final = (
    r"(?:cancelar|concluir|realizar|efetuar|executar|remover|desativar|encerrar|devolver|contestar|alterar|trocar|"
    r"finalizar|processar|completar|fazer|cancelamento|cancel|complete|remove|deactivate|terminate|close|"
    r"return|refund|"
    r"process|execute|carry out|finish|dispute|exchange|change|update|cancellation)"
)
_UNDO: Final = (
    r"(?:desfeit[oa]s?|desfazer|desfizemos|desfiz|revertid[oa]s?|reverter|reativad[oa]s?|undone|undo|"
    r"reverted|rolled back|"
    r"reinstated)"
)
_NOT: Final = (
    r"(?:nao(?! (?:apenas|so|somente)\b)|nem|nunca|jamais|sem|not(?! only\b)|\w+n't|never|cannot|unable to|"
    r"failed to|ninguem|nobody|no one|no (?:fue|fueron|se|pudo|ha|han)\b)"
)
# A few words of the same clause, without crossing to another one.
_GAP: Final = r"(?:[^\w,;:.!?\n]+\w+){0,5}?[^\w,;:.!?\n]+"
_FEW: Final = r"(?:[^\w,;:.!?\n]+\w+){0,3}?[^\w,;:.!?\n]+"
# Bounded, so that no text takes long.
_REST: Final = r"[^.;\n]{0,200}?"
_CLOSE: Final = r"[^.;,\n]{0,200}?"
_WHETHER: Final = rf"(?:[^.;\n]{{0,30}}?\b(?:se|if|whether)\b{_REST}\b(?:{DONE}|{_DO}))?"
_FAULT: Final = r"(?:falh\w*|erros?|problemas?|fail\w*|errors?|issues?|problems?)"
_ALL: Final = r"(?:todos|todas|tudo|ambos|ambas|all|everything|both|every)"
_SURE: Final = (
    r"(?:sei|sabe|sabemos|saber|soube|certeza|claro|confirm\w*|verific\w+|apur\w+|determin\w+|know|knows|"
    r"known|sure|certain|"
    r"tell|clear|verif\w+)"
)
_TO_BE: Final = r"(?:ser|serem|seja|sejam|fosse|fossem|sera|serao|seria|seriam|sendo|be|being)"

_PATTERNS: Final = (
    (Said.UNDO_UNKNOWN, rf"\b{_NOT}{_GAP}{_SURE}{_REST}\b{_UNDO}\b"),
    (Said.NOT_UNDONE, rf"\b{_NOT}{_GAP}{_UNDO}\b"),
    (Said.UNDONE, rf"\b{_UNDO}\b"),
    (Said.NOT_ALL, rf"\b(?:nem|nao|not)\W+{_ALL}\b(?:{_CLOSE}\b{DONE}\b)?"),
    (
        Said.NO_FAILURE,
        rf"\b(?:sem|without|no|nenhum\w*|zero|nao|not|\w+n't)\W+(?:(?:houve|teve|ocorreu|ocorreram|deu|"
        rf"qualquer|nenhum\w*|"
        rf"any|have|has|had|a|um|uma|item|itens|items?|servicos?|services?)\W+)*{_FAULT}\b",
    ),
    (Said.UNKNOWN, rf"\b(?:pode|podem|may|might) (?:ou nao|or may not|or might not)\b{_REST}\b{DONE}\b"),
    (Said.UNKNOWN, rf"\b(?:pode|podem|may|might|could)\W+(?:have|ter|terem)\b{_CLOSE}\b{DONE}\b"),
    (Said.UNKNOWN, rf"\b(?:talvez|maybe|perhaps)\b{_CLOSE}\b{DONE}\b"),
    (Said.UNKNOWN, rf"\b(?:{_NOT}|no){_FEW}{_SURE}\b{_WHETHER}"),
    (
        Said.UNKNOWN,
        r"\b(?:desconhecid[oa]s?|incert[oa]s?|indefinid[oa]s?|inconclusiv[oa]s?|indeterminad[oa]s?|unknown|"
        r"unclear|uncertain|"
        rf"inconclusive|undetermined|unconfirmed|unverified)\b{_WHETHER}",
    ),
    (Said.UNKNOWN, "[\u2753\u2754]"),
    (  # a no to a no, and a no to what would be one: "não deixou de ser", "não foi só", "não continua ativo"
        Said.UNCLEAR,
        r"\b(?:nao|not|never|nunca|jamais|\w+n't)(?:(?: \w+){0,2} (?:nao|not|deix\w+ de)|"
        r"(?: \w+){1,2} (?:apenas|somente|so|only|just|merely))\b(?: \w+){0,3}|"
        r"\b(?:(?:nao|not|\w+n't)|falh\w+ (?:em|ao)|fail\w* to) "
        r"(?:continu\w+|permanec\w+|segu\w+|ficar|remain|stay)\b(?: ativ\w+| active)?",
    ),
    (
        Said.NONE,
        rf"\b(?:nenhum|nenhuma|nada|none|nothing|neither|no (?:items?|services?|"
        rf"orders?))\b{_CLOSE}\b(?:{DONE}|{_DO})\b",
    ),
    (
        Said.FAILED,
        rf"\b{_NOT}{_GAP}(?:{DONE}|{_DO}|encontrad[oa]s?|encontrei|encontramos|encontrou|localizad[oa]s?|"
        rf"localizei|localizamos|"
        r"identificad[oa]s?|enviad[oa]s?|existem?|elegive(?:l|is)|possivel|certo|found|find|located|sent|"
        r"eligible|possible|"
        rf"exists?|work|go through|able)\b(?:\W+(?:com sucesso|successfully|{_DO}|{DONE})\b)*",
    ),
    (
        Said.FAILED,
        r"\breturned an? error\b|\bsem (?:sucesso|exito)\b|\b(?:deu errado|impossivel|impossible)\b",
    ),
    (
        Said.FAILED,
        r"\b(?:falh\w+|erros?|recusad[oa]s?|rejeitad[oa]s?|negad[oa]s?|malsucedid[oa]s?|inelegive(?:l|is)|"
        r"inexistentes?|"
        r"fail(?:ed|ure|ures|s)?|errors?|refused|declined|rejected|denied|unsuccessful(?:ly)?|ineligible|"
        r"(?:continuam?|permanecem?|seguem?|ainda) (?:esta |estao )?ativ[oa]s?|(?:remains?|still|"
        r"stays?) (?:is |are )?active)\b",
    ),
    (Said.FAILED, r"\b(?:nao consegu\w+|nao pude|nao pode(?:mos)?|could not|couldn't|unable)\b"),
    (
        Said.FAILED,
        r"\b(?:nao|not|\w+n't)(?:\W+(?:foi|foram|deu|was|were|did|has|have|could|"
        r"been))*(?=[^\w,\ue000-\uf8fd]*(?:$|[,;.!\n]))",
    ),
    (Said.FAILED, "[\u274c\u2716\u2717\u2718\u274e]"),
    (Said.UNCLEAR, rf"\b{_TO_BE}\W+(?:\w+\W+)??{DONE}\b"),
    (Said.UNCLEAR, rf"\b(?:vou|vai|vamos|vao|will|going to|would|should)\W+(?:\w+\W+)??(?:{_DO}|{DONE})\b"),
    (
        Said.UNCLEAR,
        rf"\b(?:ja )?(?:estava|estavam|esteve)\W+(?:\w+\W+)??{DONE}\b|\b(?:was|were|had been) already {DONE}\b",
    ),
    (
        Said.UNCLEAR,
        r"\b(?:em andamento|em processamento|pendentes?|aguardando|agendad[oa]s?|in progress|pending|"
        r"processing|awaiting|"
        r"scheduled|provavelmente|possivelmente|aparentemente|parecem?|acho que|acredito|devem? ter|"
        r"deveriam?|probably|likely|"
        r"apparently|seems?|appears?|presumably|should have|quase|almost|nearly|parcial|parcialmente|"
        r"partial|partially|pela metade|em parte|half|supostamente|supposedly|allegedly|em tese|in theory|"
        r"desde que|contanto que|provided that|as long as|assuming|supposed)\b",
    ),
    (Said.UNCLEAR, r"^\W*(?:se|caso|if|unless|quando|when|assim que|once|as soon as)\b"),
    (
        Said.SUCCEEDED,
        rf"\b(?:consegu(?:i|imos|iu)|foi possivel|managed to|was able to|were able to){_FEW}{_DO}\b",
    ),
    (
        Said.SUCCEEDED,
        rf"\b{DONE}\b|(?<=\btudo )certo\b|(?<=\ball )(?:good|set|fine|right)\b|"
        r"\b(?:went|is|was|are|were) (?:all )?(?:fine|well|good|right|set)\b",
    ),
    (Said.SUCCEEDED, "[\u2705\u2714\u2713\u2611]"),
)
PATTERNS: Final = tuple((said, re.compile(pattern)) for said, pattern in _PATTERNS)
EVERY: Final = re.compile(rf"\b{_ALL}\b")
OTHERS: Final = re.compile(r"\b(?:demais|outr[oa]s|restantes?|others?|rest|remaining)\b")
EXCEPT: Final = re.compile(
    r"\b(?:exceto|menos|salvo|com excecao|em vez d[eoa]s?|ao inves d[eoa]s?|except|apart from|other than|"
    r"instead of|rather than|"
    r"but not|mas nao|e nao|and not)\b|\b(?:nao|not)\s+(?:[oa]s? |the )?(?=[\ue000-\uf000])"
)
LIKEWISE: Final = re.compile(
    r"\b(?:tambem|assim como|bem como|igualmente|junto com|as well|too|also|as was|likewise|along with)\b"
)
