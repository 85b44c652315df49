"""Limits where the pain is: over all workers, between servers, between tenants, and what a 429 asks for."""

import asyncio
import uuid
from collections import Counter
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from temporalio.client import Client
from temporalio.common import Priority

from confirmo.activities.tools import ToolServers
from confirmo.client import TransactionClient
from confirmo.policies import names
from confirmo.policies.models import TransactionRequest
from confirmo.worker.building import build_worker
from confirmo.worker.settings import Settings
from confirmo.workflows.converter import data_converter
from harness import Desk, Page, Tx, until
from harness.desk import catalog_of, open_desk

OK = {"success": True}


def catalogue(servers, *, effect="keyed", concurrency=8, **more):
    """One action per server, ``do_<server>``, of a list of things, with no question asked."""
    tools = {
        f"do_{name}": {"mcp_server": name, "tool_type": "action", "args_schema": {"things": "array"}}
        for name in servers
    }
    policy = {
        "operation_type": "transactional",
        "require_confirmation": False,
        "requires": ["things"],
        "execution": {
            "call": "per_item",
            "item_argument": "things",
            "effect": effect,
            "max_concurrency": concurrency,
        }
        | more,
    }
    return catalog_of(tools, dict.fromkeys(tools, policy), servers)


def things(count):
    return {"things": [f"T-{number}" for number in range(count)]}


class Window:
    """Admits so many calls in each second, says 429 to the rest and to the fortieth; writes down who came too soon."""

    def __init__(self, admitted):
        self.admitted, self.taken, self.seen, self.begun = admitted, 0, 0, float("-inf")
        self.refused, self.too_soon, self.asked = 0, 0, float("-inf")

    def __call__(self, _call):
        now = asyncio.get_running_loop().time()
        if now - self.begun >= 1.0:
            self.begun, self.taken = now, 0
        # What was under way when the refusal was answered has a tenth of a second to come in.
        if self.asked - 0.9 < now < self.asked:
            self.too_soon += 1
        self.taken += 1
        self.seen += 1
        if self.taken <= self.admitted and self.seen != 40:
            return None
        self.refused += 1
        self.asked = max(self.asked, now + 1.0)
        return Page(429, headers={"retry-after": "1"})


@pytest.mark.parametrize(("effect", "item_activities"), [("keyed", 20), ("unsafe", 1000)])
async def test_a_server_that_says_429_gets_all_items_done_and_no_call_sooner_than_asked(
    client, tools, effect, item_activities
):
    window = Window(25)
    tools.on["do_s"], tools.pages["do_s"] = OK, window
    catalog = catalogue({"s": {"endpoint": tools.endpoint}}, effect=effect)
    settings = Settings(item_activities=item_activities)
    async with open_desk(client, catalog, settings=settings) as desk:
        result = await desk.run("do_s", things(120))
    results = result["result"]["output"]["do_s"]["results"]
    assert Counter(entry["outcome"] for entry in results) == {"SUCCEEDED": 120}
    assert len(tools.called("do_s")) == 120
    assert window.refused > 0
    assert window.too_soon == 0
    assert sum(entry["attempts"] for entry in results) == 120 + window.refused


class Under:
    """How many calls are under way at once, at most."""

    def __init__(self):
        self.now = self.most = 0

    async def __call__(self, _call):
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.02)
        self.now -= 1
        return OK


async def test_a_rate_holds_over_all_workers_without_a_setting(client, tools):
    """Two workers that do not know of each other: Temporal hands out the calls."""
    times = []

    def noted(_call):
        times.append(asyncio.get_running_loop().time())
        return OK

    tools.on["do_s"] = noted
    catalog = catalogue({"s": {"endpoint": tools.endpoint, "max_calls_per_second": 10}}, concurrency=20)
    async with open_desk(client, catalog) as desk, second_worker(desk):
        begun = asyncio.get_running_loop().time()
        results = await asyncio.gather(*(desk.run("do_s", things(15)) for _ in range(3)))
    assert all(result["transaction_status"] == "COMPLETED" for result in results)
    times.sort()
    assert len(times) == 45
    # A second's worth may come at once at the beginning; from then on it is the rate.
    assert times[-1] - begun >= (45 - 10 - 1) / 10 * 0.9
    most = max(sum(begin <= time < begin + 1.0 for time in times) for begin in times)
    assert most <= 30  # twenty, and what a busy machine had held up


@asynccontextmanager
async def second_worker(desk):
    """Another worker of the same queue, with a connection and sessions of its own."""
    config = desk.client.service_client.config
    other = await Client.connect(config.target_host, data_converter=data_converter)
    twin = Desk(other, desk.catalog, desk.task_queue, settings=desk.settings)
    await twin.start_worker()
    try:
        yield
    finally:
        await twin.stop_worker()


