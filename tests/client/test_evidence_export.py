"""Evidence that leaves the system: every kind of run is exported from its history, and the file holds what was so."""

import json
import stat
import uuid
from collections import Counter
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from temporalio.client import Client, WorkflowHistory

from confirmo.client import TransactionClient
from confirmo.client.connection import address_of
from confirmo.client.errors import ConfirmoError, UnreadableRecord
from confirmo.client.evidence_export.exporting import gather
from confirmo.policies.evidence_file.verifying import verify
from confirmo.policies.keys import item_key
from confirmo.policies.names import TRANSACTION_WORKFLOW
from confirmo.workflows.converter import data_converter, storing_converter
from harness.desk import catalog_of, open_desk
from harness.shop import F1, F2, POLICIES, TOOLS, merged

AT = "2026-12-01T12:00:00.000Z"
HISTORIES = Path(__file__).parents[1] / "replay" / "histories"


def recorded(name):
    history = WorkflowHistory.from_json(name, (HISTORIES / f"{name}.json").read_text(encoding="utf-8"))
    started = history.events[0].workflow_execution_started_event_attributes
    return WorkflowHistory(started.workflow_id, history.events), started


def transactions():
    names = sorted(path.stem for path in HISTORIES.glob("*.json"))
    return [name for name in names if recorded(name)[1].workflow_type.name == TRANSACTION_WORKFLOW]


async def lines_of(history):
    evidence = await gather(history, "default", data_converter, run_id="r", exported_at=AT)
    written = list(evidence.lines(None, AT))
    verdict = verify(BytesIO(b"".join(written)))
    assert verdict.problems == []
    return [json.loads(line) for line in written]


def of_kind(lines, kind, **wanted):
    bodies = [line["body"] for line in lines if line["kind"] == kind]
    return [body for body in bodies if wanted.items() <= body.items()]


async def read_evidence(client, tx):
    evidence = await TransactionClient(client).evidence(tx)
    written = list(evidence.lines(None, AT))
    assert verify(BytesIO(b"".join(written))).problems == []
    return [json.loads(line) for line in written]


@pytest.mark.parametrize("name", transactions())
async def test_every_recorded_transaction_becomes_a_file_that_agrees_with_itself(name):
    lines = await lines_of(recorded(name)[0])
    assert [lines[0]["kind"], lines[1]["kind"], lines[-2]["kind"], lines[-1]["kind"]] == [
        "header",
        "request",
        "end",
        "seal",
    ]


async def test_items_of_slices_have_a_line_each_with_call_answer_and_key():
    lines = await lines_of(recorded("claimed_slices")[0])
    root = lines[0]["body"]["root"]
    calls, answers = of_kind(lines, "call", role="primary"), of_kind(lines, "answer", role="primary")
    (result,) = of_kind(lines, "result")
    entries = result["result"]["result"]["output"][result["result"]["tool_name"]]["results"]
    assert {call["item_id"] for call in calls} == {entry["item_id"] for entry in entries}
    told = {answer["item_id"]: answer for answer in answers if answer["item_id"]}
    for entry in entries:
        assert told[entry["item_id"]]["idempotency_key"] == item_key(root, entry["item_id"])
        assert told[entry["item_id"]]["outcome"] == entry["outcome"]


async def test_a_refused_decision_stands_beside_the_one_that_counted():
    decisions = of_kind(await lines_of(recorded("signal_instead_of_update")[0]), "decision")
    assert [(one["effect"], one["refusal_type"], one["door"]) for one in decisions] == [
        ("refused", "DigestMismatch", "signal"),
        ("confirmed", None, "signal"),
    ]


async def test_amendments_questions_undoing_and_auxiliary_steps_are_told():
    amended = await lines_of(recorded("amended")[0])
    assert [message["name"] for message in of_kind(amended, "message")] == ["amend"]
    assert len({question["digest"] for question in of_kind(amended, "question")}) == 2
    undone = await lines_of(recorded("undo_asked")[0])
    assert [question["purpose"] for question in of_kind(undone, "question")] == ["execute", "undo"]
    assert len(of_kind(undone, "answer", role="undo", outcome="SUCCEEDED")) == 2
    (step,) = of_kind(await lines_of(recorded("auxiliary_failed")[0]), "answer", role="auxiliary")
    assert step["outcome"] == "FAILED"


