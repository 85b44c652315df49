"""Servers that promise little, change their minds or want a key, behind ``confirmo mcp --wrap``."""

import asyncio
import os
from contextlib import asynccontextmanager

import mcp_types as types
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.server import Server
from mcp.shared.exceptions import MCPError

from confirmo.client.connection import address_of
from confirmo.policies.snapshot import transaction_id_for
from harness import answered
from harness.forking import CONFIRMO, command
from harness.person import YES, Person
from harness.serving import serving

SECRET = "s3cr3t-token-of-the-test"
ENTRY = {"type": "object", "properties": {"id": {"type": "string"}, "success": {"type": "boolean"}}}
BY_ITEM = {"type": "object", "properties": {"results": {"type": "array", "items": ENTRY}}}


class Wrapped:
    """A server whose tools a test sets, and may change; it keeps what it was sent."""

    def __init__(self, *tools, answer=None):
        self.tools = {tool.name: tool for tool in tools}
        self.answer = answer or (lambda params: {"done": True})
        self.calls, self.headers = [], []

    async def _list(self, _context, _params):
        return types.ListToolsResult(tools=list(self.tools.values()))

    async def _call(self, _context, params):
        if params.name not in self.tools:
            raise MCPError(code=types.INVALID_PARAMS, message="unknown tool")
        self.calls.append((params.name, params.arguments))
        return answered(self.answer(params))

    @asynccontextmanager
    async def running(self):
        app = Server("w", on_list_tools=self._list, on_call_tool=self._call).streamable_http_app()

        async def noting(scope, receive, send):
            if scope["type"] == "http":
                self.headers.append(dict(scope["headers"]))
            await app(scope, receive, send)

        async with serving(noting) as port:
            yield f"http://127.0.0.1:{port}/mcp"


def tool(name, schema=None, **more):
    return types.Tool(name=name, input_schema={"type": "object"} | (schema or {}), **more)


def wrapping(temporal, url, *more):
    program, *given = command(CONFIRMO, "mcp", "--wrap", url, "--locale", "en", *more)
    return StdioServerParameters(
        command=program,
        args=given,
        env={"TEMPORAL_ADDRESS": address_of(temporal), "THE_TOKEN": SECRET},
    )


@asynccontextmanager
async def agent_of(temporal, wrapped, *replies, person=None):
    """The official client of a face that wraps a server."""
    user = person or Person([*replies])
    async with wrapped.running() as url, Client(wrapping(temporal, url), elicitation_callback=user) as agent:
        yield agent


