"""Processes that can be killed: a Temporal server with its database, workers, and the example tool servers."""

import asyncio
import contextlib
import json
import os
import random
import shutil
import signal
import socket
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from temporalio.client import Client, WithStartWorkflowOperation
from temporalio.common import WorkflowIDConflictPolicy

from confirmo.examples import config_directory
from confirmo.examples.ledger import Ledger
from confirmo.policies import names
from confirmo.worker.embedded import server_command
from confirmo.worker.processes import until_listening
from confirmo.workflows.converter import data_converter
from harness.desk import Tx
from harness.forking import Forked, fork

BOUND = 60.0
TOOL_SERVERS = ("contas", "retail")


def quiet_port() -> int:
    """A free port below those that connections are made from: nobody takes it while what listens there is restarted."""
    while True:
        port = random.randrange(12_000, 30_000)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


@dataclass
class Rig:
    """Everything of one installation, each part in a process of its own.

    A tool server starts with the first transaction that needs it. ``home`` (null: ``folder``) has the
    database of the Temporal server, which another rig may have started.
    """

    folder: Path
    home: Path | None = None
    port: int = field(default_factory=quiet_port)
    processes: dict[str, asyncio.subprocess.Process | Forked] = field(default_factory=dict)
    ports: dict[str, int] = field(default_factory=lambda: {name: quiet_port() for name in TOOL_SERVERS})
    settings: dict[str, str] = field(default_factory=dict)
    client: Client | None = None
    config: Path = field(default_factory=config_directory)
    queue: str = names.TASK_QUEUE

    async def spawn(self, name: str, command: list[str], **environ: str) -> None:
        with (self.folder / f"{name}.log").open("ab") as log:
            self.processes[name] = await asyncio.create_subprocess_exec(
                *command, stdout=log, stderr=log, env=os.environ | environ, start_new_session=True
            )

    async def fork(self, name: str, target: str, *arguments: str, **environ: str) -> None:
        with (self.folder / f"{name}.log").open("ab") as log:
            self.processes[name] = await fork(target, *arguments, environ=os.environ | environ, out=log)

    async def kill(self, name: str, number: int = signal.SIGKILL) -> None:
        """End a process the hard way (or with another signal) and wait until it is gone."""
        process = self.processes.pop(name)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        async with asyncio.timeout(BOUND):
            await process.wait()

    def change_policy(self, tool: str, line: str, *lines: str) -> None:
        """Lay a copy of the files with the first such line of the tool's policy replaced; before the worker starts."""
        if self.config != (own := self.folder / "config"):
            self.config = shutil.copytree(self.config, own)
        file = self.config / "tool_policies.yaml"
        before, name, after = file.read_text().partition(f"\n  {tool}:\n")
        assert line in after
        indented = "\n      ".join(lines)
        file.write_text(before + name + after.replace(line, indented, 1))

    def be_patient(self, tool: str) -> None:
        """Have a keyed tool called again until whatever is started anew is there, however slowly it starts."""
        self.change_policy(tool, "effect: keyed", "effect: keyed", "max_attempts: 30")

    async def start_server(self) -> None:
        command = server_command(self.port, quiet_port(), (self.home or self.folder) / "temporal.db")
        await self.spawn("server", command)
        await until_listening(self.port, "server", BOUND, self.folder / "server.log")
        async with asyncio.timeout(BOUND):
            while self.client is None:
                with contextlib.suppress(RuntimeError):
                    self.client = await Client.connect(
                        f"127.0.0.1:{self.port}", data_converter=data_converter
                    )

    async def start_tools(self, name: str, **environ: str) -> None:
        port = self.ports[name]
        database = str(self.folder / f"{name}.db")
        command = (f"confirmo.examples.{name}:main", "--port", str(port), "--db", database)
        await self.fork(name, *command, **environ)
        await until_listening(port, name, BOUND, self.folder / f"{name}.log")

    async def start_all(self) -> "Rig":
        if "server" not in self.processes:
            await self.start_server()
        await self.start_worker()
        return self

    async def start_worker(self, name: str = "worker") -> None:
        ready = self.folder / f"{name}.{uuid.uuid4().hex}.json"
        environ = {
            f"{tools.upper()}_URL": f"http://127.0.0.1:{port}/mcp" for tools, port in self.ports.items()
        }
        environ |= {
            "TEMPORAL_ADDRESS": f"127.0.0.1:{self.port}",
            "CONFIRMO_TASK_QUEUE": self.queue,
            "CONFIRMO_HEARTBEAT_SECONDS": "2",
        } | self.settings
        await self.fork(name, "entries:worker", str(self.config), str(ready), **environ)
        async with asyncio.timeout(BOUND):
            while not ready.exists():
                assert self.processes[name].returncode is None, (self.folder / f"{name}.log").read_text()[
                    -2000:
                ]
                await asyncio.sleep(0.02)
        assert json.loads(ready.read_text())["pid"] == self.processes[name].pid

    def ledger(self, name: str) -> Ledger:
        return Ledger(self.folder / f"{name}.db")

    def server_of(self, tool_name: str) -> str:
        tools = yaml.safe_load((self.config / "tools.yaml").read_text())["tools"]
        return str(tools[tool_name]["mcp_server"])

    async def start(self, tool_name: str, arguments: dict[str, Any]) -> Tx:
        assert self.client is not None
        if (server := self.server_of(tool_name)) not in self.processes:
            await self.start_tools(server)
        request = {"tool_name": tool_name, "arguments": arguments}
        operation: Any = WithStartWorkflowOperation(
            names.TRANSACTION_WORKFLOW,
            request,
            id=f"tx-{uuid.uuid4().hex}",
            task_queue=self.queue,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
        )
        async with asyncio.timeout(BOUND):
            state: Any = await self.client.execute_update_with_start_workflow(
                names.UPDATE_AWAITING, request, start_workflow_operation=operation
            )
            return Tx(self.client.get_workflow_handle((await operation.workflow_handle()).id), state)
