"""The plugin that makes an agent runtime's own Temporal client fit for the door; and that every call may come twice."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from temporalio.api.common.v1 import Payload
from temporalio.client import Client
from temporalio.contrib.pydantic import PydanticPayloadConverter
from temporalio.converter import DataConverter, PayloadCodec

from confirmo.client import ConfirmoPlugin, NotAwaitingConfirmation, TransactionClient
from confirmo.client.connection import address_of
from confirmo.client.plugin import settings_of
from confirmo.policies.models import TransactionRequest
from confirmo.workflows.converter import TolerantPayloadConverter, data_converter
from harness.desk import Desk
from harness.shop import F1, F2, open_shop

RETURN = "devolver_encomendas"


class Marked(PayloadCodec):
    """A codec that can be told apart."""

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        return [Payload(metadata={"encoding": b"marked"}, data=each.SerializeToString()) for each in payloads]

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        return [
            Payload.FromString(each.data) if each.metadata["encoding"] == b"marked" else each
            for each in payloads
        ]


async def connected(client: Client, **options) -> Client:
    return await Client.connect(address_of(client), **options)


async def test_a_runtimes_own_client_gets_the_converter_and_the_settings(client, loja):
    async with open_shop(client, loja) as desk:
        plugin = ConfirmoPlugin(task_queue=desk.task_queue, worker_patience=timedelta(seconds=1))
        own = await connected(client, plugins=[plugin])
        assert own.data_converter.payload_converter_class is TolerantPayloadConverter
        assert settings_of(own) is plugin
        door = TransactionClient(own)
        state = await door.start(TransactionRequest(tool_name=F2[0], arguments=F2[1]))
        await door.confirm(state.transaction_id, {"decision": "confirm", "digest": state.confirmation.digest})
        assert (await door.result(state.transaction_id)).transaction_status == "COMPLETED"


async def test_a_client_without_it_works_with_the_defaults(client, loja):
    async with open_shop(client, loja) as desk:
        door = TransactionClient(await connected(client), task_queue=desk.task_queue)
        state = await door.start(TransactionRequest(tool_name=F2[0], arguments=F2[1]))
        assert (await door.state(state.transaction_id)).question == state.question


async def test_a_codec_of_the_runtime_stays_and_nothing_of_it_is_readable(client, loja):
    coded = await connected(
        client,
        data_converter=DataConverter(payload_codec=Marked()),
        plugins=[ConfirmoPlugin(task_queue="coded")],
    )
    assert isinstance(coded.data_converter.payload_codec, Marked)
    async with open_shop(coded, loja) as desk:
        door = TransactionClient(coded, task_queue=desk.task_queue)
        state = await door.start(TransactionRequest(tool_name=F2[0], arguments=F2[1]))
        await door.reject(state.transaction_id)
        assert (await door.result(state.transaction_id)).transaction_status == "CANCELLED"
        assert "ENC-7001" not in await door.export_history(state.transaction_id)


def test_a_payload_converter_of_the_caller_stays():
    class Own(PydanticPayloadConverter):
        pass

    def configured(**options):
        return ConfirmoPlugin().configure_client(options)["data_converter"]

    own = DataConverter(payload_converter_class=Own)
    kept = configured(data_converter=own)
    assert kept.payload_converter_class is Own
    assert not kept.payload_codec.encrypts
    assert kept.external_storage is not None
    assert configured() is data_converter
    plain = configured(data_converter=DataConverter(payload_codec=Marked()))
    assert plain.payload_converter_class is TolerantPayloadConverter
    assert isinstance(plain.payload_codec, Marked)


async def test_connect_uses_it(client, monkeypatch):
    monkeypatch.setenv("TEMPORAL_ADDRESS", address_of(client))
    door = await TransactionClient.connect(task_queue="else", worker_patience=timedelta(seconds=2))
    settings = settings_of(door.temporal)
    assert (settings.task_queue, settings.worker_patience) == ("else", timedelta(seconds=2))


async def test_a_worker_on_such_a_client_is_no_other(client, loja):
    own = await connected(client, plugins=[ConfirmoPlugin()])
    async with open_shop(own, loja) as desk:
        assert isinstance(desk, Desk)
        assert (await desk.run(*F2))["transaction_status"] == "COMPLETED"


# Twice


async def test_every_change_may_come_twice(door, loja):
    shop = await door()
    tx = (await shop.start(*F1, id="twice-1")).transaction_id
    again = await shop.start(*F1, id="twice-1")
    assert (again.transaction_id, again.accepted_by) == (tx, "update")
    for _ in range(2):
        state = await shop.client.amend(tx, remove_item_ids=("A-02",))
        assert [item.item_id for item in state.items] == ["A-01", "A-03"]
    for _ in range(2):
        state = await shop.client.amend(tx, arguments={"motivo": "viagem"})
        assert [item.item_id for item in state.items] == ["A-01", "A-03"]
    for _ in range(2):
        await shop.confirm(state)
    result = await shop.client.result(tx)
    assert await shop.client.result(tx) == result
    assert (await shop.confirm(state)).accepted_by == "record"
    assert len(loja.called(F1[0])) == 2
    assert [len([s async for s in shop.client.watch(tx)]) for _ in range(2)] == [1, 1]


async def test_giving_parameters_twice_is_no_error_while_nothing_else_happened(door):
    shop = await door()
    tx = (await shop.start(RETURN)).transaction_id
    given = {"encomenda_ids": ["ENC-7001"]}
    first = await shop.client.provide_parameters(tx, given)
    second = await shop.client.provide_parameters(tx, given)
    assert first.confirmation.digest == second.confirmation.digest
    with pytest.raises(NotAwaitingConfirmation):
        await shop.client.provide_parameters(tx, {"encomenda_ids": ["ENC-7002"]})


async def test_cancel_and_reject_twice_end_with_the_same_record(door, loja):
    shop = await door()
    cancelled = (await shop.start(*F2)).transaction_id
    rejected = (await shop.start(*F2)).transaction_id
    for _ in range(2):
        assert (await shop.client.cancel(cancelled)).status == "CANCELLED"
        state = await shop.client.reject(rejected)
        assert (state.status, state.reason_code) == ("CANCELLED", "rejected")
    assert loja.called(RETURN) == []
