"""The payload store by itself: what is stored is read, what is forged reads nothing, and what fails says why."""

import asyncio
import base64
import hashlib
import os
import subprocess
import sys
import zlib

import pytest
from temporalio.api.common.v1 import Payload
from temporalio.api.sdk.v1 import ExternalStorageReference
from temporalio.converter import JSONProtoPayloadConverter

from confirmo.policies.calls import ExecuteItemRequest
from confirmo.policies.errors import CallFailureKind
from confirmo.policies.evidence import CallReport
from confirmo.workflows.converter import data_converter, reading_converter, storing_converter
from confirmo.workflows.payload_drivers import CARRIED, PayloadLost, StoreUnavailable
from confirmo.workflows.payload_store import check_store
from harness.proxy import Fault, Proxy
from harness.s3 import ENVIRON

LARGE = {"texto": "ç" * 1_000_000}
REPORT = CallReport(message="m" * 200_000)


def reference(payload):
    found = JSONProtoPayloadConverter().from_payload(payload, ExternalStorageReference)
    return found.driver_name, dict(found.claim_data)


def claim(driver, **data):
    return JSONProtoPayloadConverter().to_payload(
        ExternalStorageReference(driver_name=driver, claim_data=data)
    )


@pytest.fixture
def aws(s3, monkeypatch):
    for name, value in s3.environ().items():
        monkeypatch.setenv(name, value)
    yield s3
    s3.refuse_everyone(False)


@pytest.fixture(params=["dir", "s3"])
def store(request, tmp_path):
    if request.param == "dir":
        return f"dir:{tmp_path}/payloads"
    return f"s3://{request.getfixturevalue('aws').bucket}"


async def test_what_is_large_is_stored_and_read_again(store):
    converter = storing_converter(store)
    await check_store(converter.external_storage)
    [large, small] = await converter.encode([LARGE, {"texto": "pequeno"}])
    assert large.ByteSize() < 1_000
    assert reference(large)[0] == ("aws.s3driver" if store.startswith("s3") else "confirmo.directory")
    assert await converter.decode([large, small]) == [LARGE, {"texto": "pequeno"}]
    [again] = await converter.encode([LARGE])
    assert again == large


async def test_a_converter_that_only_reads_stores_nothing(store):
    [stored] = await storing_converter(store).encode([LARGE])
    reader = reading_converter(store)
    assert await reader.decode([stored]) == [LARGE]
    [kept] = await reader.encode([LARGE])
    assert kept.ByteSize() > 2_000_000


async def test_what_workers_exchange_is_stored_sooner_and_heartbeats_never(store):
    converter = storing_converter(store)
    [report, other] = await converter.encode([REPORT, {"m": "m" * 200_000}])
    assert report.ByteSize() < 1_000
    assert other.ByteSize() > 200_000
    assert await converter.decode([report], [CallReport]) == [REPORT]


async def test_a_client_without_the_store_reads_a_directory_and_says_what_is_missing_of_a_bucket(store):
    [stored] = await storing_converter(store).encode([LARGE])
    if store.startswith("dir"):
        assert await data_converter.decode([stored]) == [LARGE]
        return
    with pytest.raises(PayloadLost, match="CONFIRMO_PAYLOAD_STORE"):
        await data_converter.decode([stored])
    with pytest.raises(PayloadLost, match="CONFIRMO_PAYLOAD_STORE"):
        await storing_converter("dir:/nowhere").decode([stored])


def laid_out(folder, content, day="2026-01-01", name=None):
    key = name or hashlib.sha256(content).hexdigest()
    path = folder / day / key[:2] / key
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return key


async def test_a_forged_claim_on_a_directory_reads_nothing(tmp_path):
    own, secret = tmp_path / "own", tmp_path / "segredo"
    converter = storing_converter(f"dir:{own}")
    secret.write_text("senha")
    content = Payload(data=b'"lido"', metadata={"encoding": b"json/plain"}).SerializeToString()
    good = laid_out(own, content)
    wrong = laid_out(own, b"other", name="a" * 64)
    assert await converter.decode([claim("confirmo.directory", day="2026-01-01", sha256=good)]) == ["lido"]
    forged = [
        {},
        {"day": "2026-01-01", "sha256": wrong},
        {"day": "2026-01-02", "sha256": good},
        {"day": "2026-01-01\n", "sha256": good},
        {"day": "../own/2026-01-01", "sha256": good},
        {"day": "２０２６-01-01", "sha256": good},
        {"day": "2026-01-01", "sha256": good.upper()},
        {"day": "2026-01-01", "sha256": "../../../segredo"},
        {"day": "..", "sha256": "segredo", "directory": str(tmp_path)},
        {"day": "2026-01-01", "sha256": "b" * 64, "directory": f"{own}/../own\x00"},
        {"day": "2026-01-01", "sha256": "b" * 64, "directory": "/dev"},
    ]
    for data in forged:
        with pytest.raises(PayloadLost):
            await converter.decode([claim("confirmo.directory", **data)])


async def test_a_forged_claim_on_a_bucket_reads_nothing(aws):
    converter = storing_converter(f"s3://{aws.bucket}")
    aws.make_bucket("outro-balde")
    [own] = await converter.encode([LARGE])
    [elsewhere] = await storing_converter("s3://outro-balde").encode([LARGE])
    _, good = reference(own)
    _, other = reference(elsewhere)
    digest = good["hash_value"]
    forged = [
        other,
        {},
        good | {"bucket": "outro-balde"},
        good | {"hash_value": "a" * 64},
        good | {"hash_algorithm": "md5"},
        good | {"key": f"v0/../d/sha256/{'a' * 64}"},
        good | {"key": f"v0/d/sha256/{'a' * 64}", "hash_value": "a" * 64},
        good | {"key": f"../outro-balde/{digest}"},
        good | {"key": good["key"] + "\n"},
    ]
    for data in forged:
        with pytest.raises(PayloadLost):
            await converter.decode([claim("aws.s3driver", **data)])


