"""Identity, freezing, keys, and the arguments of a call for items."""

import hashlib
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confirmo.policies.items import (
    aliases,
    arguments_for_all,
    arguments_for_item,
    array_argument,
    call_key,
    call_of,
    freeze,
    identity,
    item_argument,
    item_key,
    items_from,
    label,
    too_large,
)
from confirmo.policies.tool_spec import ArgumentSpec, ExecutionPolicy, ToolSpec

VALUES = st.text(min_size=1, max_size=8) | st.integers()
ENTRIES = st.dictionaries(
    st.sampled_from(["id", "order_id", "line_id", "name", "subject", "x"]), VALUES, max_size=6
)


def spec(
    *arguments: tuple[str, str], requires: tuple[str, ...] = (), entry: str | None = None, **execution: Any
) -> ToolSpec:
    return ToolSpec(
        name="encerrar",
        arguments=tuple(
            ArgumentSpec(name=name, type=kind, items={"type": entry} if entry and kind == "array" else None)  # type: ignore[arg-type]
            for name, kind in arguments
        ),
        requires=requires,
        execution=ExecutionPolicy(**execution),
    )


SCALAR = spec(("alvo", "string"), ("motivo", "string"), requires=("alvo",))
BATCH = spec(("encomenda_ids", "array"), ("motivo", "string"), requires=("encomenda_ids",))


@pytest.mark.parametrize(
    ("entry", "key", "expected"),
    [
        ({"codigo": "C", "item_id": "I", "id": "1"}, "codigo", "C"),
        ({"codigo": " ", "item_id": "I", "id": "1"}, "codigo", "I"),
        ({"id": 7, "order_id": "o", "name": "n"}, None, "7"),
        ({"order_id": "o", "name": "n"}, None, "o"),
        ({"line_id": 2, "account_id": "a", "name": "n"}, None, "a|2"),
        ({"name": "n", "subject": "s"}, None, "n"),
        ({"id": None, "order_id": "", "name": {"x": 1}, "subject": "s"}, None, "s"),
        ({"id": True, "name": "n"}, None, "n"),
        ("  Rádio\t Maré ", None, "Rádio Maré"),
        ("Ra\u0301dio", None, "R\u00e1dio"),
        ("abc", None, "abc"),
        ("ABC", None, "ABC"),
        (9007199254740993, None, "9007199254740993"),
        (1.5, None, "1.5"),
        (True, None, "true"),
        (False, None, "false"),
    ],
)
def test_the_identity_is_the_first_field_that_says_it(entry: Any, key: str | None, expected: str) -> None:
    assert identity(entry, key) == expected


def test_an_entry_that_says_nothing_of_itself_is_known_by_a_hash_of_all_of_it() -> None:
    expected = hashlib.sha256(b'{"valor":1,"x":[2]}').hexdigest()
    assert identity({"x": [2], "valor": 1}) == expected
    assert identity({"x": [2], "valor": 1.0}) != expected


def test_several_id_fields_cannot_be_taken_for_others() -> None:
    assert identity({"a_id": "x|y", "b_id": "z"}) != identity({"a_id": "x", "b_id": "y|z"})
    assert identity({"a_id": "x\\", "b_id": "y|z"}) != identity({"a_id": "x\\|y", "b_id": "z"})


@given(ENTRIES)
def test_the_identity_does_not_depend_on_the_order_of_keys(entry: dict[str, Any]) -> None:
    assert identity(dict(reversed(entry.items()))) == identity(entry)


@given(
    st.lists(st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=4), min_size=1, max_size=4)
)
def test_the_identity_does_not_depend_on_spaces(words: list[str]) -> None:
    assert (
        identity("  " + " \t\n".join(words) + " ")
        == identity(" ".join(words))
        == identity({"id": "  ".join(words)})
    )


@given(st.none() | st.booleans() | st.integers() | st.floats() | st.text() | ENTRIES | st.lists(VALUES))
def test_every_entry_has_an_identity_and_a_label(entry: Any) -> None:
    assert isinstance(identity(entry), str)
    assert isinstance(label(entry), str)


def test_the_label_is_what_a_person_would_say() -> None:
    assert label({"id": 1, "name": " Rádio  Maré "}) == "Rádio Maré"
    assert label({"id": 1, "descricao": "Segunda via"}) == "Segunda via"
    assert label({"id": 1}) == "1"
    assert label("ENC-7001") == "ENC-7001"
    assert label({"valor": 1}) == '{"valor":1}'


