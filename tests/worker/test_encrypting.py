"""``confirmo keys``, ``confirmo codec-server`` and ``confirmo dev --encrypt`` as processes."""

import json
import os
import signal
import stat
import sys

import httpx2
import pytest
from temporalio.client import Client

from confirmo.policies.encryption_keys import read_keys
from confirmo.worker.keys import add_key, new_keys_file
from confirmo.worker.processes import free_port
from harness.processes import gone

linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
CPF = "111.444.777-35"


def test_a_new_file_is_the_owners_alone_and_an_added_key_comes_last(tmp_path):
    file = tmp_path / "keys"
    first = new_keys_file(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.chmod(0o640)
    second = add_key(file)
    assert list(read_keys(file.read_text())) == [first, second]
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["keys"]


async def test_keys_are_made_and_a_file_is_never_overwritten(commands, tmp_path):
    file = str(tmp_path / "keys")
    code, out, _ = await commands.run("keys", "new", file, "--json")
    assert code == 0
    assert json.loads(out)["path"] == file
    before = (tmp_path / "keys").read_text()
    code, _, err = await commands.run("keys", "new", file)
    assert (code, (tmp_path / "keys").read_text()) == (2, before)
    assert "confirmo keys add" in err


@pytest.mark.parametrize("text", [None, "k1: AAAA\n"])
async def test_every_command_says_which_file_of_keys_cannot_be_used(commands, tmp_path, text):
    if text:
        (tmp_path / "keys").write_text(text)
    environ = {"CONFIRMO_ENCRYPTION_KEYS_FILE": str(tmp_path / "keys")}
    for command in (("list",), ("codec-server",)):
        code, _, err = await commands.run(*command, **environ)
        assert code == 2
        assert "CONFIRMO_ENCRYPTION_KEYS_FILE" in err
        assert "AAAA" not in err
        assert "Traceback" not in err


@linux
async def test_dev_encrypts_shows_it_in_the_ui_and_ends_cleanly(commands, family, tmp_path):
    database = tmp_path / "confirmo.db"
    arguments = ("dev", "--db", str(database), "--port", str(free_port()))
    first = await commands.start(*arguments, "--encrypt")
    info = await first.ready()
    keys = info["encryption_keys_file"]
    assert keys == f"{database}.keys"
    environ = {"TEMPORAL_ADDRESS": info["temporal_address"]}
    started = (
        "start",
        "cancelar_pedido",
        "--arg",
        "order_id=PED-1001",
        "--arg",
        f"motivo={CPF}",
        "--id",
        "tx-1",
    )
    with_keys = environ | {"CONFIRMO_ENCRYPTION_KEYS_FILE": keys}
    code, out, err = await commands.run(*started, "--json", **with_keys)
    assert code == 0, err
    assert json.loads(out)["status"] == "AWAITING_CONFIRMATION"
    code, _, err = await commands.run(*started[:-1], "tx-2", **environ)
    assert code == 2
    assert "nothing was sent" in err
    code, _, err = await commands.run("status", "tx-1", **environ)
    assert code == 2
    assert "set CONFIRMO_ENCRYPTION_KEYS_FILE" in err
    assert "Traceback" not in err

    settings = httpx2.get(f"{info['ui_url']}/api/v1/settings").json()
    assert settings["Codec"]["Endpoint"] == info["codec_endpoint"]
    client = await Client.connect(info["temporal_address"])
    event = (await client.get_workflow_handle("tx-1").fetch_history()).to_json_dict()["events"][0]
    [sealed] = event["workflowExecutionStartedEventAttributes"]["input"]["payloads"]
    answer = httpx2.post(
        f"{info['codec_endpoint']}/decode", json={"payloads": [sealed]}, headers={"origin": info["ui_url"]}
    )
    assert "PED-1001" not in json.dumps(sealed)
    assert answer.json()["payloads"][0]["data"]

    below = family(first.process.pid)
    first.send(signal.SIGTERM)
    code, _, err = await first.ended()
    assert code == 0, err
    await gone(below)
    held = b"".join(path.read_bytes() for path in tmp_path.glob("confirmo.db*") if "." not in path.name[11:])
    assert b"PED-1001" not in held

    second = await commands.start(*arguments)
    info = await second.ready()
    assert info["encryption_keys_file"] == keys
    code, out, err = await commands.run("confirm", "tx-1", "--yes", "--wait", "--json", **with_keys)
    assert code == 0, err
    assert json.loads(out)["transaction_status"] == "COMPLETED"
