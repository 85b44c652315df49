"""``confirmo mcp --wrap``: an existing server gets a question before each effect, without knowing of it."""

import importlib.util
import shlex
import sys
from pathlib import Path

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from confirmo.activities.tools import ToolListing
from confirmo.client.connection import address_of
from confirmo.worker.errors import ServerUnavailable
from confirmo.worker.wrapping import wrap, wrapped_server, wrapped_tool, wrapping_queue
from harness.person import YES, Person
from harness.serving import serving

PLAIN = Path(__file__).with_name("plain_server.py")
LABELS = ("add_labels", {"issue": 7, "labels": ["a", "b"]})


def plain(ledger: Path):
    spec = importlib.util.spec_from_file_location("plain_server", PLAIN)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.build(ledger)


def wrapping(temporal, target: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "confirmo.client.main", "mcp", "--wrap", target, "--locale", "en"],
        env={"TEMPORAL_ADDRESS": address_of(temporal)},
    )


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_a_wrapped_server_asks_first_and_reads_at_once(client, mode, tmp_path, transport):
    ledger, person = tmp_path / "ledger", Person([YES, YES])
    async with serving(plain(ledger).streamable_http_app()) as port:
        command = shlex.join([sys.executable, str(PLAIN), str(ledger)])
        target = {"stdio": command, "http": f"http://127.0.0.1:{port}/mcp"}[transport]
        async with Client(wrapping(client, target), mode=mode, elicitation_callback=person) as agent:
            tools = {tool.name: tool for tool in (await agent.list_tools()).tools}
            read = await agent.call_tool("list_labels", {})
            assert (read.structured_content["status"], person.shown) == ("COMPLETED", [])
            assert not ledger.exists()
            done = await agent.call_tool(*LABELS)
            broken = await agent.call_tool("break_down", {"issue": 1})
    assert tools["add_labels"].title == "Add labels"
    assert set(tools["add_labels"].input_schema["required"]) == {"issue", "labels"}
    assert tools["add_labels"].annotations.read_only_hint is False
    assert tools["odd"].annotations.read_only_hint is False
    assert tools["list_labels"].annotations.read_only_hint is True
    assert (done.structured_content["status"], done.is_error) == ("COMPLETED", False), done
    assert ledger.read_text() == "7 a,b None\n"
    assert "a and b" in person.shown[0].message
    assert (broken.structured_content["status"], broken.is_error) == ("FAILED", True)


async def test_a_server_that_does_not_answer_is_a_sentence():
    for target in ("http://127.0.0.1:1/mcp", "/nowhere/at/all"):
        with pytest.raises(ServerUnavailable, match="does not say what it can do"):
            await wrap(target)
    for target in ("", "a 'b"):
        with pytest.raises(ServerUnavailable, match="empty or not quoted"):
            wrapped_server(target, {})


def test_the_queue_of_a_target_is_stable_and_its_own():
    assert wrapping_queue("a") == wrapping_queue("a") != wrapping_queue("b")


def test_types_are_found_through_unions_and_references_and_hints_do_not_decide():
    schema = {
        "$defs": {"Color": {"type": "string", "enum": ["red"]}, "Loop": {"$ref": "#/$defs/Loop"}},
        "properties": {
            "color": {"$ref": "#/$defs/Color"},
            "count": {"anyOf": [{"type": "null"}, {"type": "integer"}]},
            "flag": {"type": ["boolean", "null"]},
            "many": {"type": "array", "items": {"type": "string"}},
            "map": {"properties": {"a": {}}},
            "loop": {"$ref": "#/$defs/Loop"},
            "any": True,
        },
        "required": ["color", "many", "gone", 7],
    }
    tool = wrapped_tool(ToolListing("t", input_schema=schema, idempotent_hint=True))
    types = {argument.name: argument.type for argument in tool.arguments}
    assert types == {
        "color": "string",
        "count": "integer",
        "flag": "boolean",
        "many": "array",
        "map": "object",
        "loop": "string",
        "any": "string",
    }
    assert (tool.requires, tool.execution.effect, tool.require_confirmation) == (("color",), "unsafe", True)
    assert wrapped_tool(ToolListing("t", read_only_hint=True)).require_confirmation is False
    assert wrapped_tool(ToolListing("t", input_schema={"required": "x", "properties": []})).arguments == ()
