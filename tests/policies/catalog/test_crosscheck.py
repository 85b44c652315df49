"""Names that must exist and roles that must fit, found before anybody is asked."""

import pytest

TOOL = "encerrar_assinaturas"
VALIDATED = "{requires: [alvo], pre_validation: {enabled: true, tool: VALIDATOR}}"
PRE = f"tool_policies.{TOOL}.pre_validation.tool"


def keys(problems):
    return [problem.key for problem in problems]


def validated_by(policy, name, **kwargs):
    return policy(VALIDATED.replace("VALIDATOR", name), **kwargs)


def test_a_fitting_validator_is_no_finding(policy):
    loaded = validated_by(policy, "checar_assinaturas")
    assert loaded.errors == loaded.warnings == ()


def test_co_12_a_validator_that_is_not_declared(policy):
    loaded = validated_by(policy, "checar_assinatura")
    assert keys(loaded.errors) == [PRE]
    assert "'checar_assinaturas'" in loaded.errors[0].message
    assert loaded.errors[0].file == "tool_policies.yaml"


def test_co_12_a_validator_that_is_disabled(policy, sound):
    tools = sound.tools.replace(
        "tool_type: internal\n    args_schema: {alvo",
        "tool_type: internal\n    enabled: false\n    args_schema: {alvo",
    )
    loaded = validated_by(policy, "checar_assinaturas", tools=tools)
    assert keys(loaded.errors) == [PRE]
    assert "disabled" in loaded.errors[0].message


def test_co_12_a_validator_that_is_the_tool_itself(policy):
    loaded = validated_by(policy, TOOL)
    assert keys(loaded.errors) == [PRE]
    assert "its own validator" in loaded.errors[0].message


def test_co_12_a_validator_that_is_itself_transactional(policy, sound):
    loaded = validated_by(
        policy,
        "checar_assinaturas",
        tools=sound.tools.replace(
            "tool_type: internal\n    args_schema: {alvo", "tool_type: action\n    args_schema: {alvo"
        ),
    )
    assert keys(loaded.errors) == [PRE]
    assert "transactional" in loaded.errors[0].message


def test_co_12_a_validator_that_points_back(load):
    loaded = load(
        policies="tool_policies:\n"
        "  encerrar_assinaturas: {type: internal, pre_validation: {enabled: true, tool: checar_assinaturas}}\n"
        "  checar_assinaturas: {type: internal, pre_validation: {enabled: true, tool: encerrar_assinaturas}}\n"
    )
    assert keys(loaded.errors) == [PRE, "tool_policies.checar_assinaturas.pre_validation.tool"]
    assert all("circle" in problem.message for problem in loaded.errors)


def test_co_12_a_circle_further_on_ends_the_search_and_is_reported_once_per_member(load):
    policies = (
        "tool_policies:\n  encerrar_assinaturas: {type: internal, "
        "pre_validation: {enabled: true, tool: checar_assinaturas}}\n"
        + (
            "  checar_assinaturas: {type: internal, pre_validation: {enabled: true, tool: avisar_cliente}}\n"
            "  avisar_cliente: {type: internal, pre_validation: {enabled: true, tool: checar_assinaturas}}\n"
        )
    )
    loaded = load(policies=policies)
    assert [p.line for p in loaded.errors if "circle" in p.message] == [3, 4]


def test_a_validator_without_server_is_found_in_both_files(policy, sound):
    tools = sound.tools.replace(
        "checar_assinaturas:\n    mcp_server: loja", "checar_assinaturas:\n    mcp_server: lojas"
    )
    loaded = validated_by(policy, "checar_assinaturas", tools=tools)
    assert keys(loaded.errors) == ["tools.checar_assinaturas.mcp_server", PRE]
    assert "'loja'" in loaded.errors[0].message


def test_a_validator_that_no_file_types_is_internal_with_a_warning(policy, sound):
    tools = sound.tools.replace("tool_type: internal\n    args_schema: {alvo", "args_schema: {alvo")
    loaded = validated_by(policy, "checar_assinaturas", tools=tools)
    assert loaded.errors == ()
    assert loaded.catalog.tools["checar_assinaturas"].operation_type == "internal"
    assert keys(loaded.warnings) == ["tools.checar_assinaturas"]
    assert (
        policy("{requires: [alvo]}", tools=tools).catalog.tools["checar_assinaturas"].operation_type
        == "transactional"
    )


def test_a_validator_that_is_named_and_not_enabled_is_warned_about(policy):
    loaded = policy("{requires: [alvo], pre_validation: {tool: checar_assinaturas}}")
    assert loaded.catalog.tools[TOOL].pre_validation.enabled is False
    assert keys(loaded.warnings) == [PRE]
    assert (
        policy("{requires: [alvo], pre_validation: {enabled: false, tool: checar_assinaturas}}").warnings
        == ()
    )


def test_a_validator_that_requires_what_it_is_never_given_is_warned_about(policy, sound):
    tools = sound.tools.replace(
        "args_schema: {alvo: string}",
        "requires: [target_tool, cpf]\n    args_schema: {target_tool: string, cpf: string}",
    )
    loaded = validated_by(policy, "checar_assinaturas", tools=tools)
    assert keys(loaded.warnings) == [PRE]
    assert "cpf" in loaded.warnings[0].message


