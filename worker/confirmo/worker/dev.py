"""Everything on one machine: the embedded Temporal server, its UI, a worker, and the examples."""

import asyncio
import os
import shutil
import sys
import tempfile
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from temporalio.client import Client
from temporalio.converter import DataConverter

from confirmo.examples import config_directory
from confirmo.policies.encryption_keys import EncryptionKeyError
from confirmo.worker.app import load_or_fail, running_worker, stop_event
from confirmo.worker.codec_server import serving_codec
from confirmo.worker.connection import converter_of
from confirmo.worker.embedded import reached, server_command
from confirmo.worker.errors import ServerUnavailable
from confirmo.worker.keys import new_keys_file
from confirmo.worker.processes import alone_on, child, free_port, require_free, until_listening
from confirmo.worker.ready import ReadyInfo, write_ready_file
from confirmo.worker.settings import Settings
from confirmo.worker.sink import load_settings
from confirmo.workflows.payload_drivers import StoreUnavailable
from confirmo.workflows.payload_store import check_store

_START_SECONDS = 30.0
EXAMPLES = ("contas", "retail")


class DevStack:
    """Starts all parts on entry and ends all of them on exit.

    Attributes:
        info: Where things are, once entered.
        client: A Temporal client, once entered.
        ledgers: Database file of each example server; empty with a configuration of one's own.
    """

    info: ReadyInfo
    client: Client

    def __init__(
        self,
        config: Path | None = None,
        port: int | None = None,
        ui_port: int | None = None,
        db: Path | None = None,
        ready_file: Path | None = None,
        *,
        encrypt: bool = False,
    ) -> None:
        """Args: null ports mean free ones; a null ``db`` means that nothing survives; null ``config`` the examples.

        ``encrypt`` stays on for a ``db`` that has a file of keys beside it.
        """
        self._config = config
        self._port, self._ui_port = port, ui_port
        self._db = db.absolute() if db is not None else None
        self._ready_file = ready_file
        self._encrypt = encrypt
        self._stack = AsyncExitStack()
        self._stop: asyncio.Event | None = None
        self._settings = Settings()
        self._codec: str | None = None
        self.ledgers: dict[str, Path] = {}

    async def __aenter__(self) -> Self:
        """Start everything. Raises ``ConfigurationError`` or ``ServerUnavailable``; nothing is left behind then."""
        try:
            await self._start()
        except BaseException:
            await self._stack.aclose()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End everything, last started first."""
        await self._stack.aclose()

    async def wait(self) -> None:
        """Wait for SIGINT or SIGTERM."""
        assert self._stop is not None
        await self._stop.wait()

    async def _start(self) -> None:
        self._stop = stop_event()
        # Nobody says of a server of its own which build is the current one.
        settings = load_settings().model_copy(update={"build_id": None})
        if self._db is not None:
            self._stack.enter_context(alone_on(self._db))
        logs = Path(tempfile.mkdtemp(prefix="confirmo-"))
        self._stack.callback(shutil.rmtree, logs, ignore_errors=True)
        environ = dict(os.environ)
        if self._config is None:
            environ |= await self._start_examples(logs)
        catalog = load_or_fail(self._config or config_directory(), environ)
        store = settings.payload_store or f"dir:{self._payloads(logs)}"
        keys = settings.encryption_keys_file or self._keys(logs)
        self._settings = settings.model_copy(update={"payload_store": store, "encryption_keys_file": keys})
        self.client = await self._start_server(logs)
        worker = await self._stack.enter_async_context(running_worker(self.client, catalog, settings))
        self.info = replace(
            ReadyInfo.of(self.client, worker.task_queue, f"http://127.0.0.1:{self._ui_port}"),
            encryption_keys_file=str(keys.absolute()) if keys is not None else None,
            codec_endpoint=self._codec,
        )
        if self._ready_file is not None:
            write_ready_file(self._ready_file, self.info)
            self._stack.callback(self._ready_file.unlink, missing_ok=True)

    async def _start_server(self, logs: Path) -> Client:
        self._port = free_port() if self._port is None else require_free(self._port, "--port")
        self._ui_port = free_port() if self._ui_port is None else require_free(self._ui_port, "--ui-port")
        log = logs / "temporal.log"
        converter = await self._converter()
        command = server_command(self._port, self._ui_port, self._db, self._codec)
        await self._stack.enter_async_context(child(command, log=log, remove=logs))
        await until_listening(self._port, "The Temporal server", _START_SECONDS, log)
        return await reached(f"127.0.0.1:{self._port}", converter, _START_SECONDS)

    def _payloads(self, logs: Path) -> Path:
        """Return where large payloads go: they live as long as the database."""
        return self._db.with_name(f"{self._db.name}.payloads") if self._db is not None else logs / "payloads"

    def _keys(self, logs: Path) -> Path | None:
        """Return the file of keys, made where it is wanted and absent; it lives as long as the database."""
        keys = self._db.with_name(f"{self._db.name}.keys") if self._db is not None else logs / "keys"
        if not keys.exists():
            if not self._encrypt:
                return None
            keys.parent.mkdir(parents=True, exist_ok=True)
            try:
                new_keys_file(keys)
            except EncryptionKeyError as error:
                raise ServerUnavailable(f"{keys}: {error}") from None
        return keys

    async def _converter(self) -> DataConverter:
        """Return the data converter; where it encrypts, the codec server of the UI is up then."""
        settings = self._settings
        converter = converter_of(
            settings.payload_store, settings.encryption_keys_file, settings.masked_fields
        )
        await self._check(converter)
        if settings.encryption_keys_file is not None:
            pages = [f"http://{host}:{self._ui_port}" for host in ("127.0.0.1", "localhost")]
            self._codec = await self._stack.enter_async_context(serving_codec(converter, pages))
        return converter

    async def _check(self, converter: DataConverter) -> None:
        try:
            await check_store(converter.external_storage)
        except StoreUnavailable as problem:
            raise ServerUnavailable(problem.message) from None

    async def _start_examples(self, logs: Path) -> dict[str, str]:
        """Start the example tool servers side by side and return the variables that their configuration reads."""
        urls: dict[str, str] = {}
        ports: dict[str, int] = {}
        for name in EXAMPLES:
            base = self._db if self._db is not None else logs / "confirmo"
            database = base.with_name(f"{base.name}.{name}.db")
            database.parent.mkdir(parents=True, exist_ok=True)
            self.ledgers[name] = database
            ports[name] = free_port()
            module = f"confirmo.examples.{name}"
            command = [sys.executable, "-m", module, "--port", str(ports[name]), "--db", str(database)]
            await self._stack.enter_async_context(child(command, log=logs / f"{name}.log", remove=logs))
            urls[f"{name.upper()}_URL"] = f"http://127.0.0.1:{ports[name]}/mcp"
        for name, port in ports.items():
            await until_listening(port, f"The example server {name}", _START_SECONDS, logs / f"{name}.log")
        return urls
