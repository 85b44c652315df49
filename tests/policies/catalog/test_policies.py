"""``tool_policies.yaml``: aliases, bounds, and the stricter of what the files say."""

import pytest

from confirmo.policies.tool_spec import ConfirmationPolicy, ExecutionPolicy, PreValidationPolicy

TOOL = "encerrar_assinaturas"


def keys(problems):
    return [problem.key for problem in problems]


def tool(loaded, name=TOOL):
    assert loaded.errors == ()
    return loaded.catalog.tools[name]


def catalogue(load, line, policies="version: 1\n"):
    return load(
        f"tools:\n  t:\n    mcp_server: loja\n    args_schema: {{x: string, y: string}}\n{line}", policies
    )


STRICTEST_FIRST = ["transactional", "internal", "conversational", "read_only"]


@pytest.mark.parametrize("default", STRICTEST_FIRST)
@pytest.mark.parametrize("declared", STRICTEST_FIRST)
@pytest.mark.parametrize("listed", [True, False])
def test_a_policy_without_type_takes_the_stricter_of_catalogue_and_defaults(load, declared, default, listed):
    policies = f"defaults: {{operation_type: {default}}}\n" + (
        "tool_policies: {t: {requires: [x]}}\n" if listed else ""
    )
    stricter = min(declared, default, key=STRICTEST_FIRST.index)
    found = tool(catalogue(load, f"    tool_type: {declared}\n", policies), "t")
    assert found.operation_type == stricter
    assert found.require_confirmation is (stricter == "transactional")


def test_action_means_transactional_whatever_the_defaults_say(load):
    policies = (
        "defaults: {operation_type: read_only, "
        "require_confirmation: false}\ntool_policies: {t: {requires: [x]}}\n"
    )
    found = tool(catalogue(load, "    tool_type: action\n", policies), "t")
    assert (found.operation_type, found.require_confirmation) == ("transactional", True)


@pytest.mark.parametrize(
    "policies",
    [
        "version: 1\ndefaults: {operation_type: read_only, require_confirmation: false}\ntool_policies: {}\n",
        None,
    ],
)
def test_co_11_an_action_without_policy_asks_and_is_warned_about(load, policies):
    loaded = catalogue(load, "    tool_type: action\n", policies)
    found = tool(loaded, "t")
    assert (found.operation_type, found.require_confirmation) == ("transactional", True)
    assert [(p.key, p.line) for p in loaded.warnings if "has no policy" in p.message] == [("tools.t", 2)]


@pytest.mark.parametrize("policies", [None, "version: 1\n", "tool_policies: {t: {requires: [x]}}\n"])
def test_a_tool_of_which_nothing_is_known_is_transactional_with_confirmation_and_a_warning(load, policies):
    loaded = catalogue(load, "", policies)
    found = tool(loaded, "t")
    assert (found.operation_type, found.require_confirmation) == ("transactional", True)
    assert any(p.key == "tools.t" and "what kind" in p.message for p in loaded.warnings)


def test_an_untyped_tool_without_policy_goes_by_the_defaults(load):
    loaded = catalogue(load, "", "defaults: {operation_type: read_only}\n")
    assert tool(loaded, "t").operation_type == "read_only"
    assert loaded.warnings == ()


def test_only_the_tools_own_policy_switches_confirmation_off_and_is_warned_about(policy):
    by_defaults = policy("{requires: [alvo]}", "defaults: {require_confirmation: false}")
    assert tool(by_defaults).require_confirmation is True
    own = policy("{requires: [alvo], require_confirmation: false}")
    assert tool(own).require_confirmation is False
    assert keys(own.warnings) == [f"tool_policies.{TOOL}.require_confirmation"]


def test_a_policy_that_turns_an_action_into_a_read_is_warned_about(policy):
    loaded = policy("{type: read_only}")
    assert tool(loaded).operation_type == "read_only"
    assert keys(loaded.warnings) == [f"tool_policies.{TOOL}.type"]


def test_legacy_keys_count_and_are_never_laxer(load):
    asks = catalogue(load, "    tool_type: read_only\n    confirmation_required: true\n")
    assert tool(asks, "t").require_confirmation is True
    nested = catalogue(
        load,
        "    tool_type: read_only\n    execution_policy: {confirmation_required: true, "
        "requires: [y]}\n    requires: [x]\n",
    )
    assert tool(nested, "t").require_confirmation is True
    assert tool(nested, "t").requires == ("x", "y")
    lax = catalogue(
        load,
        "    tool_type: action\n    confirmation_required: false\n"
        "    execution_policy: {confirmation_required: false}\n",
    )
    assert tool(lax, "t").require_confirmation is True
    assert any(p.key == "tools.t.confirmation_required" for p in lax.warnings)


