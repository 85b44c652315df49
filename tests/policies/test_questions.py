import json
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confirmo.policies.models import FrozenItem, InvalidParameter, Status
from confirmo.policies.questions import (
    clean_text,
    composition,
    confirmation_question,
    operation_name,
    parameter_question,
    result_message,
)
from confirmo.policies.texts import en, pt_BR
from confirmo.policies.tool_spec import ArgumentSpec, ExecutionPolicy, ToolSpec

PT, EN = "pt-BR", "en"
NEUTRAL = "Para prosseguir, preciso de mais uma informação para continuar com a solicitação."
SUBJECT = ArgumentSpec(name="subject", label="o serviço ou os serviços")
CANCEL = ToolSpec(
    name="cancelar_vas_avulso",
    description="Cancela um ou mais serviços VAS. Não cancela planos.",
    arguments=(SUBJECT, ArgumentSpec(name="valor", type="number", label="o valor")),
    requires=("subject",),
)
FASHION = FrozenItem(item_id="1", label="TIM Fashion Mensal")
AYA = FrozenItem(item_id="2", label="Aya Audiobooks Premium")
NEYMAR = FrozenItem(item_id="3", label="Neymar Jr")
SPOOF = "\u202e\u200b\x1b[2J\ufeff\u2066"


def question(
    tool: ToolSpec = CANCEL, arguments: dict[str, Any] | None = None, *items: FrozenItem, **words: Any
) -> str:
    words = {"validator_message": None, "bypassed": False, "expires_at": "", "locale": PT} | words
    return confirmation_question(tool, arguments or {}, items, **words)


def numbered(count: int) -> tuple[FrozenItem, ...]:
    return tuple(FrozenItem(item_id=f"id-{n}", label=f"Pedido {n:03}") for n in range(count))


def entry(item_id: str, outcome: str, **fields: Any) -> dict[str, Any]:
    return {"item_id": item_id, "success": outcome == "SUCCEEDED", "outcome": outcome, **fields}


def told(status: Status = Status.COMPLETED, *items: dict[str, Any], **words: Any) -> str:
    words = {"reason": None, "reason_code": None, "labels": {}, "secondary_error": None, "locale": PT} | words
    return result_message(tool=CANCEL, status=status, items=items, **words)


def composed(*items: dict[str, Any], status: Status = Status.COMPLETED, **words: Any) -> dict[str, Any]:
    words = {"reason": None, "reason_code": None, "labels": {}, "secondary_error": None, "locale": PT} | words
    words = {"multi_item_status": None, "text": "texto"} | words
    return composition(tool=CANCEL, status=status, items=items, **words)


# catalogues


def test_both_catalogues_say_the_same_things_with_the_same_values() -> None:
    def values(text: str) -> set[str | None]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    assert pt_BR.TEXTS.keys() == en.TEXTS.keys()
    dates = {"expires"}
    assert [k for k in en.TEXTS if values(en.TEXTS[k]) != values(pt_BR.TEXTS[k]) and k not in dates] == []
    assert [start for start, _ in pt_BR.OPERATION_NOUNS] == [start for start, _ in en.OPERATION_NOUNS]


# cleaning


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("São Paulo – R$ 71,99 ✓ 漢字\nfim", "São Paulo – R$ 71,99 ✓ 漢字\nfim"),
        ("a\u202eb\u2066c\u200dd\u200be\ufefff\xadg", "abcdefg"),
        ("a\x00b\x1b[31mc\x7fd\x9be", "ab[31mcde"),
        ("a\r\nb\rc\u2028d\x85e\tf", "a\nb\nc\nd\ne f"),
        ("a\U000e0041\ufe0f\ud800b", "ab"),
    ],
)
def test_nothing_invisible_or_reordering_is_shown(text: str, clean: str) -> None:
    assert clean_text(text) == clean


@given(st.text())
def test_a_clean_text_is_printable_and_stays_as_it_is(text: str) -> None:
    clean = clean_text(text)
    clean.encode()
    assert clean_text(clean) == clean
    assert not any(ord(character) < 32 and character != "\n" for character in clean)


# parameters


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ({"user_prompt": "Qual serviço?", "label": "x", "description": "y"}, "Qual serviço?"),
        ({"label": "o serviço", "description": "y"}, "Para prosseguir, informe o serviço."),
        ({"description": "Serviço a cancelar. Um ou mais."}, "Para prosseguir, informe serviço a cancelar."),
        ({"description": "CPF do titular"}, "Para prosseguir, informe CPF do titular."),
        (
            {"label": "order_id", "description": "Número do pedido."},
            "Para prosseguir, informe número do pedido.",
        ),
        ({"label": " ", "description": "O order_id."}, NEUTRAL),
        ({}, NEUTRAL),
    ],
)
def test_the_seeds_question_is_asked_without_the_technical_name(words: dict[str, str], asked: str) -> None:
    tool = ToolSpec(name="t", arguments=(ArgumentSpec(name="order_id", **words),), requires=("order_id",))
    assert parameter_question(tool, ["order_id"], [], PT) == asked


