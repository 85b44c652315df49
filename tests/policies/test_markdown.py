"""Questions and answers as markdown, read by a real parser: every text is data."""
# ruff: noqa: E501 - the texts stand as they are written

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from confirmo.policies.models import ItemState, Status, TransactionResult, TransactionState
from confirmo.policies.presenting import answer_text, question_text
from confirmo.policies.texts import clean_text
from confirmo.policies.texts.markdown import escape

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
HARMLESS = {"paragraph", "inline", "text", "softbreak", "bullet_list", "list_item", "strong"}
HOSTILE = [
    "[clique](http://exemplo.test)", "![x](http://exemplo.test/a.png)", "<b>x</b>", "# título", "`código`", "---", "===",
    "+ a", "- a", "1. a", "1) a", "> citação", "| a | b |", "~~x~~", "**b**", "_i_", "<http://exemplo.test>", "&lt;b&gt;",
    "[x]: http://exemplo.test", "barra\\", "https://exemplo.test", "www.exemplo.test", "a@exemplo.test", "$x$", "{a}", "!",
]  # fmt: skip


def kinds(markdown: str) -> set[str]:
    """What a parser makes of it."""
    tokens = PARSER.parse(markdown)
    every = [*tokens, *(child for token in tokens for child in token.children or [])]
    return {token.type.removesuffix("_open").removesuffix("_close") for token in every}


def shown(markdown: str) -> str:
    """What a person sees of it, one line for each block."""
    return "\n".join(
        "".join(child.content for child in token.children or [])
        for token in PARSER.parse(markdown)
        if token.type == "inline"
    )


def state_of(message: str, *labels: str) -> TransactionState:
    items = tuple(ItemState(item_id=label, label=label) for label in labels)
    return TransactionState(
        transaction_id="t",
        status=Status.AWAITING_CONFIRMATION,
        tool_name="x",
        requested_tool_name="x",
        question=message,
        items=items,
    )


def result_of(message: str, *labels: str, **more: Any) -> TransactionResult:
    views = [{"label": label, "outcome": "SUCCEEDED"} for label in labels]
    return TransactionResult(
        transaction_id="t",
        tool_name="x",
        ok=True,
        transaction_status=Status.COMPLETED,
        message=message,
        composition={"items": views} | more,
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_is_shown_as_its_characters(text: str) -> None:
    assert kinds(escape(text)) <= {"paragraph", "inline", "text"}
    assert shown(escape(text)) == text


@pytest.mark.parametrize("text", HOSTILE)
def test_a_label_makes_nothing_but_bold(text: str) -> None:
    question = question_text(
        state_of(f"Você confirma o cancelamento de {text} e Aya?\n- o valor: {text}", text, "Aya"), "markdown"
    )
    answer = answer_text(
        result_of(f"2 de 2 itens concluídos.\n{text}: concluído.\nAya: concluído.", text, "Aya"), "markdown"
    )
    assert kinds(question) <= HARMLESS
    assert kinds(answer) <= HARMLESS
    assert shown(question) == f"Você confirma o cancelamento de {text} e Aya?\no valor: {text}"
    assert shown(answer) == f"2 de 2 itens concluídos.\n{text}: concluído.\nAya: concluído."


@given(st.text())
def test_no_text_makes_anything(text: str) -> None:
    assert kinds(escape(text)) <= {"paragraph", "inline", "text"}
    assert shown(escape(text)) == " ".join(clean_text(text).split())


def test_items_become_a_list_in_the_words_that_were_frozen() -> None:
    message = "2 de 3 itens concluídos.\nTIM Fashion: concluído (protocolo P_1).\nTIM: não concluído.\nOutra etapa falhou: TIM."
    assert answer_text(result_of(message, "TIM Fashion", "TIM"), "markdown") == (
        "2 de 3 itens concluídos.\n\n- **TIM Fashion**: concluído (protocolo P\\_1).\n- **TIM**: não concluído.\n\n"
        "Outra etapa falhou: **TIM**."
    )


def test_one_item_is_a_sentence() -> None:
    assert answer_text(result_of("PED-1: concluído.", "PED-1"), "markdown") == "**PED-1**: concluído."


def test_plain_text_is_what_was_frozen() -> None:
    assert question_text(state_of("Confirma *A*?\nSim ou não.", "A")) == "Confirma *A*?\nSim ou não."
    assert answer_text(result_of("*A*: concluído.", "A")) == "*A*: concluído."


def test_a_record_without_message_or_composition_is_told_too() -> None:
    bare = result_of("").model_copy(
        update={"composition": {"items": ["x", {"label": 1}]}, "reason": "não *deu*"}
    )
    assert (answer_text(bare), answer_text(bare, "markdown")) == ("não *deu*", "não \\*deu\\*")
    assert answer_text(result_of("").model_copy(update={"composition": {}})) == "COMPLETED"
    assert question_text(state_of("").model_copy(update={"question": None})) == ""
