"""Real-life replies in both languages, and what each must do. No false confirm is tolerated."""

import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from confirmo.policies.replies import (
    NamedItem,
    OpenQuestion,
    Reply,
    ReplyKind,
    ReplyReason,
    read_reply,
    words_en,
    words_pt,
)
from confirmo.policies.replies.tokens import fold
from confirmo.policies.texts import en, pt_BR

CANCEL = OpenQuestion(
    "cancelar_vas_avulso",
    (
        NamedItem("t", "TIM Fashion Mensal"),
        NamedItem("a", "Aya Audiobooks Premium"),
        NamedItem("b", "Bancah Premium Kids"),
        NamedItem("x", "Fora do Ar", eligible=False),
    ),
)
RETURN = OpenQuestion(
    "devolver_encomendas", tuple(NamedItem(f"ENC-700{n}", f"ENC-700{n}") for n in (1, 2, 3))
)
ORDER = OpenQuestion("cancelar_pedido", names=("PED-1001",))
VALUE = OpenQuestion("cancelar_pedido", asks_value=True)

PAGE = Path(__file__).parents[2] / "docs" / "conversation.md"

# Question, what the person means, and the replies, one per "|". Where the reading is another word than what the person
# means, it stands behind "=>": always a stricter one.
TABLE: list[tuple[OpenQuestion, str, str]] = [
    (
        CANCEL,
        "confirm",
        "sim|SIM|Sim.| sim |sim!|Siiiim|siim!!!|sim sim|sim, por favor|sim, obrigada|sim 👍|Sim, confirmo|confirmo|"
        "Confirmado!|eu confirmo|claro|claro que sim|com certeza|com certeza!|pode sim|pode fazer|pode prosseguir|"
        "pode confirmar|sim, pode cancelar|sim, cancela|sim, pode cancelar todos|confirmo o cancelamento|"
        "sim, confirmo o cancelamento|sim, os três|sim, todos|sim, quero|sim, quero cancelar|ok, confirmo|"
        "tá bom, sim|sem dúvida|autorizo|de acordo|concordo|prossiga|afirmativo|'sim'|*sim*|ｓｉｍ|SÍM|"
        "sim\u200b|yes|Yes.|YES!|yess|yes please|yes, please|yep|yeah|yup|I confirm|confirmed|of course|go ahead|"
        "please go ahead|yes, go ahead|absolutely|definitely|yes, cancel it|yes, all of them|yes, all three|do it|"
        "sure, go ahead|proceed|bom dia, sim|oi, sim, por favor|"
        "sim, TIM Fashion Mensal, Aya Audiobooks Premium, Bancah Premium Kids|"
        "pode => unclear|isso mesmo => unclear|beleza => unclear|ok => unclear|okay => unclear|sure => unclear|"
        "👍 => unclear|s => unclear|bora => unclear|pode cancelar => unclear|manda ver => unclear|"
        "that's right => unclear|sounds good => unclear|tá certo => unclear|sim... => unclear",
    ),
    (
        CANCEL,
        "reject",
        "não|nao|NÃO|na\u0303o|Não.|nãããão|não!|não, obrigado|não confirmo|não quero confirmar|de jeito nenhum|"
        "nem pensar|com certeza não|claro que não|melhor não|prefiro não|deixa pra lá|esquece|desisto|"
        "mudei de ideia|não cancela|não cancele|não quero cancelar|negativo|nunca|não não|não, deixa quieto|no|"
        "No.|nope|no thanks|no, thank you|don't|don't do it|do not cancel|don't cancel it|never mind|forget it|"
        "absolutely not|of course not|no way|i changed my mind|👎|ok, esquece|não, quero ver minha fatura|"
        "esquece, quero ver minha fatura|never mind, show me my invoice|não, cancela => unclear",
    ),
    (
        CANCEL,
        "amend",
        "tira o segundo|tira a Aya|só o Aya|inclui também o Neymar Jr|remove number 2|only the first two|"
        "sim, mas só o primeiro|tira o terceiro, por favor|pode tirar o último|tudo menos o Aya|todos menos o último|"
        "apenas o TIM Fashion Mensal|somente os dois primeiros|quero cancelar só o Aya|"
        "quero cancelar também o TIM Music|adiciona o Neymar Jr|inclua Neymar Jr e Tom Cavalcante|"
        "e o Neymar Jr também|não, só o primeiro|não, tira o segundo|remove o Bancah e inclui o Neymar Jr|"
        "deixa o Aya de fora|tira o número 1|exceto o Bancah|remove the last one|remove the 2nd|drop the second|"
        "just the first|all but the last|everything except Aya|add Neymar Jr|also add Neymar Jr|"
        "include Neymar Jr as well|leave Aya out|without the third|yes, but only the first one|no, only Aya|"
        "pode tirar o segundo?|can you remove the second?|sim, mas tira o Aya|sim, e cancela também meu plano|"
        "só o primeiro e o terceiro|"
        "tira o 1o e o 2o|tira 2 => unclear|sim, cancela o Aya => unclear|o Aya => unclear",
    ),
    (
        CANCEL,
        "unclear",
        "|   |sim, todos menos um|yes, all but one|sim, pode ser|sim nem não|confirmo nada|confirma o valor|i said yes|"
        "simulação|sintoma|s1m|🤔|1|sim?|não?|ok?|yes?|yesterday|nossa|cancela|Cancelar|cancele|cancel|"
        "não sei|sei lá|talvez|acho que sim|depende|maybe|I guess so|I think so|not sure|i don't know|dunno|"
        "pode, mas antes consulta o valor|pode, mas antes...|sim, se for de graça|sim, desde que não cobre multa|"
        "yes, if it is free|yes but wait|sim, mas espera|sim e também quero ver minha fatura|"
        "ok, quero mudar a lista|yes and show me my invoice|sim, não|não, sim|"
        "sim não|yes no|não deixa de cancelar|não é que eu não queira|claro, claro|até parece|yeah right|yeah yeah|"
        "sim 🙄|sim kkkk|sim, só que não|yes lol|s̶i̶m̶|~sim~|sim/não|sim, a|sim, os dois|yes, that|"
        "sim, cancela o cancelamento|sim, cancela a operação|pode cancelar a operação sim|"
        "confirmo, cancela essa operação|yes, cancel the cancellation|yes, cancel the operation|"
        "sim, pode cancelar essa solicitação|"
        "não, pode|agora não|espera|hmm|tira o Premium|tira o décimo|tira o Netflix|tira o Fora do Ar|tira todos|"
        "inclui o Aya Audiobooks Premium|sim amanhã|sim, por enquanto|só se for amanhã|sim, entendi|remove two|"
        "sim, tanto faz|please|obrigado|só os três primeiros|so|yes, the other one",
    ),
    (
        CANCEL,
        "other",
        "nada feito ainda?|mas qual é o valor?|quanto vou pagar de multa?|what happens to my data?|"
        "quero ver minha fatura|preciso falar com um atendente|show me my invoice|i want to change my plan|"
        "quero cancelar o meu plano",
    ),
    (
        RETURN,
        "confirm",
        "sim|sim, pode devolver|sim, devolve tudo|confirmo a devolução|sim, confirmo a devolução|yes, return them|"
        "pode devolver => unclear",
    ),
    (
        RETURN,
        "reject",
        "não|cancela|cancelar|cancele|não, cancele|não, cancela|não devolve|cancel|não quero mais",
    ),
    (RETURN, "amend", "tira o 7002|só a ENC-7001|remove ENC-7003|inclui a ENC-7004|sem a segunda"),
    (RETURN, "unclear", "sim, cancela|não cancela|tira a 700|sim, a ENC-7001|o primeiro"),
    (ORDER, "confirm", "sim|sim, o PED-1001|sim, cancela o PED-1001"),
    (ORDER, "unclear", "PED-1001|é o PED-2|sim, o PED-2|tira o PED-1001|cancela o PED-1001"),
    (VALUE, "provide", "PED-1001|o pedido PED-1001|71,99|não lembro o nome, acho que é Aya"),
    (VALUE, "reject", "cancela|deixa pra lá|esquece|desisto|never mind|esquece, quero ver minha fatura"),
    (VALUE, "unclear", "|não sei|sim|ok|não"),
    (VALUE, "other", "onde acho o número?|quero ver minha fatura"),
]
Row = tuple[OpenQuestion, str, str, str]


