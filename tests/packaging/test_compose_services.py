"""What the compose file starts, as plain processes: same commands, same health checks, on other ports."""

import asyncio
import json
import os
import signal
import subprocess
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from temporalio.testing import WorkflowEnvironment

from confirmo.policies.names import SEARCH_ATTRIBUTES
from harness.compose import BIN, BOUND, Stack

SQL_TOOL = """#!/bin/sh
[ "$SQL_PASSWORD" = "$(cat "$SQL_PASSWORD_FILE")" ] || exit 1
echo "$*" >> "$CALLS"
"""


def test_the_schema_job_prepares_both_databases(
    services: dict[str, Any], root: Path, tmp_path: Path, secrets: Path
) -> None:
    """Against a stand-in that only writes down how it is called: the real tool is in an image."""
    tool = tmp_path / "temporal-sql-tool"
    tool.write_text(SQL_TOOL)
    tool.chmod(0o755)
    environ = services["temporal-schema"]["environment"] | {
        "PATH": f"{tmp_path}:/usr/bin:/bin",
        "CALLS": str(tmp_path / "calls"),
        "SQL_PASSWORD_FILE": str(secrets / "postgres_password"),
    }
    subprocess.run(["sh", root / "deploy/temporal/schema.sh"], env=environ, check=True, timeout=BOUND)
    connection = "--plugin postgres12 --ep postgres -p 5432 -u temporal"
    versioned = "/etc/temporal/schema/postgresql/v12/{}/versioned"
    assert (tmp_path / "calls").read_text().splitlines() == [
        f"{connection} --db {database} {step}"
        for database, folder in (("temporal", "temporal"), ("temporal_visibility", "visibility"))
        for step in ("create", "setup-schema -v 0.0", f"update-schema -d {versioned.format(folder)}")
    ]


SERVER = """#!/bin/sh
echo "$* $POSTGRES_PWD $TEMPORAL_BROADCAST_ADDRESS"
"""


def test_the_server_gets_its_password_from_the_file_and_an_address_of_its_own(
    services: dict[str, Any], root: Path, tmp_path: Path, secrets: Path
) -> None:
    """Against a stand-in, too."""
    server = tmp_path / "temporal-server"
    server.write_text(SERVER)
    server.chmod(0o755)
    environ = services["temporal"]["environment"] | {
        "PATH": f"{tmp_path}:/usr/bin:/bin",
        "POSTGRES_PWD_FILE": str(secrets / "postgres_password"),
    }
    script = root / "deploy/temporal/server.sh"
    said = subprocess.run(
        ["sh", script], env=environ, check=True, capture_output=True, text=True, timeout=BOUND
    )
    start, password, address = said.stdout.split()
    assert (start, password) == ("start", (secrets / "postgres_password").read_text())
    assert address not in ("", "0.0.0.0")


NAMESPACE = "compose"


@pytest.fixture(scope="module")
def namespace(temporal: WorkflowEnvironment, services: dict[str, Any], root: Path) -> dict[str, str]:
    """The namespace job, run twice on the real server; gives the connection."""
    address = temporal.client.service_client.config.target_host
    environ = services["temporal-namespace"]["environment"] | {
        "PATH": f"{BIN}:/usr/bin:/bin",
        "HOME": os.environ.get("HOME", "/"),
        "TEMPORAL_ADDRESS": address,
        "TEMPORAL_NAMESPACE": NAMESPACE,
    }
    for _ in range(2):
        script = root / "deploy/temporal/namespace.sh"
        done = subprocess.run(["sh", script], env=environ, capture_output=True, text=True, timeout=BOUND)
        assert done.returncode == 0, done.stderr
    return {"TEMPORAL_ADDRESS": address, "TEMPORAL_NAMESPACE": NAMESPACE}


def test_the_namespace_job_sets_retention_and_search_attributes(
    namespace: dict[str, str], services: dict[str, Any]
) -> None:
    def ask(*words: str) -> Any:
        command = [BIN / "temporal", "operator", *words, "--namespace", NAMESPACE, "--output", "json"]
        done = subprocess.run(
            command, env=os.environ | namespace, check=True, capture_output=True, timeout=BOUND
        )
        return json.loads(done.stdout)

    attributes = ask("search-attribute", "list")["customAttributes"]
    (described,) = (
        ask("namespace", "describe")
        if isinstance(ask("namespace", "describe"), list)
        else [ask("namespace", "describe")]
    )
    hours = int(services["temporal-namespace"]["environment"]["RETENTION"].removesuffix("h"))
    assert described["config"]["workflowExecutionRetentionTtl"] == f"{hours * 3600}s"
    assert {name for name in attributes if name.startswith("Confirmo")} == set(SEARCH_ATTRIBUTES)


async def listed(url: str) -> set[str]:
    async with asyncio.timeout(BOUND), Client(url) as client:
        return {tool.name for tool in (await client.list_tools()).tools}


def start_one(environ: Mapping[str, str]) -> Any:
    command = [BIN / "confirmo", "start", "cancelar_pedido", "--arg", "order_id=PED-1001", "--json"]
    done = subprocess.run(command, env=os.environ | environ, check=True, capture_output=True, timeout=BOUND)
    return json.loads(done.stdout)


def test_the_services_start_become_healthy_work_and_end_as_plain_processes(
    services: dict[str, Any], namespace: dict[str, str], root: Path, tmp_path: Path, secrets: Path
) -> None:
    stack = Stack(services, root, tmp_path, secrets)
    with ExitStack() as running:
        running.enter_context(stack.running("contas", "retail", environ={}))
        ours = running.enter_context(stack.running("worker", "mcp", environ=namespace))
        assert start_one(namespace)["status"] == "AWAITING_CONFIRMATION"
        tools = asyncio.run(listed(f"http://127.0.0.1:{stack.ports['8300']}/mcp"))
        assert {"cancelar_pedido", "transaction_confirm"} <= tools
        for process in ours:
            process.send_signal(signal.SIGTERM)
        assert [process.wait(BOUND) for process in ours] == [0, 0]
