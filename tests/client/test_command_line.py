"""The command line: what it prints, where, and which exit code it ends with."""

import json
import os
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from confirmo.client.commands.history import file_name
from harness.shop import F1, F2

SET, RETURN = F1[0], F2[0]
PACKAGES = ["--arguments", json.dumps(F2[1])]
REFUSED = {"eligible": False, "reason": "há um débito\u202e aberto"}


def document(ran):
    """The one JSON document of standard output; anything else beside it is a failed test."""
    assert ran.out.count("\n") >= 1
    return json.loads(ran.out)


def sentence(ran):
    """Standard error is one line and no traceback, standard output empty."""
    assert ran.out == ""
    assert ran.err.count("\n") == 1, ran.err
    assert "Traceback" not in ran.err
    return ran.err


def key():
    return uuid.uuid4().hex


async def test_from_a_start_to_its_result(shop, cli, loja):
    started = await cli("start", RETURN, *PACKAGES, "--request-id", key(), "--session", "s1", "--json")
    assert (started.code, started.err) == (0, "")
    state = document(started)
    tx = state["transaction_id"]
    assert (state["status"], state["events"][0]["session_id"]) == ("AWAITING_CONFIRMATION", "s1")
    shown = await cli("status", tx)
    assert (shown.code, shown.err) == (0, "")
    assert state["question"].splitlines()[0] in shown.out
    assert state["confirmation"]["digest"] in shown.out
    confirmed = await cli("confirm", tx, "--digest", state["confirmation"]["digest"], "--json")
    assert (confirmed.code, document(confirmed)["transaction_id"]) == (0, tx)
    result = await cli("result", tx, "--json")
    assert (result.code, document(result)["multi_item_status"]) == (0, "SUCCESS")
    closed = await cli("status", tx, "--json")
    assert (closed.code, document(closed)["result"]) == (0, document(result))
    watched = await cli("watch", tx, "--json")
    assert (watched.code, document(watched)) == (0, document(closed))
    assert len(loja.called(RETURN)) == 1


async def test_a_partial_result_is_exit_1_only_where_it_is_returned(shop, cli, loja):
    loja.on[RETURN] = lambda call: {
        "results": [{"id": e, "success": e != "ENC-7002"} for e in call.arguments["encomenda_ids"]]
    }
    request_id = key()
    tx = document(await cli("start", RETURN, *PACKAGES, "--request-id", request_id, "--json"))[
        "transaction_id"
    ]
    waited = await cli("confirm", tx, "--yes", "--wait", "--json")
    assert (waited.code, document(waited)["partial_success"]) == (1, True)
    assert "digest: " in waited.err
    assert (await cli("result", tx)).code == 1
    assert (await cli("watch", tx)).code == 1
    assert (await cli("status", tx)).code == 0
    again = await cli("start", RETURN, *PACKAGES, "--request-id", request_id, "--json")
    assert (again.code, document(again)["status"]) == (0, "COMPLETED")
    assert (await cli("confirm", tx, "--yes")).code == 0
    assert "AlreadyClosed" not in sentence(await cli("confirm", tx, "--digest", "0" * 64))
    assert (await cli("confirm", tx, "--digest", "0" * 64)).code == 3
    assert len(loja.called(RETURN)) == 1


async def test_what_is_refused_before_a_question_is_exit_3(shop, cli, loja):
    loja.on["checar_encomendas"] = REFUSED
    request_id = key()
    ran = await cli("start", RETURN, *PACKAGES, "--request-id", request_id)
    assert ran.code == 3
    assert "há um débito aberto" in ran.out
    waited = await cli("start", RETURN, *PACKAGES, "--wait", "--json")
    assert (waited.code, document(waited)["transaction_status"]) == (3, "OUT_OF_SCOPE")
    assert (await cli("start", "inexistente")).code == 3
    assert (await cli("start", RETURN, *PACKAGES, "--request-id", request_id)).code == 0
    other = await cli("start", RETURN, "--arg", "encomenda_ids=ENC-1", "--request-id", request_id)
    assert other.code == 3
    assert "new request_id" in sentence(other)


