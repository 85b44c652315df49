import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest
import pytest_asyncio
from temporalio.client import Client

from confirmo.worker.settings import Settings
from harness import ToolServer
from harness.desk import Desk
from harness.shop import F1, open_shop

OpenBuild = Callable[[str], Awaitable[Desk]]


@pytest.fixture
def deployment(monkeypatch: pytest.MonkeyPatch) -> str:
    name = f"desk-{uuid.uuid4().hex}"
    monkeypatch.setenv("CONFIRMO_DEPLOYMENT_NAME", name)
    return name


@pytest_asyncio.fixture
async def build(client: Client, loja: ToolServer, deployment: str) -> AsyncIterator[OpenBuild]:
    """Start a worker of a build; all share a task queue."""
    async with AsyncExitStack() as stack:
        first: list[Desk] = []

        async def open_one(id: str) -> Desk:
            settings = Settings(build_id=id, deployment_name=deployment)
            if not first:
                first.append(await stack.enter_async_context(open_shop(client, loja, settings=settings)))
                return first[0]
            desk = Desk(client, first[0].catalog, first[0].task_queue, settings)
            await desk.start_worker()
            stack.push_async_callback(desk.stop_worker)
            return desk

        yield open_one


async def builds_of(client: Client, id: str) -> list[str]:
    """The builds that carried a transaction on, task by task."""
    history = await client.get_workflow_handle(id).fetch_history()
    tasks = [
        event.workflow_task_completed_event_attributes for event in history.events if event.event_type == 7
    ]
    return [
        task.deployment_version.build_id or task.worker_deployment_version.rpartition(".")[2]
        for task in tasks
    ]


async def made_current(cli, build_id: str) -> dict[str, Any]:
    """Make a build the current one, once Temporal has seen all of its task queues."""
    async with asyncio.timeout(60):
        while (ran := await cli("deploy", "current", build_id, "--json")).code:
            assert "missing active task queues" in ran.err or "has polled yet" in ran.err, ran.err
    return dict(json.loads(ran.out))


async def test_a_waiting_transaction_stays_with_its_build_and_new_ones_go_to_the_current_one(
    client: Client, build: OpenBuild, cli, deployment: str
) -> None:
    old = await build("b1")
    await made_current(cli, "b1")
    waiting = await old.start(*F1)
    await build("b2")
    told = await made_current(cli, "b2")
    assert (told["name"], told["current"], told["builds"]["b2"]) == (deployment, "b2", "current")
    newer = await old.start(*F1)
    for tx in (waiting, newer):
        await tx.confirm(digest=tx.opened["confirmation"]["digest"])
        assert (await tx.result())["multi_item_status"] == "SUCCESS"
    assert set(await builds_of(client, waiting.id)) == {"b1"}
    assert set(await builds_of(client, newer.id)) == {"b2"}


async def test_a_ramp_is_shown_with_its_part(build: OpenBuild, cli) -> None:
    await build("b1")
    await made_current(cli, "b1")
    await build("b2")
    async with asyncio.timeout(60):
        while (ramped := await cli("deploy", "ramp", "b2", "--percent", "25")).code:
            assert "missing active task queues" in ramped.err or "has polled yet" in ramped.err, ramped.err
    assert "25 % of them go to b2" in ramped.out
    assert "new transactions go to b1" in (await cli("deploy", "status")).out


async def test_a_build_that_nobody_polls_is_refused_with_what_to_do(cli, deployment: str) -> None:
    refused = await cli("deploy", "current", "b9")
    assert refused.code == 5
    assert "CONFIRMO_BUILD_ID" in refused.err
    assert deployment in refused.err
