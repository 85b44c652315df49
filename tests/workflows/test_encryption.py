"""The payload codec: AES-256-GCM with key ids."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from temporalio.api.common.v1 import Payload

from confirmo.policies.encryption_keys import EncryptionKeyError, key_line, read_keys
from confirmo.policies.outcomes import CallReport, ItemOutcome
from confirmo.workflows.converter import data_converter, storing_converter
from confirmo.workflows.encryption import KEY_ID, EncryptionCodec, PayloadSealed, codec_of
from confirmo.workflows.payload_drivers import INNER

OLD, NEW = bytes(range(32)), bytes(range(32, 64))
SECRET = "111.444.777-35"


def payload(**metadata):
    plain = {"encoding": b"json/plain"} | {name: value.encode() for name, value in metadata.items()}
    return Payload(metadata=plain, data=f'"{SECRET}"'.encode())


async def sealed(codec=None, **metadata):
    [found] = await (codec or EncryptionCodec({"k1": OLD})).encode([payload(**metadata)])
    return found


async def test_what_is_encrypted_shows_its_key_id_and_nothing_else():
    found = await sealed()
    assert SECRET.encode() not in found.SerializeToString()
    assert found.metadata[KEY_ID] == b"k1"
    assert await EncryptionCodec({"k1": OLD}).decode([found]) == [payload()]


async def test_the_same_payload_never_looks_the_same_twice():
    assert (await sealed()).data != (await sealed()).data


async def test_the_first_key_encrypts_and_every_key_decrypts():
    rotated = EncryptionCodec({"k2": NEW, "k1": OLD})
    old, new = await sealed(), await sealed(rotated)
    assert new.metadata[KEY_ID] == b"k2"
    assert await rotated.decode([old, new, payload()]) == [payload()] * 3


async def test_an_encrypted_payload_is_not_encrypted_again():
    codec = EncryptionCodec({"k1": OLD})
    found = await sealed(codec)
    assert await codec.encode([found]) == [found]


async def test_a_payload_for_our_workers_alone_stays_marked_as_one():
    assert (await sealed(**{INNER: "inner"})).metadata[INNER] == b"inner"


@pytest.mark.parametrize("keys", [{}, {"k2": NEW}])
async def test_a_key_that_is_not_here_is_named_with_what_to_do(keys):
    with pytest.raises(PayloadSealed, match=r"'k1', which is not here: set CONFIRMO_ENCRYPTION_KEYS_FILE"):
        await EncryptionCodec(keys).decode([await sealed()])


async def test_a_changed_payload_is_refused():
    found = await sealed(**{INNER: "inner"})
    other = EncryptionCodec({"k1": OLD, "k2": OLD})
    for change in (
        lambda p: setattr(p, "data", p.data[:-1] + bytes([p.data[-1] ^ 1])),
        lambda p: setattr(p, "data", b""),
        lambda p: p.metadata.update({KEY_ID: b"k2"}),
        lambda p: p.metadata.pop(INNER),
    ):
        changed = Payload()
        changed.CopyFrom(found)
        change(changed)
        with pytest.raises(PayloadSealed, match="was changed since"):
            await other.decode([changed])


@given(st.integers(0, 10_000), st.integers(1, 255))
async def test_no_changed_byte_passes(place, change):
    codec = EncryptionCodec({"k1": OLD})
    found = await sealed(codec)
    data = bytearray(found.data)
    data[place % len(data)] ^= change
    found.data = bytes(data)
    with pytest.raises(PayloadSealed):
        await codec.decode([found])


async def test_a_payload_store_gets_ciphertext_and_what_is_for_our_workers_goes_there_soon(tmp_path):
    keys = tmp_path / "keys"
    keys.write_text(key_line("k1", OLD))
    converter = storing_converter(f"dir:{tmp_path / 'store'}", encryption_keys=keys)
    report = CallReport(items=(ItemOutcome(item_id="1", outcome="SUCCEEDED", entry={"cpf": SECRET * 9_000}),))
    [claim] = await converter.encode([report])
    assert claim.ByteSize() < 2_000
    [file] = [path for path in (tmp_path / "store").rglob("*") if path.is_file()]
    assert SECRET.encode() not in file.read_bytes()
    assert await converter.decode([claim], [CallReport]) == [report]


async def test_a_failure_is_masked_and_encrypted(tmp_path):
    file = tmp_path / "keys"
    file.write_text(key_line("k1", OLD))
    from temporalio.api.failure.v1 import Failure

    for converter, readable in (
        (storing_converter(None, encryption_keys=file), False),
        (data_converter, True),
    ):
        failure = Failure()
        try:
            raise ValueError(f"{SECRET} is unknown") from KeyError("ana@exemplo.com.br")
        except ValueError as error:
            await converter.encode_failure(error, failure)
        raw = failure.SerializeToString()
        assert SECRET.encode() not in raw
        assert b"exemplo" not in raw
        assert (b"<cpf> is unknown" in raw) is readable
        assert str(await converter.decode_failure(failure)) == "ValueError: <cpf> is unknown"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "holds no key"),
        ("# nothing\n\n", "holds no key"),
        ("k1", "Line 1 is not written as key_id: base64"),
        ("k1: AAAA", "has 3 bytes and needs 32"),
        ("k1: A", "no base64"),
        (key_line("k1", OLD) * 2, "Line 2 names the key 'k1' a second time"),
    ],
)
def test_a_file_of_keys_that_cannot_be_used_is_told_without_any_key(text, sentence):
    with pytest.raises(EncryptionKeyError, match=sentence) as told:
        read_keys(text)
    assert "AAAA" not in str(told.value)


def test_a_file_of_keys_keeps_its_order():
    assert list(read_keys("# rotated\n" + key_line("b", NEW) + "\n" + key_line("a", OLD))) == ["b", "a"]


def test_a_file_of_keys_that_is_not_there_is_told(tmp_path):
    with pytest.raises(EncryptionKeyError, match="cannot be read"):
        codec_of(tmp_path / "none")


def test_a_variable_that_is_set_to_nothing_is_no_way_to_encrypt_nothing():
    with pytest.raises(EncryptionKeyError, match="It is empty: name a file"):
        codec_of(Path(""))