def test_one_question_is_asked_for_the_first_missing_argument() -> None:
    tool = ToolSpec(
        name="t", arguments=(ArgumentSpec(name="a", label="o A"), ArgumentSpec(name="b", label="o B"))
    )
    invalid = [InvalidParameter(name="a", reason="deve ser um texto")]
    assert parameter_question(tool, ["b", "a"], invalid, PT) == "Para prosseguir, informe o B."
    assert parameter_question(tool, ["b", "a"], invalid, EN) == "To continue, please provide o B."


def test_an_invalid_argument_is_asked_again_with_its_reason() -> None:
    invalid = [InvalidParameter(name="valor", reason="deve ser um número, por exemplo 71,99")]
    assert parameter_question(CANCEL, [], invalid, PT) == (
        "O valor recebido não pôde ser usado: deve ser um número, por exemplo 71,99. "
        "Para prosseguir, informe o valor."
    )


@pytest.mark.parametrize(("missing", "invalid"), [(["desconhecido_id"], []), ([], [])])
def test_an_unknown_argument_gets_the_neutral_sentence(missing: list[str], invalid: list[Any]) -> None:
    assert parameter_question(CANCEL, missing, invalid, PT) == NEUTRAL


# the confirmation question


def test_the_question_names_every_item_and_how_to_answer() -> None:
    assert question(CANCEL, {"subject": "fashion, aya, neymar"}, FASHION, AYA, NEYMAR) == (
        "Você confirma o cancelamento de TIM Fashion Mensal, Aya Audiobooks Premium e Neymar Jr?\n"
        "Responda 'sim' para executar ou 'não' para cancelar."
    )


def test_the_question_is_asked_in_english() -> None:
    assert question(CANCEL, {}, FASHION, NEYMAR, locale=EN, expires_at="2026-03-01T23:30:05Z") == (
        "Do you confirm the cancellation of TIM Fashion Mensal and Neymar Jr?\n"
        "Reply 'yes' to execute or 'no' to cancel. Valid until 2026-03-01 23:30:05 (UTC)."
    )


@pytest.mark.parametrize(
    ("tool", "asked"),
    [
        (ToolSpec(name="solicitar_devolucao"), "Você confirma a solicitação de devolução de Neymar Jr?"),
        (
            ToolSpec(name="alterar_ativos", description="Altera ativos."),
            "Você confirma a operação «Altera ativos» para Neymar Jr?",
        ),
        (ToolSpec(name="alterar_ativos"), "Você confirma a operação «alterar ativos» para Neymar Jr?"),
    ],
)
def test_other_operations_are_named_by_their_description_or_name(tool: ToolSpec, asked: str) -> None:
    assert question(tool, {}, NEYMAR).startswith(asked + "\n")


def test_an_ineligible_item_is_shown_with_its_reason_and_not_asked_for() -> None:
    excluded = AYA.model_copy(update={"eligible": False, "reason": "item_nao_encontrado"})
    bare = NEYMAR.model_copy(update={"eligible": False})
    first, second, _ = question(CANCEL, {}, FASHION, excluded, bare).split("\n")
    assert first == "Você confirma o cancelamento de TIM Fashion Mensal?"
    assert (
        second
        == "Fora desta operação: Aya Audiobooks Premium (item_nao_encontrado); Neymar Jr (não é elegível)."
    )


def test_what_is_confirmed_beside_the_items_is_shown() -> None:
    lines = question(CANCEL, {"subject": "fashion", "valor": 71.99, "items": [{}]}, FASHION).split("\n")
    assert lines[1] == "- o valor: 71,99"
    assert "fashion\n" not in "\n".join(lines)
    assert "- o valor: 71.99" in question(CANCEL, {"valor": 71.99}, FASHION, locale=EN)


def test_the_argument_that_the_items_stand_for_is_not_repeated() -> None:
    conta, ids = ArgumentSpec(name="conta", label="a conta"), ArgumentSpec(name="ids", type="array")
    arguments = {"conta": "C-1", "ids": ["a", "b"]}
    batch = ToolSpec(name="cancelar_x", arguments=(conta, ids), requires=("conta", "ids"))
    assert "- a conta: C-1\n" in question(batch, arguments, NEYMAR)
    assert "a, b" not in question(batch, arguments, NEYMAR).replace(" e ", ", ")
    by_account = batch.model_copy(
        update={"execution": ExecutionPolicy(call="per_item", item_argument="conta")}
    )
    assert "C-1" not in question(by_account, arguments, NEYMAR)


