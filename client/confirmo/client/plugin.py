"""A plugin for Temporal clients: Confirmo's converter, and where its workers listen."""

from dataclasses import replace
from datetime import timedelta

from temporalio.client import Client
from temporalio.converter import DataConverter, DefaultPayloadConverter
from temporalio.plugin import SimplePlugin

from confirmo.policies import names
from confirmo.workflows.converter import data_converter

WORKER_PATIENCE = timedelta(seconds=5)


class ConfirmoPlugin(SimplePlugin):
    """Makes a Temporal client, for example an agent runtime's own, fit for ``TransactionClient``.

    A codec, a failure converter and a payload converter of the caller's stay: what travels is plain JSON. Workers that
    are built on the client get nothing from it.

    Args:
        task_queue: Where the workers of new transactions listen.
        worker_patience: How long a worker may take before a decision is handed over as a signal instead.

    Attributes:
        task_queue: As given.
        worker_patience: As given.
    """

    def __init__(
        self, *, task_queue: str = names.TASK_QUEUE, worker_patience: timedelta = WORKER_PATIENCE
    ) -> None:
        super().__init__("confirmo.client", data_converter=_converter)
        self.task_queue = task_queue
        self.worker_patience = worker_patience


def settings_of(client: Client) -> ConfirmoPlugin:
    """Return the plugin that a client was connected with, the last one of several; else the defaults."""
    found = [plugin for plugin in client.config().get("plugins", ()) if isinstance(plugin, ConfirmoPlugin)]
    return found[-1] if found else ConfirmoPlugin()


def _converter(existing: DataConverter | None) -> DataConverter:
    if existing is None:
        return data_converter
    if existing.payload_converter_class is not DefaultPayloadConverter:
        return existing
    return replace(existing, payload_converter_class=data_converter.payload_converter_class)
