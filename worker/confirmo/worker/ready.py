"""The ready file: written whole or not at all, once everything works."""

import json
import os
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

from temporalio.client import Client


@dataclass(frozen=True)
class ReadyInfo:
    """What the ready file holds. ``ui_url`` is null for a worker alone, the last two where nothing is encrypted."""

    temporal_address: str
    namespace: str
    task_queue: str
    ui_url: str | None
    pid: int
    encryption_keys_file: str | None = None
    codec_endpoint: str | None = None

    @classmethod
    def of(cls, client: Client, task_queue: str, ui_url: str | None = None) -> Self:
        """Describe this process."""
        address = client.service_client.config.target_host
        return cls(address, client.namespace, task_queue, ui_url, os.getpid())


def write_ready_file(path: Path, info: ReadyInfo) -> None:
    """Write ``info`` as JSON, atomically: whoever sees the file sees all of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    with os.fdopen(descriptor, "w") as file:
        json.dump(asdict(info), file)
    os.replace(name, path)
