"""The yardsticks: what a team would write by hand (two activities, a question, no guarantees), and the least.

The least is what any workflow with as many activities takes on this server, whatever it is for.
"""

import asyncio
from datetime import timedelta
from typing import Any

from temporalio import activity, workflow
from temporalio.common import RetryPolicy

with workflow.unsafe.imports_passed_through():
    from confirmo.activities.tools import ToolServers


class HandwrittenActivities:
    """Two activities that call the same tools through the same sessions."""

    def __init__(self, servers: ToolServers) -> None:
        self._servers = servers

    @activity.defn(name="validate")
    async def validate(self, arguments: dict[str, Any]) -> dict[str, Any]:
        answer = await self._servers.call(
            "bench", "check", arguments, meta={}, idempotency_key=None, timeout=10
        )
        return dict(answer.structured)

    @activity.defn(name="deliver")
    async def deliver(self, question: dict[str, Any]) -> None:
        activity.logger.debug("a question for %s", question["workflow_id"])

    @activity.defn(name="execute")
    async def execute(self, item: str) -> dict[str, Any]:
        answer = await self._servers.call(
            "bench", "act", {"subject": item}, meta={}, idempotency_key=None, timeout=10
        )
        return dict(answer.structured)


@workflow.defn(name="Handwritten")
class Handwritten:
    """Validate, deliver the question, wait for a yes until it expires, execute each item."""

    def __init__(self) -> None:
        self._question: list[str] | None = None
        self._confirmed = False

    @workflow.run
    async def run(self, arguments: dict[str, Any]) -> list[dict[str, Any]]:
        verdict = await workflow.execute_activity(
            "validate", arguments, start_to_close_timeout=timedelta(seconds=15), result_type=dict[str, Any]
        )
        items = [item["name"] for item in verdict["transaction_decision"]["resolved_arguments"]["items"]]
        self._question = items
        question = {"workflow_id": workflow.info().workflow_id, "items": items}
        delivery = asyncio.create_task(
            workflow.execute_activity(
                "deliver", question, start_to_close_timeout=timedelta(seconds=15), result_type=type(None)
            )
        )
        await workflow.wait_condition(lambda: self._confirmed, timeout=timedelta(minutes=15))
        calls = [
            workflow.execute_activity(
                "execute",
                item,
                start_to_close_timeout=timedelta(seconds=30),
                retry_policy=RetryPolicy(maximum_attempts=3),
                result_type=dict[str, Any],
            )
            for item in items
        ]
        results = list(await asyncio.gather(*calls))
        await delivery
        await workflow.wait_condition(workflow.all_handlers_finished)
        return results

    @workflow.update
    async def question(self) -> list[str]:
        """Answer as soon as there is a question."""
        await workflow.wait_condition(lambda: self._question is not None)
        return self._question or []

    @workflow.update
    def confirm(self) -> bool:
        """Say yes."""
        self._confirmed = True
        return True


@activity.defn(name="nothing")
async def nothing() -> None:
    """Do nothing."""


@workflow.defn(name="Bare", sandboxed=False)
class Bare:
    """Wait for a yes, then do nothing as often as there are items."""

    def __init__(self) -> None:
        self._confirmed = False

    @workflow.run
    async def run(self, items: int) -> int:
        await workflow.wait_condition(lambda: self._confirmed)
        calls = [
            workflow.execute_activity("nothing", start_to_close_timeout=timedelta(seconds=30))
            for _ in range(items)
        ]
        await asyncio.gather(*calls)
        return items

    @workflow.update
    def question(self) -> int:
        """Answer at once."""
        return 0

    @workflow.update
    def confirm(self) -> bool:
        """Say yes."""
        self._confirmed = True
        return True
