"""CONTRACT.md section 5, "What a failed call says", over streamable HTTP: one row, one test."""

import asyncio
import json
from email.utils import formatdate
from time import time

import pytest

from confirmo.policies.errors import CallFailureKind

UNREACHABLE, THROTTLED = CallFailureKind.UNREACHABLE, CallFailureKind.THROTTLED
REJECTED, DOUBT = CallFailureKind.REJECTED, CallFailureKind.DOUBT
SECRET = "sk-very-secret"


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        *((status, REJECTED) for status in (302, 400, 403, 404, 405, 406, 413, 414, 415, 422, 431)),
        *((status, THROTTLED) for status in (429, 503)),
        *((status, DOUBT) for status in (202, 204, 303, 408, 409, 423, 500, 501, 502, 504, 599)),
    ],
)
async def test_ex_23_a_status_of_the_call_says_what_was_done(raw, connect, status, kind):
    async def answer(wire):
        await wire.reply(status, location="/elsewhere" if status in (302, 303) else "")

    raw.on["tools/call"] = answer
    failed = await connect(raw.endpoint).fail()
    assert failed.kind is kind
    assert failed.reason.startswith("Tool server 's', call: ")
    assert str(status) in failed.reason
    assert raw.count("tools/call") == (2 if status == 404 else 1)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        *((code, REJECTED) for code in (-32601, -32602, -32600, -32700)),
        *((code, DOUBT) for code in (-32603, -32000, -32001, 0, 42)),
    ],
)
@pytest.mark.parametrize("events", [False, True])
async def test_ex_23_a_json_rpc_error_says_what_was_done(raw, connect, code, kind, events):
    async def answer(wire):
        if events:
            await wire.begin_events()
            error = {"code": code, "message": "because"}
            await wire.event({"id": wire.request.message["id"], "error": error})
            wire.writer.close()
        else:
            await wire.error(code, "because")

    raw.on["tools/call"] = answer
    failed = await connect(raw.endpoint).fail()
    assert (failed.kind, raw.count("tools/call")) == (kind, 1)
    assert f"JSON-RPC error {code} (because)" in failed.reason


@pytest.mark.parametrize("status", [400, 404, 422])
async def test_a_refusal_with_a_json_rpc_error_in_its_body_is_a_refusal(raw, connect, status):
    raw.on["tools/call"] = lambda wire: wire.error(-32602, "bad", status)
    assert (await connect(raw.endpoint).fail()).kind is REJECTED


async def test_ex_23_retry_after_is_kept_in_seconds_or_as_a_date(raw, connect):
    later = formatdate(time() + 60, usegmt=True)
    waits = []
    for value in ("7", later, "soon", "-1", "inf"):

        async def answer(wire, value=value):
            await wire.reply(503, retry_after=value)

        raw.on["tools/call"] = answer
        waits.append((await connect(raw.endpoint).fail()).retry_after)
    assert waits[0] == 7
    assert 50 < waits[1] <= 60
    assert waits[2:] == [None, 0, None]


async def test_ex_14_a_page_with_status_200_is_doubt_and_is_cut(raw, connect):
    page = "<html>manutenção " + "x" * 5000

    async def answer(wire):
        await wire.reply(200, page.encode(), "text/html")

    raw.on["tools/call"] = answer
    failed = await connect(raw.endpoint).fail()
    assert failed.kind is DOUBT
    assert "text/html" in failed.reason
    assert "manutenção" in failed.reason
    assert len(failed.reason) < 300


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[1]", b'"x"', b'{"jsonrpc": "2.0", "id": 1, "result": [1]}', b"\xff"]
)
async def test_an_empty_or_undecodable_body_is_doubt(raw, connect, body):
    raw.on["tools/call"] = lambda wire: wire.reply(200, body, "application/json")
    failed = await connect(raw.endpoint).fail()
    assert failed.kind is DOUBT
    assert ("empty" if not body else "cannot be read") in failed.reason


async def test_a_body_in_a_broken_encoding_is_doubt(raw, connect):
    raw.on["tools/call"] = lambda wire: wire.reply(
        200, b"not gzip", "application/json", content_encoding="gzip"
    )
    failed = await connect(raw.endpoint).fail()
    assert failed.kind is DOUBT
    assert "decoded" in failed.reason


