"""``confirmo mcp --wrap``: an existing server gets a question before each effect, without knowing of it."""

import importlib.util
import shlex
from pathlib import Path

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from confirmo.activities.tools import ToolListing
from confirmo.client.connection import address_of
from confirmo.policies.arguments import collect
from confirmo.worker.errors import ConfigurationError, ServerUnavailable
from confirmo.worker.wrap_target import WrapTarget
from confirmo.worker.wrapping import wrap, wrapped_tool
from harness.forking import CONFIRMO, command
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
    program, *given = command(CONFIRMO, "mcp", "--wrap", target, "--locale", "en")
    return StdioServerParameters(
        command=program,
        args=given,
        env={"TEMPORAL_ADDRESS": address_of(temporal)},
    )


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_a_wrapped_server_asks_first_and_reads_at_once(client, mode, tmp_path, transport):
    ledger, person = tmp_path / "ledger", Person([YES, YES])
    async with serving(plain(ledger).streamable_http_app()) as port:
        own = shlex.join(command("entries:script", str(PLAIN), str(ledger)))
        target = {"stdio": own, "http": f"http://127.0.0.1:{port}/mcp"}[transport]
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
            await wrap(WrapTarget(target))
    for target in ("", "a 'b"):
        with pytest.raises(ServerUnavailable, match="empty or not quoted"):
            WrapTarget(target).server({})


def test_headers_and_url_are_read_like_those_of_the_file_and_never_quoted():
    target = WrapTarget("http://x/${PATH_}", {"Authorization": "Bearer ${TOKEN}"})
    server = target.server({"TOKEN": "s3cret", "PATH_": "mcp"})
    assert (server.endpoint, server.headers) == ("http://x/mcp", {"Authorization": "Bearer s3cret"})
    assert "s3cret" not in repr(server) + repr(target)
    for headers, told in (
        ({"A": "${TOKEN}"}, "TOKEN is not set"),
        ({"A B": "x-s3cret"}, "not the name of an HTTP header"),
        ({"A": "x-s3cret\r\nB: y"}, "one line"),
    ):
        with pytest.raises(ConfigurationError) as error:
            WrapTarget("http://x/mcp", headers).server({})
        (problem,) = error.value.problems
        assert (problem.file, problem.line) == ("--wrap", None)
        assert told in problem.message
        assert "s3cret" not in problem.message


def test_a_command_gets_the_environment_without_what_is_confirmos_own():
    given = {"PATH": "/bin", "API_KEY": "k", "TEMPORAL_API_KEY": "s", "CONFIRMO_TASK_QUEUE": "q"}
    assert WrapTarget("server --x").server(given).env == {"PATH": "/bin", "API_KEY": "k"}


def test_the_queue_of_a_target_is_stable_and_its_own():
    one = WrapTarget("http://x/mcp")
    assert one.queue() == WrapTarget("http://x/mcp").queue() == "confirmo-wrap-1878ee01f072e884"
    others = [
        WrapTarget("http://y/mcp"),
        WrapTarget("http://x/mcp", {"Authorization": "a"}),
        WrapTarget("http://x/mcp", tenant="b"),
        WrapTarget("http://x/mcp", requester="ana"),
        WrapTarget("http://x/mcp", requester="bia"),
    ]
    assert len({target.queue() for target in (one, *others)}) == 6


def test_a_tools_arguments_go_out_as_they_came_whatever_its_schema_says():
    schema = {
        "$defs": {"Color": {"type": "string", "enum": ["red"]}, "Loop": {"$ref": "#/$defs/Loop"}},
        "properties": {
            "color": {"$ref": "#/$defs/Color"},
            "either": {"anyOf": [{"type": "array"}, {"type": "string"}, {"type": "null"}]},
            "filePath": {"type": "string"},
            "rows_to_add": {"type": "array", "items": {"type": "array"}, "description": "Rows"},
            "loop": {"$ref": "#/$defs/Loop"},
            "any": True,
        },
        "required": ["color", "rows_to_add", "gone", 7],
    }
    tool = wrapped_tool(ToolListing("t", input_schema=schema, idempotent_hint=True))
    assert {argument.type for argument in tool.arguments} == {"any"}
    labels = {argument.name: argument.label for argument in tool.arguments}
    assert (labels["filePath"], labels["rows_to_add"]) == ("file path", None)
    assert (tool.requires, tool.execution.effect) == (("color", "rows_to_add"), "unsafe")
    assert tool.execution.evidence == "envelope"
    given = {"color": "", "either": "a, b", "filePath": None, "rows_to_add": [[None, 1], []], "any": 0.5}
    collected = collect(given, tool)
    assert (collected.arguments, collected.missing, collected.invalid) == (given, (), ())
    assert collect({}, tool).missing == ("color", "rows_to_add")
    for odd in (None, {}, {"properties": []}, {"properties": {"a": None}, "required": "a"}):
        assert wrapped_tool(ToolListing("t", input_schema=odd)).requires == ()


@pytest.mark.parametrize(
    ("reads", "destroys", "asks"),
    [
        (True, None, False),
        (True, False, False),
        (True, True, True),
        (None, False, True),
        (False, None, True),
        (None, None, True),
    ],
)
def test_only_what_is_plainly_read_only_is_not_asked_for(reads, destroys, asks):
    listing = ToolListing("get_x", "Only reads.", read_only_hint=reads, destructive_hint=destroys)
    assert wrapped_tool(listing).require_confirmation is asks


def test_a_tool_has_items_where_its_output_schema_promises_a_flag_for_each():
    def of(output, **more):
        words = {"ids": {"type": "array", "items": {"type": "string"}}, "note": {"type": "string"}} | more
        schema = {"properties": words, "required": ["ids", *more]}
        return wrapped_tool(ToolListing("t", input_schema=schema, output_schema=output))

    entry = {"type": "object", "properties": {"id": {"type": "string"}, "ok": {"type": "boolean"}}}
    promised = {
        "properties": {"results": {"type": "array", "items": {"$ref": "#/$defs/E"}}},
        "$defs": {"E": entry},
    }
    tool = of(promised)
    assert (tool.execution.evidence, tool.argument("ids").type) == ("results", "array")
    other = {"properties": {"results": {"type": "array", "items": {"type": "object"}}}}
    for less in (of(None), of(other), of(promised, more={"type": "array"})):
        assert less.execution.evidence == "envelope"
        assert less.argument("ids").type == "any"
