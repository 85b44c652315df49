"""Personal data in texts: what is masked, what is not."""

import json
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from confirmo.policies.masking import (
    field_names,
    is_personal,
    masked,
    masked_value,
    plainly_personal,
)
from confirmo.policies.names import search_value

CPF, PHONE, EMAIL, CARD, CNPJ = (f"<{kind}>" for kind in ("cpf", "phone", "email", "card", "cnpj"))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("cpf 111.444.777-35.", f"cpf {CPF}."),
        ("11144477735", CPF),
        ("123.456.789-00", CPF),  # wrong check digits, and meant as one all the same
        ("111 444 777 35", CPF),
        ("+55 (11) 90000-0001", PHONE),
        ("+5511900000001", PHONE),
        ("5511900000001", PHONE),
        ("11900000001", PHONE),
        ("900000001", PHONE),
        ("90000-0001", PHONE),
        ("90000 0001", PHONE),
        ("9 0000 0001", PHONE),
        ("(011) 90000-0001", PHONE),
        ("11 90000.0001", PHONE),
        ("(11) 3000-0001", PHONE),
        ("+55 11 3000-0001", PHONE),
        ("+1 415 555 2671", PHONE),
        ("ana.teste@exemplo.com.br", EMAIL),
        ("joão+1@exemplo.com", EMAIL),
        ("<ana@exemplo.com>", f"<{EMAIL}>"),
        ("4111 1111 1111 1111", CARD),
        ("4111-1111-1111-1111", CARD),
        ("5555555555554444", CARD),
        ("3782 822463 10005", CARD),
        ("11.222.333/0001-81", CNPJ),
        ("11222333000181", CNPJ),
        ("12.ABC.345/01DE-35", CNPJ),
        ("/t?e=ana%40exemplo.com.br&f=%2B55%20%2811%29%2090000-0001", f"/t?e={EMAIL}&f={PHONE}"),
        (r"{\"cpf\":\"111.444.777-35\"}", rf"{{\"cpf\":\"{CPF}\"}}"),
        (r"'a\n90000-0001\tb'", rf"'a\n{PHONE}\tb'"),
        ("id_11144477735_x", f"id_{CPF}_x"),
        ("CPF111.444.777-35", f"CPF{CPF}"),
        ("/t?c=a%20111.444.777-35", f"/t?c=a%20{CPF}"),
        ("tool111.444.777-35: no", f"tool{CPF}: no"),
        ("tel+55 11 90000-0001", f"tel{PHONE}"),
        ("fone(11) 90000-0001", f"fone{PHONE}"),
        ("１１１.４４４.７７７-３５", CPF),
        ("111.444.777‑35", CPF),
        (
            "[type=int, input_value='Ana Maria', input_type=str]",
            "[type=int, input_value=<masked>, input_type=str]",
        ),
    ],
)
def test_personal_data_is_masked_in_every_spelling(text, left):
    assert masked(text) == left
    assert is_personal(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-12-01T10:00:00.000Z",
        "2026-12-01 07:05:06,123 INFO confirmo.worker",
        "2026-12-01T10:00:00.912345678+00:00",
        "1764572533123",
        "11144477736",
        "4111111111111112",
        "tx-0123456789abcdef0123456789abcdef",
        "cfm_9999999999999999999999999999999999999999",
        "019ac3d2-1234-7000-9000-000190000001",
        "192.168.100.10:7233 took 12345678 ms",
        "R$ 1.234.567,89",
        "PED-1001 ENC-00042 of 900000",
        "3.912345678",
        "decorator @property, a@b",
        "5a90000-0001",
    ],
)
def test_what_only_resembles_personal_data_stays(text):
    assert masked(text) == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('{"nome": "Ana \\"Bia\\" Silva", "x": 1}', '{"nome": <masked>, "x": 1}'),
        (r"{\"nome\":\"R\303\241dio\"}", r"{\"nome\":<masked>}"),
        ("{'Nome': 'Ana'}", "{'Nome': <masked>}"),
        ("nome=Ana Silva idade=3", "nome=<masked> idade=3"),
        ("nome: Ana Silva, x", "nome: <masked>, x"),
        ("?nome=Ana%20Silva&x=1", "?nome=<masked>&x=1"),
        ('"nome": ["Ana", "Bia"]', '"nome": <masked>'),
        ('"nome": "Ana, cut off', '"nome": <masked>'),
        ("sobrenome=Silva nomes=3", "sobrenome=Silva nomes=3"),
    ],
)
def test_values_of_declared_fields_are_masked_after_their_name(text, left):
    assert masked(text, ["nome"]) == left
    assert masked(text) == text


