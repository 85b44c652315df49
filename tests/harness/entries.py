"""What the template's processes run and no module of the product has as one function."""

import asyncio
import runpy
import sys
from pathlib import Path

from confirmo.worker.app import run_worker


def worker() -> None:
    """``worker(config, ready_file)``: a worker without its command line."""
    config, ready = map(Path, sys.argv[1:])
    asyncio.run(run_worker(config, ready_file=ready, health_port=None, wait_seconds=30))


def script() -> None:
    """``script(file, …)``: a Python file as a program."""
    del sys.argv[0]
    runpy.run_path(sys.argv[0], run_name="__main__")


def recipe() -> None:
    """``recipe(name, …)``: ``python -m recipes``. Its framework is imported now: no other process wants it."""
    from recipes.__main__ import main

    asyncio.run(main())
