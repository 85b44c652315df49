import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confirmo.policies.arguments import ArgumentError, coerce, collect, is_missing, split_list
from confirmo.policies.models import InvalidParameter
from confirmo.policies.tool_spec import ArgumentSpec, ToolSpec

PT, EN = "pt-BR", "en"
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
JSON_LIKE = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12
)
TYPES = ("string", "integer", "number", "boolean", "array", "object")


def argument(type: str = "string", **words: Any) -> ArgumentSpec:
    return ArgumentSpec.model_validate({"name": "alvo", "type": type, **words})


def tool(*arguments: ArgumentSpec, requires: tuple[str, ...] = ()) -> ToolSpec:
    return ToolSpec(name="devolver_encomendas", arguments=arguments, requires=requires)


def taken(value: Any, type: str = "string", locale: str = PT, **words: Any) -> Any:
    return coerce(value, argument(type, **words), locale)


def refused(value: Any, type: str = "string", locale: str = PT, **words: Any) -> str:
    with pytest.raises(ArgumentError) as caught:
        taken(value, type, locale, **words)
    return caught.value.reason


def same(left: Any, right: Any) -> bool:
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


# strings


@given(TEXT)
def test_a_string_stays_byte_for_byte(text: str) -> None:
    assert taken(text) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (False, "false"),
        (0, "0"),
        (12345678901234567890123, "12345678901234567890123"),
        (9007199254740993, "9007199254740993"),
        (0.1, "0.1"),
        (19.9, "19.9"),
        (1.0, "1.0"),
        (1e22, "1e+22"),
    ],
)
def test_a_number_or_boolean_under_a_string_becomes_its_json_text(value: Any, text: str) -> None:
    assert taken(value) == text


@pytest.mark.parametrize("value", [["a"], {"a": 1}, math.nan, math.inf, "a\ud800"])
def test_a_list_a_map_and_what_json_or_utf8_cannot_carry_are_no_string(value: Any) -> None:
    refused(value)


def test_pa_16_money_and_timestamps_pass_through_as_they_were_written() -> None:
    spec = tool(
        argument("array", name="encomenda_ids"), ArgumentSpec(name="valor"), ArgumentSpec(name="prazo")
    )
    given_arguments = {"encomenda_ids": ["ENC-7001"], "valor": "19.90", "prazo": "2026-03-01T23:30:00-03:00"}
    assert same(collect(given_arguments, spec).arguments, given_arguments)
    assert same(taken({"total": 0.1, "valor": "19.90"}, "object"), {"total": 0.1, "valor": "19.90"})


# integers and numbers


@pytest.mark.parametrize(
    ("value", "integer"),
    [(7, 7), ("7", 7), ("-7", -7), ("+7", 7), (" 007 ", 7), ("9007199254740993", 9007199254740993), (-0, 0)],
)
def test_an_integer_is_taken_from_digits(value: Any, integer: int) -> None:
    result = taken(value, "integer")
    assert result == integer
    assert type(result) is int


@pytest.mark.parametrize(
    "value", [1.9, 1.0, "1.0", "1,0", "1_000", "1e3", "٣", True, "", "x", "1" * 5000, [1], {}]
)
def test_anything_else_is_no_integer(value: Any) -> None:
    refused(value, "integer")


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (5, 5),
        (0.1, 0.1),
        ("5", 5),
        ("71.99", 71.99),
        ("71,99", 71.99),
        ("-71,9", -71.9),
        ("1.234,56", 1234.56),
        ("1.234.567,8", 1234567.8),
        ("R$ 71,99", 71.99),
        ("R$\u00a01.234,56", 1234.56),
        ("-R$71", -71),
        ("R$ 71.9", 71.9),
        ("1.234", 1.234),
    ],
)
def test_a_number_is_read_as_a_brazilian_writes_it(value: Any, number: float) -> None:
    assert same(taken(value, "number"), number)