def test_a_tool_may_name_an_item_by_any_identity_field_or_label() -> None:
    names = aliases({"id": 1, "order_id": "P-1", "name": "A", "title": "B", "x": "C"}, None)
    assert set(names) == {"1", "P-1", "A", "B"}
    assert aliases({"x": "C"}, None) == ()


def test_ex_18_the_same_item_twice_is_one_item() -> None:
    items = freeze(["ENC-7001", "ENC-7002", " ENC-7001 "], None)
    assert [item.item_id for item in items] == ["ENC-7001", "ENC-7002"]


def test_of_an_item_given_twice_the_stricter_word_wins() -> None:
    first, second = freeze(
        [{"id": 1, "n": 1}, {"id": 2}, {"id": "1", "eligible": False, "reason": "fidelidade"}]
    )
    assert (first.eligible, first.reason, first.data) == (False, "fidelidade", {"id": 1, "n": 1})
    assert second.eligible


def test_cf_35_an_item_that_is_not_eligible_stays_in_the_set_with_its_reason() -> None:
    items = freeze(
        [
            {"id": "A-01", "name": "Rádio Maré", "eligible": True},
            {"id": "A-02", "name": "Clube Leitura", "eligible": False, "reason": "fidelidade"},
            {"id": "A-03", "name": "Cofre Fotos 50"},
        ]
    )
    assert [(item.label, item.eligible, item.reason) for item in items] == [
        ("Rádio Maré", True, None),
        ("Clube Leitura", False, "fidelidade"),
        ("Cofre Fotos 50", True, None),
    ]


@pytest.mark.parametrize("value", [False, None, "true", 1, 0, "", [], {}])
def test_only_boolean_true_or_silence_makes_an_item_eligible(value: Any) -> None:
    (item,) = freeze([{"id": 1, "eligible": value}])
    assert not item.eligible
    assert item.reason


def test_an_item_without_a_reason_says_which_rule_it_broke() -> None:
    no, odd = freeze([{"id": 1, "eligible": False}, {"id": 2, "eligible": "yes"}])
    assert (no.reason, odd.reason) == ("not_eligible", "eligible is not a boolean")


def test_entries_that_say_nothing_are_no_items() -> None:
    assert freeze([None, "", "  ", {}, []]) == ()


def test_keys_are_the_documented_hash_and_hold_no_id() -> None:
    expected = "cfm_" + hashlib.sha256("tx-1\x00Rádio".encode()).hexdigest()[:40]
    assert item_key("tx-1", "Rádio") == expected
    assert call_key("tx-1") == "cfm_" + hashlib.sha256(b"tx-1").hexdigest()[:40]


@given(
    st.lists(
        st.tuples(st.text(st.characters(codec="utf-8")), st.text(st.characters(codec="utf-8"))), unique=True
    )
)
def test_keys_are_stable_and_distinct(pairs: list[tuple[str, str]]) -> None:
    pairs = [pair for pair in pairs if "\x00" not in pair[0] + pair[1]]
    keys = [item_key(*pair) for pair in pairs]
    assert keys == [item_key(*pair) for pair in pairs]
    assert len(set(keys)) == len(pairs)
    assert all(re.fullmatch("cfm_[0-9a-f]{40}", key) for key in keys)


def test_a_scalar_contract_is_called_per_item_and_an_array_gets_the_whole_set() -> None:
    assert call_of(SCALAR, has_items=True) == "per_item"
    assert call_of(BATCH, has_items=True) == "whole"
    assert call_of(spec(("alvo", "string"), ("extra", "array")), has_items=True) == "whole"
    assert call_of(BATCH, has_items=False) == "single"


def test_the_policy_decides_how_items_are_called_but_not_whether_there_are_any() -> None:
    whole = spec(("alvo", "string"), call="whole")
    assert call_of(whole, has_items=True) == "whole"
    assert call_of(whole, has_items=False) == "single"
    assert call_of(spec(("ids", "array"), call="per_item"), has_items=True) == "per_item"


def test_the_item_argument_is_the_first_required_else_the_first_declared() -> None:
    assert item_argument(spec(("a", "string"), ("b", "string"), requires=("b",))) == "b"
    assert item_argument(spec(("a", "string"), ("b", "string"))) == "a"
    assert item_argument(spec(("a", "string"), requires=("a",), item_argument="b")) == "b"
    assert item_argument(spec()) is None


