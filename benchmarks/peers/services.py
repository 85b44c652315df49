"""The servers that some peers need: PostgreSQL and Restate, on loopback, with a fresh folder, ended with the block.

Both are set to promise what our own embedded server does: a killed process loses nothing that was acknowledged, a power
cut may. So nothing is synced to disk per commit.
"""

import asyncio
import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from benchmarks.peers.setup import postgres_bin, restate_binary
from confirmo.worker.processes import child, free_port, until_listening

START_SECONDS = 60.0
NOBODY = 65534

POSTGRES = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    # No sync per commit: what is written is in the kernel's hands, so only a power cut can lose it.
    "fsync": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "4GB",
    "shared_buffers": "256MB",
    "autovacuum": "off",
}
RESTATE = {
    "RESTATE_LISTEN_MODE": "tcp",
    "RESTATE_BIND_IP": "127.0.0.1",
    "RESTATE_NODE_NAME": "bench",
    "RESTATE_DISABLE_TELEMETRY": "true",
    "RESTATE_LOG_FILTER": "error",
    "RESTATE_ADMIN__DISABLE_WEB_UI": "true",
    # One node on a small machine: its own log without replication, and few partitions.
    "RESTATE_BIFROST__DEFAULT_PROVIDER": "local",
    "RESTATE_DEFAULT_NUM_PARTITIONS": "4",
    # No sync per write, as above.
    "RESTATE_BIFROST__LOCAL__ROCKSDB_DISABLE_WAL_FSYNC": "true",
    "RESTATE_LOG_SERVER__ROCKSDB_DISABLE_WAL_FSYNC": "true",
}


class NotInstalled(Exception):
    """A peer is missing; the text says which."""


def _unprivileged() -> list[str]:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return []
    return [shutil.which("setpriv") or "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]


def _initialise(programs: Path, data: Path) -> None:
    """Make an empty database cluster."""
    data.mkdir()
    if os.geteuid() == 0:
        # The server's user must be able to reach its folder.
        data.parent.chmod(0o711)
        os.chown(data, NOBODY, NOBODY)
    command = [
        *_unprivileged(),
        str(programs / "initdb"),
        "-D",
        str(data),
        "-U",
        "bench",
        "-A",
        "trust",
        "--no-sync",
    ]
    made = subprocess.run(command, capture_output=True, text=True, timeout=START_SECONDS)
    if made.returncode:
        raise NotInstalled(
            f"PostgreSQL cannot make a database: {(made.stderr.strip() or made.stdout.strip())[-300:]}"
        )


@asynccontextmanager
async def postgres(folder: Path) -> AsyncIterator[str]:
    """Run a PostgreSQL server and yield the address of its database."""
    programs = postgres_bin()
    if programs is None:
        raise NotInstalled("PostgreSQL is not installed")
    data, port = folder / "postgres", free_port()
    await asyncio.to_thread(_initialise, programs, data)
    options = [part for name, value in POSTGRES.items() for part in ("-c", f"{name}={value}")]
    command = [*_unprivileged(), str(programs / "postgres"), "-D", str(data), "-p", str(port), *options]
    log = folder / "postgres.log"
    async with child(command, log=log):
        await until_listening(port, "PostgreSQL", START_SECONDS, log)
        yield f"postgresql://bench@127.0.0.1:{port}/postgres"


@asynccontextmanager
async def restate(folder: Path) -> AsyncIterator[list[str]]:
    """Run a Restate server and yield the ports of its ingress and admin interfaces, and one for a service."""
    binary = restate_binary()
    if binary is None:
        raise NotInstalled("the Restate server is not installed")
    ingress, admin, node, service = (free_port() for _ in range(4))
    environ = RESTATE | {
        "RESTATE_BASE_DIR": str(folder / "restate"),
        "RESTATE_BIND_PORT": str(node),
        "RESTATE_INGRESS__BIND_ADDRESS": f"127.0.0.1:{ingress}",
        "RESTATE_ADMIN__BIND_ADDRESS": f"127.0.0.1:{admin}",
    }
    log = folder / "restate.log"
    async with child([str(binary), "--no-logo"], log=log, environ=environ):
        await until_listening(ingress, "Restate", START_SECONDS, log)
        yield [str(ingress), str(admin), str(service)]