@pytest.mark.parametrize(
    "text",
    [
        "nada",
        base64.b64encode(b"nada").decode(),
        base64.b64encode(zlib.compress(b"\xff" * 20)).decode(),
        base64.b64encode(zlib.compress(bytes(150_000_000))).decode(),
    ],
)
async def test_a_forged_claim_that_carries_its_payload_reads_nothing(text):
    for driver in ("confirmo.directory", "aws.s3driver"):
        with pytest.raises(PayloadLost):
            await data_converter.decode([claim(driver, **{CARRIED: text})])


async def test_while_a_store_is_away_reports_are_kept_by_temporal_and_callers_are_told(
    store, tmp_path, aws, monkeypatch
):
    converter = storing_converter(store)
    if store.startswith("dir"):
        (tmp_path / "payloads").write_text("in the way")
    else:
        monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    for value in (REPORT, CallReport(raw=base64.b64encode(os.urandom(1_100_000)).decode())):
        [report] = await converter.encode([value])
        assert report.ByteSize() < 2_000_000
        assert await data_converter.decode([report], [CallReport]) == [value]
    with pytest.raises(StoreUnavailable) as told:
        await converter.encode([LARGE])
    assert told.value.type == CallFailureKind.DOUBT.value
    assert told.value.message.startswith(f"The payload store {store} cannot be ")
    huge = ExecuteItemRequest.model_construct(
        arguments={"a": base64.b64encode(os.urandom(3_000_000)).decode()}
    )
    with pytest.raises(StoreUnavailable):
        await converter.encode([huge])
    with pytest.raises(StoreUnavailable, match="cannot be"):
        await check_store(converter.external_storage)


async def test_what_is_away_is_told_from_what_is_lost_when_reading(aws):
    async with Proxy(aws.port).running() as proxy:
        os.environ["AWS_ENDPOINT_URL"] = f"http://127.0.0.1:{proxy.port}"
        converter = storing_converter(f"s3://{aws.bucket}")
        [stored] = await converter.encode([LARGE])
        proxy.fault = Fault.REFUSE
        proxy.reset()
        with pytest.raises(StoreUnavailable, match="cannot be reached") as told:
            await converter.decode([stored])
        assert told.value.type == CallFailureKind.UNREACHABLE.value
        proxy.fault = Fault.NONE
        assert await converter.decode([stored]) == [LARGE]


async def test_refused_credentials_a_missing_bucket_and_none_at_all_are_sentences(aws, monkeypatch):
    nothing = storing_converter("s3://nada-aqui")
    for work in (check_store(nothing.external_storage), nothing.encode([LARGE])):
        with pytest.raises(StoreUnavailable, match="does not exist: create the bucket"):
            await work
    aws.refuse_everyone()
    refused = storing_converter(f"s3://{aws.bucket}")
    for work in (check_store(refused.external_storage), refused.encode([LARGE])):
        with pytest.raises(StoreUnavailable, match="refuses the caller") as told:
            await work
        assert not told.value.passing
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", "/nonexistent")
    with pytest.raises(StoreUnavailable, match="needs AWS credentials"):
        await check_store(storing_converter(f"s3://{aws.bucket}").external_storage)


@pytest.mark.parametrize(
    "store", ["dir:", "s3:", "s3://", "s3:balde", "s3://b/caminho", "s3://B_", "file:/x", "x"]
)
def test_a_store_that_is_none_is_a_sentence(store):
    with pytest.raises(ValueError, match="s3://<bucket>"):
        storing_converter(store)


def test_a_missing_extra_is_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "aioboto3", None)
    with pytest.raises(ValueError, match=r"pip install 'confirmo\[s3\]'"):
        storing_converter("s3://loja")


def test_an_unreadable_directory_is_told_from_a_lost_payload(tmp_path):
    (tmp_path / "2026-01-01").mkdir()
    (tmp_path / "2026-01-01" / "aa").symlink_to("aa")
    data = {"day": "2026-01-01", "sha256": "aa" + "0" * 62}
    with pytest.raises((StoreUnavailable, PayloadLost)):
        asyncio.run(storing_converter(f"dir:{tmp_path}").decode([claim("confirmo.directory", **data)]))


async def test_a_store_that_is_no_directory_now_is_away_and_its_payloads_are_not_lost(tmp_path):
    folder = tmp_path / "payloads"
    converter = storing_converter(f"dir:{folder}")
    [stored] = await converter.encode([LARGE])
    folder.rename(tmp_path / "away")
    folder.write_text("in the way")
    for reader in (converter, data_converter):
        with pytest.raises(StoreUnavailable, match="cannot be read"):
            await reader.decode([stored])
    folder.unlink()
    (tmp_path / "away").rename(folder)
    assert await converter.decode([stored]) == [LARGE]


def test_a_process_ends_without_a_word_about_its_connections(s3):
    code = """
import asyncio, gc
from confirmo.workflows.converter import storing_converter
converter = storing_converter("s3://%s")
async def once():
    both = await asyncio.gather(*(converter.encode(["x" * 2_000_000]) for _ in range(3)))
    assert len((await converter.decode(both[0]))[0]) == 2_000_000
asyncio.run(once())
asyncio.run(once())
gc.collect()
print("done")
"""
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", code % s3.bucket],
        env=os.environ | ENVIRON | {"AWS_ENDPOINT_URL": s3.endpoint},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.stdout, done.returncode) == ("done\n", 0)
    assert "nclosed" not in done.stderr
    assert "Traceback" not in done.stderr
