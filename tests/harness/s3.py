"""A server that speaks S3, in an environment of its own (``make peers``)."""

import asyncio
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from confirmo.worker.processes import free_port, until_listening
from harness.peer import ENVIRONMENTS

ENVIRON = {
    "AWS_ACCESS_KEY_ID": "loja",
    "AWS_SECRET_ACCESS_KEY": "segredo-da-loja",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}


@dataclass
class S3Server:
    """Where it listens; ``bucket`` exists."""

    port: int
    bucket: str = "loja-payloads"

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def environ(self, port: int | None = None) -> dict[str, str]:
        """Return what the AWS libraries read; another ``port`` is that of a proxy."""
        return ENVIRON | {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{port or self.port}"}

    def refuse_everyone(self, refuse: bool = True) -> None:
        """Ask for credentials that nobody has, or take any."""
        self._ask("POST", "/moto-api/reset-auth", b"0" if refuse else b"inf")

    def make_bucket(self, name: str) -> None:
        self._ask("PUT", f"/{name}")

    def _ask(self, method: str, path: str, data: bytes | None = None) -> None:
        headers = {"Content-Type": "text/plain"}
        request = urllib.request.Request(self.endpoint + path, data=data, headers=headers, method=method)
        with urllib.request.urlopen(request, timeout=20):
            pass


@asynccontextmanager
async def s3_server(folder: Path) -> AsyncIterator[S3Server]:
    """Run one for as long as the block lasts."""
    program = ENVIRONMENTS / "s3" / "bin" / "moto_server"
    if not (program.parents[1] / ".installed").exists():
        pytest.fail(
            f"The server that this test runs is not installed in {program.parents[1]}: run make peers."
        )
    server = S3Server(free_port())
    log = folder / "s3.log"
    with log.open("wb") as file:
        process = await asyncio.create_subprocess_exec(
            program, "-H", "127.0.0.1", "-p", str(server.port), stdout=file, stderr=file
        )
    try:
        await until_listening(server.port, "the S3 server", 60, log)
        await asyncio.to_thread(server.make_bucket, server.bucket)
        yield server
    finally:
        process.terminate()
        async with asyncio.timeout(20):
            await process.wait()