def test_a_value_that_is_named_once_is_masked_wherever_the_text_repeats_it():
    assert (
        masked("nome='Ana Silva'; is Ana Silva right? x=1", ["nome"])
        == "nome=<masked>; is <masked> right? x=1"
    )
    assert masked("nome=Ana; Ana", ["nome"]) == "nome=<masked>; Ana"  # too short: it would hide half a text


def test_nested_data_is_masked_in_keys_values_and_numbers():
    given = {
        "cpf": 11144477735,
        "NOME": {"a": 1},
        "x": [True, None, 1.5, ("90000-0001",)],
        "ana@exemplo.com": 1,
    }
    assert masked_value(given, ["nome"]) == {
        "cpf": CPF,
        "NOME": "<masked>",
        "x": [True, None, 1.5, [PHONE]],
        EMAIL: 1,
    }


def test_names_of_fields_are_separated_by_commas_or_blanks():
    assert field_names(" nome, mae;pai ") == ("nome", "mae", "pai")


@pytest.mark.parametrize("text", ["111.444.777-35", "a@exemplo.com", "+5511900000001", "(11) 90000-0001"])
def test_what_can_be_nothing_else_is_plainly_personal(text):
    assert plainly_personal(f"pedido-{text}")


@pytest.mark.parametrize("text", ["11144477735", "900000001", "4111111111111111", "tx-1", "5511900000001"])
def test_bare_digits_may_be_an_order_number(text):
    assert not plainly_personal(text)


def test_a_search_attribute_holds_a_hash_in_place_of_personal_data():
    assert search_value("loja-1") == "loja-1"
    hidden = search_value("111.444.777-35")
    assert hidden.startswith("~")
    assert hidden == search_value("111.444.777-35") != search_value("111.444.777-36")


PIECES = st.sampled_from(
    [
        "111.444.777-35",
        "11144477735",
        "90000-0001",
        "+55",
        "(11)",
        "a@b.co",
        "4111 1111 1111 1111",
        "nome",
        "=",
        ": ",
    ]
)
TEXTS = st.lists(
    st.one_of(PIECES, st.text(max_size=6), st.sampled_from(" \"'\\-.,%20<>{}[]")), max_size=8
).map("".join)


@settings(max_examples=50, deadline=None)
@given(TEXTS)
@example("a@b.co111.444.777-35")
@example("4111 1111 1111 1111+55111.444.777-35")
def test_masking_never_raises_and_twice_is_once(text):
    once = masked(text, ["nome"])
    assert masked(once, ["nome"]) == once


@given(st.text(alphabet=st.characters(exclude_categories=["Nd"], exclude_characters="@%=:")))
def test_a_text_without_digits_and_addresses_stays(text):
    assert masked(text, ["nome"]) == text


@given(
    st.from_regex(r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}", fullmatch=True),
    TEXTS.filter(lambda t: not t[-1:].isalnum()),
)
def test_a_cpf_with_dots_never_survives(cpf, before):
    assert cpf not in masked(f"{before} {cpf} depois")


@settings(max_examples=50, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | TEXTS,
        lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
    )
)
def test_any_json_can_be_masked(value):
    json.dumps(masked_value(value, ["nome"]))


@pytest.mark.parametrize(
    "piece", ["9", "a.", "1 ", "+", "nome=", "nome='", "11 9", "\\", "a@", "nome=a ", "(1", "[{"]
)
def test_long_texts_take_linear_time(piece):
    text = piece * 100_000
    begun = time.perf_counter()
    masked(text, ["nome"])
    assert time.perf_counter() - begun < 10
