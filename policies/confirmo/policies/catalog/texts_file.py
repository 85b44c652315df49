"""``texts.<locale>.yaml``: a deployment's own sentences, each with exactly the placeholders of the built-in one."""

from string import Formatter
from typing import Any, Final

from confirmo.policies.catalog.nodes import Node, Scalar
from confirmo.policies.catalog.readers import At, Reader, map_of, nearest, record, text
from confirmo.policies.catalog.shapes import SCALARS, Schema, Shaped, record_shape, shaped
from confirmo.policies.texts import LOCALES, catalogue, clean_text
from confirmo.policies.tool_spec import TextOverrides

MAX_CHARACTERS: Final = 1_000
"""Of one text: it goes into the history of every transaction."""

NOT_REPLACED: Final = frozenset({"instruction", "instruction_undone"})
"""They bind a language model to what happened, and are the same everywhere."""

TEXTS_FILES: Final = {f"texts.{locale}.yaml": locale for locale in LOCALES}
"""File name to the locale that it is for."""


_SENTENCE: Final[Schema] = {"type": SCALARS, "pattern": r"\S", "maxLength": MAX_CHARACTERS}


def is_texts_file(name: str) -> bool:
    """Tell whether a file's name says that it holds texts, of whatever locale."""
    return name.lower().startswith("texts.") and name.lower().endswith((".yaml", ".yml"))


def texts_shape(locale: str) -> Schema:
    """Return the schema of the whole of one file of texts."""
    return record_shape("The file of texts", _readers(locale), root=True)


def read_overrides(root: Node, at: At, locale: str) -> TextOverrides:
    """Read the whole of one file of texts."""
    stated = record(root, at, at.source.file, _readers(locale))
    nouns = stated.get("operation_nouns") or {}
    return TextOverrides(texts=stated.get("texts") or {}, operation_nouns=tuple(nouns.items()))


def _readers(locale: str) -> dict[str, Reader]:
    built_in = catalogue(locale)
    keys = {key: _text_like(key, model) for key, model in built_in.items()}

    def texts(node: Node, place: At) -> dict[str, Any]:
        return record(node, place, "the texts", keys)

    return {
        "texts": Shaped(texts, lambda: record_shape("The texts", keys)),
        "operation_nouns": map_of(_noun),
    }


def _text_like(key: str, model: str) -> Reader:
    """Return a reader of a sentence that stands in place of ``model``."""

    def read(node: Node, at: At) -> str | None:
        if key in NOT_REPLACED:
            at.error(node, f"'{key}' binds a language model and cannot be replaced. Remove it.")
            return None
        written = text(node, at)
        if written is None:
            if isinstance(node, Scalar):
                at.error(node, "A text is missing here. Write it, or remove the key for the built-in text.")
            return None
        spaces_count = model != model.strip()
        value = written if spaces_count else written.strip()
        problem = _unusable(value) or _edges(value, model) or _placeholders(value, model)
        if problem:
            at.error(node, problem)
            return None
        return value

    return Shaped(read, lambda: _sentence_shape(key, model))


def _sentence_shape(key: str, model: str) -> Schema:
    if key in NOT_REPLACED:
        return {"not": {}}
    placeholders = [{"pattern": rf"\{{{name}\}}"} for name in _names(model) or {}]
    sentence = _SENTENCE | {"description": model.strip()}
    return sentence | {"allOf": placeholders} if placeholders else sentence


@shaped(lambda: _SENTENCE)
def _noun(node: Node, at: At) -> str | None:
    value = (text(node, at) or "").strip()
    problem = _unusable(value)
    if problem:
        at.error(node, problem)
        return None
    return value


def _unusable(value: str) -> str:
    if not value.strip():
        return "A text is missing here. Write it, or remove the key for the built-in text."
    if "\n" in value.strip() or clean_text(value) != value:
        return "A text is one line, without tabs, control and invisible characters."
    if len(value) > MAX_CHARACTERS:
        return f"A text has at most {MAX_CHARACTERS} characters."
    return ""


def _edges(value: str, model: str) -> str:
    """Compare the spaces around a joining word such as `` e ``."""
    if (value[:1] == " ", value[-1:] == " ") == (model[:1] == " ", model[-1:] == " "):
        return ""
    return f"This text stands between others: write it in quotes with a space on both sides, like '{model}'."


def _placeholders(value: str, model: str) -> str:
    due = _names(model) or {}
    found = _names(value)
    if found is None:
        return "A brace is not closed, or stands alone. Write {{ and }} for braces that are shown."
    for name, plain in found.items():
        if name not in due:
            return f"'{{{name}}}' is not filled in here. {_offer(name, due)}"
        if not plain:
            return f"Write '{{{name}}}' alone: nothing may stand behind the name inside the braces."
    missing = [f"{{{name}}}" for name in due if name not in found]
    return f"{', '.join(missing)} is missing: without it a person would not be told." if missing else ""


def _offer(name: str, due: dict[str, bool]) -> str:
    return nearest(name, due) if due else "This text has no placeholder."


def _names(sentence: str) -> dict[str, bool] | None:
    """Return the placeholders, each with whether it is a name alone; null where the braces are wrong."""
    try:
        parts = list(Formatter().parse(sentence))
    except ValueError:
        return None
    return {name: not form and not conversion for _, name, form, conversion in parts if name is not None}
