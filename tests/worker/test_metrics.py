"""The metrics of a worker, scraped over HTTP after a mixed lot of transactions; the numbers are what happened."""

import logging
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from temporalio.client import Client

from confirmo.client.connection import address_of
from confirmo.policies.measures import METRICS
from confirmo.worker.counting import begin_at_zero, telling_who_waits
from confirmo.worker.errors import ServerUnavailable
from confirmo.worker.processes import free_port
from confirmo.worker.settings import Settings
from confirmo.worker.telemetry import runtime_for
from confirmo.workflows.converter import data_converter
from harness import Desk, Page, ToolServer, failed, refusal
from harness.scrape import Samples, scrape, value
from harness.shop import F1, F2, PACKAGES, base_behaviour, open_shop

PAGE = Path(__file__).parents[2] / "docs/telemetry.md"
SEEN = re.findall(r"^\| `(temporal_\w+)` \| in a scrape \|$", PAGE.read_text("utf-8"), re.MULTILINE)
"""What the page says that a scrape has."""
SET, BACK = F1[0], F2[0]
POLICIES: dict[str, Any] = {
    SET: {"pre_validation": {"fail_open": True}},
    BACK: {"after": [{"tool": "avisar_cliente", "when": "any_success"}]},
}


@dataclass
class Counted:
    """A shop whose worker counts, and where."""

    desk: Desk
    loja: ToolServer
    port: int


@pytest_asyncio.fixture(params=[1000, 0], ids=["cached", "replaying"])
async def counted(client: Client, tools: ToolServer, request: Any) -> AsyncIterator[Counted]:
    """With no cache every workflow task replays the whole history."""
    port = free_port()
    runtime = runtime_for(Settings(metrics_port=port, metrics_host="127.0.0.1"))
    own = await Client.connect(address_of(client), data_converter=data_converter, runtime=runtime)
    tools.on |= base_behaviour()
    options = {"policies": POLICIES, "search_attributes": True, "max_cached_workflows": request.param}
    async with open_shop(own, tools, **options) as desk:
        begin_at_zero(own, desk.task_queue, desk.catalog.tools)
        yield Counted(desk, tools, port)


async def mixed_lot(desk: Desk, loja: ToolServer) -> list[str]:
    """One of each; returns their ids."""
    ids = []

    async def run(name: str, arguments: Any) -> None:
        tx = await desk.start(name, arguments)
        await tx.confirm()
        await tx.result()
        ids.append(tx.id)

    await run(*F2)
    loja.on[BACK] = {"results": [{"id": entry, "success": entry == PACKAGES[0]} for entry in PACKAGES]}
    loja.on["avisar_cliente"] = failed("no")
    await run(*F2)
    loja.pages[BACK] = iter([Page(504, after=True)])
    await run(*F2)
    loja.pages["checar_assinaturas"] = lambda _: Page(500)
    await run(SET, {"alvo": "a"})
    rejected = await desk.start(*F2)
    assert (await refusal(rejected.confirm(digest="sha256:0"))).type == "DigestMismatch"
    await rejected.reject()
    await rejected.result()
    unknown = await desk.start("nao_existe")
    return [*ids, rejected.id, unknown.id]


