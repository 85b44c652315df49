"""``compensate`` and the names in braces that steps may use."""

import pytest

TOOL = "encerrar_assinaturas"

TOOLS = """\
tools:
  encerrar_assinaturas:
    {mcp_server: loja, tool_type: action, args_schema: {alvo: {type: string}}}
  reativar_assinatura:
    {mcp_server: loja, tool_type: internal, requires: [protocolo], args_schema: {protocolo: string, itens: array}}
"""


def policy_with(policy, text):
    return policy("{requires: [alvo], " + text + "}", tools=TOOLS)


def test_compensate_names_a_tool_its_arguments_and_when(policy):
    text = 'compensate: {tool: reativar_assinatura, arguments: {protocolo: "{{ result.protocolo }}"}, when: partial}'
    loaded = policy_with(policy, text)
    assert loaded.errors == ()
    step = loaded.catalog.tools[TOOL].compensate
    assert (step.tool, step.when) == ("reativar_assinatura", "partial")
    assert step.arguments == {"protocolo": "{{ result.protocolo }}"}


def test_compensation_is_off_by_default_and_waits_for_a_request_where_it_does_not_say_when(policy):
    assert policy_with(policy, "after: []").catalog.tools[TOOL].compensate is None
    loaded = policy_with(policy, "compensate: {tool: reativar_assinatura, arguments: {protocolo: x}}")
    assert loaded.catalog.tools[TOOL].compensate.when == "on_request"


@pytest.mark.parametrize(
    ("step", "key", "word"),
    [
        ("{tool: reativar}", "compensate.tool", "reativar_assinatura"),
        (f"{{tool: {TOOL}}}", "compensate.tool", "again"),
        ("{arguments: {a: b}}", "compensate", "tool"),
        ("{tool: reativar_assinatura}", "compensate", "protocolo"),
        ("{tool: reativar_assinatura, when: never}", "compensate.when", "partial"),
        (
            '{tool: reativar_assinatura, arguments: {protocolo: "{{ senha }}"}}',
            "compensate.arguments.protocolo",
            "senha",
        ),
        (
            '{tool: reativar_assinatura, arguments: {protocolo: "{{ results }}"}}',
            "compensate.arguments.protocolo",
            "results",
        ),
    ],
)
def test_a_compensation_that_cannot_work_is_an_error_at_load(policy, step, key, word):
    loaded = policy_with(policy, "compensate: " + step)
    problem = loaded.errors[0]
    assert problem.key == f"tool_policies.{TOOL}.{key}"
    assert word in problem.message


def test_a_step_may_hand_over_the_evidence_where_a_list_is_declared(policy):
    arguments = '{protocolo: "{{ transaction_id }}", itens: "{{ succeeded }}"}'
    text = "after: [{tool: reativar_assinatura, arguments: " + arguments + "}]"
    loaded = policy_with(policy, text)
    assert loaded.errors == ()
    assert loaded.catalog.tools[TOOL].after[0].arguments["itens"] == "{{ succeeded }}"


def test_a_name_that_steps_do_not_have_is_an_error(policy):
    text = 'after: [{tool: reativar_assinatura, arguments: {protocolo: "{{ item_id }}"}}]'
    problem = policy_with(policy, text).errors[0]
    assert problem.key == f"tool_policies.{TOOL}.after.0.arguments.protocolo"
    assert "succeeded" in problem.message