async def test_a_read_only_tool_answers_at_once(shop, cli):
    ran = await cli("start", "listar_faturas", "--json")
    assert (ran.code, document(ran)["result"]["ok"]) == (0, True)


async def test_collecting_amending_and_rejecting(shop, cli, loja):
    tx = f"mine-{key()}"
    asked = await cli("start", RETURN, "--id", tx, "--locale", "en")
    assert (asked.code, "COLLECTING_PARAMETERS" in asked.out) == (0, True)
    provided = await cli("provide", tx, "--arguments", '{"encomenda_ids": ["ENC-1", "ENC-2"]}', "--json")
    assert [item["item_id"] for item in document(provided)["items"]] == ["ENC-1", "ENC-2"]
    amended = await cli("amend", tx, "--remove", "ENC-1", "--add", '["ENC-3"]', "--json")
    assert [item["item_id"] for item in document(amended)["items"]] == ["ENC-2", "ENC-3"]
    stale = document(provided)["confirmation"]["digest"]
    assert "digest" in sentence(await cli("confirm", tx, "--digest", stale))
    assert (await cli("amend", tx, "--remove", "nenhum")).code == 3
    rejected = await cli("reject", tx, "--comment", "mudei de ideia", "--json")
    assert rejected.code == 0
    assert (await cli("reject", tx)).code == 0
    for command in (
        ["confirm", tx, "--yes"],
        ["cancel", tx],
        ["provide", tx, "--arguments", '{"valor": "1"}'],
    ):
        ran = await cli(*command)
        assert (ran.code, "CANCELLED" in sentence(ran)) == (3, True)
    assert (await cli("result", tx)).code == 3
    assert loja.called(RETURN) == []


async def test_a_cancel_twice_is_one(shop, cli):
    tx = document(await cli("start", RETURN, *PACKAGES, "--json"))["transaction_id"]
    for _ in range(2):
        ran = await cli("cancel", tx, "--reason", "engano", "--json")
        assert (ran.code, document(ran)["reason_code"]) == (0, "cancelled")


async def test_a_terminated_run_is_shown(shop, cli, client):
    tx = document(await cli("start", RETURN, *PACKAGES, "--json"))["transaction_id"]
    await client.get_workflow_handle(tx).terminate(reason="engano")
    shown = await cli("status", tx, "--json")
    state = document(shown)
    assert (shown.code, state["transaction_id"], state["status"], state["reason"]) == (
        0,
        tx,
        "TERMINATED",
        "engano",
    )
    for command in (["result", tx], ["confirm", tx, "--yes"], ["cancel", tx]):
        ran = await cli(*command)
        assert (ran.code, "engano" in sentence(ran)) == (3, True)
    listed = document(await cli("list", "--status", "terminated", "--json"))
    assert {row["status"] for row in listed} == {"TERMINATED"}


@pytest.mark.parametrize(
    "command",
    [
        ["status", "NADA"],
        ["result", "NADA"],
        ["watch", "NADA"],
        ["confirm", "NADA", "--yes"],
        ["confirm", "NADA", "--digest", "a"],
        ["reject", "NADA"],
        ["cancel", "NADA"],
        ["amend", "NADA", "--remove", "a"],
        ["provide", "NADA", "--arguments", '{"a": 1}'],
        ["history", "export", "NADA", "-o", "/tmp/nothing.json"],
        ["status", "NADA", "--json"],
    ],
)
async def test_an_id_that_nobody_has_is_exit_5(cli, command):
    ran = await cli(*command)
    assert (ran.code, "NADA" in sentence(ran)) == (5, True)