@pytest.mark.parametrize(
    "value",
    [
        *(math.nan, math.inf, "NaN", "Infinity", "1e999", "1e-999"),
        *(True, "x", "1,2,3", "12.34,5", "1.2345,6", "1.234.567", "R$ 1.234", "R$", "٣", [1], {"a": 1}),
        "12345678901234567890.12",
    ],
)
def test_what_is_no_number_or_ambiguous_or_not_exact_is_refused(value: Any) -> None:
    refused(value, "number")


def test_a_decimal_comma_belongs_to_portuguese_only() -> None:
    assert taken("71.99", "number", EN) == 71.99
    for text in ("71,99", "1.234,56", "R$ 71,99"):
        refused(text, "number", EN)


def test_a_long_whole_number_in_text_stays_exact() -> None:
    assert taken("12345678901234567890", "number") == 12345678901234567890


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_json_text_of_a_number_is_read_back_as_that_number(number: float) -> None:
    text = json.dumps(number)
    if "e" in text:
        refused(text, "number")
        return
    assert taken(text, "number") == number
    assert taken(text, "number", EN) == number


# booleans


@pytest.mark.parametrize("word", ["true", "TRUE", "sim", "Sim", " YES ", True])
def test_yes_words_are_true(word: Any) -> None:
    assert taken(word, "boolean") is True


@pytest.mark.parametrize("word", ["false", "não", "NÃO", "na\u0303o", "nao", "no", False])
def test_no_words_are_false(word: Any) -> None:
    assert taken(word, "boolean") is False


@pytest.mark.parametrize("word", [1, 0, "1", "s", "on", "talvez", 0.0, [], {"a": 1}])
def test_no_other_word_is_a_boolean(word: Any) -> None:
    refused(word, "boolean")


# arrays


@pytest.mark.parametrize(
    ("body", "items"),
    [
        ('["ENC-7001", "ENC-7002"]', ["ENC-7001", "ENC-7002"]),
        ("ENC-7001", ["ENC-7001"]),
        ("ENC-7001, ENC-7002", ["ENC-7001", "ENC-7002"]),
    ],
)
@pytest.mark.parametrize("words", [{}, {"items": {"type": "string"}}])
def test_ex_20_an_array_that_arrives_as_text_follows_one_rule(
    body: str, items: list[str], words: Any
) -> None:
    assert taken(body, "array", **words) == items


@pytest.mark.parametrize("body", ['["ENC-7001", ', [["ENC-7001"]], '{"id": 1', "[NaN]", '[{"a": 1, "a": 2}]'])
@pytest.mark.parametrize("words", [{}, {"items": {"type": "string"}}])
def test_ex_20_broken_json_and_a_list_in_a_list_are_invalid(body: Any, words: Any) -> None:
    spec = tool(argument("array", name="encomenda_ids", **words), requires=("encomenda_ids",))
    collected = collect({"encomenda_ids": body}, spec)
    assert [parameter.name for parameter in collected.invalid] == ["encomenda_ids"]
    assert not collected.missing
    assert not collected.arguments


def test_ex_18_a_list_keeps_its_duplicates_for_identity_to_decide() -> None:
    assert taken(["ENC-7001", "ENC-7002", "ENC-7001"], "array") == ["ENC-7001", "ENC-7002", "ENC-7001"]


def test_pa_13_big_integers_and_digit_texts_stay_what_they_were() -> None:
    ids = [9007199254740993, "12345678901234567890"]
    assert same(taken(ids, "array"), ids)
    assert same(taken(json.dumps(ids), "array"), ids)
    assert taken(ids, "array", items={"type": "string"}) == ["9007199254740993", "12345678901234567890"]