def rows() -> list[Row]:
    found = []
    for question, meant, replies in TABLE:
        for entry in replies.split("|"):
            text, _, must = entry.partition(" => ")
            found.append((question, text, meant, must or meant))
    return found


ROWS = rows()


@pytest.mark.parametrize(("question", "text", "meant", "must"), ROWS)
def test_a_reply_does_what_it_must(question: OpenQuestion, text: str, meant: str, must: str) -> None:
    assert read_reply(text, question).kind == must


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_no_form_of_any_reply_confirms_that_is_not_meant_so(form: str) -> None:
    for question, text, meant, _ in ROWS:
        for written in (text, text.upper(), f"  {text}\n"):
            reply = read_reply(unicodedata.normalize(form, written), question)
            assert meant == "confirm" or reply.kind is not ReplyKind.CONFIRM, written


def test_no_yes_survives_what_stands_behind_it() -> None:
    yes = [text for _, text, _, must in ROWS if must == "confirm"]
    tails = [
        "não",
        "mas",
        "se der",
        "amanhã",
        "?",
        "kkk",
        "🤔",
        "e o resto",
        "quero ver a fatura",
        "but",
        "xyz",
        "...",
    ]
    for text in yes:
        for tail in tails:
            assert read_reply(f"{text} {tail}", CANCEL).kind is not ReplyKind.CONFIRM, (text, tail)


