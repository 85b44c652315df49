"""A plugin for Temporal clients: Confirmo's converter, and where its workers listen."""

from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

from temporalio.client import Client, ClientConfig
from temporalio.converter import DataConverter, DefaultFailureConverter, DefaultPayloadConverter
from temporalio.plugin import SimplePlugin

from confirmo.policies import names
from confirmo.worker.tracing import client_tracing
from confirmo.workflows.converter import storing_converter

WORKER_PATIENCE = timedelta(seconds=5)


class ConfirmoPlugin(SimplePlugin):
    """Makes a Temporal client, for example an agent runtime's own, fit for ``TransactionClient``.

    A codec, a failure converter and a payload converter of the caller's stay: what travels is plain JSON. Where the
    process has an OpenTelemetry tracer provider, calls carry its trace. Workers that are built on the client get
    nothing from it.

    Args:
        task_queue: Where the workers of new transactions listen.
        worker_patience: How long a worker may take before a decision is handed over as a signal instead.
        payload_store: Where payloads go that Temporal does not hold, as ``CONFIRMO_PAYLOAD_STORE`` of the workers says;
            null means that what this machine holds can be read.
        encryption_keys: A file of keys, as ``CONFIRMO_ENCRYPTION_KEYS_FILE`` of the workers names it; null means that
            nothing is encrypted here, and nothing encrypted can be read.
        masked_fields: Fields whose values no text of a failure shows.

    Raises:
        ValueError: The payload store is not known, or the file of keys cannot be used.

    Attributes:
        task_queue: As given.
        worker_patience: As given.
    """

    def __init__(
        self,
        *,
        task_queue: str = names.TASK_QUEUE,
        worker_patience: timedelta = WORKER_PATIENCE,
        payload_store: str | None = None,
        encryption_keys: Path | None = None,
        masked_fields: Collection[str] = (),
    ) -> None:
        own = storing_converter(payload_store, encryption_keys=encryption_keys, masked_fields=masked_fields)
        super().__init__("confirmo.client", data_converter=partial(_converter, own))
        self.task_queue = task_queue
        self.worker_patience = worker_patience

    def configure_client(self, config: ClientConfig) -> ClientConfig:
        """Add the converter, and tracing where there is a tracer provider."""
        config = super().configure_client(config)
        present = config.get("interceptors", [])
        config["interceptors"] = [*present, *client_tracing(present)]
        return config


def settings_of(client: Client) -> ConfirmoPlugin:
    """Return the plugin that a client was connected with, the last one of several; else the defaults."""
    found = [plugin for plugin in client.config().get("plugins", ()) if isinstance(plugin, ConfirmoPlugin)]
    return found[-1] if found else ConfirmoPlugin()


def _converter(own: DataConverter, existing: DataConverter | None) -> DataConverter:
    if existing is None:
        return own
    if existing.external_storage is None:
        existing = replace(existing, external_storage=own.external_storage)
    if existing.payload_codec is None:
        existing = replace(existing, payload_codec=own.payload_codec)
        if existing.failure_converter_class is DefaultFailureConverter:
            existing = replace(existing, failure_converter_class=own.failure_converter_class)
    if existing.payload_converter_class is not DefaultPayloadConverter:
        return existing
    return replace(existing, payload_converter_class=own.payload_converter_class)
