"""The workflow in Temporal's strict sandbox, which finds clocks, chance and input or output in it.

The worker runs without it, for speed; here ``confirmo.workflows`` is imported inside it and every restriction holds.
"""

from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions

from confirmo.activities.tools import ToolServers
from confirmo.worker.building import build_worker
from confirmo.worker.settings import Settings
from harness.desk import Desk, catalog_of
from harness.shop import F1, F2, POLICIES, TOOLS

STRICT = SandboxedWorkflowRunner(
    restrictions=SandboxRestrictions.default.with_passthrough_modules(
        "annotated_types",
        "confirmo.policies",
        "pydantic",
        "pydantic_core",
        "typing_extensions",
        "typing_inspection",
    )
)


async def test_the_workflow_runs_in_the_strict_sandbox(client, loja):
    catalog = catalog_of(TOOLS, POLICIES, {"loja": {"endpoint": loja.endpoint}})
    servers = ToolServers(catalog.servers)
    worker = build_worker(
        client,
        catalog,
        servers,
        Settings(),
        search_attributes=True,
        task_queue="strict-sandbox",
        workflow_runner=STRICT,
    )
    desk = Desk(client, catalog, "strict-sandbox")
    try:
        async with worker:
            confirmed = await desk.run(*F1)
            assert confirmed["multi_item_status"] == "SUCCESS"
            whole = await desk.run(*F2)
            assert whole["multi_item_status"] == "SUCCESS"
            tx = await desk.start(*F1)
            await tx.update("amend", {"remove_item_ids": ["A-02"]})
            assert (await tx.reject())["status"] == "CANCELLED"
    finally:
        await servers.aclose()
