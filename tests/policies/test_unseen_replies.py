"""Replies that were written, each with what it means, before the reader had seen any of them.

The reader of then took 184 of the 326 whose meaning is clear as they are meant, asked again or handed over for most of
the others, and read 9 of all otherwise than they are meant, none of them as a yes. What it does now is the table.
"""

from pathlib import Path

import pytest

from confirmo.policies.replies import NamedItem, OpenQuestion, ReplyKind, read_reply

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
PAY = OpenQuestion("pagar_fatura", names=("FAT-88",))
PIX = OpenQuestion("transferir_pix")
PLAN = OpenQuestion("contratar_pacote", names=("Turbo 20GB",))
VALUE = OpenQuestion("cancelar_pedido", asks_value=True)
FLAG = OpenQuestion("pagar_fatura", asks_value=True, boolean_value=True)

PAGE = Path(__file__).parents[2] / "docs" / "conversation.md"

# Question, what the person means, and the replies, one per "|". Behind " = " stands what an amendment removes, or adds
# with a plus. Behind " => " stands what the message is read as where that is another word than what is meant: always
# one that asks again or hands it to the agent.
TABLE: list[tuple[OpenQuestion, str, str]] = [
    (
        CANCEL,
        "confirm",
        "isso mesmo pode cancelar sim|sim pode cancelar|pode cancelar sim|simm|Simmm pode sim|sim pfv|"
        "sim por favorzinho => unclear|ss => unclear|S => unclear|sim sim|blz => unclear|"
        "blz pode cancelar => unclear|demorou => unclear|pode mandar ver|manda bala => unclear|"
        "bora => unclear|fechou => unclear|fechado => unclear|tá ok => unclear|ta ok pode => unclear|"
        "okk => unclear|okay pode cancelar => unclear|sim, quero cancelar os três|"
        "sim quero cancelar tudo|pode cancelar os 3 => other|pode cancelar todos => unclear|"
        "cancela tudo => unclear|cancela os três pfv => unclear|"
        "sim, confirmo o cancelamento dos três serviços|confirmo sim|tenho certeza => unclear|"
        "sim tenho certeza|sim, tenho certeza absoluta|claro, pode cancelar|com certeza, pode cancelar|"
        "isso, cancela => unclear|isso, sim|exatamente, pode cancelar => unclear|positivo, pode seguir|"
        "sim, pode prosseguir com o cancelamento|pode seguir com o cancelamento|sim, pode dar andamento|"
        "pode continuar sim|confirmadíssimo|confirmado, obrigado|sim obrigado pela ajuda|"
        "sim, muito obrigada|opa, sim|oi sim|boa noite, sim pode cancelar|sim!!!!!!|SIM POR FAVOR|sim ✅|"
        "✅ => unclear|👍👍 => unclear|👍🏾 => unclear|sim 👍🏽|sim❤️|sim 😊|sin => unclear|sím|siim pode|"
        "sim né => unclear|uhum => unclear|aham pode => unclear|simmmm|sím, confirmo|yes confirm|"
        "yes, confirm the cancellation|yes do it|yes go ahead please|yea go ahead|yup do it|"
        "sure, cancel all of them => unclear|ok cancel all three => unclear|"
        "please cancel them all => unclear|yes please cancel|confirm please|y => unclear|k => unclear|"
        "kk => unclear|yes 👍|that's correct, go ahead|absolutely, go ahead|I'm sure|yes I'm sure|"
        "yes, cancel everything|y e s => unclear",
    ),
    (
        CANCEL,
        "reject",
        "n|nn|naum|nao obg|não obrigado|n obrigado|nem a pau|nem ferrando|deixa quieto|deixa queto|"
        "deixa assim|deixa como está|melhor não cancelar|não cancela não|não cancela nada => unclear|"
        "nao precisa cancelar|não precisa mais|pode deixar => unclear|esquece isso aí|"
        "desisti de cancelar|não quero mais cancelar|mudei de ideia, não cancela|pensei melhor, não|"
        "pensando bem, não|agora não quero mais cancelar => unclear|Não!!|NAO|nãoooo|não não não|"
        "de jeito nenhum!|capaz => unclear|tô fora|nope nope|nah thanks|no don't|no, leave it|nvm|"
        "hell no|no way, don't cancel|please don't cancel|I changed my mind, don't cancel|"
        "stop, don't do it|não, mantém tudo => unclear|quero manter => unclear|"
        "quero continuar com os serviços => other|não, quero manter os serviços => unclear|❌|👎🏻|não 🙏|"
        "não, valeu|não, deixa|não vou cancelar|não faz isso não|no no no",
    ),
    (
        CANCEL,
        "amend",
        "tira a aya = a|tira o aya = a|tira só o aya = a => unclear|menos a aya = a|"
        "todos menos o segundo = a|tds menos o segundo = a => unclear|tudo menos o bancah = b|"
        "só os dois primeiros = b|só o 1 = a,b|so o primeiro = a,b|só o primeiro e o último = a|"
        "apenas o segundo = t,b|cancela só o aya = t,b|cancela apenas o primeiro = a,b|"
        "pode cancelar só o primeiro = a,b|sim, mas só o segundo = t,b|sim mas tira o bancah = b|"
        "sim, menos o aya = a|sim, exceto o último = b|pode, mas tira o aya = a|"
        "não, só o tim fashion = a,b|não, tira o tim fashion = t|quero manter o aya = a|mantém o aya = a|"
        "deixa o aya = a => unclear|deixa o segundo de fora = a|o aya não = a => unclear|"
        "menos o bancah kids = b|sem o aya = a|2 e 3 = t => unclear|só 2 e 3 = t|"
        "o 1 e o 3 = a => unclear|tira o 2 e o 3 = a,b|tira o primeiro e o segundo = t,a|"
        "remove o aya por favor = a|exclui o bancah = b|pode excluir o terceiro = b|"
        "inclui o netflix = +netflix|adiciona também o TIM Music = +TIM Music|"
        "coloca o Neymar Jr também = +Neymar Jr|bota o TIM Games junto = +TIM Games|only aya = t,b|"
        "just the second one = t,b|everything but aya = a|all except the last one = b|"
        "remove aya please = a|take out the second one = a|yes but not the second = a => unclear|"
        "yes, except bancah = b|keep aya = a|don't cancel aya = a|não cancela o aya = a|"
        "drop the last = b|cancel only the first = a,b|also TIM Music = +TIM Music|"
        "add TIM Games too = +TIM Games",
    ),
    (
        CANCEL,
        "unclear",
        "sim sim mas espera|não, pode sim|só confirma o valor antes|sim mas qual o valor|"
        "sim, e depois? => other|sim mas amanhã|pode ser amanhã? => other|acho que pode|acho q sim|"
        "sim acho|sim se não tiver multa|se não tiver multa pode|caso não tenha custo sim|"
        "sim mas sem multa né? => other|pode? sim?|será? => other|tem certeza? => other|"
        "é sério? => other|como assim|oi?|?|???|oi|bom dia|obrigada|"
        "nossa, claro que vou querer pagar multa né => other|ah claro, adoro pagar multa|"
        "aham, tá bom, confia|sim, sqn|sim kkkkkk|sim hahaha|sim rsrs|sim 😂|sim 🤡|sim 😬|sim 🤷|sim 🤔|1|3|"
        "2|dois|o último|segundo|a|x|ok então né|tá|tanto faz|você que sabe|vc decide|pode ser|"
        "sei la vei|talvez sim|quase sim|sim ou não|sim e não|não sim|nem sim nem não|"
        "> Confirma o cancelamento? => other|> Confirma?\nsim ou não? => other|"
        '"sim" ou "confirmo"? => other|o que acontece se eu disser sim|se eu falar sim o que acontece|'
        "disse sim pro outro atendente|já falei sim|eu disse que sim ontem|minha mãe disse sim|"
        "sim senhor, mas não agora|sim, só que depois|sim porém|sim, calma|sim pera|pera aí|pera|"
        "já volto|um minuto|sim, daqui a pouco|sim, segunda-feira|sim às 18h|não sei se cancelo|"
        "não é isso|não foi isso que pedi|não entendi|não tenho certeza|não lembro|"
        "não confirmo nem desconfirmo|sim, confirmo que não quero|confirmo que não quero cancelar|"
        "sim, não quero cancelar|sim quero manter|sim, quero continuar com eles|"
        "claro que quero continuar|yes, keep them|yes keep everything|yes I want to keep it|"
        "yes I do not want that|sure, as if|yeah nah|yes??|yes or no|yes, I think|yes, maybe later|"
        "yes later|yes when it's free|yes unless there is a fee|could be|who knows => other|lol yes|"
        "yes 😂|sim, mas cobra de quem? => other|sim, o de sempre|sim, aquele|sim o outro|sim pra tim|"
        "sim, um deles|sim, dois|sim, só um|sim, os dois primeiros não|sim, não os dois|simplesmente não|"
        "sim-não|sim/nao|s/n|não discordo|não digo que não|não é não|não vejo problema|nada contra|"
        "sem problemas|por que não? => other|why not|quem sabe|duvido|sim, duvido|confirmo nada|"
        "confirma nada|cancelar ou não? => other",
    ),
    (
        CANCEL,
        "other",
        "qual o valor da multa?|quanto tempo demora?|quero falar com atendente|"
        "me passa pra um humano => unclear|qual meu saldo|cadê minha fatura?|quero a segunda via|"
        "meu wifi não funciona => unclear|estou sem internet => unclear|"
        "quero cancelar meu plano de celular|preciso trocar meu endereço|quero saber o protocolo|"
        "vocês abrem amanhã?|how much is the fee?|I want to talk to a human|where is my invoice|"
        "my internet is down => unclear|isso dá multa?|vou perder meus livros?|e se eu cancelar só um?",
    ),
    (
        RETURN,
        "confirm",
        "sim, pode devolver tudo|sim devolva|pode devolver sim|sim, quero devolver|sim, as três|"
        "sim, todas|pode devolver as três => unclear|devolve tudo => unclear|yes, return all of them|"
        "yes return everything",
    ),
    (
        RETURN,
        "reject",
        "cancela isso|cancela tudo|n quero|não quero mais devolver|deixa, vou ficar com elas => unclear|"
        "pode cancelar|quero cancelar|cancel it|cancel please|no, keep them => unclear",
    ),
    (
        RETURN,
        "unclear",
        "sim cancela|sim, pode cancelar|cancela? sim|sim, desisto|sim, esquece|sim deixa pra lá|"
        "yes cancel|yes, forget it|yes never mind|ok cancela não|claro, cancela|confirmo, cancela|"
        "não cancela|não, não cancela",
    ),
    (
        ORDER,
        "confirm",
        "sim, esse mesmo|sim é esse => unclear|sim, pedido PED-1001|sim cancela o pedido|"
        "sim, pode cancelar o PED-1001|pode cancelar o PED-1001 sim|isso, o PED-1001 => unclear|"
        "yes, PED-1001|yes that one => unclear",
    ),
    (
        ORDER,
        "reject",
        "não é esse => unclear|não, é outro => unclear|não, pedido errado => unclear|"
        "no, wrong order => unclear",
    ),
    (
        ORDER,
        "other",
        "na verdade é o pedido PED-1002|é o PED-1002|o certo é PED-1002|não, o PED-1002|"
        "errei, é o PED-1002|quis dizer PED-1002|troca pro PED-1002|muda para o PED-1002|"
        "actually it's PED-1002|I meant PED-1002|sorry, order PED-1002|"
        "troca o motivo para arrependimento|muda o motivo pra atraso|change the reason to late delivery",
    ),
    (
        ORDER,
        "unclear",
        "sim, mas o PED-1002|sim, o PED-1002|sim PED 1002|confirmo o PED-1002|sim, PED-1001 e PED-1002|"
        "yes but PED-1002|sim na verdade é o PED-1002",
    ),
    (
        PAY,
        "confirm",
        "sim, pode pagar|paga => unclear|pode pagar sim|sim, pague|sim, pode pagar a fatura|yes, pay it|"
        "confirmo o pagamento",
    ),
    (
        PAY,
        "reject",
        "cancela|não paga|não pague|não paga não|cancela o pagamento|don't pay|não pode pagar",
    ),
    (
        PAY,
        "unclear",
        "sim, amanhã eu pago|já paguei|sim, já paguei|sim mas parcelado|sim, parcela em 3|sim metade|"
        "sim, no débito|sim, com desconto|yes but half|sim, paga 50",
    ),
    (
        PIX,
        "confirm",
        "sim|pode transferir => unclear|sim, pode transferir|transfere => unclear|sim, transfere|"
        "confirmo a transferência",
    ),
    (
        PIX,
        "unclear",
        "sim, mas 200|sim 200|sim, R$ 200|sim, 200 reais|sim pra outra conta|sim, pra minha mãe|"
        "sim, mas pra Maria|yes, 200|sim, 100%|sim, 2x",
    ),
    (
        PLAN,
        "confirm",
        "sim, quero contratar|quero => unclear|quero sim|sim, contrata|pode contratar sim|"
        "quero contratar => unclear|sim, o Turbo 20GB",
    ),
    (
        PLAN,
        "reject",
        "não quero|não quero contratar|quero não|não, tá caro => unclear|cancela",
    ),
    (
        PLAN,
        "unclear",
        "sim, o de 10GB|sim, mas o de 10GB|quero o mais barato => other|sim, o mais barato|sim por 1 mês|"
        "sim, se for 19,90",
    ),
    (
        VALUE,
        "provide",
        "ped-1001|é o PED-1001|PED 1001|1001|o número é 1001|pedido 1001 por favor|acho que é PED-1001|"
        "2026-11-30|R$ 71,99|order PED-1001",
    ),
    (
        VALUE,
        "reject",
        "cancelar|cancela por favor|desisto|deixa quieto|esquece isso|não quero mais|forget it|cancela tudo",
    ),
    (
        VALUE,
        "unclear",
        "sim|não|ok|blz|não sei|sei não|não faço ideia|não lembro|não tenho aqui|👍|uhum|i don't know|"
        "no idea",
    ),
    (
        VALUE,
        "other",
        "onde vejo isso?|que número?|qual número?|como acho?|where do I find it?|quero falar com atendente",
    ),
    (
        FLAG,
        "provide",
        "sim|não|s|yes|no",
    ),
]
Row = tuple[OpenQuestion, str, str, str, str]


