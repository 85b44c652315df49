"""Pages of the documentation whose blocks are run, and the ``confirmo dev`` that they run against."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.forking import program

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
BOUND = 60.0
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: str, kind: str) -> list[str]:
    """The bodies of the fenced blocks of one kind, in their order."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [body for tag, body in FENCE.findall(text) if tag == kind]


@contextmanager
def dev(folder: Path, line: str) -> Iterator[dict[str, str]]:
    """Run a page's ``confirmo dev`` line in a folder; gives what a reader's shell would have."""
    forked = program(Path(tempfile.mkdtemp(dir=folder)))
    base = os.environ | {"PATH": f"{forked}:{BIN}:{os.environ['PATH']}", "TX": "tx-first"}
    ready = folder / "ready.json"
    ports = f" --port {free_port()} --ui-port {free_port()}"
    command = f"exec {re.sub(r' --(ui-)?port [0-9]+', '', line)}{ports} --ready-file {ready}"
    with (folder / "dev.log").open("wb") as log:
        process = subprocess.Popen(["bash", "-c", command], cwd=folder, env=base, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + BOUND
        while not ready.exists():
            assert process.poll() is None, (folder / "dev.log").read_text()
            assert time.monotonic() < deadline, (folder / "dev.log").read_text()
            time.sleep(0.05)
        yield base | {"TEMPORAL_ADDRESS": json.loads(ready.read_text())["temporal_address"]}
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(BOUND) == 0


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def run(command: list[str], folder: Path, environ: dict[str, str]) -> str:
    """Run to the end, expect exit code 0, and give stdout."""
    done = subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, timeout=BOUND)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