def test_without_items_the_arguments_are_shown_by_their_labels() -> None:
    arguments = {"subject": "Neymar Jr", "valor": 10, "livre": True}
    assert question(CANCEL, arguments) == (
        "Você confirma o cancelamento?\n- o serviço ou os serviços: Neymar Jr\n- o valor: 10\n- sim\n"
        "Responda 'sim' para executar ou 'não' para cancelar."
    )


def test_one_argument_without_a_label_stands_in_the_sentence() -> None:
    tool = ToolSpec(
        name="cancelar_pedido", arguments=(ArgumentSpec(name="order_id"),), requires=("order_id",)
    )
    assert question(tool, {"order_id": "PED-1001"}).startswith(
        "Você confirma o cancelamento de PED-1001?\nResp"
    )


def test_exact_digits_are_shown() -> None:
    assert "9007199254740993" in question(CANCEL, {"subject": 9007199254740993})
    assert "[[1],{" not in question(CANCEL, {"subject": [1, "b"]})
    assert "1 e b" in question(CANCEL, {"subject": [1, "b"]})


def test_a_bypass_is_said() -> None:
    assert "não foi verificada" in question(CANCEL, {}, NEYMAR, bypassed=True)
    assert "was not verified" in question(CANCEL, {}, NEYMAR, bypassed=True, locale=EN)
    assert "verificada" not in question(CANCEL, {}, NEYMAR)


@pytest.mark.parametrize("expires_at", ["", "logo", "900"])
def test_a_time_that_cannot_be_read_is_left_out(expires_at: str) -> None:
    assert question(CANCEL, {}, NEYMAR, expires_at=expires_at).endswith("para cancelar.")


def test_a_validators_message_that_names_every_item_is_the_question() -> None:
    message = "Confirma o cancelamento de TIM FASHION  Mensal e Neymar Jr, sem multa?"
    assert question(CANCEL, {}, FASHION, NEYMAR, validator_message=message) == (
        f"{message}\nResponda 'sim' para executar ou 'não' para cancelar."
    )


@pytest.mark.parametrize(
    "message", ["Confirma?", "Confirma Neymar Jr?", "Confirma TIM Fashion Mensal2 e Neymar Jr?"]
)
def test_a_validators_message_never_stands_instead_of_items_that_it_does_not_name(message: str) -> None:
    shown = question(CANCEL, {}, FASHION, NEYMAR, validator_message=message)
    assert shown.startswith(f"{message}\nVocê confirma o cancelamento de TIM Fashion Mensal e Neymar Jr?\n")


def test_a_longer_name_does_not_name_a_shorter_one() -> None:
    tim = FrozenItem(item_id="9", label="TIM Fashion")
    shown = question(CANCEL, {}, FASHION, tim, validator_message="Confirma TIM Fashion Mensal?")
    assert "TIM Fashion Mensal e TIM Fashion?" in shown
    both = "Confirma TIM Fashion Mensal e TIM Fashion?"
    assert question(CANCEL, {}, tim, FASHION, validator_message=both).count("TIM Fashion Mensal") == 1


def test_a_validators_message_hides_neither_the_excluded_items_nor_an_amount() -> None:
    excluded = AYA.model_copy(update={"eligible": False, "reason": "fidelidade"})
    message = "Confirma Neymar Jr e Aya Audiobooks Premium?"
    shown = question(CANCEL, {"valor": 71.99}, NEYMAR, excluded, validator_message=message)
    assert "Fora desta operação: Aya Audiobooks Premium (fidelidade)." in shown
    assert "- o valor: 71,99" in shown


def test_without_items_a_validators_message_has_to_name_every_argument() -> None:
    arguments = {"subject": "Neymar Jr", "valor": 71.99}
    asked = "Você confirma o cancelamento?"
    assert asked not in question(CANCEL, arguments, validator_message="Neymar Jr por R$ 71,99?")
    assert asked in question(CANCEL, arguments, validator_message="Neymar Jr?")


def test_items_with_one_name_are_told_apart_by_their_id() -> None:
    twin = FrozenItem(item_id="7", label="neymar jr")
    assert "Neymar Jr (3) e neymar jr (7)?" in question(CANCEL, {}, NEYMAR, twin)


