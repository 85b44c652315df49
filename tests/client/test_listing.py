"""Lists: by search attributes, and as correct without them."""

import asyncio
import uuid

import pytest
import pytest_asyncio

from confirmo.client import InvalidRequest
from harness.shop import F1, F2
from harness.temporal import temporal_server


@pytest_asyncio.fixture(scope="module")
async def client():
    """A server of its own: without search attributes a list reads every run that there is."""
    async with temporal_server() as environment:
        yield environment.client


@pytest.mark.parametrize(
    ("search_attributes", "name"), [(True, "o'casa"), (True, '\\ "a"'), (False, "o'casa")]
)
async def test_a_list_is_the_same_with_and_without_search_attributes(door, search_attributes, name):
    shop = await door(search_attributes=search_attributes)
    tenant = f"{name} {uuid.uuid4().hex}"
    done = await shop.done(*F2, tenant=tenant)
    asked = await shop.start(*F1, tenant=tenant)
    ended = await shop.start(*F1, tenant=tenant)
    await shop.desk.client.get_workflow_handle(ended.transaction_id).terminate()
    failed = await shop.desk.begin_raw("no request")
    with pytest.raises(InvalidRequest):
        await shop.client.result(failed.id)
    rows = await listed(shop, 3, tenant=tenant)
    assert {row.transaction_id: (row.status, row.tool_name, row.outcome) for row in rows} == {
        done.transaction_id: ("COMPLETED", F2[0], "SUCCESS"),
        asked.transaction_id: ("AWAITING_CONFIRMATION", F1[0], None),
        ended.transaction_id: ("TERMINATED", F1[0], None),
    }
    assert {row.tenant for row in rows} == {tenant}
    for status, found in {
        "COMPLETED": [done],
        "AWAITING_CONFIRMATION": [asked],
        "TERMINATED": [ended],
        "EXPIRED": [],
    }.items():
        of_status = await shop.client.list(status=status, tenant=tenant)
        assert [row.transaction_id for row in of_status] == [state.transaction_id for state in found], status
    assert len(await shop.client.list(tenant=tenant, limit=2)) == 2
    assert failed.id in {row.transaction_id for row in await shop.client.list(status="FAILED")}


async def listed(shop, count, **filters):
    """Visibility follows the runs at a small distance; bounded."""
    async with asyncio.timeout(20):
        while len(rows := await shop.client.list(**filters)) < count or rows[-1].closed_at is None:
            await asyncio.sleep(0.05)
    return rows


async def test_a_status_that_is_none_and_a_broken_query_are_refused(door):
    shop = await door()
    with pytest.raises(InvalidRequest, match="AWAITING_CONFIRMATION"):
        await shop.client.list(status="DONE")
    with pytest.raises(InvalidRequest, match="query"):
        await shop.client.find("this is ((")
