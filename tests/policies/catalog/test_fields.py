"""``args_schema``: values get the type that the field declares."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

PLAIN_NULLS = ("", "~", "null", "Null", "NULL")


def spec(loaded):
    assert loaded.errors == ()
    return loaded.catalog.tools["t"].arguments[0]


@pytest.mark.parametrize(
    "text",
    [
        "0123",
        "12:30",
        "2026-03-01",
        "+5511999990000",
        "1_000",
        "1e3",
        "007",
        "0x1F",
        ".5",
        "yes",
        "no",
        "true",
        "on",
        "2026-01-01T00:00:00Z",
        "<<",
        "=",
        ".inf",
        ".NaN",
        "1,5",
        "0o17",
        "-1",
    ],
)
def test_co_05_a_string_default_is_the_text_as_written(field, text):
    argument = spec(field("\n        type: string\n        default: " + text))
    assert argument.default == text
    assert argument.has_default


def test_co_05_enum_entries_of_a_string_stay_text(field):
    assert spec(field("{type: string, enum: [007, 010, 1e3, no, 12:30]}")).enum == (
        "007",
        "010",
        "1e3",
        "no",
        "12:30",
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [("007", 7), ("-3", -3), ("+5", 5), ("0x1F", 31), ("0o17", 15), ("0", 0), ("9" * 30, int("9" * 30))],
)
def test_co_05_an_integer_is_read_by_yaml_1_2(field, text, value):
    default = spec(field("{type: integer, default: " + text + "}")).default
    assert default == value
    assert isinstance(default, int)


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        ("integer", "abc"),
        ("integer", "1.0"),
        ("integer", "1e3"),
        ("integer", "1_000"),
        ("integer", "'5'"),
        ("integer", "true"),
        ("integer", "12:30"),
        ("integer", "9" * 5000),
        ("number", ".nan"),
        ("number", ".inf"),
        ("number", "1e999"),
        ("number", "'1'"),
        ("number", "1;5"),
        ("boolean", "yes"),
        ("boolean", "'true'"),
        ("boolean", "1"),
        ("array", "a"),
        ("array", "{a: 1}"),
        ("object", "[a]"),
        ("object", "a"),
        ("string", "[a]"),
        ("string", "{a: 1}"),
    ],
)
def test_co_05_a_default_of_another_type_is_an_error(field, type_, text):
    loaded = field("{type: " + type_ + ", default: " + text + "}")
    assert [(problem.line, problem.key) for problem in loaded.errors] == [
        (6, "tools.t.args_schema.x.default")
    ]


@pytest.mark.parametrize("null", [*PLAIN_NULLS])
@pytest.mark.parametrize("type_", ["string", "integer", "boolean", "array", "object"])
def test_a_null_default_means_no_default(field, type_, null):
    argument = spec(field("{type: " + type_ + ", default: " + null + "}"))
    assert (argument.has_default, argument.default) == (False, None)


def test_a_quoted_null_is_text_and_false_and_zero_are_defaults(field):
    assert spec(field("{type: string, default: 'null'}")).default == "null"
    assert spec(field("{type: string, default: !!str null}")).default == "null"
    assert spec(field("{type: boolean, default: false}")).has_default
    assert spec(field("{type: integer, default: 0}")).has_default


PRINTABLE = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cn")), max_size=30)


@settings(max_examples=80, deadline=None)
@given(PRINTABLE)
def test_any_quoted_text_survives_byte_for_byte_under_type_string(field, text):
    assert (
        spec(
            field("{type: string, default: " + json.dumps(text) + ", enum: [" + json.dumps(text) + "]}")
        ).default
        == text
    )


@settings(max_examples=80, deadline=None)
@given(
    st.from_regex(r"[0-9A-Za-z+._~][0-9A-Za-z+._:/-]{0,20}", fullmatch=True).filter(
        lambda text: text[-1] != ":"
    )
)
def test_any_plain_text_survives_byte_for_byte_under_type_string(field, text):
    expected = (None, False) if text in PLAIN_NULLS else (text, True)
    argument = spec(field("{type: string, default: " + text + "}"))
    assert (argument.default, argument.has_default) == expected


@settings(max_examples=60, deadline=None)
@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_any_json_number_is_that_number(field, number):
    assert spec(field("{type: number, default: " + json.dumps(number) + "}")).default == number


@pytest.mark.parametrize(
    ("word", "canonical"),
    [
        ("str", "string"),
        ("text", "string"),
        ("int", "integer"),
        ("float", "number"),
        ("double", "number"),
        ("bool", "boolean"),
        ("list", "array"),
        ("dict", "object"),
        ("map", "object"),
    ],
)
def test_type_words_become_canonical_alone_in_a_map_and_in_items(field, word, canonical):
    assert spec(field(word)).type == canonical
    assert spec(field("{type: " + word + "}")).type == canonical
    assert spec(field("{type: list, items: " + word + "}")).items == {"type": canonical}
    assert spec(field("{type: list, items: {type: " + word + "}}")).items == {"type": canonical}


def test_a_field_without_type_is_a_string_and_keeps_what_is_said_for_people(field):
    argument = spec(field("{label: 0123, description: on, user_prompt: 'Qual?'}"))
    assert (argument.type, argument.label, argument.description, argument.user_prompt) == (
        "string",
        "0123",
        "on",
        "Qual?",
    )


def test_items_take_the_words_of_json_schema_typed(field):
    argument = spec(
        field(
            "{type: array, minItems: 1, items: {type: map, properties: {id: {type: str, enum: [007]}}, required: [id]}}"
        )
    )
    assert argument.min_items == 1
    assert argument.items == {
        "type": "object",
        "properties": {"id": {"type": "string", "enum": ["007"]}},
        "required": ["id"],
    }


def test_entries_of_an_array_default_are_typed_by_items(field):
    assert spec(field("{type: array, items: string, default: [007, no]}")).default == ["007", "no"]
    assert spec(field("{type: array, items: integer, default: [007]}")).default == [7]
    wrong = field("{type: array, items: integer, default: [7, x]}")
    assert [problem.key for problem in wrong.errors] == ["tools.t.args_schema.x.default.1"]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("{type: string, minLength: 3, maxLength: 2}", "minLength"),
        ("{type: integer, minimum: 3, maximum: 2}", "minimum"),
        ("{type: array, minItems: 3, maxItems: 2}", "minItems"),
        ("{type: string, pattern: '['}", "pattern"),
        ("{type: string, pattern: '(?u)a'}", "pattern"),
        ("{type: string, pattern: '(?=a)b'}", "pattern"),
        ("{type: integer, minLength: 1}", "minLength"),
        ("{type: string, minimum: 1}", "minimum"),
        ("{type: string, items: string}", "items"),
        ("{type: string, minLength: -1}", "minLength"),
        ("{type: string, minLength: 1.5}", "minLength"),
        ("{type: integer, minimum: .nan}", "minimum"),
        ("{type: integer, minimum: '1'}", "minimum"),
        ("{type: string, enum: []}", "enum"),
        ("{type: string, enum: abc}", "enum"),
        ("{type: string, enum: [a, ~]}", "enum.1"),
        ("{type: string, maxLength: 2, enum: [ab, abc]}", "enum.1"),
        ("{type: string, pattern: '^a$', enum: [a, b]}", "enum.1"),
        ("{type: integer, maximum: 5, enum: [5, 6]}", "enum.1"),
        ("{type: string, enum: [a, b], default: c}", "default"),
        ("{type: string, pattern: '^[0-9]+$', default: abc}", "default"),
        ("{type: integer, minimum: 5, default: 4}", "default"),
        ("{type: array, maxItems: 1, default: [a, b]}", "default"),
        ("{type: array, items: {type: string, maxLength: 1}, default: [ab]}", "default"),
        ("{type: array, enum: [a]}", "enum.0"),
        ("{type: array, items: {type: string, minLength: 2, maxLength: 1}}", "items.minLength"),
        ("{type: array, items: {type: texto}}", "items.type"),
        ("{type: texto}", "type"),
        ("{type: string, required: true}", "required"),
        ("{type: string, minLenght: 1}", "minLenght"),
    ],
)
def test_bounds_that_make_no_sense_are_errors(field, text, key):
    loaded = field(text)
    assert [problem.key for problem in loaded.errors] == [f"tools.t.args_schema.x.{key}"]


@pytest.mark.parametrize("text", ["", "~", "[a]", "texto", "Integer"])
def test_a_field_is_a_type_word_or_a_map(field, text):
    assert [problem.key for problem in field(text).errors] == ["tools.t.args_schema.x"]


def test_bounds_reach_the_catalogue_as_they_are(field):
    argument = spec(field("{type: number, minimum: 0, maximum: 9.5, default: 3}"))
    assert (argument.minimum, argument.maximum, argument.default) == (0, 9.5, 3)
    text = spec(field("{type: string, minLength: 1, maxLength: 0x10, pattern: '^a'}"))
    assert (text.min_length, text.max_length, text.pattern) == (1, 16, "^a")


@pytest.mark.parametrize("name", ['""', "' a'", '"a\\u200b"', '"a\\nb"', "'" + "a" * 201 + "'"])
def test_an_argument_or_tool_has_a_usable_name(load, name):
    tools = "tools:\n  t: {mcp_server: loja, tool_type: read_only, args_schema: {NAME: string}}\n"
    assert len(load(tools=tools.replace("NAME", name), policies="version: 1").errors) == 1
    assert load(tools=f"tools:\n  {name}: {{mcp_server: loja}}\n", policies="version: 1").errors
