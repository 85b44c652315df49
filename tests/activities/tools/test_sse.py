"""The SSE transport: one stream for all answers, so a refused message must not end it."""

import asyncio

import pytest
import pytest_asyncio

from confirmo.policies.errors import CallFailureKind
from confirmo.policies.tool_spec import ServerSpec

UNREACHABLE, THROTTLED = CallFailureKind.UNREACHABLE, CallFailureKind.THROTTLED
REJECTED, DOUBT = CallFailureKind.REJECTED, CallFailureKind.DOUBT


@pytest_asyncio.fixture
async def stream(raw, helpers):
    """A raw server that speaks SSE; ``stream.wire`` is the stream that is open now."""

    class Stream:
        wire = None
        opened = 0

    async def listen(wire):
        await wire.begin_events()
        await wire.event("/messages?session_id=1", "endpoint")
        Stream.wire, Stream.opened = wire, Stream.opened + 1
        await wire.hang()

    def answering(result):
        async def answer(wire):
            await wire.reply(202)
            await Stream.wire.event({"id": wire.request.message["id"], "result": result})

        return answer

    raw.on |= {"GET": listen, "initialize": answering(helpers.initialized())}
    raw.on["tools/call"] = answering(helpers.done())
    Stream.answering = staticmethod(answering)
    return Stream


@pytest.fixture
def caller(raw, connect):
    return connect(ServerSpec(name="s", transport="sse", endpoint=raw.endpoint, timeout_seconds=2))


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, REJECTED), (403, REJECTED), (429, THROTTLED), (503, THROTTLED), (500, DOUBT), (502, DOUBT)],
)
async def test_ex_23_a_refused_message_says_what_was_done_and_leaves_the_session(
    raw, stream, caller, helpers, status, kind
):
    raw.on["tools/call"] = lambda wire: wire.reply(status, retry_after="3")
    failed = await caller.fail()
    assert failed.kind is kind
    assert failed.retry_after == (3 if kind is THROTTLED else None)
    raw.on["tools/call"] = stream.answering(helpers.done())
    assert (await caller.call()).texts == ("done",)
    assert stream.opened == 1


@pytest.mark.parametrize("status", [401, 404])
async def test_ex_10_ex_12_a_forgotten_session_is_opened_again_once(raw, stream, caller, status):
    raw.on["tools/call"] = lambda wire: wire.reply(status)
    assert (await caller.fail()).kind is REJECTED
    assert (stream.opened, raw.count("tools/call")) == (2, 2)


@pytest.mark.parametrize(("code", "kind"), [(-32602, REJECTED), (-32600, REJECTED), (-32603, DOUBT)])
async def test_ex_23_a_json_rpc_error_says_what_was_done(raw, stream, caller, code, kind):
    async def answer(wire):
        await wire.reply(202)
        error = {"code": code, "message": "because"}
        await stream.wire.event({"id": wire.request.message["id"], "error": error})

    raw.on["tools/call"] = answer
    failed = await caller.fail()
    assert failed.kind is kind
    assert "(because)" in failed.reason


async def test_a_message_whose_connection_is_lost_leaves_its_neighbour_alone(raw, stream, caller, helpers):
    arrived, ids = asyncio.Event(), []

    async def answer(wire):
        if wire.request.message["params"]["name"] == "lost":
            wire.drop()
            return
        ids.append(wire.request.message["id"])
        await wire.reply(202)
        arrived.set()

    raw.on["tools/call"] = answer
    slow = asyncio.create_task(caller.call("slow"))
    await arrived.wait()
    assert (await caller.fail("lost")).kind is DOUBT
    await stream.wire.event({"id": ids[0], "result": helpers.done()})
    assert (await slow).texts == ("done",)


async def test_a_lost_stream_puts_calls_in_flight_in_doubt_and_is_opened_again(raw, stream, caller, helpers):
    async def answer(wire):
        await wire.reply(202)
        stream.wire.drop()

    raw.on["tools/call"] = answer
    assert (await caller.fail()).kind is DOUBT
    raw.on["tools/call"] = stream.answering(helpers.done())
    assert (await caller.call()).texts == ("done",)
    assert stream.opened == 2


async def test_a_redirect_within_the_server_is_followed(raw, stream, caller, helpers):
    accept = stream.answering(helpers.done())

    async def answer(wire):
        if wire.request.path.startswith("/messages?"):
            await wire.reply(307, location="/messages/?session_id=1")
        else:
            await accept(wire)

    raw.on["tools/call"] = answer
    assert (await caller.call()).texts == ("done",)


async def test_ex_01_no_answer_in_time_is_doubt(raw, stream, caller):
    raw.on["tools/call"] = lambda wire: wire.reply(202)
    failed = await caller.fail(timeout=0.1)
    assert failed.kind is DOUBT
    assert "in time" in failed.reason


@pytest.mark.parametrize(
    ("status", "kind"),
    [(401, REJECTED), (429, THROTTLED), (404, UNREACHABLE), (500, UNREACHABLE), (302, UNREACHABLE)],
)
async def test_a_stream_that_is_refused_proves_that_nothing_was_sent(raw, caller, status, kind):
    raw.on["GET"] = lambda wire: wire.reply(status, location="http://elsewhere.invalid/")
    failed = await caller.fail()
    assert failed.kind is kind
    assert failed.reason.startswith("Tool server 's', connect: ")


async def test_op_10_a_stream_that_never_names_its_address_fails_in_time(raw, connect):
    async def silent(wire):
        await wire.begin_events()
        await wire.hang()

    raw.on["GET"] = silent
    caller = connect(ServerSpec(name="s", transport="sse", endpoint=raw.endpoint, timeout_seconds=0.2))
    failed = await caller.fail()
    assert failed.kind is UNREACHABLE
    assert failed.reason == "Tool server 's', connect: no answer came in time."


async def test_a_refused_connection_was_never_sent(connect, unused_tcp_port):
    spec = ServerSpec(name="s", transport="sse", endpoint=f"http://127.0.0.1:{unused_tcp_port}/sse")
    failed = await connect(spec).fail()
    assert failed.kind is UNREACHABLE
    assert "refused" in failed.reason
