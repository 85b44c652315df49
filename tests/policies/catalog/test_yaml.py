"""The YAML of the three files: strict, and every refusal a sentence with file and line."""

import json
import time
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from confirmo.policies.catalog import load_catalog, load_texts
from confirmo.policies.catalog.decode import decode

BOMB = "x-comuns:\n  n1: &n1 [mar, mar, mar, mar, mar, mar, mar, mar, mar]\n" + "".join(
    f"  n{i}: &n{i} [{', '.join([f'*n{i - 1}'] * 9)}]\n" for i in range(2, 10)
)


def only(problems):
    assert len(problems) == 1, problems
    return problems[0]


def test_sound_files_load_without_a_finding(load):
    loaded = load()
    assert loaded.errors == ()
    assert loaded.warnings == ()
    assert list(loaded.catalog.tools) == ["encerrar_assinaturas", "checar_assinaturas", "avisar_cliente"]
    assert list(loaded.catalog.servers) == ["loja"]


def test_co_01_only_true_and_false_are_booleans(load):
    loaded = load(
        tools=(
            "tools:\n  encerrar_assinaturas:\n    mcp_server: loja\n"
            "    enabled: on\n    args_schema: {alvo: string}\n"
        ),
        policies="tool_policies:\n  encerrar_assinaturas:\n    operation_type: transactional\n"
        "    require_confirmation: yes\n    pre_validation: {enabled: on, tool: checar, fail_open: no}\n",
    )
    found = {
        (problem.file, problem.line, problem.key) for problem in loaded.errors if "boolean" in problem.message
    }
    assert found == {
        ("tools.yaml", 4, "tools.encerrar_assinaturas.enabled"),
        ("tool_policies.yaml", 4, "tool_policies.encerrar_assinaturas.require_confirmation"),
        ("tool_policies.yaml", 5, "tool_policies.encerrar_assinaturas.pre_validation.enabled"),
        ("tool_policies.yaml", 5, "tool_policies.encerrar_assinaturas.pre_validation.fail_open"),
    }
    assert loaded.catalog is None


@pytest.mark.parametrize(
    "text", ["yes", "no", "on", "off", "sim", "'true'", '"false"', "null", "~", "", "True", "1", "[]"]
)
def test_co_01_nothing_else_is_a_boolean(policy, text):
    loaded = policy("{requires: [alvo], require_confirmation: " + text + "}")
    assert only(loaded.errors).key == "tool_policies.encerrar_assinaturas.require_confirmation"


def test_co_01_keys_and_names_are_text(load):
    loaded = load(
        tools="tools:\n  t:\n    mcp_server: loja\n    tool_type: action\n    requires: [no, on]\n"
        "    args_schema: {no: string, on: string, yes: string, 1: string, null: string}\n",
        policies="version: 1\n",
    )
    tool = loaded.catalog.tools["t"]
    assert tool.requires == ("no", "on")
    assert [each.name for each in tool.arguments] == ["no", "on", "yes", "1", "null"]


def test_co_03_a_duplicate_tool_key_names_both_lines(load):
    loaded = load(
        policies=(
            "tool_policies:\n  encerrar_assinaturas:\n    operation_type: transactional\n    requires: [alvo]\n"
            "  encerrar_assinaturas:\n    operation_type: read_only\n    require_confirmation: false\n"
        )
    )
    error = only(loaded.errors)
    assert (error.file, error.line, error.key) == (
        "tool_policies.yaml",
        5,
        "tool_policies.encerrar_assinaturas",
    )
    assert "line 2" in error.message
    assert "line 5" in error.message


def test_co_03_a_duplicate_inside_a_free_part_or_a_list_is_found_too(load, sound):
    loaded = load(tools="x-a:\n  - {b: 1, b: 2}\n" + sound.tools)
    assert only(loaded.errors).key == "x-a.0.b"