def test_requires_are_united_catalogue_first_each_once(load):
    loaded = catalogue(
        load, "    tool_type: action\n    requires: [y]\n", "tool_policies: {t: {requires: [x, y, x]}}\n"
    )
    assert tool(loaded, "t").requires == ("y", "x")


def test_a_required_argument_must_be_declared_where_there_is_a_schema(policy, load):
    loaded = policy("{requires: [alvos]}")
    assert keys(loaded.errors) == [f"tool_policies.{TOOL}.requires"]
    assert "'alvo'" in loaded.errors[0].message
    assert keys(catalogue(load, "    tool_type: action\n    requires: [z]\n").errors) == ["tools.t.requires"]
    by_defaults = policy("{type: transactional}", "defaults: {requires: [z]}")
    assert keys(by_defaults.errors) == ["defaults.requires"]


def test_a_required_argument_of_a_tool_without_schema_is_a_string(load):
    loaded = load(
        "tools: {t: {mcp_server: loja, tool_type: action}}\n", "tool_policies: {t: {requires: [pedido]}}\n"
    )
    found = tool(loaded, "t")
    assert [(each.name, each.type) for each in found.arguments] == [("pedido", "string")]
    assert any("pedido" in problem.message for problem in loaded.warnings)


def test_co_12_requires_as_text_is_an_error_with_a_hint(policy):
    loaded = policy("{requires: alvo}")
    assert keys(loaded.errors) == [f"tool_policies.{TOOL}.requires"]
    assert "[alvo]" in loaded.errors[0].message


@pytest.mark.parametrize("alias", ["requires_confirmation", "confirmation_required", "require_confirmation"])
def test_aliases_are_taken_one_at_a_time(policy, alias):
    assert tool(policy("{" + alias + ": false, type: transactional}")).require_confirmation is False
    double = policy("{require_confirmation: true, requires_confirmation: true}")
    assert keys(double.errors) == [f"tool_policies.{TOOL}.requires_confirmation"]
    assert keys(policy("{type: internal, operation_type: internal}").errors) == [
        f"tool_policies.{TOOL}.operation_type"
    ]


def test_defaults_of_the_contract_hold_where_a_policy_is_silent(policy):
    found = tool(policy("{requires: [alvo]}"))
    assert found.confirmation == ConfirmationPolicy()
    assert (found.confirmation.expires_seconds, found.confirmation.approvals) == (900, 1)
    assert found.execution == ExecutionPolicy()
    assert found.pre_validation == PreValidationPolicy()
    assert (found.execution.effect, found.execution.evidence) == ("unsafe", "results")


def test_evidence_is_the_envelope_where_a_tool_is_not_transactional(load, policy):
    assert tool(load(), "avisar_cliente").execution.evidence == "envelope"
    assert tool(policy("{type: read_only, execution: {evidence: results}}")).execution.evidence == "results"


def test_everything_that_a_policy_states_arrives(policy):
    found = tool(
        policy(
            "{requires: [alvo], pre_validation: {enabled: true, "
            "tool: checar_assinaturas, fail_open: true, timeout_seconds: 2.5}, "
            "confirmation: {expires_seconds: 60, revalidate_after_seconds: 30, "
            "by: 'role:gestor', approvals: 2, items: any, "
            "channel: out_of_band}, execution: {call: whole, item_argument: alvo, "
            "item_field: nome, item_key: 1, max_concurrency: 2, "
            "timeout_seconds: 5, max_attempts: 4, effect: keyed, "
            "status_tool: checar_assinaturas, evidence: envelope, mode: workflow, "
            "workflow: cancelamento, version: active}, after: [{tool: avisar_cliente, "
            "arguments: {mensagem: 007, vezes: 2}, when: always}]}"
        )
    )
    assert found.pre_validation == PreValidationPolicy(
        enabled=True, tool="checar_assinaturas", fail_open=True, timeout_seconds=2.5
    )
    assert found.confirmation.model_dump() == {
        "expires_seconds": 60,
        "revalidate_after_seconds": 30,
        "by": "role:gestor",
        "approvals": 2,
        "items": "any",
        "channel": "out_of_band",
    }
    assert found.execution.model_dump(mode="json") == {
        "call": "whole",
        "item_argument": "alvo",
        "item_field": "nome",
        "item_key": "1",
        "max_concurrency": 2,
        "timeout_seconds": 5,
        "max_attempts": 4,
        "effect": "keyed",
        "status_tool": "checar_assinaturas",
        "evidence": "envelope",
        "mode": "workflow",
    }
    step = found.after[0]
    assert (step.tool, step.arguments, step.when) == (
        "avisar_cliente",
        {"mensagem": "007", "vezes": 2},
        "always",
    )


