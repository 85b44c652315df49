"""The codec server, as Temporal's UI and command line ask it."""

import base64
import json

import httpx2
import pytest
import pytest_asyncio
from google.protobuf.json_format import MessageToDict, Parse
from temporalio.api.common.v1 import Payloads

from confirmo.worker.codec_server import serving_codec
from confirmo.worker.errors import ServerUnavailable
from confirmo.worker.keys import new_keys_file
from confirmo.workflows.converter import data_converter, storing_converter

PAGE = "http://127.0.0.1:8233"
TOKEN = "um-segredo-bem-comprido"


@pytest.fixture
def converter(tmp_path):
    new_keys_file(tmp_path / "keys")
    return storing_converter(f"dir:{tmp_path / 'store'}", encryption_keys=tmp_path / "keys")


@pytest_asyncio.fixture
async def ask(converter):
    """Ask an open server on loopback."""
    async with serving_codec(converter, [PAGE]) as endpoint, httpx2.AsyncClient(base_url=endpoint) as http:

        async def post(path, body, **headers):
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            content = body if isinstance(body, str) else json.dumps(body)
            return await http.post(path, content=content, headers={"x-namespace": "default", **named})

        post.http = http
        yield post


def body_of(payloads):
    return MessageToDict(Payloads(payloads=payloads))


async def test_what_was_encrypted_is_decoded_and_back(ask, converter):
    sealed = body_of(await converter.encode([{"cpf": "111.444.777-35"}]))
    assert "111.444.777-35" not in base64.b64decode(sealed["payloads"][0]["data"]).decode("utf-8", "replace")
    answer = await ask("/decode", sealed, origin=PAGE)
    assert answer.headers["access-control-allow-origin"] == PAGE
    [plain] = answer.json()["payloads"]
    assert json.loads(base64.b64decode(plain["data"])) == {"cpf": "111.444.777-35"}
    again = Parse((await ask("/default/encode", answer.json())).text, Payloads())
    assert await converter.decode(again.payloads) == [{"cpf": "111.444.777-35"}]


async def test_what_is_in_the_payload_store_is_fetched(ask, converter):
    sealed = await converter.encode(["ã" * 1_000_000])
    assert sealed[0].ByteSize() < 2_000
    [plain] = (await ask("/decode", body_of(sealed))).json()["payloads"]
    assert len(base64.b64decode(plain["data"])) > 2_000_000


async def test_a_page_asks_first_and_another_page_may_not_ask(ask):
    asking = {
        "access-control-request-method": "POST",
        "access-control-request-headers": "x-namespace,authorization",
    }
    answer = await ask.http.options("/decode", headers={"origin": PAGE, **asking})
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == PAGE
    other = await ask("/decode", {"payloads": []}, origin="http://evil.example")
    assert other.status_code == 403
    assert "access-control-allow-origin" not in other.headers


async def test_a_name_that_only_leads_here_is_refused(ask):
    assert (await ask("/decode", {"payloads": []}, host="evil.example")).status_code == 400


@pytest.mark.parametrize("body", ["", "x", '{"payloads": 1}', '{"x": 1}'])
async def test_a_body_that_is_none_is_answered_with_a_sentence(ask, body):
    answer = await ask("/decode", body)
    assert answer.status_code == 400
    assert "Payloads" in answer.json()["message"]


async def test_an_unknown_key_is_answered_with_a_sentence(ask, tmp_path):
    new_keys_file(tmp_path / "other")
    sealed = await storing_converter(None, encryption_keys=tmp_path / "other").encode([1])
    answer = await ask("/decode", body_of(sealed), origin=PAGE)
    assert answer.status_code == 400
    assert "which is not here" in answer.json()["message"]


async def test_a_token_is_asked_for_where_there_is_one(converter):
    async with (
        serving_codec(converter, [PAGE], token=TOKEN) as endpoint,
        httpx2.AsyncClient(base_url=endpoint) as http,
    ):
        for given, status in (
            (None, 401),
            ("Bearer x", 401),
            (f"Basic {TOKEN}", 401),
            (f"Bearer {TOKEN}", 200),
        ):
            headers = {"authorization": given} if given else {}
            answer = await http.post("/decode", json={"payloads": []}, headers=headers)
            assert answer.status_code == status


async def test_it_does_not_start_open_to_a_network_or_without_keys(converter):
    with pytest.raises(ServerUnavailable, match="CONFIRMO_CODEC_TOKEN_FILE"):
        async with serving_codec(converter, [PAGE], host="0.0.0.0"):
            pass
    with pytest.raises(ServerUnavailable, match="set CONFIRMO_ENCRYPTION_KEYS_FILE"):
        async with serving_codec(data_converter, [PAGE]):
            pass
