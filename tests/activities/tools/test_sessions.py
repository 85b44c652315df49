"""How sessions are opened, shared, lost and opened again."""

import asyncio

import pytest

from confirmo.policies.errors import CallFailureKind
from confirmo.policies.tool_spec import ServerSpec

UNREACHABLE, REJECTED, DOUBT = (
    CallFailureKind.UNREACHABLE,
    CallFailureKind.REJECTED,
    CallFailureKind.DOUBT,
)


async def test_concurrent_callers_share_one_session(raw, connect):
    caller = connect(raw.endpoint)
    await asyncio.gather(*(caller.call() for _ in range(20)))
    assert (raw.count("initialize"), raw.count("tools/call")) == (1, 20)
    assert {
        request.headers.get("mcp-session-id") for request in raw.seen if request.method == "tools/call"
    } == {"s1"}


async def test_a_failed_opening_is_shared_and_the_next_call_tries_again(raw, connect):
    raw.on["initialize"] = lambda wire: wire.reply(500)
    caller = connect(raw.endpoint)
    failures = await asyncio.gather(*(caller.fail() for _ in range(5)))
    assert {failed.kind for failed in failures} == {UNREACHABLE}
    assert raw.count("initialize") == 1
    del raw.on["initialize"]
    assert (await caller.call()).texts == ("done",)


async def test_ex_10_a_forgotten_session_is_opened_again_and_the_call_sent_again(raw, connect):
    async def answer(wire):
        if wire.request.headers["mcp-session-id"] == "s1":
            await wire.reply(404)
        else:
            await wire.result({"content": []})

    caller = connect(raw.endpoint)
    await caller.servers.reach("s")
    raw.on["tools/call"] = answer
    await caller.call(a=1)
    initializes = [request for request in raw.seen if request.method == "initialize"]
    calls = [request.message["params"] for request in raw.seen if request.method == "tools/call"]
    assert len(initializes) == 2
    assert "mcp-session-id" not in initializes[1].headers
    assert calls[0] == calls[1]
    assert len(calls) == 2


async def test_ex_10_a_404_that_persists_is_bounded_and_refused(raw, connect):
    raw.on["tools/call"] = lambda wire: wire.reply(404)
    failed = await connect(raw.endpoint).fail()
    assert failed.kind is REJECTED
    assert (raw.count("initialize"), raw.count("tools/call")) == (2, 2)


async def test_ex_10_a_server_that_says_400_for_an_unknown_session_is_understood(raw, connect):
    async def answer(wire):
        if wire.request.headers["mcp-session-id"] == "s1":
            await wire.error(-32000, "Bad Request: No valid session ID provided", 400)
        else:
            await wire.result({"content": []})

    raw.on["tools/call"] = answer
    await connect(raw.endpoint).call()
    assert (raw.count("initialize"), raw.count("tools/call")) == (2, 2)


async def test_ex_10_a_neighbour_in_flight_on_the_forgotten_session_keeps_its_answer(raw, connect):
    arrived, release = asyncio.Event(), asyncio.Event()

    async def answer(wire):
        if wire.request.message["params"]["name"] == "slow":
            arrived.set()
            await release.wait()
            await wire.result({"content": [{"type": "text", "text": "slow"}]})
        elif wire.request.headers["mcp-session-id"] == "s1":
            await wire.reply(404)
        else:
            await wire.result({"content": []})

    raw.on["tools/call"] = answer
    caller = connect(raw.endpoint)
    slow = asyncio.create_task(caller.call("slow"))
    await arrived.wait()
    await caller.call("quick")
    release.set()
    assert (await slow).texts == ("slow",)


async def test_ex_12_a_401_that_persists_is_bounded_and_refused(raw, connect):
    raw.on["tools/call"] = lambda wire: wire.reply(401, www_authenticate="Bearer")
    failed = await connect(raw.endpoint, headers={"Authorization": "Bearer abcdef"}).fail()
    assert failed.kind is REJECTED
    assert "authentication was refused (HTTP 401)" in failed.reason
    assert "abcdef" not in failed.reason
    assert (raw.count("initialize"), raw.count("tools/call")) == (2, 2)


