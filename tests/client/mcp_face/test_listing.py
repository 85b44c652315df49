"""What agents are shown of a catalogue."""

import jsonschema
import pytest

from confirmo.client.mcp_face import FaceOptions, NameTaken, build_server

CONTROL = {"transaction_confirm", "transaction_reject", "transaction_amend", "transaction_status"}


async def test_enabled_tools_are_listed_and_internal_ones_and_validators_are_not(face):
    shown = await face(
        tools={
            "desligada": {"mcp_server": "loja", "tool_type": "action", "enabled": False},
            "valida": {
                "mcp_server": "loja",
                "tool_type": "read_only",
                "args_schema": {"encomenda_ids": "array"},
            },
        },
        policies={
            "devolver_encomendas": {"pre_validation": {"tool": "valida"}},
            "valida": {"operation_type": "read_only"},
        },
    )
    async with shown.connect() as client:
        listed = {tool.name for tool in (await client.list_tools()).tools}
        assert listed == {"encerrar_assinaturas", "devolver_encomendas", "listar_faturas"} | CONTROL
        for hidden in ("checar_assinaturas", "avisar_cliente", "desligada", "valida", "nada"):
            with pytest.raises(Exception, match="no tool of this name"):
                await client.call_tool(hidden, {})


async def test_schemas_and_hints_come_from_the_declared_arguments_and_the_policy(face):
    shown = await face(
        tools={"devolver_encomendas": {"args_schema": {"encomenda_ids": {"minItems": 1, "items": "string"}}}},
        policies={"encerrar_assinaturas": {"execution": {"effect": "idempotent"}}},
    )
    async with shown.connect() as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    sent, read = tools["devolver_encomendas"], tools["listar_faturas"]
    assert sent.title == "Devolve encomendas"
    assert "asked for confirmation" in sent.description
    assert "asked for confirmation" not in read.description
    assert sent.input_schema["required"] == ["encomenda_ids"]
    field = sent.input_schema["properties"]["encomenda_ids"]
    assert (field["type"], field["title"], field["minItems"]) == ("array", "as encomendas", 1)
    hints = sent.annotations
    assert (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint) == (False, True, False)
    assert tools["encerrar_assinaturas"].annotations.idempotent_hint is True
    assert read.annotations.read_only_hint is True
    assert tools["transaction_status"].annotations.read_only_hint is True
    for tool in tools.values():
        for schema in (tool.input_schema, tool.output_schema):
            assert schema["type"] == "object"
            jsonschema.Draft202012Validator.check_schema(schema)


async def test_a_catalogue_tool_may_not_take_a_name_of_the_face(face):
    shown = await face()
    renamed = shown.desk.catalog.model_copy(
        update={"tools": {"transaction_confirm": shown.desk.catalog.tools["listar_faturas"]}}
    )
    with pytest.raises(NameTaken, match="transaction_confirm"):
        build_server(shown.client, renamed, FaceOptions())
