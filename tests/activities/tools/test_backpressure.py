"""What 429 and 503 ask for, over the real transport: nobody is sent sooner, and one goes first."""

import asyncio
import itertools

import pytest

from confirmo.activities.tools import ToolServers
from confirmo.policies.errors import CallFailed, CallFailureKind
from confirmo.policies.tool_spec import ServerSpec


class Admission:
    """Refuses the calls whose numbers are named, and writes down when each came."""

    def __init__(self, raw, refused, **headers):
        self.times, self.refused, self.headers = [], refused, headers
        raw.on["tools/call"] = self.answer

    async def answer(self, wire):
        number = len(self.times)
        self.times.append(asyncio.get_running_loop().time())
        if number in self.refused:
            await wire.reply(429, **self.headers)
        else:
            await wire.result({"content": []})


async def tried(caller):
    try:
        await caller.call()
    except CallFailed as failed:
        return failed
    return None


async def test_after_a_refusal_no_call_is_sent_sooner_than_the_server_asked(raw, connect):
    admission = Admission(raw, {0}, retry_after="0.4")
    caller = connect(raw.endpoint)
    await caller.fail()
    await asyncio.gather(*(caller.call() for _ in range(8)))
    assert admission.times[1] - admission.times[0] >= 0.4


async def test_after_the_pause_one_call_goes_first_and_alone(raw, connect):
    admission = Admission(raw, {0}, retry_after="0.1")
    caller = connect(raw.endpoint)
    await caller.fail()
    came, release = asyncio.Event(), asyncio.Event()

    async def held(wire):
        admission.times.append(asyncio.get_running_loop().time())
        came.set()
        await release.wait()
        await wire.result({"content": []})

    raw.on["tools/call"] = held
    calls = [asyncio.create_task(caller.call()) for _ in range(5)]
    await came.wait()
    for _ in range(200):
        await asyncio.sleep(0)
    assert len(admission.times) == 2
    release.set()
    await asyncio.gather(*calls)
    assert len(admission.times) == 6


async def test_every_refusal_in_a_row_costs_one_call_and_the_pauses_grow(raw, connect):
    admission = Admission(raw, {0, 1, 2})
    caller = connect(raw.endpoint)
    await caller.fail()
    failed = [each for each in await asyncio.gather(*(tried(caller) for _ in range(6))) if each]
    assert [each.kind for each in failed] == [CallFailureKind.THROTTLED] * 2
    pauses = [later - earlier for earlier, later in itertools.pairwise(admission.times[:4])]
    assert pauses[0] >= 0.5
    assert pauses[1] >= 1.0
    assert pauses[2] >= 2.0


async def test_who_cannot_wait_so_long_is_told_that_nothing_was_sent(raw, connect):
    Admission(raw, {0}, retry_after="60")
    caller = connect(raw.endpoint)
    await caller.fail()
    with pytest.raises(CallFailed) as late:
        await caller.servers.call("s", "t", {}, meta={}, idempotency_key=None, timeout=5, patience=1.0)
    assert late.value.kind is CallFailureKind.UNREACHABLE
    assert 50 < late.value.retry_after <= 60
    assert raw.count("tools/call") == 1


async def test_a_cancel_ends_the_waiting(raw, connect):
    Admission(raw, {0}, retry_after="60")
    caller = connect(raw.endpoint)
    await caller.fail()
    waiting = asyncio.create_task(caller.call())
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert raw.count("tools/call") == 1


async def test_whoever_may_not_act_any_more_finds_out_after_the_waiting(raw, connect):
    Admission(raw, {0}, retry_after="0.2")
    caller = connect(raw.endpoint)
    await caller.fail()
    began, asked = asyncio.get_running_loop().time(), []

    def overtaken():
        asked.append(asyncio.get_running_loop().time())
        raise CallFailed(CallFailureKind.UNREACHABLE, "overtaken")

    with pytest.raises(CallFailed, match="overtaken"):
        await caller.servers.call("s", "t", {}, meta={}, idempotency_key=None, timeout=5, guard=overtaken)
    assert asked[0] - began >= 0.15
    assert raw.count("tools/call") == 1
    await caller.call()


async def test_another_server_does_not_wait(raw, connect):
    Admission(raw, {0}, retry_after="60")
    caller = connect(
        ServerSpec(name="s", endpoint=raw.endpoint), ServerSpec(name="other", endpoint=raw.endpoint)
    )
    await caller.fail()
    await caller.call(server="other")
    assert raw.count("tools/call") == 2


async def test_a_server_that_refuses_the_session_is_left_in_peace(raw, connect):
    times = []

    async def refuse(wire):
        times.append(asyncio.get_running_loop().time())
        if len(times) == 1:
            await wire.reply(503, retry_after="0.3")
        else:
            raw.on.pop("initialize")
            await wire.reply(503, retry_after="0")

    raw.on["initialize"] = refuse
    caller = connect(raw.endpoint)
    await asyncio.gather(*(tried(caller) for _ in range(5)))
    assert len(times) == 1
    await tried(caller)
    assert times[1] - times[0] >= 0.3
    await caller.call()


async def test_a_rest_server_is_heeded_just_the_same(raw):
    admission = []

    async def answer(wire):
        admission.append(asyncio.get_running_loop().time())
        if len(admission) == 1:
            await wire.reply(429, retry_after="0.3")
        else:
            await wire.json({"ok": True, "result": {}})

    raw.on["POST"] = answer
    spec = ServerSpec(name="s", transport="http", endpoint=raw.endpoint)
    servers = ToolServers({"s": spec})
    try:
        for _ in range(2):
            try:
                await servers.call("s", "t", {}, meta={}, idempotency_key=None, timeout=5)
            except CallFailed as failed:
                assert failed.kind is CallFailureKind.THROTTLED
    finally:
        await servers.aclose()
    assert admission[1] - admission[0] >= 0.3