@pytest.mark.parametrize(("one", "other"), [("\u00e9", "e\u0301"), ("ﬁm", "fim"), ("Ａ", "A")])
def test_keys_that_differ_only_by_unicode_form_are_refused(load, one, other):
    entry = "{mcp_server: loja, tool_type: read_only}"
    loaded = load(tools=f"tools:\n  {one}: {entry}\n  {other}: {entry}\n", policies="version: 1\n")
    error = only(loaded.errors)
    assert "line 2" in error.message
    assert "Unicode" in error.message
    assert error.line == 3


def test_a_merged_key_may_be_overridden_and_keeps_file_order(load):
    loaded = load(
        tools="x-base: &base {mcp_server: loja, tool_type: read_only, description: velha}\n"
        "x-more: &more {description: outra, enabled: true}\n"
        "tools:\n  t:\n    <<: [*base, *more]\n    tool_type: internal\n",
        policies="version: 1\n",
    )
    tool = loaded.catalog.tools["t"]
    assert (tool.operation_type, tool.description, tool.mcp_server) == ("internal", "velha", "loja")


@pytest.mark.parametrize("merge", ["<<: 1", "<<: [*b, 1]", "<<: *b\n    <<: *b"])
def test_a_wrong_merge_is_an_error(load, merge):
    loaded = load(
        tools=(
            f"x-b: &b {{mcp_server: loja}}\ntools:\n  t:\n"
            f"    mcp_server: loja\n    tool_type: read_only\n    {merge}\n"
        ),
        policies="version: 1\n",
    )
    assert only(loaded.errors).key == "tools.t.<<"


def test_a_quoted_merge_key_is_an_ordinary_key(load):
    loaded = load(
        tools='tools:\n  t: {mcp_server: loja, tool_type: read_only, args_schema: {"<<": string}}\n',
        policies="version: 1",
    )
    assert loaded.catalog.tools["t"].arguments[0].name == "<<"


def test_co_07_billion_laughs_are_refused_quickly_and_name_the_limit(load, sound):
    tracemalloc.start()
    begun = time.process_time()
    loaded = load(tools=BOMB + sound.tools)
    assert time.process_time() - begun < 2
    assert tracemalloc.get_traced_memory()[1] < 200_000_000
    tracemalloc.stop()
    error = only(loaded.errors)
    assert "300000" in error.message
    assert len(error.message) < 300


def test_co_07_many_aliases_of_one_wrong_map_do_not_flood(load):
    wrong = "x-a: &a {" + ", ".join(f"k{i}: 1" for i in range(100)) + "}\ntools:\n"
    begun = time.process_time()
    loaded = load(tools=wrong + "".join(f"  t{i}: *a\n" for i in range(500)), policies="version: 1")
    assert time.process_time() - begun < 5
    assert len(loaded.errors) == 1001
    assert "more errors" in loaded.errors[-1].message


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("x-a: &a [1, *a]\n", 1, "contains itself"),
        ("x-a: &a {b: {c: *a}}\n", 1, "contains itself"),
        ("x-a: *nada\n", 1, "no anchor"),
        ("x-a: !!python/object/apply:os.system ['ls']\n", 1, "tag"),
        ("x-a: !nosso 1\n", 1, "tag"),
        ("x-a: !!timestamp 2026-01-01\n", 1, "tag"),
        ("x-a: !!seq {b: 1}\n", 1, "tag"),
        ("x-a: " + "[" * 100_000, 1, "64"),
        ("\n".join(" " * level + "a:" for level in range(200)), 65, "64"),
        ("? [a, b]\n: c\n", 1, "key"),
        ('x-a: "\\UFFFFFFFF"\n', 1, "cannot be read"),
        ('x-a: "\\ud800"\n', 1, "character"),
        ("tools: {a: b\n", 2, "cannot be read"),
        ("a: b: c\n", 1, "indentation"),
    ],
)
def test_yaml_that_cannot_be_used_is_one_sentence_with_its_line(load, text, line, word):
    error = only(load(tools=text).errors)
    assert (error.file, error.line) == ("tools.yaml", line)
    assert word in error.message


