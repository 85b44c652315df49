"""Processes that can be killed: a Temporal server with its database, workers, and the example tool servers."""

import asyncio
import contextlib
import json
import os
import signal
import sys
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from temporalio.client import Client, WithStartWorkflowOperation
from temporalio.common import WorkflowIDConflictPolicy

from confirmo.examples import config_directory
from confirmo.examples.ledger import Ledger
from confirmo.policies import names
from confirmo.worker.embedded import server_command
from confirmo.worker.processes import free_port, until_listening
from confirmo.workflows.converter import data_converter
from harness.desk import Tx

BOUND = 60.0
WORKER = (
    "import asyncio, pathlib, sys; from confirmo.worker.app import run_worker; "
    "asyncio.run(run_worker(pathlib.Path(sys.argv[1]), ready_file=pathlib.Path(sys.argv[2]), health_port=None, "
    "wait_seconds=30))"
)


@dataclass
class Rig:
    """Everything of one installation, each part in a process of its own."""

    folder: Path
    port: int = field(default_factory=free_port)
    processes: dict[str, asyncio.subprocess.Process] = field(default_factory=dict)
    ports: dict[str, int] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    client: Client | None = None
    config: Path = field(default_factory=config_directory)

    async def spawn(self, name: str, command: list[str], **environ: str) -> None:
        with (self.folder / f"{name}.log").open("ab") as log:
            self.processes[name] = await asyncio.create_subprocess_exec(
                *command, stdout=log, stderr=log, env=os.environ | environ, start_new_session=True
            )

    async def kill(self, name: str, number: int = signal.SIGKILL) -> None:
        """End a process the hard way (or with another signal) and wait until it is gone."""
        process = self.processes.pop(name)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        async with asyncio.timeout(BOUND):
            await process.wait()

    async def start_server(self) -> None:
        command = server_command(self.port, free_port(), self.folder / "temporal.db")
        await self.spawn("server", command)
        await until_listening(self.port, "server", BOUND, self.folder / "server.log")
        async with asyncio.timeout(BOUND):
            while self.client is None:
                with contextlib.suppress(RuntimeError):
                    self.client = await Client.connect(
                        f"127.0.0.1:{self.port}", data_converter=data_converter
                    )

    async def start_tools(self, name: str, **environ: str) -> None:
        port = self.ports.setdefault(name, free_port())
        database = str(self.folder / f"{name}.db")
        command = [sys.executable, "-m", f"confirmo.examples.{name}", "--port", str(port), "--db", database]
        await self.spawn(name, command, **environ)
        await until_listening(port, name, BOUND, self.folder / f"{name}.log")

    async def start_worker(self, name: str = "worker") -> None:
        ready = self.folder / f"{name}.{uuid.uuid4().hex}.json"
        environ = {
            f"{tools.upper()}_URL": f"http://127.0.0.1:{port}/mcp" for tools, port in self.ports.items()
        }
        environ |= {
            "TEMPORAL_ADDRESS": f"127.0.0.1:{self.port}",
            "CONFIRMO_HEARTBEAT_SECONDS": "2",
        } | self.settings
        command = [sys.executable, "-c", WORKER, str(self.config), str(ready)]
        await self.spawn(name, command, **environ)
        async with asyncio.timeout(BOUND):
            while not ready.exists():
                assert self.processes[name].returncode is None, (self.folder / f"{name}.log").read_text()[
                    -2000:
                ]
                await asyncio.sleep(0.02)
        assert json.loads(ready.read_text())["pid"] == self.processes[name].pid

    def ledger(self, name: str) -> Ledger:
        return Ledger(self.folder / f"{name}.db")

    async def start(self, tool_name: str, arguments: dict[str, Any]) -> Tx:
        assert self.client is not None
        request = {"tool_name": tool_name, "arguments": arguments}
        operation: Any = WithStartWorkflowOperation(
            names.TRANSACTION_WORKFLOW,
            request,
            id=f"tx-{uuid.uuid4().hex}",
            task_queue=names.TASK_QUEUE,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
        )
        async with asyncio.timeout(BOUND):
            state: Any = await self.client.execute_update_with_start_workflow(
                names.UPDATE_AWAITING, request, start_workflow_operation=operation
            )
            return Tx(self.client.get_workflow_handle((await operation.workflow_handle()).id), state)