@pytest.mark.parametrize(
    ("command", "place"),
    [
        ([], "--help"),
        (["nada"], "nada"),
        (["history"], "history"),
        (["start"], "TOOL"),
        (["start", "t", "--nada"], "--nada"),
        (["start", "t", "--arg", "x"], "NAME=VALUE"),
        (["start", "t", "--arg", "=x"], "NAME=VALUE"),
        (["start", "t", "--arg", "a=1", "--arg", "a=2"], "'a'"),
        (["start", "t", "--arg", "a=1", "--arguments", '{"a": 2}'], "'a'"),
        (["start", "t", "--arguments", '{"a":\n 1,'], "line 2, column"),
        (["start", "t", "--arguments", '{"a": 1, "a": 2}'], "twice"),
        (["start", "t", "--arguments", '{"a": NaN}'], "NaN"),
        (["start", "t", "--arguments", "[1]"], "object"),
        (["start", "t", "--arguments", "@/nada"], "/nada"),
        (["start", "t", "--request-id", ""], "request_id"),
        (["confirm", "t"], "--digest"),
        (["confirm", "t", "--yes", "--digest", "a"], "not both"),
        (["confirm", "t", "--digest", "a", "--items", " , "], "--items"),
        (["amend", "t"], "--remove"),
        (["provide", "t", "--arguments", "{}"], "empty"),
        (["list", "--limit", "0"], "--limit"),
        (["list", "--status", "DONE"], "AWAITING_CONFIRMATION"),
        (["history", "export", "-o", "x"], "--query"),
        (["history", "export", "t", "--query", "q", "-o", "x"], "--query"),
        (["history", "export", "--since", "soon", "-o", "x"], "24h"),
        (["history", "export", "--since", "2026-01-31T12:00:00", "-o", "x"], "24h"),
        (["history", "export", "t", "--since", "1h", "-o", "x"], "--since"),
        (["history", "export", "t", "--limit", "3", "-o", "x"], "--limit"),
        (["history", "replay", "/nada"], "/nada"),
        (["check", "--config"], "--config"),
        (["worker"], "--config"),
        (["dev", "--port", "0"], "--port"),
    ],
)
async def test_wrong_use_is_exit_2_and_names_its_place(cli, command, place):
    ran = await cli(*command)
    assert ran.code == 2
    assert place in ran.err
    if command and command != ["history"]:
        sentence(ran)


async def test_arguments_come_from_a_file_with_or_without_a_mark(shop, cli, tmp_path):
    file = tmp_path / "arguments.json"
    file.write_text(json.dumps(F2[1]), encoding="utf-8-sig")
    assert (await cli("start", RETURN, "--arguments", f"@{file}")).code == 0
    file.write_bytes(b"\xff\xfe\x00")
    assert "UTF-8" in sentence(await cli("start", RETURN, "--arguments", f"@{file}"))


async def test_texts_of_others_are_cleaned(shop, cli, loja):
    loja.on["checar_encomendas"] = {
        "eligible": True,
        "transaction_decision": {
            "resolved_arguments": {
                "items": [
                    {"id": "ENC-7001", "name": "a\x1b[31m\u202eb"},
                    {"id": "ENC-7002", "name": "[bold]c[/]"},
                ]
            }
        },
    }
    ran = await cli("start", RETURN, *PACKAGES)
    assert "\x1b" not in ran.out
    assert "\u202e" not in ran.out
    assert "[bold]c[/]" in ran.out


async def test_op_03_what_cannot_be_reached_is_exit_4_and_named(cli, monkeypatch):
    monkeypatch.setenv("TEMPORAL_NAMESPACE", "loja-prod")
    for command in (["list"], ["start", "t"], ["status", "t", "--json"]):
        ran = await cli(*command)
        assert (ran.code, "loja-prod" in sentence(ran)) == (4, True)
    monkeypatch.setenv("TEMPORAL_ADDRESS", "127.0.0.1:1")
    for command in (["list"], ["start", "t"], ["confirm", "t", "--yes"], ["setup"]):
        ran = await cli(*command)
        assert (ran.code, "127.0.0.1:1" in sentence(ran)) == (4, True)
    monkeypatch.setenv("TEMPORAL_PROFILE", "nobody")
    assert (await cli("list")).code == 2