def test_the_share_understood_without_a_language_model_is_published() -> None:
    assert len(ROWS) >= 150
    assert len({(question.tool_name, question.asks_value, text) for question, text, _, _ in ROWS}) == len(
        ROWS
    )
    clear = [row for row in ROWS if row[2] != "unclear"]
    understood = [row for row in clear if row[2] == row[3]]
    share = f"{len(understood)} of {len(clear)}"
    print(f"understood without an LLM: {share} clear replies; {len(ROWS)} in all")
    page = PAGE.read_text(encoding="utf-8")
    assert f"**{share}**" in page
    assert f"{len(ROWS)} replies" in page


@pytest.mark.parametrize(
    ("question", "text", "removed", "added"),
    [
        (CANCEL, "tira o segundo", ("a",), ()),
        (CANCEL, "só o Aya", ("t", "b"), ()),
        (CANCEL, "inclui também o Neymar Jr", (), ("Neymar Jr",)),
        (CANCEL, "only the first two", ("b",), ()),
        (CANCEL, "all but the last", ("b",), ()),
        (CANCEL, "remove number 2", ("a",), ()),
        (CANCEL, "remove o Bancah e inclui o Neymar Jr", ("b",), ("Neymar Jr",)),
        (CANCEL, "inclua Neymar Jr e Tom Cavalcante", (), ("Neymar Jr", "Tom Cavalcante")),
        (CANCEL, "só o primeiro e o terceiro", ("a",), ()),
        (RETURN, "tira o 7002", ("ENC-7002",), ()),
    ],
)
def test_an_amendment_names_exactly_what_was_said(
    question: OpenQuestion, text: str, removed: tuple[str, ...], added: tuple[str, ...]
) -> None:
    reply = read_reply(text, question)
    assert (reply.kind, reply.remove_ids, reply.add_texts) == (ReplyKind.AMEND, removed, added)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("tira o Premium", ReplyReason.AMBIGUOUS_ITEM),
        ("tira 2", ReplyReason.AMBIGUOUS_ITEM),
        ("tira o Netflix", ReplyReason.NO_SUCH_ITEM),
        ("tira o Fora do Ar", ReplyReason.NOT_PART),
        ("inclui o Aya Audiobooks Premium", ReplyReason.ALREADY_THERE),
        ("tira o primeiro, o segundo e o terceiro", ReplyReason.NOTHING_LEFT),
        ("só os três primeiros", ReplyReason.NOTHING_CHANGES),
        ("cancela", ReplyReason.CANCEL_AMBIGUOUS),
        ("pode, mas antes consulta o valor", ReplyReason.CONDITIONAL),
        ("sim e também quero ver minha fatura", ReplyReason.YES_AND_MORE),
        ("ok", ReplyReason.ACKNOWLEDGEMENT),
        ("não sei", ReplyReason.UNSURE),
        ("sim 🙄", ReplyReason.IRONY),
        ("sim, não", ReplyReason.CONTRADICTION),
        ("sim...", ReplyReason.HESITATION),
        ("confirmo o cancelamento do cancelamento", ReplyReason.CANCEL_AMBIGUOUS),
        ("sim, confirmo o cancelamento da solicitação", ReplyReason.CANCEL_AMBIGUOUS),
        ("[ ] sim", ReplyReason.NOT_UNDERSTOOD),
    ],
)
def test_an_unclear_reply_says_why(text: str, reason: ReplyReason) -> None:
    assert read_reply(text, CANCEL) == Reply(
        ReplyKind.UNCLEAR, reason, has_yes=read_reply(text, CANCEL).has_yes
    )