async def test_a_redrive_names_its_chain():
    header = (await lines_of(recorded("redriven")[0]))[0]["body"]
    assert header["redrive_of"] == header["root"] != header["transaction_id"]


async def test_a_history_of_other_code_is_refused_in_a_sentence():
    text = (HISTORIES / "confirmed.json").read_text(encoding="utf-8")
    history = WorkflowHistory.from_json("x", text.replace('"item-1"', '"item-9"'))
    with pytest.raises(UnreadableRecord, match="other code"):
        await gather(
            replace(history, workflow_id=recorded("confirmed")[0].workflow_id),
            "default",
            data_converter,
            run_id="r",
            exported_at=AT,
        )


async def test_a_payload_that_cannot_be_decoded_leaves_no_hole():
    history, _ = recorded("confirmed")
    for event in history.events:
        if event.HasField("activity_task_completed_event_attributes"):
            event.activity_task_completed_event_attributes.result.payloads[0].metadata["encoding"] = b"other"
    with pytest.raises(UnreadableRecord, match="cannot be decoded"):
        await gather(history, "default", data_converter, run_id="r", exported_at=AT)


async def test_an_open_run_and_one_that_an_operator_ended_are_exported(door, client):
    shop = await door()
    state = await shop.start(*F1)
    lines = await read_evidence(client, state.transaction_id)
    assert (lines[0]["body"]["status"], of_kind(lines, "result")) == ("open", [])
    assert of_kind(lines, "question")[0]["digest"] == state.confirmation.digest
    await client.get_workflow_handle(state.transaction_id).terminate(reason="por engano")
    lines = await read_evidence(client, state.transaction_id)
    assert of_kind(lines, "end") == [{"status": "terminated", "reason": "por engano", "failure_type": None}]


async def test_two_yeses_to_a_part_of_the_set_and_a_late_third_are_told(door, client):
    policy = {"encerrar_assinaturas": {"confirmation": {"approvals": 2, "items": "any"}}}
    shop = await door(policies=policy)
    state = await shop.start(*F1)
    part = (state.items[0].item_id,)
    for actor in ("ana", "bruno", "bruno"):
        await shop.confirm(state, actor={"id": actor}, item_ids=part)
    await shop.client.result(state.transaction_id)
    lines = await read_evidence(client, state.transaction_id)
    effects = [one["effect"] for one in of_kind(lines, "decision")]
    assert effects[:2] == ["approved", "confirmed"]
    assert {call["item_id"] for call in of_kind(lines, "call", role="primary")} == set(part)


async def test_a_run_whose_request_was_none_is_exported_as_failed(door, client):
    shop = await door()
    tx = await shop.desk.begin_raw({"arguments": 3})
    with pytest.raises(Exception, match="failed"):
        await tx.result()
    lines = await read_evidence(client, tx.id)
    assert of_kind(lines, "request")[0]["request"] == {"arguments": 3}
    assert of_kind(lines, "end")[0]["failure_type"] == "InvalidRequest"


async def test_what_lies_in_a_payload_store_stands_in_the_file(client, loja, tmp_path):
    store = f"dir:{tmp_path / 'payloads'}"
    policies = merged(POLICIES, {F2[0]: {"execution": {"call": "per_item", "effect": "keyed"}}})
    catalog = catalog_of(TOOLS, policies, {"loja": {"endpoint": loja.endpoint}})
    own = await Client.connect(address_of(client), data_converter=storing_converter(store))
    items = [{"id": f"ENC-{number:03}", "nota": "ã" * 400} for number in range(300)]
    async with open_desk(own, catalog) as desk:
        tx = await desk.start(F2[0], {"encomenda_ids": items})
        await tx.confirm()
        await tx.result()
    stored = list((tmp_path / "payloads").rglob("*"))
    assert any(path.is_file() for path in stored)
    lines = await read_evidence(own, tx.id)
    told = {answer["item_id"]: answer["outcome"] for answer in of_kind(lines, "answer", role="primary")}
    assert Counter(told.values()) == {"SUCCEEDED": 300}
    assert len(list((tmp_path / "payloads").rglob("*"))) == len(stored)
    (tmp_path / "payloads").rename(tmp_path / "away")
    with pytest.raises(ConfirmoError, match="payload"):
        await TransactionClient(own).evidence(tx.id)