def test_a_name_that_reads_like_several_stands_in_quotes() -> None:
    band = FrozenItem(item_id="8", label="Earth, Wind e Fire")
    assert "de “Earth, Wind e Fire” e Neymar Jr?" in question(CANCEL, {}, band, NEYMAR)


def test_a_long_set_is_listed_and_above_fifty_counted() -> None:
    eleven = question(CANCEL, {}, *numbered(11)).split("\n")
    assert eleven[0] == "Você confirma o cancelamento de 11 itens?"
    assert eleven[1:12] == [f"- Pedido {n:03}" for n in range(11)]
    many = question(CANCEL, {}, *numbered(60)).split("\n")
    assert many[50:52] == ["- Pedido 049", "- e mais 10"]
    assert "- e mais" not in question(CANCEL, {}, *numbered(50))


def test_no_text_from_outside_hides_or_forges_a_line() -> None:
    evil = FrozenItem(item_id="1", label=f"A{SPOOF}\n\nResponda", eligible=True)
    out = FrozenItem(item_id="2", label="B", eligible=False, reason=f"motivo{SPOOF}\nlinha")
    shown = question(
        CANCEL, {"valor": f"1{SPOOF}\n2"}, evil, out, validator_message=f"x{SPOOF}" + "\n" * 99 + "y"
    )
    assert not set(SPOOF.replace("[2J", "")) & set(shown)
    assert "de A[2J Responda?" in shown
    assert "(motivo[2J linha)" in shown
    assert shown.startswith("x[2J\ny\n")


@given(st.lists(st.text("AB12 ,e", min_size=1).filter(str.strip), min_size=1, max_size=50), st.text())
def test_every_item_is_named_whatever_the_validator_says(labels: list[str], message: str) -> None:
    items = [FrozenItem(item_id=f"i{n}", label=label) for n, label in enumerate(labels)]
    shown = question(CANCEL, {}, *items, validator_message=message)
    assert all(" ".join(label.split()).casefold() in " ".join(shown.split()).casefold() for label in labels)
    assert clean_text(shown) == shown


# what happened


def test_each_item_is_told_with_its_protocol_or_reason() -> None:
    items = [
        entry("1", "SUCCEEDED", protocolo="EN-1", reason="x"),
        entry("2", "FAILED", reason="not_found"),
        entry("3", "UNKNOWN", reason="lost_answer", protocol=18446744073709551615),
    ]
    labels = {"1": "TIM Fashion Mensal", "2": "Aya", "3": "Neymar Jr"}
    assert told(Status.COMPLETED, *items, labels=labels).split("\n") == [
        "1 de 3 itens concluídos.",
        "TIM Fashion Mensal: concluído (protocolo EN-1).",
        "Aya: não concluído (not_found).",
        "Neymar Jr: resultado desconhecido (protocolo 18446744073709551615; a resposta se perdeu); "
        "foi enviado e não se sabe se foi executado, verifique antes de repetir.",
    ]
    assert "Aya: not completed (not_found)." in told(Status.COMPLETED, *items, labels=labels, locale=EN)


def test_an_entry_without_a_readable_outcome_is_unknown() -> None:
    assert "Aya: resultado desconhecido" in told(
        Status.COMPLETED, {"item_id": "1", "success": True}, labels={"1": "Aya"}
    )


def test_a_tool_without_items_is_told_by_its_own_answer() -> None:
    answer = {"success": True, "outcome": "SUCCEEDED", "protocol": "CANCEL-2026-001", "name": "Fulano"}
    assert (
        told(Status.COMPLETED, answer)
        == "Cancela um ou mais serviços VAS: concluído (protocolo CANCEL-2026-001)."
    )
    assert told(Status.COMPLETED) == "A operação «Cancela um ou mais serviços VAS» foi concluída."
    assert told(Status.FAILED, reason="débito.").endswith("não foi concluída: débito.")
    assert "não se sabe" in told(Status.FAILED, reason_code="lost_answer")


def test_an_auxiliary_failure_is_told_beside_the_items() -> None:
    shown = told(
        Status.COMPLETED, entry("1", "SUCCEEDED"), labels={"1": "A"}, secondary_error="SMS gateway 502"
    )
    assert shown == "A: concluído.\nOutra etapa falhou, sem mudar o resultado acima: SMS gateway 502."


def test_a_cancelled_execution_says_so_and_what_was_not_sent() -> None:
    items = [entry("1", "SUCCEEDED"), entry("2", "FAILED", reason="not_executed")]
    shown = told(Status.COMPLETED, *items, reason="A operação foi cancelada.", reason_code="cancelled")
    assert shown.startswith("A operação foi cancelada durante a execução.\n1 de 2")
    assert shown.endswith("2: não concluído (não foi enviado).")