def test_a_number_that_is_also_a_name_is_ambiguous() -> None:
    question = OpenQuestion("cancelar_planos", (NamedItem("p2", "Plano 2"), NamedItem("p1", "Plano 1")))
    assert read_reply("tira o 2", question).reason is ReplyReason.AMBIGUOUS_ITEM
    assert read_reply("tira o segundo", question).remove_ids == ("p1",)
    assert read_reply("tira o Plano 2", question).remove_ids == ("p2",)


def test_an_item_called_yes_is_no_yes() -> None:
    question = OpenQuestion("cancelar_planos", (NamedItem("1", "Sim"), NamedItem("2", "Claro")))
    for text in ("sim", "Claro", "sim, claro"):
        assert read_reply(text, question).kind is ReplyKind.UNCLEAR


def test_what_comes_behind_a_no_is_handed_on() -> None:
    assert read_reply("não, quero ver minha fatura", CANCEL).rest == "quero ver minha fatura"


def test_no_phrase_has_two_roles() -> None:
    for words in (words_pt, words_en):
        phrases = [fold(phrase) for listed in words.PHRASES.values() for phrase in listed.split("|")]
        assert len(phrases) == len(set(phrases)), sorted(
            {each for each in phrases if phrases.count(each) > 1}
        )


def test_every_reason_is_said_in_both_languages() -> None:
    silent = {ReplyReason.YES, ReplyReason.NO, ReplyReason.EDIT, ReplyReason.VALUE}
    for reason in set(ReplyReason) - silent:
        assert f"reply_{reason}" in pt_BR.TEXTS
        assert f"reply_{reason}" in en.TEXTS


# An oracle of its own: what a yes may consist of, and what makes it one.
STRONG = set(
    re.findall(
        r"\w+",
        """sim yes yep yup yeah yea confirmo confirmado confirma confirmar confirm confirmed claro certeza prossiga
        prosseguir autorizo autorizado aprovo aprovado acordo concordo duvida duvidas afirmativo positivo execute
        executa course certainly absolutely definitely ahead proceed do agree agreed approved approve affirmative
        means sure doubt authorize authorise authorized fazer frente ver executar autorizar faca i""",
    )
)
SIGNS = re.compile(r"[?¿~/\\%+=<>#&|^$@\d]|\.\.")
WORDS = re.findall(
    r"\S+", "sim não nao no yes ok claro pode mas se tira só o a os todos cancela quero acho que talvez ? ..."
)


@given(
    st.one_of(
        st.text(max_size=20),
        st.lists(st.sampled_from([*WORDS, "🙄", "👍", ",", "TIM", "1"]), max_size=6).map(" ".join),
    )
)
@example("sim\u0336")
@example("não sim")
def test_random_text_never_confirms_unless_it_is_a_known_yes(text: str) -> None:
    for question in (CANCEL, RETURN, ORDER, VALUE):
        if read_reply(text, question).kind is ReplyKind.CONFIRM:
            words = {re.sub(r"(.)\1+", r"\1", word) for word in re.findall(r"[^\W\d_]+", fold(text))}
            assert words & {re.sub(r"(.)\1+", r"\1", word) for word in STRONG}
            assert not words & {"nao", "no", "not", "mas", "se", "tira", "so", "acho", "talvez", "que"} - {
                "que"
            }
            assert not SIGNS.search(unicodedata.normalize("NFKC", text))