def test_aliases_that_stack_levels_are_refused_without_recursion(load, sound):
    chain = "x-0: &a0 [1]\n" + "".join(f"x-{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 3000))
    assert "64" in only(load(tools=chain + sound.tools).errors).message


def test_an_alias_of_a_scalar_and_an_anchor_used_twice_are_fine(load, sound):
    assert (
        load(
            tools="x-a: &a loja\nx-b: &a loja\n" + sound.tools.replace("mcp_server: loja", "mcp_server: *a")
        ).errors
        == ()
    )


def test_co_09_tab_and_latin_1_say_the_line_and_what_to_do(load):
    tab = only(load(tools="tools:\n\tt: {mcp_server: loja}\n").errors)
    assert (tab.line, "spaces" in tab.message) == (2, True)
    latin = only(load(tools="# 1\ntools:\n  t: {description: Devolução}\n".encode("latin-1")).errors)
    assert (latin.line, "UTF-8" in latin.message) == (3, True)


def test_co_09_bom_and_crlf_load_the_same(load, sound):
    expected = load().catalog
    assert load(tools=b"\xef\xbb\xbf" + sound.tools.encode()).catalog == expected
    assert load(tools=sound.tools.replace("\n", "\r\n")).catalog == expected
    assert load(tools=sound.tools.replace("\n", "\r")).catalog == expected


@pytest.mark.parametrize(
    "text", ["", "\n\n", "# nada\n# ainda nada\n", "---\n", "---\n...\n", b"\xef\xbb\xbf"]
)
@pytest.mark.parametrize("name", ["tools", "policies", "servers"])
def test_co_09_an_empty_file_is_an_error(load, name, text):
    loaded = load(**{name: text})
    assert any("empty" in problem.message for problem in loaded.errors)
    assert loaded.catalog is None


@pytest.mark.parametrize(
    "text", ["tools: {}\n", "tools:\n", "tools: []\n", "x-a: 1\n", "null\n", "texto\n", "[]\n"]
)
def test_co_09_no_tools_is_never_all_good(load, text):
    assert load(tools=text, policies="version: 1").catalog is None


@pytest.mark.parametrize("name", ["tools", "policies", "servers"])
def test_co_09_two_documents_are_an_error_with_the_line_of_the_second(load, sound, name):
    text = getattr(sound, name)
    error = only(load(**{name: text + "---\n" + text}).errors)
    assert error.line == text.count("\n") + 1
    assert "one document" in error.message


def test_utf_16_control_characters_and_size_are_refused(load, sound):
    assert "UTF-16" in only(load(tools=sound.tools.encode("utf-16")).errors).message
    control = only(load(tools="# a\r\ntools: \x07\n").errors)
    assert (control.line, "U+0007" in control.message) == (2, True)
    assert "8 MiB" in only(load(tools=b"#" + b"x" * 8 * 1024 * 1024).errors).message
    largest = sound.tools.encode() + b"#"
    assert decode(largest.ljust(8 * 1024 * 1024, b"x")).startswith(sound.tools)


def test_every_problem_of_every_file_is_reported_at_once(load):
    loaded = load(
        tools="tools:\n  t: {mcp_servr: loja, enabled: yes}\n  u: 3\n",
        policies="version: 2\ntool_policies: {nada: {requires: alvo}}\n",
        servers="servers: {loja: {transport: pombo}}\n",
    )
    assert {problem.file for problem in loaded.errors} == {
        "tools.yaml",
        "tool_policies.yaml",
        "mcp_servers.yaml",
    }
    keys = {problem.key for problem in loaded.errors}
    assert {
        "tools.t.mcp_servr",
        "tools.t.enabled",
        "tools.u",
        "version",
        "tool_policies.nada.requires",
    } <= keys
    assert {"tool_policies.nada", "servers.loja.transport"} <= keys


def test_an_unknown_key_names_the_nearest_known_one(load, policy):
    error = only(policy("{requires: [alvo], pre_validaton: true}").errors)
    assert error.key == "tool_policies.encerrar_assinaturas.pre_validaton"
    assert "'pre_validation'" in error.message
    assert "'tools'" in load(tools="tool: {}\n").errors[0].message


def test_free_keys_are_free_at_the_top_only(load, sound):
    assert load(tools="x-qualquer: [1, {a: ~}]\n" + sound.tools).errors == ()
    assert only(
        load(tools=sound.tools.replace("    tool_type: action", "    x-a: 1\n    tool_type: action")).errors
    ).key == ("tools.encerrar_assinaturas.x-a")


def test_a_missing_or_wrong_directory_is_an_error(tmp_path: Path):
    assert "directory" in only(load_catalog(tmp_path / "nada", {}).errors).message
    (tmp_path / "arquivo").write_text("a: 1")
    assert only(load_catalog(tmp_path / "arquivo", {}).errors).file == "arquivo"
    assert load_catalog(Path("a\0b"), {}).catalog is None


def test_missing_files_are_errors_and_missing_policies_a_warning(tmp_path: Path, sound):
    empty = load_catalog(tmp_path, {})
    assert [problem.file for problem in empty.errors] == ["tools.yaml", "mcp_servers.yaml"]
    (tmp_path / "tools.yaml").write_text(sound.tools)
    (tmp_path / "mcp_servers.yaml").write_text(sound.servers)
    loaded = load_catalog(tmp_path, {})
    assert loaded.errors == ()
    assert [p.file for p in loaded.warnings if "missing" in p.message] == ["tool_policies.yaml"]
    assert loaded.catalog.tools["encerrar_assinaturas"].require_confirmation is True


def test_a_policies_file_with_the_wrong_ending_or_kind_is_not_ignored(tmp_path: Path, sound):
    (tmp_path / "tools.yaml").write_text(sound.tools)
    (tmp_path / "mcp_servers.yaml").write_text(sound.servers)
    (tmp_path / "tool_policies.yml").write_text(sound.policies)
    assert "Rename" in only(load_catalog(tmp_path, {}).errors).message
    (tmp_path / "tool_policies.yaml").mkdir()
    assert "not a file" in only(load_catalog(tmp_path, {}).errors).message


@settings(max_examples=80, deadline=None)
@given(st.binary(max_size=200))
def test_random_bytes_never_raise(load, data):
    assert (
        load_texts(dict.fromkeys(("tools.yaml", "tool_policies.yaml", "mcp_servers.yaml"), data), {}).catalog
        is None
    )
    assert load(tools=data).errors


YAMLISH = st.lists(
    st.sampled_from(
        [
            "tools:",
            "\n",
            "  ",
            "- ",
            "&a ",
            "*a",
            "<<: ",
            "[",
            "]",
            "{",
            "}",
            ", ",
            ": ",
            "x",
            "!!str ",
            "!t ",
            "? ",
            "|\n",
            "'",
            '"',
            "\\",
            "# ",
            "---",
            "%YAML 1.9",
            "~",
            "1e3",
            "\t",
            "é",
            "defaults:",
            "requires",
            "default",
        ]
    ),
    max_size=40,
).map("".join)


@settings(max_examples=80, deadline=None)
@given(YAMLISH)
def test_random_yaml_never_raises_and_every_error_has_a_sentence(load, text):
    for loaded in (load(tools=text), load(policies=text), load(servers=text)):
        assert all(problem.message.endswith((".", "?")) for problem in loaded.errors)
        assert (loaded.catalog is None) == bool(loaded.errors)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
WORDS = st.sampled_from(
    [
        "mcp_server",
        "enabled",
        "tool_type",
        "args_schema",
        "requires",
        "response",
        "cache",
        "type",
        "enum",
        "items",
        "default",
        "pattern",
        "pre_validation",
        "confirmation",
        "execution",
        "after",
        "tool",
        "arguments",
        "endpoint",
        "env",
    ]
)


@settings(max_examples=80, deadline=None)
@given(st.dictionaries(WORDS, st.dictionaries(WORDS, JSON, max_size=3) | JSON, max_size=4))
def test_any_json_under_known_keys_never_raises(load, entry):
    text = json.dumps(entry)
    load(tools='{"tools": {"t": ' + text + "}}")
    load(tools='{"tools": {"t": {"mcp_server": "loja", "args_schema": {"x": ' + text + "}}}}")
    load(policies='{"defaults": ' + text + ', "tool_policies": {"encerrar_assinaturas": ' + text + "}}")
    load(servers='{"servers": {"loja": ' + text + "}}")
