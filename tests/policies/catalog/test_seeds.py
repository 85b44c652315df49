"""The two seed documents' examples load unchanged beside a fitting ``mcp_servers.yaml``."""

import pytest

SERVERS = "servers:\n  contas: {transport: streamable_http, endpoint: 'http://127.0.0.1:8100/mcp'}\n"

SCALAR = """\
tools:
  cancelar_vas_avulso:
    description: Cancela um ou mais serviços VAS.
    mcp_server: contas
    enabled: true
    tool_type: action
    args_schema:
      subject:
        type: string
        label: o serviço ou os serviços
        description: Serviço ou expressão com um ou mais serviços a cancelar.
"""

BATCH = """\
tools:
  cancelar_produtos:
    description: Cancela um ou mais produtos do cliente.
    mcp_server: contas
    enabled: true
    tool_type: action
    args_schema:
      items:
        type: array
        label: os produtos
        description: Lista de produtos que o cliente deseja cancelar.
"""

VAS_POLICY = """\
version: 1
defaults:
  operation_type: read_only
  require_confirmation: false

tool_policies:
  cancelar_vas_avulso:
    operation_type: transactional
    require_confirmation: true
    requires:
      - subject
    pre_validation:
      enabled: true
      tool: validar_vas_subject
      fail_open: false
"""

ORDER_POLICY = """\
tool_policies:
  cancelar_pedido:
    operation_type: transactional
    require_confirmation: true
    requires: [order_id]
    pre_validation:
      enabled: true
      tool: validar_cancelamento_pedido
      fail_open: false
"""


@pytest.mark.parametrize("typed", ["tool_type: internal", "tool_type: read_only", "enabled: true"])
@pytest.mark.parametrize("with_defaults", [True, False])
def test_the_scalar_example_loads_with_its_validator_declared(load, typed, with_defaults):
    policies = VAS_POLICY if with_defaults else VAS_POLICY[VAS_POLICY.index("tool_policies") :]
    loaded = load(f"{SCALAR}  validar_vas_subject:\n    mcp_server: contas\n    {typed}\n", policies, SERVERS)
    assert loaded.errors == ()
    tool = loaded.catalog.tools["cancelar_vas_avulso"]
    assert (tool.operation_type, tool.require_confirmation, tool.requires) == (
        "transactional",
        True,
        ("subject",),
    )
    assert (tool.pre_validation.enabled, tool.pre_validation.tool) == (True, "validar_vas_subject")
    assert tool.arguments[0].label == "o serviço ou os serviços"


def test_the_scalar_example_without_its_validator_says_what_to_declare(load):
    error = load(SCALAR, VAS_POLICY, SERVERS).errors[0]
    assert (error.file, error.line) == ("tool_policies.yaml", 14)
    assert "validar_vas_subject" in error.message


def test_the_batch_example_loads(load):
    loaded = load(BATCH, "version: 1\ntool_policies:\n  cancelar_produtos:\n    requires: [items]\n", SERVERS)
    assert loaded.errors == ()
    assert loaded.catalog.tools["cancelar_produtos"].arguments[0].type == "array"


def test_the_order_example_loads_with_tools_of_a_word_each(load):
    tools = (
        "tools:\n  cancelar_pedido:\n    mcp_server: contas\n"
        "    tool_type: action\n    args_schema: {order_id: string}\n"
        "  validar_cancelamento_pedido:\n    mcp_server: contas\n"
        "    tool_type: internal\n    args_schema: {order_id: string}\n"
    )
    loaded = load(tools, ORDER_POLICY, SERVERS)
    assert loaded.errors == loaded.warnings == ()


def test_everything_that_the_seed_carries_for_the_agent_runtime_is_accepted(load):
    tools = BATCH + (
        "    selection_keywords: [cancelar, 007, no]\n    response: {mode: renderer, renderer: lista, direct: true}\n"
        "    cache: {enabled: false, ttl_seconds: 60}\n    confirmation_required: true\n"
        "    execution_policy: {requires: [items], "
        "confirmation_required: true, cacheable: false, cache_ttl_seconds: 5}\n"
    )
    policies = (
        "tool_policies:\n  cancelar_produtos:\n    type: transactional\n"
        "    execution: {mode: workflow, workflow: w, version: 1}\n"
    )
    loaded = load(tools, policies, SERVERS)
    assert loaded.errors == loaded.warnings == ()
    assert loaded.catalog.tools["cancelar_produtos"].execution.mode == "workflow"