async def test_a_connection_lost_after_sending_is_doubt(raw, connect):
    async def before(wire):
        wire.drop()

    async def inside_json(wire):
        await wire.send(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{")
        wire.drop()

    async def inside_events(wire):
        await wire.begin_events()
        wire.drop()

    async def at_the_end_of_events(wire):
        await wire.begin_events()
        wire.writer.close()

    caller = connect(raw.endpoint)
    for behaviour in (before, inside_json, inside_events, at_the_end_of_events):
        raw.on["tools/call"] = behaviour
        failed = await caller.fail()
        assert failed.kind is DOUBT
        assert "lost" in failed.reason
    assert raw.count("initialize") == 1


async def test_a_refused_connection_was_never_sent(raw, connect, unused_tcp_port):
    failed = await connect(f"http://127.0.0.1:{unused_tcp_port}/mcp").fail()
    assert failed.kind is UNREACHABLE
    assert failed.reason == "Tool server 's', initialize: the connection was refused."


async def test_an_unknown_host_was_never_sent(connect):
    failed = await connect("http://host.invalid/mcp").fail()
    assert failed.kind is UNREACHABLE
    assert "cannot be resolved" in failed.reason


async def test_ex_01_no_answer_in_time_is_doubt(raw, connect):
    raw.on["tools/call"] = lambda wire: wire.hang()
    failed = await connect(raw.endpoint).fail(timeout=0.1)
    assert failed.kind is DOUBT
    assert failed.reason == "Tool server 's', call: no answer came in time."


async def test_ex_16_progress_never_moves_the_ceiling(raw, connect):
    async def answer(wire):
        await wire.begin_events()
        for step in range(1000):
            params = {"progressToken": wire.request.message["id"], "progress": step, "message": "ok"}
            await wire.event({"method": "notifications/progress", "params": params})
            try:
                async with asyncio.timeout(0.02):
                    await wire.hang()
            except TimeoutError:
                continue

    raw.on["tools/call"] = answer
    failed = await connect(raw.endpoint).fail(timeout=0.2)
    assert failed.kind is DOUBT
    assert "in time" in failed.reason


@pytest.mark.parametrize(
    ("status", "kind"),
    [(401, REJECTED), (403, REJECTED), (429, THROTTLED), (503, THROTTLED)]
    + [(status, UNREACHABLE) for status in (302, 400, 404, 405, 500, 502)],
)
async def test_a_handshake_that_fails_proves_that_nothing_was_sent(raw, connect, status, kind):
    raw.on["initialize"] = lambda wire: wire.reply(status, location="/elsewhere")
    failed = await connect(raw.endpoint).fail()
    assert failed.kind is kind
    assert "initialize" in failed.reason
    assert raw.count("tools/call") == 0


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"<html>", "text/html"),
        (b"", "application/json"),
        (b"{}", "application/json"),
        (b"{", "application/json"),
    ],
)
async def test_a_handshake_that_cannot_be_read_proves_that_nothing_was_sent(raw, connect, body, content_type):
    raw.on["initialize"] = lambda wire: wire.reply(200, body, content_type)
    assert (await connect(raw.endpoint).fail()).kind is UNREACHABLE


async def test_an_unknown_or_disabled_server_is_refused(raw, connect):
    caller = connect(raw.endpoint, enabled=False)
    assert (await caller.fail()).kind is REJECTED
    assert (await caller.fail(server="other")).kind is REJECTED


@pytest.mark.parametrize("argument", ["\ud800", float("nan"), object()])
async def test_arguments_that_are_not_json_are_refused_and_harm_nobody(raw, connect, argument):
    caller = connect(raw.endpoint)
    assert (await caller.fail(x=argument)).kind is REJECTED
    assert (await caller.call()).texts == ("done",)


async def test_a_reason_never_quotes_a_header_an_address_or_an_argument(raw, connect):
    headers = {"X-Api-Key": f"Bearer {SECRET}"}
    endpoint = raw.endpoint.replace("//", "//user:hunter22@") + "?key=abc-query"
    caller = connect(endpoint, headers=headers)
    quoted = f"no {SECRET} for 529.982.247-25 hunter22 abc-query in pedido 7 of 77"
    reasons = []
    for code in (-32602, -32603):
        raw.on["tools/call"] = lambda wire, code=code: wire.error(code, quoted)
        reasons.append((await caller.fail(cpf="529.982.247-25", lista=[{"n": 7}])).reason)
    raw.on["tools/call"] = lambda wire: wire.reply(200, json.dumps([quoted]).encode(), "text/plain")
    reasons.append((await caller.fail(cpf="529.982.247-25", lista=[{"n": 7}])).reason)
    for reason in reasons:
        assert "no … for … … … in pedido … of 77" in reason
    assert raw.seen[0].headers["x-api-key"] == headers["X-Api-Key"]
    assert raw.seen[0].headers["authorization"].startswith("Basic ")
    assert raw.seen[0].path == "/mcp?key=abc-query"


async def test_logs_hold_no_secret_and_no_message(raw, connect, caplog):
    caplog.set_level("DEBUG")
    caller = connect(raw.endpoint + "?key=abc-query", headers={"X-Api-Key": SECRET})
    raw.on["tools/call"] = lambda wire: wire.reply(200, b'{"cpf": "529', "application/json")
    await caller.fail(cpf="529.982.247-25")
    for hidden in (SECRET, "abc-query", "529"):
        assert hidden not in caplog.text