async def test_ex_12_a_401_that_a_new_session_cures_is_no_failure(raw, connect):
    async def answer(wire):
        await (wire.reply(401) if wire.server.count("tools/call") == 1 else wire.result({"content": []}))

    raw.on["tools/call"] = answer
    await connect(raw.endpoint).call()


async def test_op_10_a_server_that_never_answers_initialize_fails_alone_and_in_time(
    raw, another_raw, connect
):
    raw.on["initialize"] = lambda wire: wire.hang()
    caller = connect(
        ServerSpec(name="silent", endpoint=raw.endpoint, timeout_seconds=0.3),
        ServerSpec(name="s", endpoint=another_raw.endpoint),
    )
    silent = [asyncio.create_task(caller.fail(server="silent")) for _ in range(5)]
    assert (await caller.call()).texts == ("done",)
    failures = await asyncio.gather(*silent)
    assert {(failed.kind, failed.reason) for failed in failures} == {
        (UNREACHABLE, "Tool server 'silent', initialize: no answer came in time.")
    }
    assert raw.count("tools/call") == 0


async def test_op_10_a_server_that_never_answers_the_list_is_named(raw, connect):
    raw.on["tools/list"] = lambda wire: wire.hang()
    caller = connect(raw.endpoint, timeout_seconds=0.2)
    with pytest.raises(Exception, match="'s', list: no answer came in time") as caught:
        await caller.servers.tools("s")
    assert caught.value.kind is UNREACHABLE
    assert (await caller.call()).texts == ("done",)


async def test_a_neighbour_survives_a_lost_connection_a_timeout_and_a_cancellation(raw, connect):
    arrived, release = asyncio.Event(), asyncio.Event()

    async def answer(wire):
        match wire.request.message["params"]["name"]:
            case "slow":
                arrived.set()
                await release.wait()
                await wire.result({"content": [{"type": "text", "text": "slow"}]})
            case "lost":
                wire.drop()
            case "broken":
                await wire.reply(200, b"x", "application/json", content_encoding="gzip")
            case _:
                hanging.set()
                await wire.hang()

    raw.on["tools/call"] = answer
    hanging = asyncio.Event()
    caller = connect(raw.endpoint)
    slow = asyncio.create_task(caller.call("slow"))
    await arrived.wait()
    assert (await caller.fail("lost")).kind is DOUBT
    assert (await caller.fail("broken")).kind is DOUBT
    assert (await caller.fail("hanging", timeout=0.1)).kind is DOUBT
    hanging.clear()
    cancelled = asyncio.create_task(caller.call("hanging"))
    await hanging.wait()
    cancelled.cancel()
    with pytest.raises(asyncio.CancelledError):
        await cancelled
    release.set()
    assert (await slow).texts == ("slow",)
    assert raw.count("initialize") == 1


async def test_what_a_tool_has_begun_is_never_cancelled_on_the_server(raw, connect):
    arrived = asyncio.Event()

    async def answer(wire):
        arrived.set()
        await wire.hang()

    raw.on["tools/call"] = answer
    caller = connect(raw.endpoint)
    await caller.fail(timeout=0.1)
    arrived.clear()
    call = asyncio.create_task(caller.call())
    await arrived.wait()
    call.cancel()
    await asyncio.wait([call])
    await caller.servers.tools("s")
    assert raw.count("notifications/cancelled") == 0


async def test_a_caller_that_is_cancelled_while_the_session_opens_harms_nobody(raw, connect):
    arrived, release = asyncio.Event(), asyncio.Event()
    original = raw.on.get("initialize")

    async def slowly(wire):
        arrived.set()
        await release.wait()
        info = {"name": "raw", "version": "1"}
        await wire.result({"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": info})

    assert original is None
    raw.on["initialize"] = slowly
    caller = connect(raw.endpoint)
    first, second = asyncio.create_task(caller.call()), asyncio.create_task(caller.call())
    await arrived.wait()
    first.cancel()
    release.set()
    assert (await second).texts == ("done",)
    with pytest.raises(asyncio.CancelledError):
        await first
    assert raw.count("initialize") == 1


