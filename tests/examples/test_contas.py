from typing import Any

import pytest
from mcp import Client

from confirmo.examples.ledger import Ledger

SEED_SUBJECT = "TIM Fashion, Aya Audiobooks e Neymar Jr"
SEED_NAMES = ["TIM Fashion Mensal", "Aya Audiobooks Premium", "Neymar Jr"]


async def test_the_services_are_listed_with_their_prices(contas_client: Client, call: Any) -> None:
    async with contas_client as client:
        services = (await call(client, "consultar_vas", {}))["services"]
    prices = {service["name"]: service["price"] for service in services}
    assert prices["TIM Fashion Mensal"] == 10.0
    assert prices["Tamboro Mensal"] == 14.99
    assert prices["TIM CTRL Redes Sociais 8.0"] == 71.99


async def test_several_services_are_looked_up_one_by_one(contas_client: Client, call: Any) -> None:
    async with contas_client as client:
        results = (await call(client, "consultar_vas", {"subject": "Tamboro, Netflix e TIM"}))["results"]
    assert [(entry["subject"], entry["success"]) for entry in results] == [
        ("Tamboro Mensal", True),
        ("Netflix", False),
        ("TIM", False),
    ]
    assert [entry.get("reason") for entry in results] == [None, "item_nao_encontrado", "ambiguous"]


async def test_the_seed_expression_is_resolved_into_three_eligible_items(
    contas_client: Client, call: Any
) -> None:
    arguments = {"subject": SEED_SUBJECT, "target_tool": "cancelar_vas_avulso"}
    async with contas_client as client:
        answer = await call(client, "validar_vas_subject", arguments)
    assert answer == {
        "eligible": True,
        "status": "ELIGIBLE",
        "subject": SEED_SUBJECT,
        "resolved_subject": ", ".join(SEED_NAMES),
        "resolved_subjects": SEED_NAMES,
        "transaction_decision": {
            "resolved_arguments": {
                "subject": ", ".join(SEED_NAMES),
                "items": [{"name": name, "eligible": True} for name in SEED_NAMES],
            },
            "target_tool": "cancelar_vas_avulso",
            "confirmation_message": "Você confirma o cancelamento de "
            "TIM Fashion Mensal, Aya Audiobooks Premium e Neymar Jr?",
        },
    }


async def test_the_seed_items_end_in_a_partial_success(
    contas_client: Client, ledger: Ledger, call: Any
) -> None:
    async with contas_client as client:
        answers = [
            await call(client, "cancelar_vas_avulso", {"subject": name}, key=name) for name in SEED_NAMES
        ]
    assert answers == [
        {"subject": "TIM Fashion Mensal", "success": True, "protocol": "VAS-2026-101", "price": 10.0},
        {"subject": "Aya Audiobooks Premium", "success": False, "reason": "not_found"},
        {"subject": "Neymar Jr", "success": True, "protocol": "VAS-2026-103", "price": 9.9},
    ]
    assert [row.item for row in ledger.effects()] == ["TIM Fashion Mensal", "Neymar Jr"]


async def test_one_unknown_name_leaves_the_others_eligible(contas_client: Client, call: Any) -> None:
    async with contas_client as client:
        answer = await call(client, "validar_vas_subject", {"subject": "TIM Fashion, Netflix, tim fashion"})
    assert answer["eligible"] is True
    assert answer["status"] == "PARTIALLY_ELIGIBLE"
    resolved = answer["transaction_decision"]["resolved_arguments"]
    assert resolved["subject"] == "TIM Fashion Mensal"
    assert resolved["items"] == [
        {"name": "TIM Fashion Mensal", "eligible": True},
        {"name": "Netflix", "eligible": False, "reason": "item_nao_encontrado"},
    ]


