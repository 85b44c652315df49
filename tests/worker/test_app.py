"""What the settings of a worker become."""

import pytest

from confirmo.activities.tools import ToolServers
from confirmo.worker.building import build_worker
from confirmo.worker.settings import Settings
from harness.desk import catalog_of
from harness.shop import POLICIES, TOOLS


@pytest.mark.parametrize(("settings", "kept"), [(Settings(), 200), (Settings(max_cached_workflows=7), 7)])
async def test_a_worker_keeps_as_many_transactions_in_memory_as_is_set(client, settings, kept):
    catalog = catalog_of(TOOLS, POLICIES, {"loja": {"endpoint": "http://127.0.0.1:9/mcp"}})
    options = {"search_attributes": False, "task_queue": f"settings-{kept}"}
    worker = build_worker(client, catalog, ToolServers(catalog.servers), settings, **options)
    assert worker.config()["max_cached_workflows"] == kept
