"""How many calls a server sees at once and per second."""

import asyncio
import itertools

import pytest


async def test_a_server_never_sees_more_calls_at_once_than_it_takes(raw, connect):
    running, most = 0, 0

    async def answer(wire):
        nonlocal running, most
        running += 1
        most = max(most, running)
        for _ in range(20):
            await asyncio.sleep(0)
        running -= 1
        await wire.result({"content": []})

    raw.on["tools/call"] = answer
    caller = connect(raw.endpoint, max_concurrency=3)
    await asyncio.gather(*(caller.call() for _ in range(20)))
    assert most == 3


async def test_waiting_for_a_slot_is_not_counted_and_a_cancelled_waiter_frees_it(raw, connect):
    first, release = asyncio.Event(), asyncio.Event()

    async def answer(wire):
        first.set()
        await release.wait()
        await wire.result({"content": []})

    raw.on["tools/call"] = answer
    caller = connect(raw.endpoint, max_concurrency=1)
    holder = asyncio.create_task(caller.call())
    await first.wait()
    waiter, impatient = asyncio.create_task(caller.call(timeout=0.2)), asyncio.create_task(caller.call())
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await impatient
    release.set()
    await holder
    await waiter
    assert raw.count("tools/call") == 2


async def test_calls_keep_the_pace_without_a_burst(raw, connect):
    times = []

    async def answer(wire):
        times.append(asyncio.get_running_loop().time())
        await wire.result({"content": []})

    raw.on["tools/call"] = answer
    caller = connect(raw.endpoint, max_calls_per_second=20)
    await asyncio.gather(*(caller.call() for _ in range(6)))
    assert times[-1] - times[0] >= 0.2
    assert min(later - earlier for earlier, later in itertools.pairwise(times)) > 0.02


async def test_a_server_that_cannot_be_reached_holds_no_slot_while_it_is_tried(raw, connect):
    raw.on["initialize"] = lambda wire: wire.hang()
    caller = connect(raw.endpoint, max_concurrency=1, timeout_seconds=0.3)
    async with asyncio.timeout(1):
        await asyncio.gather(*(caller.fail() for _ in range(10)))
    assert raw.count("initialize") == 1
