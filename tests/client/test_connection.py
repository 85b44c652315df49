"""Reaching Temporal, or naming what cannot be reached."""

import asyncio
import socket
import time
from collections.abc import Iterator
from datetime import timedelta

import pytest

from confirmo.client import InvalidConnection, NamespaceNotFound, TemporalUnavailable, TransactionClient
from confirmo.client.commands.common import own_client
from confirmo.client.connection import address_of


@pytest.fixture
def closed_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"127.0.0.1:{listener.getsockname()[1]}"


@pytest.fixture
def silent_port() -> Iterator[str]:
    """Accepts, and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"127.0.0.1:{listener.getsockname()[1]}"


async def test_it_connects_as_envconfig_says(client, monkeypatch):
    monkeypatch.setenv("TEMPORAL_ADDRESS", address_of(client))
    monkeypatch.setenv("TEMPORAL_NAMESPACE", "default")
    door = await TransactionClient.connect()
    assert door.temporal.namespace == "default"


async def test_a_profile_of_a_file_is_read(client, monkeypatch, tmp_path):
    file = tmp_path / "temporal.toml"
    file.write_text(f'[profile.prod]\naddress = "{address_of(client)}"\nnamespace = "default"\n')
    monkeypatch.delenv("TEMPORAL_ADDRESS", raising=False)
    monkeypatch.setenv("TEMPORAL_CONFIG_FILE", str(file))
    door = await TransactionClient.connect(profile="prod")
    assert address_of(door.temporal) == address_of(client)


async def test_op_03_a_closed_port_is_named(monkeypatch, closed_port):
    monkeypatch.setenv("TEMPORAL_ADDRESS", closed_port)
    with pytest.raises(TemporalUnavailable, match=closed_port):
        await TransactionClient.connect()


async def test_a_server_that_never_answers_is_given_up(monkeypatch, silent_port):
    monkeypatch.setenv("TEMPORAL_ADDRESS", silent_port)
    started = time.monotonic()
    with pytest.raises(TemporalUnavailable, match=silent_port):
        await TransactionClient.connect(timeout=timedelta(seconds=0.5))
    assert time.monotonic() - started < 5


async def test_op_03_a_missing_namespace_is_named(client, monkeypatch):
    monkeypatch.setenv("TEMPORAL_ADDRESS", address_of(client))
    monkeypatch.setenv("TEMPORAL_NAMESPACE", "loja-prod")
    with pytest.raises(NamespaceNotFound, match="loja-prod"):
        await TransactionClient.connect()


@pytest.mark.parametrize(
    ("name", "value"), [("TEMPORAL_ADDRESS", "not an address"), ("TEMPORAL_PROFILE", "nobody")]
)
async def test_settings_that_cannot_be_read_are_told(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(InvalidConnection):
        await TransactionClient.connect()


async def test_a_cancelled_caller_is_cancelled(door):
    """Temporal's client turns a cancellation into an error of its own."""
    shop = await door()
    asked = await shop.start("devolver_encomendas", {"encomenda_ids": ["ENC-1"]})
    waiting = asyncio.create_task(shop.client.result(asked.transaction_id))
    asleep = asyncio.create_task(anext(aiter(shop.client.watch(asked.transaction_id))))
    await asleep
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_the_command_line_starts_transactions_where_the_workers_of_this_environment_listen(monkeypatch):
    async def connect(**options: str) -> dict[str, str]:
        return options

    monkeypatch.setattr(TransactionClient, "connect", connect)
    assert await own_client() == {"task_queue": "confirmo"}
    monkeypatch.setenv("CONFIRMO_TASK_QUEUE", "another-queue")
    assert await own_client() == {"task_queue": "another-queue"}
