"""Processes that are forked from one template of this run, where starting each anew would only import again."""

import asyncio
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

SOCKET = "TESTS_TEMPLATE"
HERE = Path(__file__).parent
CONFIRMO = "confirmo.client.main:main"
BOUND = 60.0
_started: list["subprocess.Popen[bytes]"] = []


def start() -> None:
    """Start the template; it imports while others work, and ends with this process."""
    os.environ[SOCKET] = str(Path(tempfile.mkdtemp(prefix="confirmo-")) / "template")
    command = [sys.executable, str(HERE / "template.py"), os.environ[SOCKET]]
    _started.append(subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True))


def stop() -> None:
    """End the template and every process of it."""
    while _started:
        _started.pop().communicate(timeout=BOUND)
        shutil.rmtree(Path(os.environ.pop(SOCKET)).parent)


def template() -> str:
    """Return where the template listens; the first who asks starts it."""
    if SOCKET not in os.environ:
        start()
    path, deadline = os.environ[SOCKET], time.monotonic() + BOUND
    while not os.path.exists(path):
        assert time.monotonic() < deadline, "the template did not start"
        time.sleep(0.01)
    return path


def command(target: str, *arguments: str) -> list[str]:
    """Return a command that runs ``module:function`` as if it were ``python -m module``."""
    return [sys.executable, "-IS", str(HERE / "launcher.py"), template(), target, *arguments]


def program(folder: Path) -> Path:
    """Write the command ``confirmo`` into a folder; returns the folder, for a ``PATH``."""
    file = folder / "confirmo"
    words = " ".join(f"'{word}'" for word in command(CONFIRMO))
    file.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
    file.chmod(0o755)
    return folder


@dataclass
class Forked:
    """A process of the template, as far as ``asyncio.subprocess.Process`` goes without pipes."""

    pid: int
    returncode: int | None = None
    _over: asyncio.Event = field(default_factory=asyncio.Event)

    async def wait(self) -> int:
        await self._over.wait()
        assert self.returncode is not None
        return self.returncode

    def send_signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


async def fork(target: str, *arguments: str, environ: Mapping[str, str], out: IO[bytes]) -> Forked:
    """Run ``module:function`` in a session of its own; what it writes goes to a file."""
    asked = {"target": target, "arguments": arguments, "environ": dict(environ), "folder": os.getcwd()}
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(template())
    nothing = os.open(os.devnull, os.O_RDONLY)
    files = [nothing, out.fileno(), out.fileno()]
    socket.send_fds(connection, [json.dumps(asked).encode() + b"\n"], files)
    os.close(nothing)
    reader, writer = await asyncio.open_unix_connection(sock=connection)
    async with asyncio.timeout(BOUND):
        forked = Forked(int(await reader.readline()))
    task = asyncio.create_task(_until_over(forked, reader, writer))
    _watched.add(task)
    task.add_done_callback(_watched.discard)
    return forked


_watched: set["asyncio.Task[None]"] = set()


async def _until_over(forked: Forked, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    forked.returncode = int(await reader.readline() or -signal.SIGKILL)
    forked._over.set()
    writer.close()
