"""A replay may take two workflow tasks for one (https://github.com/temporalio/sdk-rust/issues/1606)."""

import pytest

from harness.desk import Desk, refusal
from harness.shop import F2, base_behaviour, open_shop


async def closed_after_a_refusal(desk: Desk) -> None:
    tx = await desk.start(*F2)
    assert (await refusal(tx.confirm(digest="x"))).type == "DigestMismatch"
    await tx.reject()
    await tx.result()
    # Without a cache, every question replays the run.
    assert (await tx.state())["status"] == "CANCELLED"


# The SDK says so of local activities whose workflow it has just thrown out.
@pytest.mark.filterwarnings("ignore:Cannot find activity to cancel")
async def test_a_run_can_be_read_whatever_tasks_a_replay_takes_together(client, tools) -> None:
    tools.on |= base_behaviour()
    async with open_shop(client, tools, max_cached_workflows=0) as desk:
        for _ in range(6):
            await closed_after_a_refusal(desk)