@pytest.mark.parametrize(
    ("value", "items", "entries"),
    [
        ({"id": 1}, {}, [{"id": 1}]),
        (7, {"type": "string"}, ["7"]),
        ("1, 2 e 3", {"type": "int"}, [1, 2, 3]),
        ("71,99", {"type": "string"}, ["71", "99"]),
        (["71,99"], {"type": "float"}, [71.99]),
        ("sim; não", {"type": "bool"}, [True, False]),
        ('{"id": 1}', {"type": "map"}, [{"id": 1}]),
        ([["a"], "b, c"], {"type": "list"}, [["a"], ["b", "c"]]),
    ],
)
def test_each_entry_is_taken_by_items(value: Any, items: dict[str, Any], entries: list[Any]) -> None:
    assert same(taken(value, "array", items=items), entries)


def test_a_decimal_comma_in_a_text_of_numbers_is_asked_about() -> None:
    refused("71,99; 10,50", "array", items={"type": "number"})
    assert taken("71.99; 10.50", "array", items={"type": "number"}) == [71.99, 10.5]
    assert taken("71,99", "array", EN, items={"type": "number"}) == [71, 99]


@pytest.mark.parametrize("value", [True, math.nan, [None], [""], ["a", " \u200b"], [math.inf]])
def test_what_is_no_list_and_entries_that_say_nothing_are_invalid(value: Any) -> None:
    refused(value, "array")


def test_a_refused_entry_is_named_by_its_position() -> None:
    assert "2" in refused([1, "x"], "array", items={"type": "integer"})


# the splitter


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("A, B e C", ["A", "B", "C"]),
        ("A, B, and C", ["A", "B", "C"]),
        ("A e B", ["A", "B"]),
        ("A e B e C", ["A e B", "C"]),
        ("Tom e Jerry, Piu-Piu", ["Tom e Jerry", "Piu-Piu"]),
        ("A;B\r\nC\n\nD", ["A", "B", "C", "D"]),
        (" ,; \n", []),
        ("e Commerce", ["e Commerce"]),
        ("Vitamina E Forte", ["Vitamina E Forte"]),
        ("Aeroporto", ["Aeroporto"]),
        ('"Cama, Mesa e Banho", B', ["Cama, Mesa e Banho", "B"]),
        ("“A e B” e “C; D”", ["A e B", "C; D"]),
        ('""; A', ["A"]),
        ('TV 32" LG, Cabo 2" HDMI', ['TV 32" LG', 'Cabo 2" HDMI']),
        ('"aberta, B', ['"aberta', "B"]),
    ],
)
def test_a_text_is_split_as_a_person_wrote_it(text: str, parts: list[str]) -> None:
    assert split_list(text) == parts


@given(st.text())
def test_no_part_is_blank_and_every_part_stands_in_the_text_in_order(text: str) -> None:
    position = 0
    for part in split_list(text):
        assert part.strip() == part != ""
        position = text.index(part, position) + len(part)


@given(
    st.lists(st.text("abcxyzÁé-0 9", min_size=1).map(str.strip).filter(bool)),
    st.sampled_from([", ", ";", "\n"]),
)
def test_parts_without_separators_join_and_split_back(parts: list[str], separator: str) -> None:
    assert split_list(separator.join(parts)) == parts


@given(st.lists(st.text("a,;e \n", min_size=1).map(str.strip).filter(bool), min_size=1))
def test_quoted_parts_come_back_whole(parts: list[str]) -> None:
    assert split_list(" e ".join([", ".join(f'"{part}"' for part in parts), "fim"])) == [*parts, "fim"]


@pytest.mark.parametrize(
    "text", ["“" * 60_000, '"' * 60_000, "a" + " e" * 60_000, ", " * 60_000, " e \u200b" * 30_000]
)
def test_a_hostile_text_is_split_in_linear_time(text: str) -> None:
    split_list(text)


# objects


def test_an_object_is_a_map_or_the_json_text_of_one() -> None:
    assert taken({"a": [1, None]}, "object") == {"a": [1, None]}
    assert taken(' {"a": 9007199254740993} ', "object") == {"a": 9007199254740993}


