"""What a text seems to name beside the items that there are."""

import re
from collections.abc import Iterator
from typing import Final

from confirmo.policies.checking.clauses import Clause
from confirmo.policies.checking.folding import FILL, fold

_WORDS: Final = """
    a o as os um uma de do da dos das em no na nos nas e ou que com para por pelo pela seu sua seus suas este
    esta esse essa isso ele ela eles elas todos todas tudo ambos nenhum nenhuma nada item itens servico
    servicos pedido pedidos operacao operacoes solicitacao cancelamento encerramento devolucao contestacao
    troca lista resultado resultados status situacao motivo razao protocolo protocolos observacao atencao
    infelizmente pronto certo ola oi bom boa informo segue seguem conforme quanto sobre ja tambem foi foram
    fui estao nao sim houve ocorreu outro outra outros demais restante apenas so somente total resumo parte
    etapa aviso notificacao mensagem cliente sistema processamento execucao confirmacao consegui conseguimos
    eu the an your my our it its they them this that these those all both everything none nothing of for with
    and or to in on by items service services order orders operation operations request requests cancellation
    results result reason note unfortunately done okay ok hi hello here is are was were has have been had be
    not yes other others rest remaining only summary step notice notification message customer system
    processing i we some one two three four five six seven eight nine ten dois duas tres quatro cinco seis
    sete oito nove dez alguns algumas verifique check please favor however also sucesso falha falhas falhou
    erro concluido concluidos cancelado cancelados succeeded failed unknown desconhecido success you user
    usuario voce foi-lhe
"""
EVERYDAY: Final = frozenset(_WORDS.split())
"""Words with which a sentence may begin without naming anything."""
_NAME: Final = re.compile(r"[^\W\d_][\w+'-]*(?:[ \t]+(?:de |da |do |of )?[^\W\d_][\w+'-]*)*")
_WORD: Final = re.compile(r"[^\W\d_][\w'-]*")


def strange_names(clause: Clause, original: str, known: set[str]) -> Iterator[str]:
    """Return the capitalised words of a clause that says what happened, where they are not known.

    Args:
        clause: The clause.
        original: The whole text, place by place the same as the folded one.
        known: Folded words that the result itself uses.
    """
    if not clause.cues:
        return
    taken = [(cue.start, cue.end) for cue in clause.cues]
    run: list[str] = []
    at_start = True
    for found in _WORD.finditer(clause.text):
        place = clause.start + found.start()
        word = original[place : place + len(found[0])]
        fresh = at_start or clause.text[: found.start()].rstrip(" \t\"'")[-1:] in (":", "(", "-", "–", "—")
        at_start = False
        inside = any(start <= place < end for start, end in taken)
        plain = found[0] in EVERYDAY or found[0] in known
        if word[:1].isupper() and not inside and not plain and not (fresh and clause.mentions):
            run.append(word)
            continue
        if run:
            yield " ".join(run)
        run = []
    if run:
        yield " ".join(run)


def longer_names(clause: Clause, original: str) -> Iterator[str]:
    """Return what goes on behind a mention with a capital: the name of something else, perhaps."""
    for place, _ in clause.mentions:
        end = place + 1
        inner = clause.text[end - clause.start :]
        end += len(inner) - len(inner.lstrip(FILL))
        found = re.match(r"[ \t]+([^\W\d_][\w'-]*)", original[end : clause.start + len(clause.text)])
        if found and found[1][0].isupper() and fold(found[1]) not in EVERYDAY and not found[1].isupper():
            yield f"{original[place:end]} {found[1]}"


def unknown_subject(clause: Clause, known: set[str]) -> str | None:
    """Return the first word of a clause without mention, where nothing generic begins so."""
    found = _WORD.search(clause.text)
    if found is None or found[0] in EVERYDAY or found[0] in known:
        return None
    inside = any(cue.start <= clause.start + found.start() < cue.end for cue in clause.cues)
    return None if inside else found[0]


_BESIDE_A_YES: Final = """
    hoje agora mesmo imediatamente automaticamente corretamente devidamente normalmente definitivamente
    solicitado solicitada solicitados solicitadas pediu solicitou conforme como numero n codigo comprovante
    perfeito otimo bem certo voce foi-lhe assim junto alem cada qual seguintes seguinte abaixo exceto menos
    salvo desses deles delas destes dele dela ao aos fim final ambas mesma id ref now today already
    immediately automatically correctly permanently asked requested per number code reference following below
    each except apart from than them out us well along as at there too just protocol protocols then depois
    entao em seguida afterwards
    """
BESIDE: Final = (
    EVERYDAY - {"nao", "not", "no", "nada", "nothing", "none", "outro", "outra", "outros"}
) | frozenset(_BESIDE_A_YES.split())
_ONLY: Final = re.compile(
    r"\b(?:nao (?:so|apenas|somente)|not only|mas nao|e nao|but not|and not|in addition)\b"
)


def beside_a_yes(clause: Clause, known: set[str]) -> list[str]:
    """Return the words of a clause that nobody declared harmless beside a success: any of them may take it back."""
    text = _ONLY.sub(lambda found: " " * len(found[0]), clause.text)
    quoted = [
        clause.text[cue.start - clause.start - 1 : cue.start - clause.start] == '"' for cue in clause.cues
    ]
    strange = [
        found[0]
        for found in _WORD.finditer(text)
        if found[0] not in BESIDE
        and found[0] not in known
        and not any(cue.start <= clause.start + found.start() < cue.end for cue in clause.cues)
    ]
    return strange or (['"'] if any(quoted) else [])
