"""The seed's REST contract."""

import json

import pytest
from opentelemetry import context
from opentelemetry.propagate import extract

from confirmo.activities.tools import ToolServers
from confirmo.policies.errors import CallFailureKind
from confirmo.policies.tool_spec import ServerSpec

UNREACHABLE, THROTTLED = CallFailureKind.UNREACHABLE, CallFailureKind.THROTTLED
REJECTED, DOUBT = CallFailureKind.REJECTED, CallFailureKind.DOUBT


@pytest.fixture
def caller(raw, connect):
    return connect(
        ServerSpec(name="s", transport="http", endpoint=raw.endpoint + "/", headers={"X-Key": "k1234"})
    )


async def test_a_call_is_exactly_the_contracts_and_carries_the_key_as_a_header(raw, caller):
    raw.on["POST"] = lambda wire: wire.json({"ok": True, "result": {"results": [9007199254740993]}})
    answer = await caller.servers.call(
        "s", "cancelar", {"nome": "Açaí", "n": None}, meta={"a": 1}, idempotency_key="cfm_1", timeout=5
    )
    (request,) = raw.seen
    assert (request.http_method, request.path) == ("POST", "/mcp/tools/call")
    assert request.message == {"tool_name": "cancelar", "arguments": {"nome": "Açaí", "n": None}}
    assert (request.headers["idempotency-key"], request.headers["x-key"]) == ("cfm_1", "k1234")
    assert (answer.structured, answer.has_structured) == ({"results": [9007199254740993]}, True)
    assert (answer.texts, answer.is_error) == ((), False)


async def test_the_trace_of_a_call_travels_in_its_w3c_header(raw, caller):
    parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    raw.on["POST"] = lambda wire: wire.json({"result": 1})
    await caller.call()
    token = context.attach(extract({"traceparent": parent}))
    await caller.call()
    context.detach(token)
    untraced, traced = raw.seen
    assert "traceparent" not in untraced.headers
    assert traced.headers["traceparent"] == parent
    assert traced.message == untraced.message


async def test_no_key_no_header(raw, caller):
    raw.on["POST"] = lambda wire: wire.json({"result": 1})
    assert (await caller.call()).structured == 1
    assert "idempotency-key" not in raw.seen[0].headers


@pytest.mark.parametrize(
    ("body", "structured", "has_structured", "texts"),
    [
        ({"ok": False, "error": "não"}, None, False, ("não",)),
        ({"ok": False, "error": {"code": 1}}, None, False, ('{"code":1}',)),
        ({"ok": False, "error": "não", "result": {"results": []}}, {"results": []}, True, ("não",)),
        ({"ok": False}, None, False, ()),
    ],
)
async def test_a_no_of_the_tool_is_an_answer(raw, caller, body, structured, has_structured, texts):
    raw.on["POST"] = lambda wire: wire.json(body)
    answer = await caller.call()
    assert answer.is_error
    assert (answer.structured, answer.has_structured, answer.texts) == (structured, has_structured, texts)


@pytest.mark.parametrize(
    ("status", "kind"),
    [*((status, REJECTED) for status in (302, 307, 400, 401, 403, 404, 405, 406, 413, 414, 415, 422, 431))]
    + [(429, THROTTLED), (503, THROTTLED)]
    + [(status, DOUBT) for status in (201, 202, 204, 408, 409, 500, 502, 504)],
)
async def test_ex_23_a_status_says_what_was_done(raw, caller, status, kind):
    raw.on["POST"] = lambda wire: wire.reply(status, retry_after="2", location="/x")
    failed = await caller.fail()
    assert (failed.kind, raw.count("POST")) == (kind, 1)
    assert failed.retry_after == (2 if kind is THROTTLED else None)
    assert str(status) in failed.reason


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"", "application/json"),
        (b"{", "application/json"),
        (b"[]", "application/json"),
        (b'{"ok": "yes"}', "application/json"),
        (b"<html>manuten\xc3\xa7\xc3\xa3o</html>", "text/html"),
        (b'{"ok": true}', "text/plain"),
    ],
)
async def test_ex_14_an_answer_that_cannot_be_read_is_doubt(raw, caller, body, content_type):
    raw.on["POST"] = lambda wire: wire.reply(200, body, content_type)
    assert (await caller.fail()).kind is DOUBT


async def test_a_lost_connection_and_a_timeout_are_doubt(raw, caller):
    async def drop(wire):
        wire.drop()

    async def half(wire):
        await wire.send(
            b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{"ok":'
        )
        wire.drop()

    for behaviour in (drop, half, lambda wire: wire.hang()):
        raw.on["POST"] = behaviour
        assert (await caller.fail(timeout=0.2)).kind is DOUBT


async def test_a_refused_connection_was_never_sent(connect, unused_tcp_port):
    spec = ServerSpec(name="s", transport="http", endpoint=f"http://127.0.0.1:{unused_tcp_port}")
    caller = connect(spec)
    assert (await caller.fail()).kind is UNREACHABLE
    with pytest.raises(Exception, match="'s', connect: the connection was refused"):
        await caller.servers.reach("s")


async def test_its_tools_cannot_be_told_and_reaching_it_calls_nothing(raw, caller):
    assert await caller.servers.tools("s") == ()
    raw.on["OPTIONS"] = lambda wire: wire.reply(404)
    await caller.servers.reach("s")
    assert [request.http_method for request in raw.seen] == ["OPTIONS"]


async def test_odd_numbers_and_lone_surrogates_can_be_stored(raw, caller):
    body = b'{"result": {"a": NaN, "b": "\\ud800"}, "ok": true}'
    raw.on["POST"] = lambda wire: wire.reply(200, body, "application/json")
    answer = await caller.call()
    assert answer.structured == {"a": "NaN", "b": "�"}
    assert json.loads(answer.model_dump_json())["structured"] == answer.structured


async def test_an_endpoint_keeps_its_query(raw):
    raw.on["POST"] = lambda wire: wire.json({"ok": True})
    spec = ServerSpec(name="s", transport="http", endpoint=raw.endpoint + "?key=1")
    servers = ToolServers({"s": spec})
    await servers.call("s", "t", {}, meta={}, idempotency_key=None, timeout=5)
    await servers.aclose()
    assert raw.seen[0].path == "/mcp/tools/call?key=1"