@pytest.mark.parametrize(
    "value", ["[1]", "a", '{"a": 1, "a": 1}', '{"a": NaN}', '{"a": 1e999}', {1: 2}, [1], 1]
)
def test_anything_else_is_no_object(value: Any) -> None:
    refused(value, "object")


def test_what_is_taken_shares_nothing_with_what_was_given() -> None:
    entries = [{"tags": ["a"]}]
    result = taken(entries, "array")
    result[0]["tags"].append("b")
    assert entries == [{"tags": ["a"]}]


@pytest.mark.parametrize("type", ["array", "object"])
def test_nesting_is_bounded_however_it_comes(type: str) -> None:
    deep: Any = "x"
    for _ in range(5_000):
        deep = {"a": deep}
    refused({"a": deep} if type == "object" else [{"a": deep}], type)
    refused('{"a":' * 100_000, type)
    refused("[" * 100_000, type)


# bounds


@pytest.mark.parametrize(
    ("value", "type", "words", "bad"),
    [
        ("ouro", "string", {"enum": ("ouro", "prata")}, "OURO"),
        (1, "integer", {"enum": (1, 2)}, 3),
        ("PED-1", "string", {"pattern": "PED-[0-9]+"}, "PEX-1"),
        ("x PED-1 y", "string", {"pattern": "PED-[0-9]+"}, "PED-"),
        ("123", "string", {"pattern": r"^\d+$"}, "123\n"),
        ("123", "string", {"pattern": r"^\d+$"}, "١٢٣"),
        ("a$", "string", {"pattern": r"a\$[$]?"}, "a"),
        (1, "integer", {"minimum": 1}, 0),
        (2.5, "number", {"maximum": 2.5}, "2,51"),
        ("ab", "string", {"min_length": 2}, "a"),
        ("ab", "string", {"max_length": 2}, "abc"),
        ([1, 2], "array", {"min_items": 2}, [1]),
        ("1, 2", "array", {"max_items": 2}, "1, 2, 3"),
        (["a"], "array", {"items": {"type": "string", "maxLength": 1}}, ["ab"]),
        (["a"], "array", {"items": {"enum": ["a", 1]}}, [True]),
    ],
)
def test_bounds_are_json_schemas(value: Any, type: str, words: Any, bad: Any) -> None:
    taken(value, type, **words)
    refused(bad, type, **words)


def test_true_is_not_one_of_the_numbers() -> None:
    refused(True, "boolean", enum=(1,))


def test_a_pattern_that_does_not_compile_refuses() -> None:
    refused("a", pattern="(")


def test_no_pattern_can_hold_up_a_worker() -> None:
    refused("a" * 100_000 + "!", pattern="^(a+)+$")


@pytest.mark.parametrize(("locale", "word"), [(PT, "deve"), (EN, "must"), ("en-US", "must"), ("xx", "deve")])
def test_a_reason_says_what_is_expected_in_the_locale(locale: str, word: str) -> None:
    assert refused("x", "integer", locale).startswith(word)
    assert "2" in refused("a", "string", locale, min_length=2)
    assert "ouro, prata" in refused("a", "string", locale, enum=("ouro", "prata"))


@given(st.sampled_from(TYPES), st.sampled_from([PT, EN]), st.integers(0, 9))
def test_a_reason_never_quotes_the_value(type: str, locale: str, digit: int) -> None:
    secret = f"[segredo{digit}"
    words = {"max_length": 2} if type == "string" else {}
    assert "segredo" not in refused(secret, type, locale, **words)


# collecting


@pytest.mark.parametrize("value", [None, "", "  \n", "\u200b", [], {}, ()])
def test_null_blank_and_empty_are_missing(value: Any) -> None:
    assert is_missing(value)
    collected = collect({"alvo": value}, tool(argument(), requires=("alvo",)))
    assert collected.missing == ("alvo",)
    assert not collected.invalid