def test_items_come_from_the_one_required_array() -> None:
    assert array_argument(BATCH) == "encomenda_ids"
    assert array_argument(spec(("ids", "array"))) is None
    assert array_argument(spec(("a", "array"), ("b", "array"), requires=("a", "b"))) is None
    assert array_argument(spec(("a", "array"), ("b", "array"), requires=("b",))) == "b"


def test_resolved_items_come_before_the_array_and_an_empty_set_stays_empty() -> None:
    given_ids = {"encomenda_ids": ["ENC-1", "ENC-2"]}
    assert [item.item_id for item in items_from(given_ids, None, BATCH)] == ["ENC-1", "ENC-2"]
    assert [item.item_id for item in items_from(given_ids, [{"id": "ENC-2"}], BATCH)] == ["ENC-2"]
    assert items_from(given_ids, [], BATCH) == ()
    assert items_from({"alvo": "A, B"}, None, SCALAR) == ()
    assert items_from({"encomenda_ids": "ENC-1"}, None, BATCH) == ()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"id": "1", "alvo": "x", "name": "A"}, "x"),
        ({"id": "1", "name": "A", "subject": "S"}, "A"),
        ({"id": "1", "subject": "S"}, "S"),
        ({"id": 7}, "7"),
        ("Rádio", "Rádio"),
        (7, "7"),
        (" Rádio ", " Rádio "),
        ({"name": "", "order_id": "a", "line_id": "b"}, "b|a"),
    ],
)
def test_one_item_is_named_by_the_field_of_the_argument_then_name_subject_identity(
    data: Any, expected: Any
) -> None:
    (item,) = freeze([data])
    arguments = arguments_for_item(SCALAR, {"alvo": "A, B", "motivo": "m"}, item)
    assert arguments == {"alvo": expected, "motivo": "m"}


def test_the_policy_names_the_field_and_an_item_without_it_falls_back() -> None:
    tool = spec(("alvo", "string"), requires=("alvo",), item_field="codigo")
    first, second = freeze([{"id": "1", "codigo": "C", "name": "A"}, {"id": "2", "name": "B"}])
    assert arguments_for_item(tool, {}, first)["alvo"] == "C"
    assert arguments_for_item(tool, {}, second)["alvo"] == "B"


def test_pa_13_a_numeric_id_reaches_an_integer_argument_as_a_number() -> None:
    tool = spec(("pedido", "integer"), requires=("pedido",))
    for data in ({"id": 9007199254740993}, 9007199254740993, "9007199254740993"):
        (item,) = freeze([data])
        assert arguments_for_item(tool, {}, item) == {"pedido": 9007199254740993}
    (padded,) = freeze(["007"])
    assert arguments_for_item(tool, {}, padded) == {"pedido": "007"}


def test_one_item_for_an_array_argument_is_a_list_of_one() -> None:
    tool = spec(("ids", "array"), requires=("ids",), call="per_item")
    (text,) = freeze(["ENC-1"])
    (entry,) = freeze([{"id": "1001", "name": "A"}])
    assert arguments_for_item(tool, {"ids": ["ENC-1", "ENC-2"]}, text) == {"ids": ["ENC-1"]}
    assert arguments_for_item(tool, {}, entry) == {"ids": ["A"]}


def test_an_array_of_maps_gets_the_entry_itself() -> None:
    (entry,) = freeze([{"id": "1001", "name": "A"}])
    declared = spec(("items", "array"), requires=("items",), entry="object", call="per_item")
    assert arguments_for_item(declared, {}, entry) == {"items": [{"id": "1001", "name": "A"}]}
    untyped = spec(("items", "array"), requires=("items",), call="per_item")
    assert arguments_for_item(untyped, {"items": [{"id": "1001"}]}, entry) == {
        "items": [{"id": "1001", "name": "A"}]
    }


def test_arguments_are_copied() -> None:
    arguments = {"alvo": "A, B"}
    (item,) = freeze(["A"])
    arguments_for_item(SCALAR, arguments, item)
    arguments_for_all(SCALAR, arguments, [item], True)
    assert arguments == {"alvo": "A, B"}


def test_the_whole_set_as_it_was_given() -> None:
    ids = ["ENC-7001", 9007199254740993, "ENC-7001"]
    arguments = {"encomenda_ids": ids, "motivo": "m"}
    items = items_from(arguments, None, BATCH)
    assert arguments_for_all(BATCH, arguments, items, False) == {"encomenda_ids": ids[:2], "motivo": "m"}