async def test_what_a_server_takes_at_once_is_shared_among_the_workers(client, tools):
    under = Under()
    tools.on["do_s"] = under
    catalog = catalogue({"s": {"endpoint": tools.endpoint, "max_concurrency": 4}}, concurrency=16)
    settings = Settings(workers=2)
    async with open_desk(client, catalog, settings=settings) as desk, second_worker(desk):
        await asyncio.gather(*(desk.run("do_s", things(count)) for count in (15, 15, 40)))
    assert len(tools.called("do_s")) == 70
    assert 2 < under.most <= 4


async def test_slices_of_a_paced_server_keep_the_pace(client, tools, monkeypatch):
    """More items than are activities of their own: the worker's own limiter spreads the slice's calls."""
    monkeypatch.setattr("confirmo.policies.shares.PACED_ITEM_ACTIVITIES", 5)
    times = []

    def noted(_call):
        times.append(asyncio.get_running_loop().time())
        return OK

    tools.on["do_s"] = noted
    catalog = catalogue({"s": {"endpoint": tools.endpoint, "max_calls_per_second": 20}})
    async with open_desk(client, catalog, settings=Settings(item_activities=0)) as desk:
        begun = asyncio.get_running_loop().time()
        tx = await desk.start("do_s", things(30))
        await tx.result()
        history = await tx.handle.fetch_history()
    # One slice, or another one where a busy machine made it last longer than a slice is to last.
    assert sum(event.HasField("activity_task_scheduled_event_attributes") for event in history.events) <= 3
    # Of the first call only the end of its way is seen, which may be late.
    assert times[-1] - begun >= 29 / 20 * 0.95


async def test_a_server_that_hangs_with_far_more_calls_than_slots_does_not_hold_up_another(client, tools):
    """Far more calls hang than the worker has slots; the other server's transaction ends while they do."""
    release, hanging = asyncio.Event(), []

    async def hang(call):
        hanging.append(call)
        await release.wait()
        return OK

    tools.on |= {"do_slow": hang, "do_quick": OK}
    catalog = catalogue({"slow": {"endpoint": tools.endpoint}, "quick": {"endpoint": tools.endpoint}})
    settings = Settings(max_concurrent_activities=12, item_activities=20)
    async with open_desk(client, catalog, settings=settings) as desk:
        stuck = [await desk.begin("do_slow", things(1)) for _ in range(60)]
        # A third of the shared slots, and a quarter as many on the server's own queue.
        await until(lambda: len(hanging) >= 4 + 3)
        for _ in range(3):
            quick = await desk.run("do_quick", things(3))
            assert quick["transaction_status"] == "COMPLETED"
        assert not release.is_set()
        assert len(hanging) < 12
        release.set()
        results = await asyncio.gather(*(tx.result() for tx in stuck))
    assert {result["transaction_status"] for result in results} == {"COMPLETED"}
    assert len(hanging) == 60


async def test_a_hanging_validator_does_not_hold_up_another_server(client, tools):
    release, hanging = asyncio.Event(), []

    async def hang(call):
        hanging.append(call)
        await release.wait()
        return {"eligible": True}

    tools.on |= {"check": hang, "do_slow": OK, "do_quick": OK}
    declared = {"mcp_server": "slow", "args_schema": {"things": "array"}}
    action = {"operation_type": "transactional", "require_confirmation": False, "requires": ["things"]}
    catalog = catalog_of(
        {
            "check": declared | {"tool_type": "internal"},
            "do_slow": declared | {"tool_type": "action"},
            "do_quick": declared | {"mcp_server": "quick", "tool_type": "action"},
        },
        {
            "check": {"operation_type": "internal"},
            "do_slow": action | {"pre_validation": {"enabled": True, "tool": "check", "timeout_seconds": 60}},
            "do_quick": action,
        },
        {"slow": {"endpoint": tools.endpoint}, "quick": {"endpoint": tools.endpoint}},
    )
    async with open_desk(client, catalog, settings=Settings(max_concurrent_activities=12)) as desk:
        stuck = [await desk.begin("do_slow", things(1)) for _ in range(40)]
        await until(lambda: len(hanging) >= 4 + 3)
        assert (await desk.run("do_quick", things(1)))["transaction_status"] == "COMPLETED"
        release.set()
        results = await asyncio.gather(*(tx.result() for tx in stuck))
    assert {result["transaction_status"] for result in results} == {"COMPLETED"}


async def test_a_cancel_reaches_what_waits_on_a_servers_own_queue(client, tools):
    release, called = asyncio.Event(), []

    async def hang(call):
        called.append(call)
        await release.wait()
        return OK

    tools.on["do_s"] = hang
    catalog = catalogue({"s": {"endpoint": tools.endpoint, "max_concurrency": 1}}, effect="unsafe")
    async with open_desk(client, catalog) as desk:
        tx = await desk.begin("do_s", things(5))
        await until(lambda: len(called) == 1)
        await tx.update(names.CANCEL, {})
        release.set()
        result = await tx.result()
    entries = result["result"]["output"]["do_s"]["results"]
    assert Counter(entry["outcome"] for entry in entries) == {"SUCCEEDED": 1, "FAILED": 4}
    assert len(called) == 1


