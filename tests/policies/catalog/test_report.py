"""The version of a tool, and the report of ``check``."""

import hashlib
import json

import pytest

from confirmo.policies import catalog
from confirmo.policies.catalog import check_report

TOOL = "encerrar_assinaturas"


def version(loaded):
    return loaded.catalog.tools[TOOL].version


def test_the_version_is_the_hash_of_all_other_fields(load):
    fields = load().catalog.tools[TOOL].model_dump(mode="json")
    told = fields.pop("version")
    text = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert told == hashlib.sha256(text.encode()).hexdigest()[:16]


def test_the_version_does_not_depend_on_how_the_files_are_written(load, sound):
    spaced = sound.policies.replace("requires: [alvo]", "requires:\n      - 'alvo' # x").replace(
        "operation_type", "type"
    )
    assert version(load(policies=spaced)) == version(load())


@pytest.mark.parametrize(
    "change",
    [
        "confirmation: {expires_seconds: 901}",
        "execution: {effect: keyed}",
        "pre_validation: {enabled: true, tool: checar_assinaturas}",
        "after: [{tool: avisar_cliente, arguments: {mensagem: a}}]",
        "after: [{tool: avisar_cliente, arguments: {mensagem: b}}]",
        "require_confirmation: false",
    ],
)
def test_the_version_changes_with_the_policy(policy, change):
    assert version(policy("{requires: [alvo], " + change + "}")) != version(policy("{requires: [alvo]}"))


def test_the_version_changes_with_the_catalogue(load, sound):
    assert version(
        load(tools=sound.tools.replace("motivo: {type: string}", "motivo: {type: string, maxLength: 9}"))
    ) != version(load())


def test_the_report_of_sound_files(load):
    report = check_report(load())
    assert report["ok"] is True
    assert report["errors"] == report["warnings"] == []
    assert report["tools"][0] == {
        "name": TOOL,
        "operation_type": "transactional",
        "require_confirmation": True,
        "requires": ["alvo"],
        "call": "per_item",
        "effect": "unsafe",
    }
    assert json.loads(json.dumps(report)) == report


def test_the_report_of_a_wrong_file_lists_everything_and_no_tools(load):
    report = check_report(load(policies="version: 1\ntool_policis: {}\n"))
    assert report["ok"] is False
    assert report["tools"] == []
    assert [set(problem) for problem in report["errors"]] == [{"file", "line", "key", "message"}]
    assert report["errors"][0]["line"] == 2


@pytest.mark.parametrize(
    ("schema", "execution", "call"),
    [
        ("{ids: array}", "", "whole"),
        ("{a: string, ids: {type: list}}", "", "whole"),
        ("{a: string}", "", "per_item"),
        ("{a: string}", "call: whole", "whole"),
        ("{ids: array}", "call: per_item", "per_item"),
    ],
)
def test_the_report_says_how_a_tool_is_called(load, schema, execution, call):
    tools = f"tools: {{t: {{mcp_server: loja, tool_type: action, args_schema: {schema}}}}}\n"
    report = check_report(load(tools, "tool_policies: {t: {execution: {" + execution + "}}}"))
    assert report["errors"] == []
    assert report["tools"][0]["call"] == call


def test_what_is_public_is_sorted_and_there():
    assert catalog.__all__ == sorted(catalog.__all__)
    assert all(hasattr(catalog, name) for name in catalog.__all__)
