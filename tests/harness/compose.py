"""The compose file as its services would see it, and its services as plain processes on this machine."""

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from harness.forking import CONFIRMO, command

BOUND = 30.0
BIN = Path(sys.executable).parent
VARIABLE = re.compile(r"\$\{([A-Z_]+)(:-([^}]*))?\}")
SECRETS = "/run/secrets"
PORTS = ("8000", "8100", "8200", "8300", "9464")
"""Of our own services, inside their containers."""


def read_compose(source: str) -> dict[str, Any]:
    """Return the file with every variable at its default."""
    return yaml.safe_load(VARIABLE.sub(lambda match: match[3] or "", source))


def as_program(words: list[str]) -> list[str]:
    """Return a command with our programs in it: forked where it is one of ours."""
    match words:
        case ["confirmo", *rest]:
            return command(CONFIRMO, *rest)
        case ["python", "-m", module, *rest] if module.startswith("confirmo."):
            return command(f"{module}:main", *rest)
        case ["python", *rest]:
            return [sys.executable, *rest]
    return words


@dataclass
class Stack:
    """Services as plain processes: container ports, paths and names become this machine's."""

    services: dict[str, Any]
    root: Path
    folder: Path
    secrets: Path
    ports: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for port in PORTS:
            with socket.create_server(("127.0.0.1", 0)) as listener:
                self.ports[port] = listener.getsockname()[1]

    def here(self, words: list[str], name: str) -> list[str]:
        mounts = dict(volume.split(":")[1::-1] for volume in self.services[name].get("volumes", []))
        places = {
            inside: self.root / out if out.startswith(".") else self.folder for inside, out in mounts.items()
        }
        out = []
        for word in words:
            for container, mine in self.ports.items():
                word = re.sub(rf"\b{container}\b", str(mine), word)
            for inside, place in (places | {SECRETS: self.secrets}).items():
                word = re.sub(rf"^{inside}(?=/|$)", str(place), word)
            out.append(re.sub(r"//(contas|retail):", "//127.0.0.1:", word))
        return as_program(out)

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
        variables = {key: value for key, value in service.get("environment", {}).items() if value is not None}
        given = {key: self.here(["", str(value)], name)[1] for key, value in variables.items()}
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
