"""JSON Schemas of the files: they take what the loader takes, and refuse what it refuses for its shape."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from confirmo.policies.catalog.compose import compose
from confirmo.policies.catalog.decode import decode
from confirmo.policies.catalog.problems import Source
from confirmo.policies.catalog.scalars import as_free
from confirmo.policies.catalog.schemas import DIALECT, file_schemas
from confirmo.policies.catalog.shapes import shape_of

SCHEMAS = file_schemas()
TOOL = "tools: {t: {mcp_server: loja, tool_type: read_only, args_schema: {x: %s}}}\n"
POLICY = "tool_policies: {encerrar_assinaturas: %s}\n"
SERVER = "servers: {loja: {endpoint: 'http://a/'}, s: %s}\n"


def refusals(file: str, text: str) -> list[str]:
    data = as_free(compose(decode(text.encode()), Source(file)))
    return [error.message for error in Draft202012Validator(SCHEMAS[file]).iter_errors(data)]


def test_every_schema_is_one_and_says_who_it_is() -> None:
    for file, schema in SCHEMAS.items():
        Draft202012Validator.check_schema(schema)
        assert schema["$schema"] == DIALECT
        assert schema["$id"] == f"urn:confirmo:schema:1:{file.removesuffix('.yaml')}"


def test_a_reader_without_a_shape_is_found_out() -> None:
    with pytest.raises(TypeError, match="says no shape"):
        shape_of(lambda node, at: None)


def test_the_example_files_fit() -> None:
    folder = Path(__file__).parents[3] / "examples/confirmo/examples/config"
    for path in sorted(folder.glob("*.yaml")):
        assert refusals(path.name, path.read_text(encoding="utf-8")) == [], path.name


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("tools.yaml", TOOL % "{type: integer, minimum: 1, enum: [1, 2], default: }"),
        ("tools.yaml", TOOL % "{pattern: '^0', default: 0123}"),
        ("tools.yaml", TOOL % "{type: list, items: {type: map, properties: {a: int}, required: [a]}}"),
        ("tool_policies.yaml", POLICY % "{type: transactional, confirmation: {by: 'role:lead'}}"),
        (
            "tool_policies.yaml",
            POLICY % "{pre_validation: false, compensate: , execution: {call: , version: 1}}",
        ),
        ("mcp_servers.yaml", SERVER % "{command: x, args: [1, no], env: {A: }}"),
        ("texts.en.yaml", "texts: {item_succeeded: '{label}: closed{detail}.'}\nx-mine: [1]"),
    ],
)
def test_what_the_loader_takes_the_schema_takes_too(load, file, text) -> None:
    assert errors_of_the_loader(load, file, text) == ()
    assert refusals(file, text) == []


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("tools.yaml", "{}"),
        ("tools.yaml", "tools: {}"),
        ("tools.yaml", "tools: [t]"),
        ("tools.yaml", "tool: {t: {mcp_server: loja}}"),
        ("tools.yaml", "tools: {t: {}}"),
        ("tools.yaml", "tools: {' t': {mcp_server: loja}}"),
        ("tools.yaml", "tools: {t: {mcp_server: loja, multi_item: true}}"),
        ("tools.yaml", "tools: {t: {mcp_server: loja, enabled: yes}}"),
        ("tools.yaml", "tools: {t: {mcp_server: loja, enabled: 'true'}}"),
        ("tools.yaml", "tools: {t: {mcp_server: loja, enabled: }}"),
        ("tools.yaml", "tools: {t: {mcp_server: loja, tool_type: write}}"),
        ("tools.yaml", "tools: {t: {mcp_server: loja, requires: x}}"),
        ("tools.yaml", "tools: {t: {mcp_server: loja, response: text}}"),
        ("tools.yaml", "tools: {t: {mcp_server: loja, cache: {on: true}}}"),
        ("tools.yaml", "tools: {t: {mcp_server: loja, execution_policy: {retries: 3}}}"),
        ("tools.yaml", TOOL % "strng"),
        ("tools.yaml", TOOL % "{type: string, required: true}"),
        ("tools.yaml", TOOL % "{type: integer, minLength: 1}"),
        ("tools.yaml", TOOL % "{minimum: 1}"),
        ("tools.yaml", TOOL % "{type: integer, minimum: '1'}"),
        ("tools.yaml", TOOL % "{type: integer, default: many}"),
        ("tools.yaml", TOOL % "{type: boolean, default: sim}"),
        ("tools.yaml", TOOL % "{type: array, default: a}"),
        ("tools.yaml", TOOL % "{enum: []}"),
        ("tools.yaml", TOOL % "{enum: a}"),
        ("tools.yaml", TOOL % "{type: array, items: {type: strng}}"),
        ("tools.yaml", TOOL % "{type: array, minItems: -1}"),
        ("tools.yaml", TOOL % "{type: array, items: {properties: {a: {foo: 1}}}}"),
        ("tool_policies.yaml", "version: 2"),
        ("tool_policies.yaml", "policies: {}"),
        ("tool_policies.yaml", POLICY % "{operation_type: action}"),
        ("tool_policies.yaml", POLICY % "{type: read_only, operation_type: read_only}"),
        ("tool_policies.yaml", POLICY % "{requires_confirmation: true, confirmation_required: true}"),
        ("tool_policies.yaml", POLICY % "{fan_out: true}"),
        ("tool_policies.yaml", POLICY % "{require_confirmation: no}"),
        ("tool_policies.yaml", POLICY % "{pre_validation: {enabled: 1}}"),
        ("tool_policies.yaml", POLICY % "{pre_validation: {timeout_seconds: 0}}"),
        ("tool_policies.yaml", POLICY % "{confirmation: {by: 'role:'}}"),
        ("tool_policies.yaml", POLICY % "{confirmation: {approvals: 0}}"),
        ("tool_policies.yaml", POLICY % "{confirmation: {items: some}}"),
        ("tool_policies.yaml", POLICY % "{execution: {max_attempts: 101}}"),
        ("tool_policies.yaml", POLICY % "{execution: {effect: safe}}"),
        ("tool_policies.yaml", POLICY % "{execution: {call: each}}"),
        ("tool_policies.yaml", POLICY % "{after: {tool: n}}"),
        ("tool_policies.yaml", POLICY % "{after: [{arguments: {a: b}}]}"),
        ("tool_policies.yaml", POLICY % "{compensate: {when: partial}}"),
        ("mcp_servers.yaml", "{}"),
        ("mcp_servers.yaml", SERVER % "{}"),
        ("mcp_servers.yaml", SERVER % "{endpoint: }"),
        ("mcp_servers.yaml", SERVER % "{transport: fastmcp, endpoint: 'http://a/'}"),
        ("mcp_servers.yaml", SERVER % "{transport: stdio}"),
        ("mcp_servers.yaml", SERVER % "{transport: sse, command: x}"),
        ("mcp_servers.yaml", SERVER % "{command: x, headers: {A: b}}"),
        ("mcp_servers.yaml", SERVER % "{endpoint: 'http://a/', command: x}"),
        ("mcp_servers.yaml", SERVER % "{endpoint: 'http://a/', max_concurrency: 0}"),
        ("mcp_servers.yaml", SERVER % "{endpoint: 'http://a/', headers: [A]}"),
        ("mcp_servers.yaml", SERVER % "{endpoint: 'http://a/', timeout: 3}"),
        ("texts.en.yaml", "texts: {hin: Say yes.}"),
        ("texts.en.yaml", "texts: {instruction: Say what you like.}"),
        ("texts.en.yaml", "texts: {item_succeeded: Done.}"),
        ("texts.en.yaml", "texts: {hint: ' '}"),
        ("texts.en.yaml", "texts: {hint: [a]}"),
        ("texts.pt-BR.yaml", "operation_nouns: [a]"),
    ],
)
def test_what_the_loader_refuses_for_its_shape_the_schema_refuses_too(load, file, text) -> None:
    assert errors_of_the_loader(load, file, text)
    assert refusals(file, text)


def errors_of_the_loader(load, file: str, text: str) -> tuple:
    """Beside sound files; a file of tools of its own needs no policy."""
    files = {
        "tools.yaml": {"tools": text, "policies": "version: 1\n"},
        "tool_policies.yaml": {"policies": text},
        "mcp_servers.yaml": {"servers": text},
    }
    return load(**files.get(file, {"more": {file: text}})).errors


def test_keys_are_explained_where_an_editor_shows_them() -> None:
    folder = Path(__file__).parents[3] / "policies/confirmo/policies/schemas"
    policy = json.loads((folder / "tool_policies.schema.json").read_text())["properties"]["defaults"]
    execution = policy["properties"]["execution"]["properties"]
    assert execution["max_attempts"]["description"] == "calls per item at most (default: 3)"
    assert not [key for key, schema in execution.items() if not schema.get("description")]