async def ended(given):
    """Run a face that is to refuse its options; returns its exit code, and what it said."""
    process = await asyncio.create_subprocess_exec(
        given.command,
        *given.args,
        env=os.environ | given.env,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(60):
        output, errors = await process.communicate()
    assert output == b""
    return process.returncode, errors.decode()


async def test_a_header_with_a_secret_is_sent_and_in_no_history(client):
    wrapped = Wrapped(tool("send"))
    async with wrapped.running() as url:
        given = wrapping(client, url, "--header", "Authorization: Bearer ${THE_TOKEN}")
        async with Client(given, elicitation_callback=Person([YES])) as agent:
            meta = {"confirmo/request_id": url}
            done = await agent.call_tool("send", {}, meta=meta)
            status = {"transaction_id": done.structured_content["transaction_id"]}
            told = (await agent.call_tool("transaction_status", status)).model_dump_json()
    assert done.structured_content["status"] == "COMPLETED"
    assert all(seen[b"authorization"] == f"Bearer {SECRET}".encode() for seen in wrapped.headers)
    handle = client.get_workflow_handle(transaction_id_for("default", url))
    history = (await handle.fetch_history()).to_json()
    assert SECRET not in history + told
    assert "THE_TOKEN" not in history


async def test_wrong_headers_are_a_sentence_that_quotes_none(client):
    for url, header, told in (
        ("http://127.0.0.1:1/mcp", f"X: {SECRET} ${{NOT_SET_AT_ALL}}", "NOT_SET_AT_ALL is not set"),
        ("http://127.0.0.1:1/mcp", SECRET, "is written 'Name: value'"),
        ("some command", f"X: {SECRET}", "goes with --wrap and a URL"),
    ):
        given = wrapping(client, url, "--header", header)
        code, errors = await ended(given)
        assert code == 2
        assert told in errors
        assert SECRET not in errors


async def test_a_list_with_a_promised_flag_for_each_is_confirmed_and_told_item_by_item(client):
    schema = {"properties": {"ids": {"type": "array", "items": {"type": "string"}}}, "required": ["ids"]}

    def one_fails(params):
        return {"results": [{"id": id, "success": id != "b"} for id in params.arguments["ids"]]}

    wrapped = Wrapped(tool("close", schema, output_schema=BY_ITEM), answer=one_fails)
    async with wrapped.running() as url, Client(wrapping(client, url)) as agent:
        told = (await agent.call_tool("close", {"ids": ["a", "b", "c"]})).structured_content
        assert [item["item_id"] for item in told["items"]] == ["a", "b", "c"]
        id = {"transaction_id": told["transaction_id"]}
        told = (
            await agent.call_tool("transaction_amend", id | {"remove_item_ids": ["c"]})
        ).structured_content
        digest = {"digest": told["confirmation"]["digest"]}
        done = (await agent.call_tool("transaction_confirm", id | digest)).structured_content
    assert wrapped.calls == [("close", {"ids": ["a", "b"]})]
    assert done["result"]["multi_item_status"] == "PARTIAL_SUCCESS"
    assert [item["outcome"] for item in done["items"]] == ["SUCCEEDED", "FAILED"]


async def test_results_that_nobody_promised_are_told_item_by_item_as_well(client):
    answer = {"results": [{"id": "a", "success": True}, {"id": "b", "success": False, "reason": "locked"}]}
    wrapped = Wrapped(tool("close", {"properties": {"ids": {}}}), answer=lambda _: answer)
    async with agent_of(client, wrapped, YES) as agent:
        done = await agent.call_tool("close", {"ids": ["a", "b"]})
    told = done.structured_content
    assert (told["result"]["multi_item_status"], done.is_error) == ("PARTIAL_SUCCESS", False)
    assert "locked" in done.content[0].text


async def test_arguments_reach_the_server_as_they_came(client):
    schema = {
        "$defs": {"Row": {"type": "object", "properties": {"n": {"type": "integer"}}}},
        "properties": {
            "row": {"$ref": "#/$defs/Row"},
            "either": {"oneOf": [{"type": "integer"}, {"type": "array"}, {"type": "string"}]},
            "table": {"type": "array", "items": {"type": "array"}},
            "content": {"type": "string"},
            "maybe": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        },
        "required": ["row", "content", "maybe"],
    }
    given = {
        "row": {"n": 1, "x": [None]},
        "either": "a, b",
        "table": [[1, None], []],
        "content": "",
        "maybe": None,
    }
    wrapped, person = Wrapped(tool("write", schema)), Person([YES])
    async with agent_of(client, wrapped, person=person) as agent:
        done = await agent.call_tool("write", given | {"undeclared": 1})
        lacks = await agent.call_tool("write", {"row": {}})
    assert wrapped.calls == [("write", given)]
    assert done.structured_content["ignored_arguments"] == ["undeclared"]
    assert "undeclared" in done.content[0].text
    assert "None" not in person.shown[0].message
    assert lacks.structured_content["missing_parameters"] == ["content", "maybe"]


async def test_odd_names_are_called_by_them(client):
    names = ["with space", "ação/ler.já", "UPPER-and.dots", "n" * 200, "confirm", "\u202eabc"]
    wrapped = Wrapped(*(tool(name) for name in names))
    async with agent_of(client, wrapped, *[YES] * len(names)) as agent:
        listed = {each.name for each in (await agent.list_tools()).tools}
        done = [await agent.call_tool(name, {}) for name in names]
    assert listed >= set(names)
    assert {each.structured_content["status"] for each in done} == {"COMPLETED"}
    assert [name for name, _ in wrapped.calls] == names


async def test_a_tool_with_a_name_of_ours_is_a_sentence(client):
    async with Wrapped(tool("ok"), tool("transaction_status")).running() as url:
        given = wrapping(client, url)
        code, errors = await ended(given)
    assert code == 2
    assert "'transaction_status'" in errors
    assert "cannot be wrapped" in errors


async def test_a_list_that_changes_later_changes_nothing_until_the_next_start(client):
    reads = types.ToolAnnotations(read_only_hint=True)
    wrapped = Wrapped(tool("stays", annotations=reads), tool("goes"))
    async with wrapped.running() as url:
        async with Client(wrapping(client, url), elicitation_callback=Person([YES])) as agent:
            await agent.call_tool("stays", {})
            del wrapped.tools["goes"]
            wrapped.tools["comes"] = tool("comes")
            gone = await agent.call_tool("goes", {})
            with pytest.raises(MCPError, match="no tool of this name"):
                await agent.call_tool("comes", {})
        async with Client(wrapping(client, url)) as agent:
            names = {each.name for each in (await agent.list_tools()).tools}
    assert (gone.is_error, gone.structured_content["status"]) == (True, "FAILED")
    assert "it was not sent" in gone.content[0].text
    assert names >= {"stays", "comes"}
    assert wrapped.calls == [("stays", {})]