@pytest.mark.parametrize(
    ("name", "word"), [("nada", "not declared"), (TOOL, "its own"), ("apagar", "transactional")]
)
def test_a_status_tool_must_fit_too(policy, sound, name, word):
    tools = sound.tools + "  apagar: {mcp_server: loja, tool_type: action, args_schema: {item_id: string}}\n"
    loaded = policy("{requires: [alvo], execution: {status_tool: " + name + "}}", tools=tools)
    assert keys(loaded.errors) == [f"tool_policies.{TOOL}.execution.status_tool"]
    assert word in loaded.errors[0].message


def test_a_status_tool_that_declares_nothing_that_it_is_given_is_warned_about(policy):
    loaded = policy("{requires: [alvo], execution: {status_tool: avisar_cliente}}")
    assert loaded.errors == ()
    assert any("asked about nothing" in problem.message for problem in loaded.warnings)


@pytest.mark.parametrize(
    ("step", "key", "word"),
    [
        ("{tool: avisar}", "after.0.tool", "avisar_cliente"),
        (f"{{tool: {TOOL}}}", "after.0.tool", "again"),
        ("{tool: desligada}", "after.0.tool", "disabled"),
        ("{tool: avisar_cliente}", "after.0.tool", "mensagem"),
        ("{tool: avisar_cliente, arguments: {vezes: 1}}", "after.0.arguments", "mensagem"),
        ("{tool: avisar_cliente, arguments: {mensagem: ' '}}", "after.0.arguments", "mensagem"),
        ("{tool: avisar_cliente, arguments: {mensagem: ~}}", "after.0.arguments", "mensagem"),
        ("{tool: avisar_cliente, arguments: {mensagem: [a]}}", "after.0.arguments.mensagem", "text"),
        (
            "{tool: avisar_cliente, arguments: {mensagem: a, vezes: duas}}",
            "after.0.arguments.vezes",
            "integer",
        ),
    ],
)
def test_an_auxiliary_step_must_be_callable(policy, sound, step, key, word):
    tools = sound.tools + "  desligada: {mcp_server: loja, enabled: false, tool_type: internal}\n"
    loaded = policy("{requires: [alvo], after: [" + step + "]}", tools=tools)
    expected = f"tool_policies.{TOOL}.{key}"
    assert [expected.startswith(problem.key) for problem in loaded.errors] == [True]
    assert word in loaded.errors[0].message


def test_arguments_of_a_step_get_the_type_that_its_tool_declares(policy):
    loaded = policy(
        "{requires: [alvo], after: [{tool: avisar_cliente, arguments: {mensagem: no, vezes: 007, loja: 0123}}]}"
    )
    assert loaded.catalog.tools[TOOL].after[0].arguments == {"mensagem": "no", "vezes": 7, "loja": "0123"}


def test_an_undeclared_argument_and_a_transactional_step_are_warnings(policy, sound):
    tools = sound.tools + "  cobrar: {mcp_server: loja, tool_type: action, args_schema: {valor: number}}\n"
    loaded = policy(
        "{requires: [alvo], after: [{tool: cobrar, arguments: {valor: 1.5, nota: 007}}]}", tools=tools
    )
    assert loaded.catalog.tools[TOOL].after[0].arguments == {"valor": 1.5, "nota": 7}
    assert {f"tool_policies.{TOOL}.after.0.tool", "tools.cobrar"} <= set(keys(loaded.warnings))
    assert any("does not declare 'nota'" in problem.message for problem in loaded.warnings)


def test_a_policy_for_an_unknown_tool_is_an_error(load, sound):
    loaded = load(policies=sound.policies + "  encerar_assinaturas: {requires: [alvo]}\n")
    assert keys(loaded.errors) == ["tool_policies.encerar_assinaturas"]
    assert f"'{TOOL}'" in loaded.errors[0].message


def test_a_server_that_is_missing_or_disabled_is_an_error_of_the_tool(load, sound):
    assert keys(
        load(
            tools=sound.tools.replace(
                "avisar_cliente:\n    mcp_server: loja", "avisar_cliente:\n    mcp_server: outra"
            )
        ).errors
    ) == ["tools.avisar_cliente.mcp_server"]
    disabled = sound.servers.replace("{endpoint", "{enabled: false, endpoint")
    assert len(load(servers=disabled).errors) == 3
    off = sound.tools.replace("mcp_server: loja", "mcp_server: loja\n    enabled: false")
    assert load(tools=off, servers=disabled).errors == ()


def test_per_item_without_any_argument_is_an_error(load):
    loaded = load(
        "tools: {t: {mcp_server: loja, tool_type: action}}\n",
        "tool_policies: {t: {execution: {call: per_item}}}",
    )
    assert keys(loaded.errors) == ["tool_policies.t.execution.call"]


def test_several_approvals_of_the_one_requester_are_warned_about(policy):
    loaded = policy("{requires: [alvo], confirmation: {by: requester, approvals: 2}}")
    assert keys(loaded.warnings) == [f"tool_policies.{TOOL}.confirmation.approvals"]


def test_an_unreadable_file_brings_no_findings_that_only_follow_from_it(load):
    broken = "a: [\n"
    assert {problem.file for problem in load(tools=broken).errors} == {"tools.yaml"}
    assert {problem.file for problem in load(policies=broken).errors} == {"tool_policies.yaml"}
    assert {problem.file for problem in load(servers=broken).errors} == {"mcp_servers.yaml"}
    assert len(load(tools=broken, policies=broken, servers=broken).errors) == 3