async def test_a_strategic_service_beside_others_is_left_out(contas_client: Client, call: Any) -> None:
    async with contas_client as client:
        answer = await call(client, "validar_vas_subject", {"subject": "youtube e Tamboro e TIM Segurança"})
    items = answer["transaction_decision"]["resolved_arguments"]["items"]
    assert [item.get("reason") for item in items] == ["servico_estrategico", None, "servico_incluso_no_plano"]
    assert answer["transaction_decision"]["target_tool"] == "cancelar_vas_avulso"


@pytest.mark.parametrize(
    ("subject", "reason"),
    [
        ("Netflix", "Netflix: não encontrado na sua conta."),
        ("A e B", "A e B: não encontrados na sua conta."),
        ("TIM Segurança", "TIM Segurança: não pode ser cancelado por esta operação."),
    ],
)
async def test_nothing_actionable_is_not_eligible(
    contas_client: Client, call: Any, subject: str, reason: str
) -> None:
    async with contas_client as client:
        answer = await call(client, "validar_vas_subject", {"subject": subject})
    assert answer["eligible"] is False
    assert answer["status"] == "NOT_ELIGIBLE"
    assert answer["reason"] == reason
    assert "transaction_decision" not in answer


@pytest.mark.parametrize(
    ("subject", "word"), [("TIM", "TIM Segurança"), (" ", "Qual serviço"), ("cancela tudo", "Neymar Jr")]
)
async def test_a_hopelessly_vague_subject_is_asked_again(
    contas_client: Client, call: Any, subject: str, word: str
) -> None:
    async with contas_client as client:
        answer = await call(client, "validar_vas_subject", {"subject": subject})
    assert answer["eligible"] is False
    assert answer["status"] == "NEEDS_PARAMETER"
    assert answer["parameter"] == "subject"
    assert word in answer["parameter_message"]


async def test_a_strategic_service_is_sent_to_retention(
    contas_client: Client, ledger: Ledger, call: Any
) -> None:
    async with contas_client as client:
        answer = await call(client, "validar_vas_subject", {"subject": "youtube"})
        done = await call(client, "tratar_vas_estrategico", {"subject": "Youtube Premium"}, key="k")
        refused = await call(client, "tratar_vas_estrategico", {"subject": "Tamboro"}, key="l")
    decision = answer["transaction_decision"]
    assert decision["target_tool"] == "tratar_vas_estrategico"
    assert decision["action_changed"] is True
    assert decision["requires_reconfirmation"] is True
    assert decision["resolved_arguments"]["subject"] == "Youtube Premium"
    assert "retenção" in decision["confirmation_message"]
    assert done == {
        "subject": "Youtube Premium",
        "success": True,
        "protocol": "RET-2026-201",
        "status": "ATENDIMENTO_ABERTO",
    }
    assert refused["reason"] == "servico_nao_estrategico"
    assert len(ledger.effects()) == 1


@pytest.mark.parametrize(
    ("subject", "reason"),
    [
        ("Paramount+", "service_not_found"),
        ("Netflix", "not_found"),
        ("TIM Fashion, Tamboro", "not_found"),
        ("youtube", "servico_estrategico"),
        ("TIM CTRL Redes Sociais 8.0", "item_de_plano"),
    ],
)
async def test_what_cannot_be_cancelled_is_refused_with_its_reason(
    contas_client: Client, ledger: Ledger, call: Any, subject: str, reason: str
) -> None:
    async with contas_client as client:
        answer = await call(client, "cancelar_vas_avulso", {"subject": subject}, key="k")
    assert answer["success"] is False
    assert answer["reason"] == reason
    assert ledger.effects() == []


