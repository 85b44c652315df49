from typing import Any

import pytest
import yaml
from mcp import Client

from confirmo.examples import config_directory
from confirmo.policies.catalog import load_catalog


def read(name: str) -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load((config_directory() / name).read_text("utf-8"))
    return document


@pytest.mark.parametrize("server", ["contas", "retail"])
async def test_the_files_and_the_servers_know_the_same_tools(
    contas_client: Client, retail_client: Client, server: str
) -> None:
    async with contas_client if server == "contas" else retail_client as client:
        offered = {tool.name: tool for tool in (await client.list_tools()).tools}
    declared = {
        name: tool for name, tool in read("tools.yaml")["tools"].items() if tool["mcp_server"] == server
    }
    assert offered.keys() == declared.keys()
    for name, tool in declared.items():
        properties = offered[name].input_schema["properties"]
        assert set(tool.get("args_schema", {})) <= properties.keys(), name
        required = set(offered[name].input_schema.get("required", []))
        assert required <= tool.get("args_schema", {}).keys(), name


@pytest.mark.parametrize("server", ["contas", "retail"])
async def test_the_hints_fit_the_policies(contas_client: Client, retail_client: Client, server: str) -> None:
    policies = read("tool_policies.yaml")["tool_policies"]
    tools = read("tools.yaml")["tools"]
    async with contas_client if server == "contas" else retail_client as client:
        offered = (await client.list_tools()).tools
    for tool in offered:
        hints = tool.annotations
        assert hints is not None
        assert tool.description
        acts = "effect" in policies.get(tool.name, {}).get("execution", {})
        assert hints.read_only_hint is not acts, tool.name
        if tools[tool.name]["tool_type"] == "action":
            assert policies[tool.name]["require_confirmation"] is True


def test_every_kind_of_effect_is_shown() -> None:
    policies = read("tool_policies.yaml")["tool_policies"]
    effects = {policy["execution"]["effect"] for policy in policies.values()}
    assert effects == {"keyed", "unsafe", "idempotent"}


def test_policies_name_only_tools_that_exist() -> None:
    tools = read("tools.yaml")["tools"]
    for name, policy in read("tool_policies.yaml")["tool_policies"].items():
        named = [name, policy.get("pre_validation", {}).get("tool", name)]
        named += [policy["execution"].get("status_tool", name)]
        named += [step["tool"] for step in policy.get("after", [])]
        assert set(named) <= tools.keys()
        assert set(policy.get("requires", [])) <= tools[name]["args_schema"].keys()


def test_the_seed_policy_stands_as_it_is_written() -> None:
    policy = read("tool_policies.yaml")["tool_policies"]["cancelar_vas_avulso"]
    assert {key: policy[key] for key in policy if key not in ("execution", "after")} == {
        "operation_type": "transactional",
        "require_confirmation": True,
        "requires": ["subject"],
        "pre_validation": {"enabled": True, "tool": "validar_vas_subject", "fail_open": False},
    }
    assert policy["after"][0]["tool"] == "notificar_cliente"


def test_the_endpoints_come_from_the_environment() -> None:
    servers = read("mcp_servers.yaml")["servers"]
    assert {name: server["endpoint"] for name, server in servers.items()} == {
        "contas": "${CONTAS_URL}",
        "retail": "${RETAIL_URL}",
    }


def test_the_files_load_without_an_error_or_a_warning() -> None:
    environ = {"CONTAS_URL": "http://127.0.0.1:8100/mcp", "RETAIL_URL": "http://127.0.0.1:8200/mcp"}
    loaded = load_catalog(config_directory(), environ)
    assert loaded.errors == ()
    assert loaded.warnings == ()
    assert loaded.catalog is not None
    assert {name: server.endpoint for name, server in loaded.catalog.servers.items()} == {
        "contas": environ["CONTAS_URL"],
        "retail": environ["RETAIL_URL"],
    }
