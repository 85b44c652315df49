"""Phrases of replies in Brazilian Portuguese, folded: no accents, one separator ``|``."""

from collections.abc import Mapping
from typing import Final

from confirmo.policies.replies.roles import Role

PHRASES: Final[Mapping[Role, str]] = {
    Role.YES: (
        "sim|confirmo|eu confirmo|confirmado|confirma|confirmar|pode confirmar|quero confirmar|confirmo sim|claro|"
        "claro que sim|com certeza|com toda certeza|com certeza sim|pode sim|pode fazer|pode fazer isso|"
        "pode prosseguir|pode executar|pode seguir em frente|pode ir em frente|pode mandar ver|prossiga|prosseguir|"
        "vai em frente|va em frente|siga em frente|desejo sim|quero sim|eu quero sim|autorizo|eu autorizo|"
        "autorizado|aprovo|aprovado|de acordo|estou de acordo|concordo|sem duvida|sem duvidas|afirmativo|positivo|"
        "execute|executa|pode autorizar|faca isso|isso sim|sem duvida nenhuma|pode seguir|pode seguir com|"
        "pode prosseguir com|pode dar andamento|pode dar sequencia|pode dar seguimento|pode efetivar|pode efetuar|"
        "pode realizar|prossiga com|confirmadissimo|pode fazer sim|pode confirmar sim|pode seguir sim|pode ir sim"
    ),
    Role.WEAK: (
        "ok|okay|okey|oki|certo|ta certo|beleza|blz|ta|ta bom|esta bem|ta bem|tudo bem|tudo certo|joia|legal|"
        "perfeito|otimo|show|uhum|aham|ahan|pode|podemos|isso|isso mesmo|isso ai|exato|exatamente|"
        "combinado|fechado|fechou|demorou|bora|vamos|vamos la|vai|manda|manda ver|manda bala|s|ss|okk|tenho certeza|"
        "tenho certeza absoluta|tenho certeza sim|esse mesmo|essa mesma|esses mesmos|essas mesmas|ta ok|tudo ok|"
        "obvio|logico|certeza|"
        "pode ir|pode continuar|continua|continue|faz|faca|👍|👌|✅|✔|☑|🆗|💯"
    ),
    Role.WISH: "quero|eu quero|desejo",
    Role.NO: (
        "nao|nao nao|nao confirmo|eu nao confirmo|nao quero confirmar|nao confirma|nao confirme|nao autorizo|"
        "nao aprovo|nao concordo|negativo|de jeito nenhum|de forma alguma|de maneira nenhuma|nem pensar|jamais|"
        "nunca|melhor nao|acho melhor nao|e melhor nao|prefiro nao|com certeza nao|claro que nao|certamente nao|"
        "obvio que nao|logico que nao|nao faca|nao faca isso|nao faz isso|nao faz|nao pode|nao prossiga|"
        "nao execute|nao executa|nao desejo|nao precisa|nao precisa mais|recuso|eu recuso|nao mesmo|"
        "nada disso|que nao|acho que nao|n|nn|naum|nem a pau|nem ferrando|to fora|quero nao|pode nao|"
        "pensei melhor e nao|👎|❌|🚫|🙅"
    ),
    Role.QUIT: (
        "deixa pra la|deixa para la|deixe pra la|deixa quieto|esquece|esqueca|esquece isso|esqueca isso|desisto|"
        "desisti|eu desisto|mudei de ideia|pare|para tudo|aborta|abortar|pode esquecer|nao vou mais|parar|deixa queto|"
        "deixa assim|deixa como esta|deixa como ta|deixe como esta|esquece isso ai|esquece tudo|esquece isso tudo|"
        "desisti disso|deixa isso pra la|deixa isso quieto"
    ),
    Role.POLITE: (
        "para mim|pra mim|por favor|por gentileza|pfv|pfvr|pf|"
        "obrigado|obrigada|muito obrigado|muito obrigada|brigado|brigada|obg|vlw|valeu|"
        "pela ajuda|pela atencao|opa|pensando bem|pensei melhor|"
        "senhor|senhora|moco|moca|agora|agora mesmo|bom dia|boa tarde|boa noite|oi|ola|entao|🙏|🙂|😊|😀|😃|😄|😁|☺|❤|"
        "💪|🎉|🤝"
    ),
    Role.ARTICLE: "o|a|os|as|do|da|dos|das|de|este|esta|esse|essa|estes|estas|esses|essas|um|uma|pro|pra|ao",
    Role.PRONOUN: "isto",
    Role.AND: "e|nem|mais",
    Role.ALL: "todos|todas|tudo|todos eles|todas elas|tudo isso|todos os itens|todas as assinaturas",
    Role.HEDGE: (
        "mas|porem|contudo|entretanto|so que|antes|depois|primeiro me|mas antes|so depois|por enquanto|amanha|"
        "mais tarde|agora nao|ainda nao|espera|espere|calma|pera|peraí|um momento|so um momento"
    ),
    Role.IF: "se|caso|desde que|so se|contanto que|a menos que|a nao ser que|quando|somente se|apenas se|enquanto",
    Role.UNSURE: (
        "nao sei|sei la|talvez|pode ser|acho|acho que sim|acho que|quem sabe|depende|nao tenho certeza|sem certeza|"
        "estou em duvida|to em duvida|tenho duvida|tenho duvidas|nao lembro|nao entendi|como assim|hmm|hm|hum|"
        "nao tenho certeza nao|tanto faz|creio que sim|imagino que sim|provavelmente|deve ser|sei nao|nao faco ideia|"
        "nao faco a menor ideia|nao tenho aqui|nao tenho isso|nao tenho agora|nao me lembro|nao tenho ideia"
    ),
    Role.IRONY: (
        "claro claro|ate parece|so que nao|sqn|aham sei|sei|ah ta|ta bom viu|ah claro|sim sim claro|aham claro|"
        "so se for|vai sonhando|ah sim claro|haha|hahaha|kkk|kkkk|kkkkk|rs|rsrs|rsrsrs|🙄|😏|😂|🤣|😒|🙃"
    ),
    Role.REQUEST: (
        "queria|gostaria|gostaria de|preciso|me mostra|me mostre|mostra|mostre|me diz|me diga|me fala|me explica|"
        "ver|consultar|consulta|consulte|quero ver|quero saber|saber|qual|quais|quanto|quantos|quantas|como|onde|"
        "por que|porque|quem|pagar|paga|pague|"
        "contratar|contrata|transfere|transferir|envia|enviar|manda o|manda a|me manda|poderia|da pra|da para|"
        "voce pode|voces podem|quero que"
    ),
    Role.CORRECT: (
        "na verdade|na real|quis dizer|eu quis dizer|quero dizer|o certo e|o correto e|o numero certo e|"
        "corrigindo|errei|"
        "me enganei|me confundi|confundi|foi engano|digo"
    ),
    Role.SWAP: (
        "mudar|muda|mude|alterar|altera|altere|trocar|troca|troque|corrige|corrija|corrigir|quero mudar|quero trocar|"
        "quero alterar|pode trocar|pode mudar|pode alterar|substitui|substitua"
    ),
    Role.INTO: "por|para|pelo|pela",
    Role.REMOVE: (
        "tira|tire|tirar|tirando|remove|remova|remover|retira|retire|retirar|exclui|exclua|excluir|menos|exceto|"
        "com excecao de|fora|salvo|tirar fora|pode tirar|pode remover|quero tirar|quero remover|desconsidera|"
        "desconsidere|risca|sem"
    ),
    Role.REMOVE_OUT: "deixa|deixe|deixar",
    Role.KEEP: "so|somente|apenas|unicamente|quero so|quero apenas",
    Role.ADD: (
        "inclui|inclua|incluir|adiciona|adicione|adicionar|acrescenta|acrescente|acrescentar|coloca|coloque|bota|"
        "poe|inclui tambem|inclua tambem|adiciona tambem|adicione tambem|acrescenta tambem|coloca tambem|tambem|"
        "quero incluir|quero adicionar|pode incluir|pode adicionar|mais o|mais a"
    ),
    Role.OUT: "de fora|fora da lista",
    Role.SPARE: "mantem|mantenha|manter|quero manter|quero ficar com|deixa ficar",
    Role.LIST: "da lista|na lista|dessa lista|desta lista|nessa lista|nesta lista|tb|tbm|ai|junto",
}

NUMBERS: Final = {
    word: position
    for position, word in enumerate(
        ["um", "dois", "tres", "quatro", "cinco", "seis", "sete", "oito", "nove", "dez"], start=1
    )
} | {"uma": 1, "duas": 2}

ORDINALS: Final = {
    stem + ending: position
    for position, stem in enumerate(
        ["primeir", "segund", "terceir", "quart", "quint", "sext", "setim", "oitav", "non", "decim"], start=1
    )
    for ending in ("o", "a", "os", "as")
}

LAST: Final = frozenset({"ultimo", "ultima", "ultimos", "ultimas"})
