"""Files of texts: a deployment's own sentences, read as strictly as the other files."""

import pytest

from confirmo.policies.catalog import TextsError, load_overrides, load_texts
from confirmo.policies.tool_spec import TextOverrides

PT, EN = "texts.pt-BR.yaml", "texts.en.yaml"


@pytest.fixture
def with_texts(sound):
    """Return a loader of sound files beside the given files of texts."""

    def load_(**files):
        data = {
            "tools.yaml": sound.tools,
            "tool_policies.yaml": sound.policies,
            "mcp_servers.yaml": sound.servers,
        }
        named = {PT: files.get("pt"), EN: files.get("en"), **files.get("other", {})}
        texts = {name: text.encode() for name, text in (data | named).items() if text is not None}
        return load_texts(texts, {})

    return load_


def test_no_file_of_texts_means_the_built_in_ones(with_texts):
    loaded = with_texts()
    assert (loaded.errors, loaded.warnings, loaded.catalog.texts) == ((), (), {})


def test_texts_and_nouns_are_read_by_locale(with_texts):
    pt = """\
x-shared: &end "{label}: encerrado{detail}."
texts:
  item_succeeded: *end
  hint: >
    Responda 'sim' ou 'não'.
  and: " & "
operation_nouns:
  trocar_plano: a troca de plano
  trocar_: a troca
"""
    loaded = with_texts(pt=pt, en="texts: {hint: Say yes or no.}")
    assert loaded.errors == ()
    assert loaded.catalog.texts == {
        "pt-BR": TextOverrides(
            texts={
                "item_succeeded": "{label}: encerrado{detail}.",
                "hint": "Responda 'sim' ou 'não'.",
                "and": " & ",
            },
            operation_nouns=(("trocar_plano", "a troca de plano"), ("trocar_", "a troca")),
        ),
        "en": TextOverrides(texts={"hint": "Say yes or no."}),
    }


@pytest.mark.parametrize(
    ("text", "line", "key", "said"),
    [
        ("texts:\n  hnit: x", 2, "texts.hnit", "Did you mean 'hint'?"),
        ("text: {}", 1, "text", "Did you mean 'texts'?"),
        ("texts:\n  ask: 'Informe {waht}.'", 2, "texts.ask", "Did you mean 'what'?"),
        ("texts:\n  ask: Informe.", 2, "texts.ask", "{what} is missing"),
        ("texts:\n  item_succeeded: '{label} foi.'", 2, "texts.item_succeeded", "{detail} is missing"),
        ("texts:\n  expires: 'Até {day}/{month}.'", 2, "texts.expires", "{year}, {time} is missing"),
        ("texts:\n  hint: 'Diga {what}'", 2, "texts.hint", "This text has no placeholder"),
        ("texts:\n  ask: 'Informe {what.__class__}.'", 2, "texts.ask", "is not filled in here"),
        ("texts:\n  ask: 'Informe {what[0]}.'", 2, "texts.ask", "is not filled in here"),
        ("texts:\n  ask: 'Informe {what!r}.'", 2, "texts.ask", "alone"),
        ("texts:\n  ask: 'Informe {what:>9}.'", 2, "texts.ask", "alone"),
        ("texts:\n  ask: 'Informe {}.'", 2, "texts.ask", "is not filled in here"),
        ("texts:\n  ask: 'Informe {what'", 2, "texts.ask", "brace"),
        ("texts:\n  ask: 'Informe }{what}'", 2, "texts.ask", "brace"),
        ("texts:\n  hint:", 2, "texts.hint", "missing"),
        ("texts:\n  hint: ' '", 2, "texts.hint", "missing"),
        ("texts:\n  hint: [x]", 2, "texts.hint", "A text is due"),
        ("texts:\n  hint: {a: b}", 2, "texts.hint", "A text is due"),
        ("texts:\n  hint: |\n    a\n    b", 2, "texts.hint", "one line"),
        ('texts:\n  hint: "a\\u202eb"', 2, "texts.hint", "invisible"),
        ("texts:\n  hint: '" + "a" * 1001 + "'", 2, "texts.hint", "at most 1000"),
        ("texts:\n  and: e", 2, "texts.and", "space on both sides"),
        ("texts:\n  instruction: Conte uma história.", 2, "texts.instruction", "cannot be replaced"),
        ("texts:\n  hint: a\n  hint: b", 3, "texts.hint", "stands twice"),
        ("operation_nouns:\n  trocar_: ''", 2, "operation_nouns.trocar_", "missing"),
        ("operation_nouns: [a]", 1, "operation_nouns", "A map is due"),
        ("- a", 1, None, "A map is due"),
        ("texts: {", 1, None, ""),
    ],
)
def test_a_text_that_cannot_be_used_is_refused_with_its_place(with_texts, text, line, key, said):
    loaded = with_texts(pt=text)
    assert loaded.catalog is None
    (problem,) = loaded.errors
    assert (problem.file, problem.key) == (PT, key)
    assert problem.line == line or said == ""
    assert said in problem.message


@pytest.mark.parametrize(
    "name", ["texts.fr.yaml", "texts.pt_BR.yaml", "texts.pt-br.yaml", "texts.yaml", "texts.en.yml"]
)
def test_texts_of_no_locale_are_refused_and_never_ignored(with_texts, name):
    loaded = with_texts(other={name: "texts: {}"})
    (problem,) = loaded.errors
    assert problem.file == name
    assert "texts.en.yaml" in problem.message or "texts.pt-BR.yaml" in problem.message


def test_every_problem_of_every_file_is_reported_at_once(with_texts):
    loaded = with_texts(
        pt="texts: {hnit: x, ask: x}", en="texts: {and: x}", other={"tool_policies.yaml": "version: 2"}
    )
    assert [problem.file for problem in loaded.errors] == ["tool_policies.yaml", EN, PT, PT]


def test_braces_that_are_shown_are_doubled(with_texts):
    loaded = with_texts(pt="texts: {ask: 'Informe {what} {{assim}}.'}")
    assert loaded.errors == ()


def test_the_texts_alone_are_loaded_from_a_directory(tmp_path):
    assert load_overrides(tmp_path) == {}
    (tmp_path / EN).write_text("texts: {hint: Say yes.}")
    assert load_overrides(tmp_path) == {"en": TextOverrides(texts={"hint": "Say yes."})}
    (tmp_path / "texts.fr.yaml").write_text("texts: {}")
    (tmp_path / PT).write_text("texts: {hnit: x}")
    with pytest.raises(TextsError, match=r"texts\.fr\.yaml") as caught:
        load_overrides(tmp_path)
    assert [problem.file for problem in caught.value.problems] == ["texts.fr.yaml", PT]
    with pytest.raises(TextsError, match="not a directory"):
        load_overrides(tmp_path / "nada")