def test_a_long_set_is_counted_with_the_failed_ones_first() -> None:
    items = [entry(str(n), "SUCCEEDED") for n in range(98)]
    items[3] = entry("3", "UNKNOWN")
    items[5] = entry("5", "FAILED", reason="débito")
    lines = told(Status.COMPLETED, *items).split("\n")
    assert lines[0] == "96 de 98 itens concluídos, 1 não concluídos, 1 com resultado desconhecido."
    assert lines[1] == "- 5: não concluído (débito)."
    assert lines[2].startswith("- 3: resultado desconhecido;")
    assert len(lines) == 3


@pytest.mark.parametrize(
    ("status", "reason", "code", "shown"),
    [
        (
            Status.CANCELLED,
            "A pessoa não confirmou; nada foi executado.",
            "rejected",
            "a confirmação foi recusada.",
        ),
        (Status.CANCELLED, "desisti", "cancelled", "a operação foi cancelada. Motivo: desisti."),
        (Status.CANCELLED, None, "cancelled", "a operação foi cancelada."),
        (Status.EXPIRED, None, "expired", "o prazo para responder terminou."),
        (
            Status.OUT_OF_SCOPE,
            "Pedido já entregue.",
            "not_eligible",
            "a operação não pode ser feita. Motivo: Pedido já entregue.",
        ),
        (Status.BLOCKED, None, "unknown_tool", "a operação não é permitida. Motivo: a operação não existe."),
    ],
)
def test_where_nothing_was_executed_it_says_so_and_why(
    status: Status, reason: str | None, code: str, shown: str
) -> None:
    assert (
        told(status, entry("1", "SUCCEEDED"), reason=reason, reason_code=code)
        == f"Nada foi executado: {shown}"
    )


def test_the_composition_carries_the_same_as_data() -> None:
    items = [entry("1", "SUCCEEDED", protocol="P-1"), entry("2", "FAILED", error="x" + SPOOF)]
    data = composed(*items, labels={"1": "A"}, multi_item_status="PARTIAL_SUCCESS", secondary_error="SMS")
    assert data["items"] == [
        {"label": "A", "outcome": "SUCCEEDED", "protocol": "P-1"},
        {"label": "2", "outcome": "FAILED", "reason": "x[2J"},
    ]
    assert (data["locale"], data["status"], data["multi_item_status"]) == (PT, "COMPLETED", "PARTIAL_SUCCESS")
    assert data["counts"] == {"SUCCEEDED": 1, "FAILED": 1, "UNKNOWN": 0}
    assert (data["items_omitted"], data["secondary_error"], data["text"]) == (0, "SMS", "texto")
    assert "Não acrescente" in data["instruction"]
    json.dumps(data)


def test_a_composition_is_bounded_and_keeps_what_did_not_succeed() -> None:
    items = [entry(str(n), "SUCCEEDED") for n in range(300)] + [entry("f", "FAILED"), entry("u", "UNKNOWN")]
    data = composed(*items)
    assert [item["label"] for item in data["items"][:3]] == ["f", "u", "0"]
    assert (len(data["items"]), data["items_omitted"]) == (200, 102)
    assert sum(data["counts"].values()) == 302


def test_a_composition_lists_no_items_where_nothing_was_executed() -> None:
    data = composed(entry("1", "SUCCEEDED"), status=Status.EXPIRED, reason_code="expired", locale="en-GB")
    assert (data["items"], data["locale"]) == ([], EN)
    assert data["reason"] == "the time to answer is over"


@given(
    st.lists(
        st.fixed_dictionaries(
            {"item_id": st.text(max_size=4)}, optional={"reason": st.text(), "outcome": st.text()}
        )
        | st.builds(entry, st.text(max_size=4), st.sampled_from(["SUCCEEDED", "FAILED", "UNKNOWN"])),
        min_size=1,
        max_size=30,
    ),
    st.sampled_from([PT, EN]),
)
def test_messages_and_counts_are_total_and_agree(items: list[dict[str, Any]], locale: str) -> None:
    data = composed(*items, locale=locale)
    assert sum(data["counts"].values()) == len(data["items"]) == len(items)
    succeeded = data["counts"]["SUCCEEDED"]
    shown = told(Status.COMPLETED, *items, locale=locale)
    assert clean_text(shown) == shown
    assert len(items) == 1 or shown.startswith(f"{succeeded} ")


def test_an_operation_is_named_in_one_line() -> None:
    assert operation_name(CANCEL) == "Cancela um ou mais serviços VAS"
    assert operation_name(ToolSpec(name="a_b", description=" \n ")) == "a b"
