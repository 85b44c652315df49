"""A loader on texts: whatever file a test does not give is a sound one."""

from collections.abc import Callable, Mapping
from types import SimpleNamespace

import pytest
from jsonschema import Draft202012Validator

from confirmo.policies.catalog import LoadedCatalog, load_texts
from confirmo.policies.catalog.compose import compose
from confirmo.policies.catalog.decode import decode
from confirmo.policies.catalog.problems import Source
from confirmo.policies.catalog.scalars import as_free
from confirmo.policies.catalog.schemas import file_schemas

SERVERS = "servers:\n  loja: {endpoint: 'http://127.0.0.1:8100/mcp'}\n"
TOOLS = """\
tools:
  encerrar_assinaturas:
    mcp_server: loja
    tool_type: action
    args_schema:
      alvo: {type: string}
      motivo: {type: string}
  checar_assinaturas:
    mcp_server: loja
    tool_type: internal
    args_schema: {alvo: string}
  avisar_cliente:
    mcp_server: loja
    tool_type: internal
    requires: [mensagem]
    args_schema: {mensagem: string, vezes: integer, loja: string}
"""
POLICIES = """\
version: 1
tool_policies:
  encerrar_assinaturas:
    operation_type: transactional
    require_confirmation: true
    requires: [alvo]
"""

Text = str | bytes | None
SCHEMAS = {file: Draft202012Validator(schema) for file, schema in file_schemas().items()}


def misfits(data: Mapping[str, bytes | None]) -> list[str]:
    """What the JSON Schemas refuse of files that the loader takes; there is nothing of that kind."""
    return [
        f"{file}: {error.message}"
        for file, text in data.items()
        if text
        for error in SCHEMAS[file].iter_errors(as_free(compose(decode(text), Source(file))))
    ]


@pytest.fixture(scope="session")
def sound() -> SimpleNamespace:
    """Return three files that load without a finding."""
    return SimpleNamespace(tools=TOOLS, policies=POLICIES, servers=SERVERS)


@pytest.fixture(scope="session")
def load() -> Callable[..., LoadedCatalog]:
    """Return a loader that takes the texts of the files."""

    def load_(
        tools: Text = TOOLS,
        policies: Text = POLICIES,
        servers: Text = SERVERS,
        environ: Mapping[str, str] | None = None,
        more: Mapping[str, Text] | None = None,
    ) -> LoadedCatalog:
        texts = {
            "tools.yaml": tools,
            "tool_policies.yaml": policies,
            "mcp_servers.yaml": servers,
            **(more or {}),
        }
        data = {name: text.encode() if isinstance(text, str) else text for name, text in texts.items()}
        loaded = load_texts(data, environ or {})
        assert loaded.errors or misfits(data) == []
        return loaded

    return load_


@pytest.fixture(scope="session")
def policy(load: Callable[..., LoadedCatalog]) -> Callable[..., LoadedCatalog]:
    """Return a loader for one policy of ``encerrar_assinaturas``, as flow YAML; sound otherwise."""

    def policy_(text: str, more: str = "", tools: str = TOOLS) -> LoadedCatalog:
        return load(tools, f"version: 1\n{more}\ntool_policies:\n  encerrar_assinaturas: {text}\n")

    return policy_


@pytest.fixture(scope="session")
def field(load: Callable[..., LoadedCatalog]) -> Callable[..., LoadedCatalog]:
    """Return a loader for a tool ``t`` with one argument ``x``, as flow YAML."""

    def field_(text: str) -> LoadedCatalog:
        tools = f"tools:\n  t:\n    mcp_server: loja\n    tool_type: read_only\n    args_schema:\n      x: {text}\n"
        return load(tools, "version: 1\n")

    return field_
