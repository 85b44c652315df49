"""The template of auxiliary and compensating steps."""

from hypothesis import given
from hypothesis import strategies as st

from confirmo.policies.templates import ITEM_NAMES, STEP_NAMES, render, unknown_names

ENTRIES = [{"item_id": "A-01", "label": "Rádio Maré"}, {"item_id": "A-02", "subject": "Clube Leitura"}]


def test_a_name_alone_becomes_the_value_itself():
    assert render({"itens": "{{ succeeded }}"}, {"succeeded": ENTRIES}) == {"itens": ENTRIES}


def test_inside_a_text_a_list_becomes_its_labels():
    text = render(
        "Feito: {{ succeeded }} ({{transaction_id}})", {"succeeded": ENTRIES, "transaction_id": "tx-1"}
    )
    assert text == "Feito: Rádio Maré, Clube Leitura (tx-1)"


def test_a_field_of_a_result_can_be_read():
    assert render("{{ result.protocolo }}", {"result": {"protocolo": "EN-1"}}) == "EN-1"
    assert render("n. {{ result.nada }}", {"result": {}}) == "n. "


def test_a_name_that_is_not_offered_is_named():
    value = {"a": "{{ succeeded }} {{ senha }}", "b": ["{{ results.x }}"]}
    assert unknown_names(value, STEP_NAMES) == ["results.x", "senha"]
    assert unknown_names("{{ item.id }} {{ result.a.b }}", ITEM_NAMES) == ["result.a.b"]


def test_what_is_rendered_is_not_rendered_again():
    assert (
        render("{{ label }}", {"label": "{{ transaction_id }}", "transaction_id": "x"})
        == "{{ transaction_id }}"
    )


@given(st.text())
def test_text_without_braces_stays_as_it_is(text):
    text = text.replace("{{", "")
    assert render(text, {}) == text


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda c: st.lists(c) | st.dictionaries(st.text(), c),
    )
)
def test_rendering_never_raises(value):
    render(value, {"item": 3})
    unknown_names(value, ITEM_NAMES)
