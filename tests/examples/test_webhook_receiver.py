"""The receiver as a process of its own: what it takes, what it turns away, and the whole loop with a real worker."""

import asyncio
import base64
import json
import uuid
from datetime import UTC, datetime, timedelta

import httpx2
import pytest
from pydantic import SecretStr
from standardwebhooks import Webhook

from confirmo.client.connection import address_of
from confirmo.worker.settings import Settings
from harness import ToolServer
from harness.shop import F1, base_behaviour, open_shop

SECRET = "whsec_" + base64.b64encode(b"a secret of thirty-two bytes ok!").decode()
NEXT = "whsec_" + base64.b64encode(b"the next one of thirty-two bytes").decode()
FORGED = "whsec_" + base64.b64encode(b"nobody knows this one over there").decode()
BODY = json.dumps(
    {"type": "transaction.completed", "timestamp": "2026-01-01T00:00:00Z", "data": {"é": "ção"}}
)


def signed(secret=SECRET, *, id="tx-1/end", body=BODY, at=None):
    at = at or datetime.now(UTC)
    return {
        "webhook-id": id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": Webhook(secret).sign(id, at, body),
    }


async def post(server, headers, body=BODY):
    async with httpx2.AsyncClient() as client:
        return (await client.post(server.url, content=body, headers=headers)).status_code


async def line(server):
    async with asyncio.timeout(30):
        return json.loads(await server.process.stdout.readline())


@pytest.fixture
def receiver(start, tmp_path):
    def begin(*arguments, secrets=SECRET, **environment):
        return start(
            "webhook_receiver",
            f"--db={tmp_path / 'taken.db'}",
            *arguments,
            environment={"WEBHOOK_SECRETS": secrets} | environment,
        )

    return begin


async def test_what_is_signed_is_taken_once_even_over_a_restart(receiver):
    async with receiver() as server:
        assert await post(server, signed()) == 204
        assert await line(server) == {"id": "tx-1/end", "new": True} | json.loads(BODY)
        assert await post(server, signed()) == 204
        assert (await line(server))["new"] is False
    async with receiver() as server:
        assert await post(server, signed()) == 204
        assert (await line(server))["new"] is False
        assert await post(server, signed(id="tx-2/end")) == 204
        assert (await line(server))["new"] is True


async def test_what_is_forged_changed_or_old_is_turned_away(receiver):
    now = datetime.now(UTC)
    unsigned = {name: value for name, value in signed().items() if name != "webhook-signature"}
    async with receiver() as server:
        for headers, body in [
            (signed(), BODY.replace("completed", "cancelled")),
            (signed() | {"webhook-id": "tx-9/end"}, BODY),
            (signed() | {"webhook-timestamp": str(int(now.timestamp()) - 60)}, BODY),
            (signed(FORGED), BODY),
            (signed(at=now - timedelta(minutes=6)), BODY),
            (signed(at=now + timedelta(minutes=6)), BODY),
            (unsigned, BODY),
            ({}, BODY),
            (signed() | {"webhook-signature": "v1"}, BODY),
            (signed() | {"webhook-signature": "v1,%%%"}, BODY),
            (signed() | {"webhook-signature": signed()["webhook-signature"].replace("v1,", "v2,")}, BODY),
            (signed() | {"webhook-timestamp": "nan"}, BODY),
            (signed(body="not json"), "not json"),
            (signed(body="[" * 99_999), "[" * 99_999),
            (signed(), b"\xff\xfe"),
        ]:
            assert await post(server, headers, body) == 401, headers
        assert await post(server, signed()) == 204
        assert (await line(server))["new"] is True  # none of those was taken


@pytest.mark.parametrize(
    "body",
    ["[]", "[1]", '"x"', "7", "null", "{}", BODY.replace('"data"', '"dates"'), '{"type": "x", "data": []}'],
)
async def test_what_is_signed_and_no_event_is_a_bad_request(receiver, body):
    async with receiver("--confirm") as server:
        assert await post(server, signed(body=body), body) == 400
        assert await post(server, signed(FORGED, body=body), body) == 401
        assert await post(server, signed()) == 204
        assert (await line(server))["new"] is True  # its id was not taken


@pytest.mark.parametrize("between", [" ", ",", ", ", "\n", " ,, "])
async def test_a_secret_is_exchanged_without_a_gap(receiver, between):
    async with receiver(secrets=f"{SECRET}{between}{NEXT}") as server:
        for number, secret in enumerate((SECRET, NEXT)):
            assert await post(server, signed(secret, id=f"tx-{number}/end")) == 204
        both = signed(id="tx-3/end")
        new = signed(FORGED, id="tx-3/end")["webhook-signature"]
        assert await post(server, both | {"webhook-signature": f"{new} {both['webhook-signature']}"}) == 204


@pytest.mark.parametrize("secrets", ["", " , "])
async def test_it_needs_a_secret(start, secrets):
    with pytest.raises(AssertionError, match="ended before it was ready"):
        async with start("webhook_receiver", environment={"WEBHOOK_SECRETS": secrets}):
            pass


async def test_the_whole_loop_with_a_real_worker(client, tools: ToolServer, receiver):
    """Question told, confirmed by the receiver through the client, executed, end told."""
    tools.on |= base_behaviour()
    id = f"tx-{uuid.uuid4().hex}"
    async with receiver("--confirm", TEMPORAL_ADDRESS=address_of(client)) as server:
        settings = Settings(webhook_url=server.url, webhook_secrets=SecretStr(f"{NEXT} {SECRET}"))
        async with open_shop(client, tools, settings=settings) as desk:
            tx = await desk.start(*F1, id=id)
            result = await tx.result()
            question, end = await line(server), await line(server)
    assert (question["type"], question["id"]) == ("confirmation.requested", f"{id}/1")
    assert (end["type"], end["id"]) == ("transaction.completed", f"{id}/end")
    assert end["data"]["message"] == result["message"]
    assert result["multi_item_status"] == "SUCCESS"
    assert len(tools.called(F1[0])) == 3


async def test_a_receiver_that_does_not_know_the_secret_yet_is_told_again(
    client, tools: ToolServer, receiver
):
    """401 is no final no: the receiver gets its new secret while deliveries wait."""
    tools.on |= base_behaviour()
    async with receiver(secrets=FORGED) as server:
        port = server.url.rsplit(":", 1)[1].split("/")[0]
        settings = Settings(webhook_url=server.url, webhook_secrets=SecretStr(SECRET))
        async with open_shop(client, tools, settings=settings) as desk:
            tx = await desk.start(*F1)
            await tx.reject()
            await tx.result()
            server.process.stdin.close()
            assert await server.wait() == 0
            async with receiver(f"--port={port}") as again:
                assert (await line(again))["id"] == f"{tx.id}/end"