async def test_histories_are_exported_and_replayed(shop, cli, tmp_path):
    tx = f"mine-{key()}"
    assert (await cli("start", RETURN, *PACKAGES, "--id", tx)).code == 0
    assert (await cli("confirm", tx, "--yes", "--wait")).code == 0
    one, folder = tmp_path / "one.json", tmp_path / "all"
    assert document(await cli("history", "export", tx, "-o", str(one), "--json")) == {
        "exported": [{"transaction_id": tx, "path": str(one)}]
    }
    exported = await cli("history", "export", "--query", f"WorkflowId = '{tx}'", "-o", str(folder))
    assert (exported.code, exported.out.strip()) == (0, str(folder / f"{tx}.json"))
    assert json.loads((folder / f"{tx}.json").read_text()) == json.loads(one.read_text())
    replayed = await cli("history", "replay", str(one), str(folder), "--json")
    assert (replayed.code, document(replayed)["ok"]) == (0, True)
    (folder / "broken.json").write_text(one.read_text().replace('"execute_items"', '"execute_others"'))
    (folder / "none.json").write_text("[]")
    broken = await cli("history", "replay", str(folder), "--json")
    assert (broken.code, [bool(entry["error"]) for entry in document(broken)["histories"]]) == (
        1,
        [True, False, True],
    )
    since = (
        "history",
        "export",
        "--query",
        f"WorkflowId = '{tx}'",
        "-o",
        str(folder),
        "--limit",
        "1",
        "--json",
    )
    assert len(document(await cli(*since, "--since", "1h"))["exported"]) == 1
    assert (await cli(*since, "--since", "2099-01-01T00:00:00Z")).code == 5
    assert (await cli("history", "export", "--query", "((", "-o", str(folder))).code == 2
    assert (await cli("history", "export", "--query", "WorkflowId = 'nada'", "-o", str(folder))).code == 5


def test_an_exported_file_never_leaves_its_folder():
    assert file_name("tx-1") == "tx-1"
    assert "/" not in file_name("../../etc/passwd")
    assert len(file_name("é" * 500)) < 255
    assert file_name("é" * 500) != file_name("é" * 501)


async def test_setup_creates_what_is_missing_and_says_so(cli):
    assert document(await cli("setup", "--json")) == {"namespace": "default", "created": []}


EXAMPLE = str(Path(__file__).parents[2] / "examples/confirmo/examples/config")


async def test_check_and_tools_read_the_files(cli, monkeypatch, tmp_path):
    offline = await cli("check", "--config", EXAMPLE, "--offline")
    assert (offline.code, "CONTAS_URL" in offline.out) == (2, True)
    monkeypatch.setenv("CONTAS_URL", "http://127.0.0.1:1/mcp")
    monkeypatch.setenv("RETAIL_URL", "http://127.0.0.1:1/mcp")
    report = await cli("check", "--config", EXAMPLE, "--offline", "--json")
    assert (report.code, document(report)["ok"]) == (0, True)
    listed = document(await cli("tools", "--config", EXAMPLE, "--json"))
    assert {"cancelar_pedido", "consultar_vas"} <= {tool["name"] for tool in listed}
    assert (await cli("tools", "--config", EXAMPLE)).out.count("\n") == len(listed)
    empty = await cli("check", "--config", str(tmp_path), "--json")
    assert (empty.code, document(empty)["ok"]) == (2, False)
    for command in (["tools"], ["worker", "--wait-seconds", "0"]):
        ran = await cli(*command, "--config", str(tmp_path))
        assert (ran.code, "tools.yaml" in ran.err, ran.out) == (2, True, "")


def test_as_a_process_it_prints_and_ends_cleanly():
    """The interpreter is not torn down, so what was printed must be out before."""
    environ = {**os.environ, "TEMPORAL_ADDRESS": "127.0.0.1:1", "PYTHONIOENCODING": "ascii"}
    for arguments, code in ((["--help"], 0), (["list", "--json"], 4)):
        ran = subprocess.run(
            [sys.executable, "-m", "confirmo.client.main", *arguments],
            capture_output=True,
            text=True,
            env=environ,
            timeout=30,
        )
        assert ran.returncode == code, ran.stderr
        assert bool(ran.stdout) == (code == 0)
        assert bool(ran.stderr) == (code != 0)


def test_the_demo_ends_as_it_must():
    ran = subprocess.run(
        [sys.executable, "-m", "confirmo.client.main", "demo", "--json"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    played = json.loads(ran.stdout)
    assert played["ok"]
    assert [scenario["result"]["transaction_status"] for scenario in played["scenarios"]] == [
        "COMPLETED",
        "OUT_OF_SCOPE",
        "COMPLETED",
        "COMPLETED",
        "COMPLETED",
    ]
