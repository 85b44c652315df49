"""What the template's processes run and no module of the product has as one function."""

import asyncio
import sys
from pathlib import Path

from confirmo.worker.app import run_worker


def worker() -> None:
    """``worker(config, ready_file)``: a worker without its command line."""
    config, ready = map(Path, sys.argv[1:])
    asyncio.run(run_worker(config, ready_file=ready, health_port=None, wait_seconds=30))
