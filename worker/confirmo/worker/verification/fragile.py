"""A worker of a trial in a process of its own, so that it can be killed: ``python -m … ADDRESS QUEUE CATALOGUE``.

It ends with its standard input, so that none is left behind.
"""

import asyncio
import os
import sys
import threading
from pathlib import Path

from temporalio.client import Client

from confirmo.policies.tool_spec import Catalog
from confirmo.worker.verification.workers import working
from confirmo.workflows.converter import data_converter


def _end_with_standard_input() -> None:
    sys.stdin.read()
    os._exit(0)


async def main(address: str, queue: str, catalog: Catalog) -> None:
    """Work until killed."""
    threading.Thread(target=_end_with_standard_input, daemon=True).start()
    client = await Client.connect(address, data_converter=data_converter)
    async with working(client, queue, catalog):
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], Catalog.model_validate_json(Path(sys.argv[3]).read_bytes())))
