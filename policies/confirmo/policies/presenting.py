"""A state's question and a result's answer as a person reads them: in plain text or as markdown.

The words are those that were frozen with the transaction; markdown only marks what the data says is an item.
"""

from typing import Any, Literal

from confirmo.policies.models import TransactionResult, TransactionState
from confirmo.policies.texts import clean_text, one_line
from confirmo.policies.texts.markdown import as_markdown

TextFormat = Literal["plain", "markdown"]


def question_text(state: TransactionState, format: TextFormat = "plain") -> str:
    """Return what a person is asked now; empty where nothing is asked."""
    asked = state.question or (state.confirmation.message if state.confirmation and not state.result else "")
    if format == "plain":
        return clean_text(asked)
    return as_markdown(asked, [one_line(item.label) for item in state.items])


def answer_text(result: TransactionResult, format: TextFormat = "plain") -> str:
    """Return what happened: every item with its outcome, protocol and reason."""
    told = clean_text(result.message or result.reason or result.transaction_status.value)
    if format == "plain":
        return told
    labels = _labels(result.composition.get("items"))
    undone = _labels(result.composition.get("undone"))
    return as_markdown(told, [*labels, *undone], labels if len(labels) > 1 else ())


def _labels(views: Any) -> list[str]:
    """Return the labels of a composition's items; a record of another release may have none."""
    entries = views if isinstance(views, list) else []
    return [str(view["label"]) for view in entries if isinstance(view, dict) and "label" in view]