def rows() -> list[Row]:
    found = []
    for question, meant, replies in TABLE:
        for entry in replies.split("|"):
            said, _, must = entry.partition(" => ")
            text, _, edit = said.partition(" = ")
            found.append((question, text, edit, meant, must or meant))
    return found


ROWS = rows()


@pytest.mark.parametrize(("question", "text", "edit", "meant", "must"), ROWS)
def test_an_unseen_reply_does_what_it_must(
    question: OpenQuestion, text: str, edit: str, meant: str, must: str
) -> None:
    reply = read_reply(text, question)
    assert reply.kind == must
    assert must in (meant, "unclear", "other")
    if must == "amend":
        added = (edit[1:],) if edit.startswith("+") else ()
        removed = () if added else tuple(edit.split(","))
        assert (reply.remove_ids, reply.add_texts) == (removed, added)


def test_no_way_of_writing_an_unseen_reply_makes_it_a_yes() -> None:
    for question, text, _, meant, _ in ROWS:
        for written in (text, text.upper(), f"{text}!", f"  {text}\n", text.replace(",", "")):
            if meant != "confirm":
                assert read_reply(written, question).kind is not ReplyKind.CONFIRM, written


def test_the_share_of_unseen_replies_is_published() -> None:
    assert (
        len({(question.tool_name, question.boolean_value, *row) for question, *row in ROWS})
        == len(ROWS)
        >= 150
    )
    clear = [row for row in ROWS if row[3] != "unclear"]
    understood = [row for row in clear if row[3] == row[4]]
    share = f"{len(understood)} of {len(clear)}"
    page = PAGE.read_text(encoding="utf-8")
    assert f"{len(ROWS)} replies" in page, len(ROWS)
    assert f"**{share}**" in page, share