async def test_the_numbers_are_what_happened(counted: Counted, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="temporalio.workflow"):
        ids = await mixed_lot(counted.desk, counted.loja)
    samples = await scrape(counted.port)
    assert set(SEEN) - {re.sub(r"_(bucket|sum|count)$", "", name) for name in samples} == set()
    assert value(samples, "temporal_num_pollers", {"poller_type": "workflow_task"}) > 0
    assert value(samples, "temporal_worker_task_slots_available", {"worker_type": "ActivityWorker"}) > 0
    assert value(samples, "confirmo_transactions_started_total") == len(ids)
    assert ended(samples) == {
        (BACK, "COMPLETED", "SUCCESS"): 1,
        (BACK, "COMPLETED", "PARTIAL_SUCCESS"): 1,
        (BACK, "FAILED", "FAILED"): 1,
        (SET, "COMPLETED", "SUCCESS"): 1,
        (BACK, "CANCELLED", "CANCELLED"): 1,
        ("unresolved", "BLOCKED", "BLOCKED"): 1,
    }
    items = {
        outcome: value(samples, "confirmo_items_total", {"tool": BACK, "outcome": outcome})
        for outcome in OUTCOMES
    }
    assert items == {"SUCCEEDED": 4, "FAILED": 2, "UNKNOWN": 3}
    assert value(samples, "confirmo_unknown_outcomes_total", {"tool": BACK}) == 3
    assert value(samples, "confirmo_transactions_needing_review_total") == 1
    assert value(samples, "confirmo_auxiliary_failures_total", {"auxiliary_tool": "avisar_cliente"}) == 1
    assert value(samples, "confirmo_prevalidations_total", {"tool": SET, "verdict": "bypassed"}) == 1
    assert value(samples, "confirmo_prevalidations_total", {"tool": BACK, "verdict": "passed"}) == 4
    assert value(samples, "confirmo_questions_total") == 5
    assert value(samples, "confirmo_question_ends_total", {"how": "confirmed"}) == 4
    assert value(samples, "confirmo_question_ends_total", {"how": "rejected"}) == 1
    assert value(samples, "confirmo_time_to_confirm_seconds_count") == 4
    refused = {"type": "DigestMismatch", "door": "update"}
    assert value(samples, "confirmo_refused_decisions_total", refused) == 1
    assert value(samples, "temporal_workflow_completed") == len(ids)

    events = [event for record in caplog.records if (event := record.__dict__.get("confirmo_event"))]
    for id in ids:
        told = [event["event_id"] for event in events if event["transaction_id"] == id]
        assert told == [f"{id}/{number}" for number in range(1, len(told) + 1)]
    assert labels_of(samples).isdisjoint({"tenant", "transaction_id", "session_id"})
    known = {metric.name: set(metric.labels) for metric in METRICS}
    for name, found in samples.items():
        base = name.removesuffix("_bucket").removesuffix("_sum").removesuffix("_count")
        if base in known:
            labels = {key for have in found for key, _ in have} - {"le", "task_queue"}
            assert labels == known[base] - {"task_queue"}, name


OUTCOMES = ("SUCCEEDED", "FAILED", "UNKNOWN")


def ended(samples: Samples) -> dict[tuple[str, ...], float]:
    found = samples["confirmo_transactions_total"]
    return {
        tuple(dict(labels)[name] for name in ("tool", "status", "outcome")): number
        for labels, number in found.items()
        if number
    }


def labels_of(samples: Samples) -> set[str]:
    return {key for found in samples.values() for labels in found for key, _ in labels}


@pytest.mark.parametrize("counted", [1000], indirect=True)
async def test_a_decision_refused_on_the_signal_path_is_counted(counted: Counted) -> None:
    tx = await counted.desk.start(*F2)
    await tx.signal("confirm", {"decision": "confirm", "digest": "sha256:0"})
    await tx.reject()
    await tx.result()
    refused = {"type": "DigestMismatch", "door": "signal"}
    assert value(await scrape(counted.port), "confirmo_refused_decisions_total", refused) == 1


@pytest.mark.parametrize("counted", [1000], indirect=True)
async def test_the_gauge_tells_how_many_questions_wait(counted: Counted) -> None:
    desk = counted.desk
    first, _ = await desk.start(*F2), await desk.start(*F2)
    every = timedelta(seconds=0.05)
    async with telling_who_waits(desk.client, desk.task_queue, every):
        await until_waiting(counted, 2)
        await first.reject()
        await until_waiting(counted, 1)


async def until_waiting(counted: Counted, number: int) -> None:
    """Bounded by the number of looks: the list lags a moment behind."""
    for _ in range(400):
        samples = await scrape(counted.port)
        if (
            value(samples, "confirmo_awaiting_confirmation", {"task_queue": counted.desk.task_queue})
            == number
        ):
            return
    raise AssertionError(samples.get("confirmo_awaiting_confirmation"))


@pytest.mark.parametrize("counted", [1000], indirect=True)
async def test_a_port_that_is_taken_is_told_in_a_sentence(counted: Counted) -> None:
    with pytest.raises(ServerUnavailable, match="CONFIRMO_METRICS_PORT"):
        runtime_for(Settings(metrics_port=counted.port, metrics_host="127.0.0.1"))
    with pytest.raises(ServerUnavailable, match="CONFIRMO_METRICS_HOST"):
        runtime_for(Settings(metrics_port=free_port(), metrics_host="nowhere"))