def test_the_whole_set_is_identities_where_the_argument_holds_scalars() -> None:
    items = freeze([{"id": "ENC-1", "name": "A"}, {"id": 2}, {"id": "ENC-3", "eligible": False}])
    assert arguments_for_all(BATCH, {"encomenda_ids": ["a", "b"]}, items, True) == {
        "encomenda_ids": ["ENC-1", 2]
    }
    texts = spec(("ids", "array"), requires=("ids",), entry="string")
    assert arguments_for_all(texts, {}, items, True) == {"ids": ["ENC-1", "2"]}


def test_the_whole_set_is_the_resolved_entries_where_the_argument_holds_maps() -> None:
    resolved = [{"id": "1", "name": "A", "eligible": True}, {"id": "2", "eligible": False, "reason": "x"}]
    items = freeze(resolved)
    tool = spec(("produtos", "array"), requires=("produtos",))
    assert arguments_for_all(tool, {"produtos": [{"name": "a"}]}, items, True) == {"produtos": resolved[:1]}
    assert arguments_for_all(tool, {}, items, True) == {"produtos": resolved[:1]}


def test_an_array_with_any_map_in_it_takes_maps() -> None:
    items = freeze([{"id": "1", "name": "A"}])
    tool = spec(("produtos", "array"), requires=("produtos",), call="per_item")
    given_set = {"produtos": ["x", {"name": "a"}]}
    assert arguments_for_all(tool, given_set, items, True) == {"produtos": [{"id": "1", "name": "A"}]}
    assert arguments_for_item(tool, given_set, items[0]) == {"produtos": [{"id": "1", "name": "A"}]}


def test_a_number_that_is_too_long_for_an_integer_argument_keeps_its_digits() -> None:
    (item,) = freeze(["9" * 4001])
    assert arguments_for_item(spec(("n", "integer")), {}, item) == {"n": "9" * 4001}


def test_of_several_arrays_the_required_one_carries_the_set() -> None:
    tool = spec(("tags", "array"), ("ids", "array"), requires=("ids",))
    items = freeze(["1", "2"])
    assert array_argument(tool) == "ids"
    assert arguments_for_all(tool, {"tags": ["t"], "ids": ["1", "2"]}, items[:1], False) == {
        "tags": ["t"],
        "ids": ["1"],
    }


def test_a_scalar_tool_called_whole_keeps_its_scalar_while_all_are_eligible() -> None:
    tool = spec(("alvo", "string"), requires=("alvo",), call="whole")
    items = freeze([{"id": "A-01", "name": "Rádio"}, {"id": "A-02", "name": "Clube"}])
    assert arguments_for_all(tool, {"alvo": "Rádio e Clube"}, items, True) == {
        "alvo": "Rádio e Clube",
        "items": [{"id": "A-01", "name": "Rádio"}, {"id": "A-02", "name": "Clube"}],
    }


def test_cf_35_a_scalar_tool_called_whole_never_hears_of_what_is_not_eligible() -> None:
    tool = spec(("alvo", "string"), requires=("alvo",), call="whole")
    names = [{"name": "Rádio"}, {"name": "Clube", "eligible": False}, {"name": "Cofre"}]
    sent = arguments_for_all(tool, {"alvo": "Rádio, Clube, Cofre"}, freeze(names), True)
    assert sent == {"alvo": "Rádio, Cofre", "items": [{"name": "Rádio"}, {"name": "Cofre"}]}


def test_too_many_items_or_too_much_to_carry_is_too_large() -> None:
    items = freeze(["1", "2", "3"])
    assert not too_large({"a": "x"}, items, 3)
    assert too_large({"a": "x"}, items, 2)
    assert too_large({"a": "x" * 1_000_001}, (), 3)


def test_what_is_to_be_carried_is_measured_in_bytes_as_it_travels() -> None:
    emoji = freeze([{"id": f"E-{number}", "name": "👩" * 1_000} for number in range(75)])
    assert too_large({}, emoji, 75)
    assert not too_large({}, emoji, 75, sizes=1)
    plain = freeze(f"ENC-{number:06}" for number in range(10_000))
    assert not too_large({"ids": [item.item_id for item in plain]}, plain, 10_000)
    assert too_large({}, plain, 10_000, sizes=1)
