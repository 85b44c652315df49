"""JSON in text: what is refused, what is kept, and what never changes by a digit."""

from math import inf, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter
from pydantic_core import to_json

from confirmo.policies.json_text import (
    JsonError,
    canonical,
    clean,
    cut,
    distinct,
    dump,
    parse,
    parse_strict,
    same,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize(
    "text",
    ["NaN", '{"a": Infinity}', "[-Infinity]", '{"a": 1, "a": 1}', "1e999", "{", "", "[" * 100_000, "1 2"],
)
def test_strict_reading_refuses_what_is_not_one_plain_json_value(text: str) -> None:
    with pytest.raises(JsonError):
        parse_strict(text)


def test_strict_reading_keeps_what_is() -> None:
    assert parse_strict('{"a": [1, 1.5, true, null, "é"]}') == {"a": [1, 1.5, True, None, "é"]}


@pytest.mark.parametrize("text", ["", "Error: x", "{", "[" * 100_000, "{'a': 1}"])
def test_lenient_reading_still_refuses_what_is_not_json(text: str) -> None:
    with pytest.raises(JsonError):
        parse(text)


def test_lenient_reading_turns_nan_and_infinity_into_their_words() -> None:
    assert parse("[NaN, Infinity, -Infinity]") == ["NaN", "Infinity", "-Infinity"]


def test_lenient_reading_skips_a_byte_order_mark() -> None:
    assert parse('\ufeff{"a": 1}') == {"a": 1}


def test_a_key_given_twice_with_different_values_keeps_both() -> None:
    assert parse('{"success": false, "success": true}') == {"success": [False, True]}
    assert parse('{"n": 1, "n": true}') == {"n": [1, True]}
    assert parse('{"n": 1, "n": 1}') == {"n": 1}


def test_pa_13_integers_above_two_to_the_53_keep_their_digits() -> None:
    value = parse('{"a": 9007199254740993, "b": 18446744073709551615}')
    assert value == {"a": 9007199254740993, "b": 18446744073709551615}
    assert TypeAdapter(Any).validate_json(to_json(value)) == value


@pytest.mark.parametrize("digits", ["12345678901234567890.5", "1e400", "1e-400", "0.1000000000000000055"])
def test_pa_16_a_decimal_that_a_double_cannot_hold_stays_its_own_text(digits: str) -> None:
    assert parse(digits) == digits


@pytest.mark.parametrize(
    ("digits", "value"), [("19.90", 19.9), ("0.1", 0.1), ("0.10000000000000001", 0.1), ("0e5", 0.0)]
)
def test_pa_16_a_decimal_that_a_double_holds_is_a_number(digits: str, value: float) -> None:
    assert parse(digits) == value


def test_a_lone_surrogate_becomes_the_replacement_character_and_a_pair_its_character() -> None:
    assert clean("a\ud800b\udc00") == "a\ufffdb\ufffd"
    assert clean("\ud83d\ude00") == "\U0001f600"
    assert clean("\ufeffé") == "\ufeffé"
    assert clean({"\udc00": 1}) == {"\ufffd": 1}


def test_every_infinity_and_nan_keeps_its_own_word() -> None:
    assert clean([inf, -inf, nan]) == ["Infinity", "-Infinity", "NaN"]


@pytest.mark.parametrize("digits", ["1" * 4001, "-" + "9" * 100_000])
def test_an_integer_too_long_to_be_a_number_is_its_digits(digits: str) -> None:
    assert parse(digits) == digits
    assert parse(digits[:4000]) == int(digits[:4000])


def test_values_that_differ_as_json_are_distinct_in_their_order() -> None:
    assert distinct([1, True, 1.0, 1, {"a": 1, "b": 2}, {"b": 2, "a": 1}]) == (1, True, 1.0, {"a": 1, "b": 2})


def test_keys_that_cleaning_makes_equal_keep_both_values() -> None:
    assert clean({1: "a", "1": "b"}) == {"1": ["a", "b"]}


def test_endless_nesting_and_foreign_objects_are_cleaned_into_text() -> None:
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    circular: list[Any] = []
    circular.append(circular)
    for value in (deep, circular, {"a": deep}, object(), {1, 2}, b"x", 10**5000):
        to_json(clean(value))
        canonical(value)


@given(JSON)
def test_what_was_cleaned_survives_pydantic_and_changes_no_more(value: Any) -> None:
    cleaned = clean(value)
    assert TypeAdapter(Any).validate_json(to_json(cleaned)) == cleaned
    assert same(clean(cleaned), cleaned)


@given(st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=5), st.integers(), max_size=5))
def test_the_canonical_text_does_not_depend_on_the_order_of_keys(value: dict[str, int]) -> None:
    assert canonical(dict(reversed(value.items()))) == canonical(value)


def test_the_canonical_text_tells_apart_what_json_tells_apart() -> None:
    texts = [canonical(value) for value in (1, 1.0, True, "1", "e\u0301", "\u00e9", None, [], {})]
    assert len(set(texts)) == len(texts)
    assert canonical({"b": 1, "a": ["é"]}) == '{"a":["é"],"b":1}'


@pytest.mark.parametrize("value", [nan, inf, "\ud800", {"a": [-inf]}])
def test_what_needs_cleaning_never_equals_its_cleaned_form(value: Any) -> None:
    assert canonical(value) != canonical(clean(value))


def test_a_dump_keeps_the_order_of_keys() -> None:
    assert dump({"b": nan, "a": 1}) == '{"b":"NaN","a":1}'


def test_a_cut_ends_between_two_characters() -> None:
    assert cut("aé", 2) == "a"
    assert cut("aé", 3) == "aé"
    assert cut("\U0001f600" * 3, 7) == "\U0001f600"