async def test_closing_puts_calls_in_flight_in_doubt_and_refuses_new_ones(raw, connect):
    arrived = asyncio.Event()

    async def answer(wire):
        arrived.set()
        await wire.hang()

    raw.on["tools/call"] = answer
    caller = connect(raw.endpoint)
    flight = asyncio.create_task(caller.fail())
    await arrived.wait()
    await caller.servers.aclose()
    assert (await flight).kind is DOUBT
    assert (await caller.fail()).kind is UNREACHABLE
    assert raw.count("DELETE") == 1


async def test_closing_ends_an_opening_at_once(raw, connect):
    arrived = asyncio.Event()

    async def silent(wire):
        arrived.set()
        await wire.hang()

    raw.on["initialize"] = silent
    caller = connect(raw.endpoint)
    opening = asyncio.create_task(caller.fail())
    await arrived.wait()
    async with asyncio.timeout(1):
        await caller.servers.aclose()
    assert (await opening).kind is UNREACHABLE


async def test_a_redirect_within_the_server_is_followed_and_another_is_not(raw, another_raw, connect):
    async def answer(wire):
        if wire.request.path == "/mcp":
            await wire.reply(307, location="/mcp/")
        else:
            await wire.result({"content": []})

    raw.on["tools/call"] = answer
    caller = connect(raw.endpoint)
    await caller.call()

    async def lost(wire):
        if wire.request.path == "/mcp":
            await wire.reply(307, location="/mcp/")
        else:
            wire.drop()

    raw.on["tools/call"] = lost
    assert (await caller.fail()).kind is DOUBT
    raw.on["tools/call"] = lambda wire: wire.reply(307, location=another_raw.endpoint)
    assert (await caller.fail()).kind is REJECTED
    assert another_raw.seen == []


async def test_an_answer_whose_stream_broke_is_fetched_where_the_server_keeps_it(raw, connect):
    numbers = []

    async def answer(wire):
        numbers.append(wire.request.message["id"])
        await wire.begin_events()
        await wire.send(b"id: e1\nretry: 10\ndata:\n\n")
        wire.writer.close()

    async def resume(wire):
        if "last-event-id" not in wire.request.headers:
            await wire.reply(405)
            return
        await wire.begin_events()
        await wire.event({"id": numbers[0], "result": {"content": [{"type": "text", "text": "kept"}]}})

    raw.on |= {"tools/call": answer, "GET": resume}
    assert (await connect(raw.endpoint).call()).texts == ("kept",)
    assert raw.count("tools/call") == 1


async def test_a_server_that_hangs_on_goodbye_does_not_hold_up_the_end(raw, connect, monkeypatch):
    monkeypatch.setattr("confirmo.activities.tools.recording.GOODBYE_SECONDS", 0.1)
    raw.on["DELETE"] = lambda wire: wire.hang()
    caller = connect(raw.endpoint)
    await caller.call()
    async with asyncio.timeout(2):
        await caller.servers.aclose()


async def test_a_server_without_handshake_is_spoken_to_in_its_own_revision(raw, connect):
    async def discovered(wire):
        await wire.result(
            {
                "resultType": "complete",
                "supportedVersions": ["2026-07-28"],
                "capabilities": {"tools": {}},
                "ttlMs": 0,
                "cacheScope": "public",
            }
        )

    async def answer(wire):
        await wire.result({"resultType": "complete", "content": [{"type": "text", "text": "modern"}]})

    raw.on["initialize"] = lambda wire: wire.error(-32022, "unsupported protocol version", 400)
    raw.on["server/discover"] = discovered
    raw.on["tools/call"] = answer
    assert (await connect(raw.endpoint).call()).texts == ("modern",)


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-11-25"])
async def test_a_strict_server_of_any_revision_sees_only_the_handshake(raw, connect, helpers, version):
    async def answer(wire):
        await wire.result({**helpers.initialized(), "protocolVersion": version})

    raw.on["initialize"] = answer
    await connect(raw.endpoint).call()
    methods = [request.method for request in raw.seen if request.method not in ("GET", "DELETE")]
    assert methods == ["initialize", "notifications/initialized", "tools/call"]