def test_defaults_fill_in_key_by_key(policy):
    more = (
        "defaults: {execution: {timeout_seconds: 60, max_attempts: 5}, confirmation: {expires_seconds: 10}}"
    )
    found = tool(policy("{requires: [alvo], execution: {max_attempts: 2}}", more))
    assert (found.execution.timeout_seconds, found.execution.max_attempts) == (60, 2)
    assert found.confirmation.expires_seconds == 10


def test_a_default_validator_is_for_transactional_tools_only(policy):
    more = "defaults: {pre_validation: {enabled: true, tool: checar_assinaturas}}"
    loaded = policy("{requires: [alvo]}", more)
    assert tool(loaded).pre_validation.enabled is True
    assert tool(loaded, "checar_assinaturas").pre_validation.enabled is False
    assert tool(policy("{requires: [alvo], pre_validation: false}", more)).pre_validation.enabled is False


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("confirmation: {expires_seconds: 0}", "confirmation.expires_seconds"),
        ("confirmation: {expires_seconds: -1}", "confirmation.expires_seconds"),
        ("confirmation: {expires_seconds: .inf}", "confirmation.expires_seconds"),
        ("confirmation: {expires_seconds: .nan}", "confirmation.expires_seconds"),
        ("confirmation: {expires_seconds: 15m}", "confirmation.expires_seconds"),
        ("confirmation: {expires_seconds: '900'}", "confirmation.expires_seconds"),
        ("confirmation: {expires_seconds: 1e12}", "confirmation.expires_seconds"),
        ("confirmation: {revalidate_after_seconds: 0}", "confirmation.revalidate_after_seconds"),
        ("confirmation: {approvals: 0}", "confirmation.approvals"),
        ("confirmation: {approvals: 1.5}", "confirmation.approvals"),
        ("confirmation: {by: gestor}", "confirmation.by"),
        ("confirmation: {by: 'role:'}", "confirmation.by"),
        ("confirmation: {by: [any]}", "confirmation.by"),
        ("confirmation: {channel: email}", "confirmation.channel"),
        ("confirmation: {items: some}", "confirmation.items"),
        ("confirmation: true", "confirmation"),
        ("execution: {max_attempts: 0}", "execution.max_attempts"),
        ("execution: {max_attempts: 1000000}", "execution.max_attempts"),
        ("execution: {max_concurrency: 0}", "execution.max_concurrency"),
        ("execution: {timeout_seconds: .nan}", "execution.timeout_seconds"),
        ("execution: {mode: agent}", "execution.mode"),
        ("execution: {effect: safe}", "execution.effect"),
        ("execution: {call: each}", "execution.call"),
        ("execution: {item_argument: nada}", "execution.item_argument"),
        ("pre_validation: sim", "pre_validation"),
        ("pre_validation: {enabled: true}", "pre_validation"),
        ("pre_validation: true", "pre_validation"),
        ("pre_validation: {enabled: false, timeout_seconds: 0}", "pre_validation.timeout_seconds"),
        ("operation_type: action", "operation_type"),
        ("pre_validaton: true", "pre_validaton"),
        ("after: {tool: avisar_cliente}", "after"),
        ("after: [{when: always}]", "after.0"),
        ("after: [{tool: avisar_cliente, when: sometimes, arguments: {mensagem: a}}]", "after.0.when"),
    ],
)
def test_a_value_out_of_place_is_an_error_at_its_key(policy, text, key):
    assert keys(policy("{requires: [alvo], " + text + "}").errors) == [f"tool_policies.{TOOL}.{key}"]


@pytest.mark.parametrize(
    "key",
    [
        "multi_item",
        "multi_item_strategy",
        "multiItem",
        "fan_out",
        "fanout",
        "fan-out",
        "for_each",
        "batch_size",
    ],
)
@pytest.mark.parametrize("place", ["{%s: true}", "{execution: {%s: true}}"])
def test_a_multi_item_key_is_refused_with_the_reason(policy, key, place):
    loaded = policy("{requires: [alvo], " + (place % key)[1:])
    assert len(loaded.errors) == 1
    assert "property of the resolution and of the result" in loaded.errors[0].message


@pytest.mark.parametrize("version", ["2", "'1'", "1.0", "one", "", "true"])
def test_another_version_is_an_error(load, version):
    assert keys(load(policies=f"version: {version}\ntool_policies: {{}}\n").errors) == ["version"]


def test_a_transactional_tool_is_never_cached(load):
    loaded = catalogue(
        load,
        "    tool_type: action\n    cache: {enabled: true, ttl_seconds: 60}\n",
        "tool_policies: {t: {requires: [x]}}",
    )
    assert tool(loaded, "t")
    assert keys(loaded.warnings) == ["tools.t.cache"]
    assert catalogue(load, "    tool_type: read_only\n    cache: true\n").warnings == ()
