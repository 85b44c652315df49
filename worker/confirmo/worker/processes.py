"""Child processes that never outlive this one, and free ports for them."""

import asyncio
import contextlib
import fcntl
import os
import socket
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from confirmo.worker.errors import ServerUnavailable

_GUARD = Path(__file__).with_name("guard.py")
_STOP_SECONDS = 15.0


@asynccontextmanager
async def child(
    command: list[str], *, log: Path, environ: Mapping[str, str] | None = None, remove: Path | None = None
) -> AsyncIterator[None]:
    """Run ``command`` for the length of the block; its output goes to ``log``.

    It ends with the block, and also when this process is killed: a guard between the two watches a pipe. The guard
    removes the folder ``remove`` then.
    """
    environ = dict(environ or {}) | {"CONFIRMO_GUARD_REMOVES": str(remove) if remove is not None else ""}
    with log.open("ab") as output:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-I",
            "-S",
            str(_GUARD),
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=output,
            stderr=output,
            env=dict(os.environ) | environ,
            start_new_session=True,
        )
    try:
        yield
    finally:
        assert process.stdin is not None
        process.stdin.close()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            await process.stdin.wait_closed()
        try:
            async with asyncio.timeout(_STOP_SECONDS):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()


@contextmanager
def alone_on(file: Path) -> Iterator[None]:
    """Hold ``file`` for this process alone for the length of the block; a lock beside it, which ends with the process.

    Raises:
        ServerUnavailable: Another process holds it, or its folder cannot be written.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        lock = file.with_name(f"{file.name}.lock").open("w")
    except OSError as error:
        raise ServerUnavailable(f"{file} cannot be used: {error.strerror or error}.") from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ServerUnavailable(
                f"Another confirmo dev runs on {file}. Stop it, or choose another --db."
            ) from None
        yield


def free_port() -> int:
    """Return a port that was free a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def require_free(port: int, option: str) -> int:
    """Return ``port``. Raises ``ServerUnavailable`` where something listens on it already."""
    try:
        with socket.create_server(("127.0.0.1", port)):
            return port
    except OSError:
        raise ServerUnavailable(
            f"Port {port} is taken. Stop what runs there, or choose another {option}."
        ) from None


async def until_listening(port: int, what: str, seconds: float, log: Path) -> None:
    """Wait until something accepts connections on ``port``. Raises ``ServerUnavailable`` after ``seconds``."""
    deadline = asyncio.get_running_loop().time() + seconds
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            if asyncio.get_running_loop().time() > deadline:
                raise ServerUnavailable(f"{what} did not start on port {port}: {_last_line(log)}") from None
            await asyncio.sleep(0.02)
        else:
            writer.close()
            await writer.wait_closed()
            return


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace")[-300:].strip().splitlines()
    return lines[-1] if lines else "it printed nothing"