@pytest.mark.parametrize(
    "items", [[{"id": "1001", "name": "A"}, {"id": "1002"}, {"id": 1003}], ["1001", "1002", 1003]]
)
async def test_products_are_cancelled_in_one_call(
    contas_client: Client, ledger: Ledger, call: Any, items: list[Any]
) -> None:
    async with contas_client as client:
        answer = await call(client, "cancelar_produtos", {"items": [*items, {"name": "B"}]}, key="k")
    assert [entry["id"] for entry in answer["results"]] == ["1001", "1002", "1003", "B"]
    assert [entry.get("protocol") for entry in answer["results"]] == [
        "PROD-2026-1001",
        "PROD-2026-1002",
        "PROD-2026-1003",
        None,
    ]
    assert answer["results"][3]["reason"] == "not_found"
    assert [row.item for row in ledger.effects(tool="cancelar_produtos")] == ["1001", "1002", "1003"]


async def test_a_charge_is_disputed_and_found_by_its_key(contas_client: Client, call: Any) -> None:
    arguments = {"subject": "Tamboro", "valor": 19.99, "motivo": "não reconheço"}
    async with contas_client as client:
        verdict = await call(client, "validar_contestacao", arguments)
        before = await call(client, "consultar_contestacao", {"idempotency_key": "k"})
        done = await call(client, "contestar_cobranca", arguments, key="k")
        after = await call(client, "consultar_contestacao", {"idempotency_key": "k"})
    assert verdict["eligible"] is True
    assert verdict["transaction_decision"]["resolved_arguments"] == {
        "subject": "Tamboro Mensal",
        "valor": 19.99,
    }
    assert "R$ 19,99" in verdict["transaction_decision"]["confirmation_message"]
    assert before == {"found": False}
    assert done["subject"] == "Tamboro Mensal"
    assert done["protocol"] == "CONT-2026-0001"
    assert after == {"found": True, **done}


@pytest.mark.parametrize(
    ("subject", "amount", "status", "word"),
    [
        ("TIM CTRL Redes Sociais 8.0", 71.99, "NOT_ELIGIBLE", "categoria plano"),
        ("Netflix", 10, "NOT_ELIGIBLE", "Não há cobrança"),
        ("Tamboro", 0, "NOT_ELIGIBLE", "maior que zero"),
        ("TIM", 10, "NEEDS_PARAMETER", None),
        ("Tamboro e Neymar Jr", 10, "NEEDS_PARAMETER", None),
    ],
)
async def test_what_cannot_be_disputed_is_said(
    contas_client: Client, call: Any, subject: str, amount: float, status: str, word: str | None
) -> None:
    async with contas_client as client:
        verdict = await call(client, "validar_contestacao", {"subject": subject, "valor": amount})
        refused = await call(client, "contestar_cobranca", {"subject": subject, "valor": amount})
    assert verdict["eligible"] is False
    assert verdict["status"] == status
    assert word is None or word in verdict["reason"]
    assert refused["success"] is (subject == "Tamboro")


async def test_a_notice_is_sent(contas_client: Client, ledger: Ledger, call: Any) -> None:
    async with contas_client as client:
        answer = await call(client, "notificar_cliente", {"mensagem": "Pronto.", "canal": "email"}, key="k")
    assert answer == {"success": True, "canal": "email", "protocol": "AVISO-2026-0001"}
    assert len(ledger.effects(tool="notificar_cliente")) == 1


async def test_a_notice_fails_while_the_gateway_is_down(
    contas_client: Client, ledger: Ledger, call: Any
) -> None:
    ledger.knobs.turn("sms_gateway_down")
    async with contas_client as client:
        failed = await client.call_tool("notificar_cliente", {"mensagem": "Pronto."})
        mailed = await call(client, "notificar_cliente", {"mensagem": "Pronto.", "canal": "email"})
        ledger.knobs.reset()
        sent = await call(client, "notificar_cliente", {"mensagem": "Pronto."})
        asked = await client.call_tool("notificar_cliente", {"mensagem": "Pronto.", "simular_falha": True})
    assert failed.is_error
    assert failed.content[0].text == "SMS gateway 502"  # type: ignore[union-attr]
    assert mailed["success"] is True
    assert sent["success"] is True
    assert asked.is_error
    assert len(ledger.effects()) == 2
