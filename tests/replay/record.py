"""Records the history of each scenario: ``python tests/replay/record.py [NAME …]``.

Existing files are left alone: the histories of an earlier state of the code are a promise. A scenario whose command
sequence was changed on purpose (behind ``workflow.patched``) gets a new name.
"""

import asyncio
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

from contextlib import AsyncExitStack
from typing import Any

from temporalio.testing import WorkflowEnvironment

from confirmo.policies.names import SEARCH_ATTRIBUTES
from confirmo.worker.embedded import temporal_binary
from confirmo.workflows.converter import data_converter
from harness import Desk, ToolServer
from harness.shop import base_behaviour, open_shop
from scenarios import SCENARIOS

HISTORIES = Path(__file__).parent / "histories"


async def record(names: list[str]) -> None:
    extra = [part for name in SEARCH_ATTRIBUTES for part in ("--search-attribute", f"{name}=Keyword")]
    environment = await WorkflowEnvironment.start_local(
        dev_server_existing_path=temporal_binary(), data_converter=data_converter, dev_server_extra_args=extra
    )
    async with environment, ToolServer().running() as loja:
        for name in names:
            path = HISTORIES / f"{name}.json"
            if path.exists():
                sys.stdout.write(f"{name}: kept\n")
                continue
            loja.on.clear()
            loja.on |= base_behaviour()
            async with AsyncExitStack() as stack:

                async def desk(**changes: Any) -> Desk:
                    shop = open_shop(environment.client, loja, search_attributes=True, **changes)
                    return await stack.enter_async_context(shop)

                tx = await SCENARIOS[name](desk, loja)
                history = await tx.handle.fetch_history()
                path.write_text(history.to_json() + "\n", encoding="utf-8")
                sys.stdout.write(f"{name}: {len(history.events)} events\n")


if __name__ == "__main__":
    asyncio.run(record(sys.argv[1:] or list(SCENARIOS)))
    sys.stdout.flush()
    os._exit(0)