@pytest.mark.parametrize(
    ("value", "type"), [(False, "boolean"), (0, "integer"), (0.0, "number"), ("0", "string")]
)
def test_false_and_zero_are_present(value: Any, type: str) -> None:
    assert not is_missing(value)
    assert same(collect({"alvo": value}, tool(argument(type), requires=("alvo",))).arguments, {"alvo": value})


@pytest.mark.parametrize("text", ["[]", " ; ,"])
def test_a_text_that_is_an_empty_list_is_missing(text: str) -> None:
    assert collect({"alvo": text}, tool(argument("array"), requires=("alvo",))).missing == ("alvo",)


@pytest.mark.parametrize("body", [{}, {"motivo": None}, {"motivo": ""}])
def test_ex_22_a_missing_optional_argument_is_not_sent(body: dict[str, Any]) -> None:
    spec = tool(argument(), ArgumentSpec(name="motivo"), requires=("alvo",))
    collected = collect({"alvo": "Rádio Maré", **body}, spec)
    assert collected.arguments == {"alvo": "Rádio Maré"}
    assert not collected.ignored


def test_a_default_fills_in_for_an_optional_and_a_required_argument() -> None:
    spec = tool(
        argument("integer", name="a", default="3", has_default=True),
        argument("array", name="b", default=[{"x": 1}], has_default=True),
        argument(name="c", default=None, has_default=True),
        argument("array", name="d", default=[], has_default=True),
        requires=("b", "c"),
    )
    collected = collect({"a": None}, spec)
    assert same(collected.arguments, {"a": 3, "b": [{"x": 1}], "d": []})
    assert collected.missing == ("c",)
    collected.arguments["b"][0]["x"] = 2
    assert spec.arguments[1].default == [{"x": 1}]


def test_undeclared_arguments_are_dropped_and_listed_in_the_order_given() -> None:
    collected = collect({"z": 1, "alvo": "x", "confirmed": True, "a\ud800": 1}, tool(argument()))
    assert collected.arguments == {"alvo": "x"}
    assert collected.ignored == ("z", "confirmed", "a?")


def test_a_required_name_without_a_declaration_counts_as_a_string() -> None:
    spec = tool(requires=("order_id", "motivo", "order_id"))
    assert collect({"order_id": 123}, spec).arguments == {"order_id": "123"}
    assert collect({}, spec).missing == ("order_id", "motivo")


def test_an_invalid_required_argument_is_invalid_and_not_missing() -> None:
    spec = tool(argument("integer", name="b"), argument("integer", name="a"), requires=("a", "b"))
    collected = collect({"a": "x", "b": "y"}, spec, EN)
    reason = "must be a whole number, written in digits only"
    assert collected.invalid == (
        InvalidParameter(name="b", reason=reason),
        InvalidParameter(name="a", reason=reason),
    )
    assert not collected.missing


@given(
    JSON_LIKE, st.sampled_from(TYPES), st.sampled_from(["", *TYPES]), st.booleans(), st.sampled_from([PT, EN])
)
def test_collecting_is_total_and_says_one_thing_of_each_argument(
    value: Any, type: str, items: str, required: bool, locale: str
) -> None:
    words = {"items": {"type": items}} if items else {}
    collected = collect({"alvo": value}, tool(argument(type, **words), requires=("alvo",) * required), locale)
    places = ["alvo" in collected.arguments, "alvo" in collected.missing, bool(collected.invalid)]
    assert sum(places) == 1 if required else sum(places) <= 1
    json.dumps(collected.model_dump(), allow_nan=False, ensure_ascii=False).encode()


@given(JSON_LIKE, st.sampled_from(TYPES))
def test_what_was_taken_is_taken_again_unchanged(value: Any, type: str) -> None:
    first = collect({"alvo": value}, tool(argument(type))).arguments
    assert same(collect(first, tool(argument(type))).arguments, first)