def sentence(ran):
    assert (ran.out, ran.err.count("\n")) == ("", 1)
    return ran.err


async def test_from_a_key_to_a_verified_file_at_the_command_line(shop, cli, tmp_path, monkeypatch):
    key, file, tx = tmp_path / "key.pem", tmp_path / "out" / "e.jsonl", f"tx-{uuid.uuid4().hex}"
    made = json.loads((await cli("evidence", "keys", "-o", str(key), "--json")).out)
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert (tmp_path / "key.pem.pub").read_text() == made["public_key"]
    assert "there already" in sentence(await cli("evidence", "keys", "-o", str(key)))
    ran = await cli("start", F2[0], "--arguments", json.dumps(F2[1]), "--id", tx, "--requester", "ana")
    assert ran.code == 0
    assert (await cli("confirm", tx, "--yes", "--actor", "bruno", "--wait")).code == 0
    unkeyed = await cli("evidence", "export", tx, "-o", str(file))
    assert (unkeyed.code, "--unsigned" in sentence(unkeyed)) == (2, True)
    monkeypatch.setenv("CONFIRMO_EVIDENCE_KEY_FILE", str(key))
    exported = json.loads((await cli("evidence", "export", tx, "-o", str(file), "--json")).out)
    assert (exported["key_id"], exported["status"]) == (made["key_id"], "completed")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    trusting = ["evidence", "verify", str(file), "--public-key", f"{key}.pub"]
    verified = json.loads((await cli(*trusting, "--json")).out)
    assert (verified["ok"], verified["trusted"]) == (True, True)
    page = await cli(*trusting)
    assert (page.code, page.err) == (0, "")
    assert all(word in page.out for word in ("by ana", "confirm by bruno", "good, by the key you named"))
    assert "NOT TRUSTED" in (await cli("evidence", "verify", str(file))).out
    file.write_bytes(file.read_bytes().replace(b"bruno", b"carla", 1))
    broken = await cli(*trusting)
    assert (broken.code, "BROKEN at line" in broken.err, "Traceback" in broken.err) == (1, True, False)
    unsigned = await cli("evidence", "export", tx, "-o", str(file), "--unsigned")
    assert "NOT SIGNED" in unsigned.out
    assert "NONE" in (await cli("evidence", "verify", str(file))).out
    assert (await cli("evidence", "export", "nada", "-o", str(file), "--unsigned")).code == 5


WRONG = {
    "no file": (["verify", "/nada"], "cannot be read"),
    "a folder": (["verify", "{folder}"], "cannot be read"),
    "no key": (["verify", "{file}", "--public-key", "/nada"], "cannot be read"),
    "no public key": (["verify", "{file}", "--trust", "{file}"], "no list of Ed25519 public keys"),
    "two options": (["verify", "{file}", "--trust", "a", "--public-key", "b"], "not both"),
    "two keys": (["verify", "{file}", "--public-key", "{two}"], "several keys"),
    "no private key": (["export", "t", "--key", "{two}"], "no unencrypted Ed25519 private key"),
    "key and none": (["export", "t", "--key", "{two}", "--unsigned"], "not both"),
    "nowhere": (["keys", "-o", "/nada/nada/key"], "cannot be written"),
}


@pytest.mark.parametrize(("arguments", "said"), WRONG.values(), ids=WRONG)
async def test_wrong_use_is_one_sentence_and_exit_2(arguments, said, cli, tmp_path):
    public = (Path(__file__).parents[2] / "fuzz" / "seeds" / "evidence.pub").read_text()
    (tmp_path / "file").write_text("{}")
    (tmp_path / "two").write_text(public * 2)
    places = {"file": tmp_path / "file", "two": tmp_path / "two", "folder": tmp_path}
    ran = await cli("evidence", *(argument.format(**places) for argument in arguments))
    assert (ran.code, said in sentence(ran)) == (2, True), ran
