"""The compose file and the image, as far as they can be checked without a container engine.

Its services run here as plain processes: same commands, same health checks, on other ports.
"""

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml
from temporalio.testing import WorkflowEnvironment

from confirmo.policies.names import SEARCH_ATTRIBUTES
from confirmo.worker.embedded import DYNAMIC_CONFIG, SQLITE_PRAGMAS

BOUND = 30.0
VARIABLE = re.compile(r"\$\{([A-Z_]+)(:-([^}]*))?\}")
BIN = Path(sys.executable).parent


@pytest.fixture(scope="module")
def source(root: Path) -> str:
    return (root / "docker-compose.yml").read_text()


@pytest.fixture(scope="module")
def services(source: str) -> dict[str, Any]:
    """All services, every variable at its default."""
    filled = VARIABLE.sub(lambda match: match[3] or "", source)
    return yaml.safe_load(filled)["services"]


def test_the_file_follows_the_compose_specification(root: Path) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    done = subprocess.run(
        [*command, "docker-compose.yml"], cwd=root, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_image_is_pinned_and_the_schema_is_that_of_the_server(
    services: dict[str, Any], pyproject: dict[str, Any]
) -> None:
    images = {name: service["image"].rpartition(":") for name, service in services.items()}
    assert all(re.match(r"\d", tag) for _, _, tag in images.values())
    assert images["temporal"][2] == images["temporal-schema"][2] == images["temporal-namespace"][2]
    assert images["worker"][2] == pyproject["project"]["version"]


def test_every_variable_has_a_default_and_is_documented(source: str, tables: Any) -> None:
    defaults = {name: default for name, _, default in VARIABLE.findall(source)}
    documented = {row[0].strip("`"): row[1].strip("`") for row in tables("docs/compose.md", "Variables")}
    assert all(defaults.values())
    assert documented == defaults


def test_every_dependency_exists_and_can_come_true(services: dict[str, Any]) -> None:
    for name, service in services.items():
        for other, wait in service.get("depends_on", {}).items():
            if wait["condition"] == "service_healthy":
                assert "healthcheck" in services[other], f"{name} waits for {other}"
            else:
                assert wait["condition"] == "service_completed_successfully"
                assert services[other]["restart"].startswith("on-failure"), f"{other} has to end"


def test_every_mounted_file_exists_and_every_volume_is_declared(
    services: dict[str, Any], source: str, root: Path
) -> None:
    declared = yaml.safe_load(source)["volumes"]
    for service in services.values():
        for volume in service.get("volumes", []):
            origin = volume.split(":")[0]
            assert (root / origin).is_dir() if origin.startswith(".") else origin in declared, origin


def test_every_command_names_something_that_exists(services: dict[str, Any], root: Path) -> None:
    for service in services.values():
        entry = service.get("entrypoint", [])
        if entry[:1] == ["/bin/sh"]:
            script = root / "deploy" / "temporal" / Path(entry[1]).name
            subprocess.run(["sh", "-n", script], check=True, timeout=10)
        elif entry[:2] == ["python", "-m"]:
            assert find_spec(entry[2]), entry
    command = subprocess.run(
        [BIN / "confirmo", services["worker"]["command"][0], "--help"],
        check=True,
        capture_output=True,
        text=True,
        timeout=BOUND,
        env=os.environ | {"COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb"},
    )
    options = [word for word in services["worker"]["command"] if word.startswith("--")]
    assert options
    assert all(option in command.stdout for option in options)


def test_the_image_copies_what_is_packaged_and_starts_our_command(
    root: Path, pyproject: dict[str, Any]
) -> None:
    lines = [shlex.split(line) for line in (root / "Dockerfile").read_text().splitlines() if line]
    copied = {path for line in lines if line[0] == "COPY" and "--from" not in line[1] for path in line[1:-1]}
    assert all((root / path).exists() for path in copied)
    packages = {
        path.split("/")[0] for path in pyproject["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    }
    assert packages | {"pyproject.toml", "README.md", "LICENSE", "requirements.lock"} == copied
    (entry,) = ("".join(line[1:]) for line in lines if line[0] == "ENTRYPOINT")
    assert json.loads(re.sub(r"[\w-]+", r'"\g<0>"', entry)) == list(pyproject["project"]["scripts"])


def test_the_server_is_tuned_like_the_embedded_one(root: Path) -> None:
    config = yaml.safe_load((root / "deploy/temporal/dynamicconfig.yaml").read_text())
    assert {key: [each["value"] for each in values] for key, values in config.items()} == {
        key: [json.loads(value)] for key, value in DYNAMIC_CONFIG.items()
    }


def test_every_setting_of_the_server_has_its_reason_in_the_docs(root: Path) -> None:
    text = (root / "docs/operations.md").read_text()
    section = text.partition("## The server's tuning")[2].partition("\n## ")[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in section.splitlines()
        if line.startswith("| `")
    ]
    tuned = {key: str(json.loads(value)) for key, value in DYNAMIC_CONFIG.items()} | SQLITE_PRAGMAS
    written = {key.strip("`"): value.strip("`") for key, value, _ in rows}
    assert written == {key: value.lower() if value == "True" else value for key, value in tuned.items()}
    assert all(reason for _, _, reason in rows)


SQL_TOOL = """#!/bin/sh
echo "$*" >> "$CALLS"
"""


def test_the_schema_job_prepares_both_databases(services: dict[str, Any], root: Path, tmp_path: Path) -> None:
    """Against a stand-in that only writes down how it is called: the real tool is in an image."""
    tool = tmp_path / "temporal-sql-tool"
    tool.write_text(SQL_TOOL)
    tool.chmod(0o755)
    environ = services["temporal-schema"]["environment"] | {
        "PATH": f"{tmp_path}:/usr/bin:/bin",
        "CALLS": str(tmp_path / "calls"),
    }
    subprocess.run(["sh", root / "deploy/temporal/schema.sh"], env=environ, check=True, timeout=BOUND)
    connection = "--plugin postgres12 --ep postgres -p 5432 -u temporal"
    versioned = "/etc/temporal/schema/postgresql/v12/{}/versioned"
    assert (tmp_path / "calls").read_text().splitlines() == [
        f"{connection} --db {database} {step}"
        for database, folder in (("temporal", "temporal"), ("temporal_visibility", "visibility"))
        for step in ("create", "setup-schema -v 0.0", f"update-schema -d {versioned.format(folder)}")
    ]


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


@dataclass
class Stack:
    """Services as plain processes: container ports, paths and names become this machine's."""

    services: dict[str, Any]
    root: Path
    folder: Path
    ports: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for port in ("8000", "8100", "8200"):
            with socket.create_server(("127.0.0.1", 0)) as listener:
                self.ports[port] = listener.getsockname()[1]

    def here(self, words: list[str], name: str) -> list[str]:
        mounts = dict(volume.split(":")[1::-1] for volume in self.services[name].get("volumes", []))
        out = []
        for word in words:
            for container, mine in self.ports.items():
                word = re.sub(rf"\b{container}\b", str(mine), word)
            for inside, outside in mounts.items():
                source = self.root / outside if outside.startswith(".") else self.folder
                word = re.sub(rf"^{inside}(?=/|$)", str(source), word)
            out.append(re.sub(r"//(contas|retail):", "//127.0.0.1:", word))
        return [str(BIN / out[0]) if out[0] in ("python", "confirmo") else out[0], *out[1:]]

    @contextmanager
    def running(self, *names: str, environ: dict[str, str]) -> Iterator[list[subprocess.Popen[bytes]]]:
        """Start some services side by side; gives their processes once their health checks pass."""
        processes: list[subprocess.Popen[bytes]] = []
        try:
            processes += [self.start(name, environ) for name in names]
            for name, process in zip(names, processes, strict=True):
                self.until_healthy(name, process)
            yield processes
        finally:
            for process in processes:
                process.kill()
                process.wait(BOUND)

    def start(self, name: str, environ: dict[str, str]) -> subprocess.Popen[bytes]:
        service = self.services[name]
        command = self.here([*service.get("entrypoint", ["confirmo"]), *service.get("command", [])], name)
        variables = service.get("environment", {}).items()
        given = {key: self.here(["", str(value)], name)[1] for key, value in variables}
        with (self.folder / f"{name}.log").open("wb") as log:
            return subprocess.Popen(
                command, cwd=self.folder, env=os.environ | given | environ, stdout=log, stderr=log
            )

    def until_healthy(self, name: str, process: subprocess.Popen[bytes]) -> None:
        check = self.here(self.services[name]["healthcheck"]["test"][1:], name)
        deadline = time.monotonic() + BOUND
        while subprocess.run(check, capture_output=True, timeout=BOUND).returncode != 0:
            log = (self.folder / f"{name}.log").read_text()
            assert process.poll() is None, log
            assert time.monotonic() < deadline, log
            time.sleep(0.2)


def test_the_services_start_become_healthy_work_and_end_as_plain_processes(
    services: dict[str, Any], namespace: dict[str, str], root: Path, tmp_path: Path
) -> None:
    stack = Stack(services, root, tmp_path)
    with ExitStack() as running:
        running.enter_context(stack.running("contas", "retail", environ={}))
        (worker,) = running.enter_context(stack.running("worker", environ=namespace))
        started = subprocess.run(
            [BIN / "confirmo", "start", "cancelar_pedido", "--arg", "order_id=PED-1001", "--json"],
            env=os.environ | namespace,
            check=True,
            capture_output=True,
            timeout=BOUND,
        )
        assert json.loads(started.stdout)["status"] == "AWAITING_CONFIRMATION"
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(BOUND) == 0