async def test_calls_wait_for_a_worker_of_their_servers_queue(client, tools):
    """A rolling deploy: a new worker froze the queue, and only an old one, which has not heard of it, is up."""
    tools.on["do_s"] = OK
    catalog = catalogue({"s": {"endpoint": tools.endpoint, "max_calls_per_second": 100}})
    async with AsyncExitStack() as stack:
        desk = await stack.enter_async_context(open_desk(client, catalog))
        await desk.stop_worker()
        servers = ToolServers(catalog.servers)
        stack.push_async_callback(servers.aclose)
        old = build_worker(
            client, catalog, servers, Settings(), search_attributes=False, task_queue=desk.task_queue
        )
        async with old:
            tx = await desk.begin("do_s", things(2))
            await tx.until("EXECUTING")
            await until_scheduled(tx)
            assert tools.calls == []
        await desk.start_worker()
        assert (await tx.result())["transaction_status"] == "COMPLETED"


async def until_scheduled(tx):
    """Wait until the server itself has the call among the pending ones, on the queue of ``s``."""
    async with asyncio.timeout(30):
        while not (await tx.handle.describe()).raw_description.pending_activities:
            await asyncio.sleep(0.02)


async def test_a_limit_that_is_taken_out_of_the_files_leaves_nothing_behind(client, tools):
    tools.on["do_s"] = OK
    limited = catalogue({"s": {"endpoint": tools.endpoint, "max_concurrency": 2}})
    async with AsyncExitStack() as stack:
        desk = await stack.enter_async_context(open_desk(client, limited))
        await desk.stop_worker()
        servers = ToolServers(limited.servers)
        stack.push_async_callback(servers.aclose)
        async with build_worker(
            client, limited, servers, Settings(), search_attributes=False, task_queue=desk.task_queue
        ):
            tx = await desk.begin("do_s", things(2))
            await tx.until("EXECUTING")
            await until_scheduled(tx)
        desk.catalog = catalogue({"s": {"endpoint": tools.endpoint}})
        await desk.start_worker()
        assert (await tx.result())["transaction_status"] == "COMPLETED"


async def test_a_tenant_with_many_waiting_does_not_hold_up_another(client, tools):
    """The order of the server's ledger tells: first come, first served would have put the other tenant last."""
    tools.on["do_s"] = OK
    catalog = catalogue({"s": {"endpoint": tools.endpoint}})
    settings = Settings(max_concurrent_activities=2)
    async with open_desk(client, catalog, settings=settings) as desk:
        await desk.stop_worker()
        many = [await begin(desk, "big") for _ in range(160)]
        other = [await begin(desk, "small") for _ in range(3)]
        await desk.start_worker()
        await asyncio.gather(*(tx.result() for tx in other))
        waiting = [tx for tx in many[-50:] if (await tx.state())["status"] != "COMPLETED"]
        order = [call.meta[names.META_TRANSACTION_ID] for call in tools.called("do_s")]
        places = [order.index(tx.id) for tx in other]
        assert max(places) < 80
        assert len(waiting) > 25


async def begin(desk, tenant):
    """Start as a client of any language would, with the tenant's fairness key."""
    request = {"tool_name": "do_s", "arguments": things(1), "tenant": tenant}
    handle = await desk.client.start_workflow(
        names.TRANSACTION_WORKFLOW,
        request,
        id=f"tx-{uuid.uuid4().hex}",
        task_queue=desk.task_queue,
        priority=Priority(fairness_key=names.fairness_key(tenant)),
    )
    return Tx(desk.client.get_workflow_handle(handle.id))


async def test_our_door_gives_each_start_its_tenants_key(client, tools):
    tools.on["do_s"] = OK
    catalog = catalogue({"s": {"endpoint": tools.endpoint}})
    async with open_desk(client, catalog) as desk:
        door = TransactionClient(client, task_queue=desk.task_queue)
        state = await door.start(TransactionRequest(tool_name="do_s", arguments=things(1), tenant="ana@x"))
        handle = client.get_workflow_handle(state.transaction_id)
        described = await handle.describe()
        history = await handle.fetch_history()
    key = described.raw_description.workflow_execution_info.priority.fairness_key
    assert key == names.fairness_key("ana@x")
    scheduled = [
        event.activity_task_scheduled_event_attributes.priority.fairness_key
        for event in history.events
        if event.HasField("activity_task_scheduled_event_attributes")
    ]
    assert scheduled == [key]
    assert "ana" not in key
    assert len(key.encode()) <= 64
