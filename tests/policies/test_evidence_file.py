"""The evidence file: what was sealed passes, anything else does not, and nothing makes the verifier raise."""

import json
import sys
from io import BytesIO
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import example, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[2]))
from confirmo.policies.evidence_file import chain as chain_rules
from confirmo.policies.evidence_file.chain import Chain
from confirmo.policies.evidence_file.seal import SEAL, key_id, make_seal
from confirmo.policies.evidence_file.verifying import verify
from confirmo.policies.keys import call_key, item_key
from fuzz import targets

KEY = targets.KEY
PUBLIC = KEY.public_key()
AT = "2026-12-01T12:00:00.000Z"
WHOLE = targets.sample()
LINES = WHOLE.splitlines(keepends=True)


def checked(data, *keys):
    return verify(BytesIO(data), keys or (PUBLIC,))


def first_problem(data, *keys):
    verdict = checked(data, *keys)
    assert not verdict.ok
    return verdict.problems[0]


def sealed(lines, key=KEY):
    """Chain and seal bodies anew, as somebody who holds the key could."""
    chain = Chain()
    made = [chain.add(line["kind"], line["time"], line["body"]) for line in lines]
    seal = make_seal(count=chain.count, head=chain.head, signed_at=AT, exporter="confirmo 1", key=key)
    return b"".join([*made, chain.add(SEAL, AT, seal)])


def parsed():
    return [json.loads(line) for line in LINES[:-1]]


def of_kind(lines, kind, number=0):
    return [line for line in lines if line["kind"] == kind][number]


def test_a_whole_file_passes_and_says_who_signed_it():
    verdict = checked(WHOLE)
    assert (verdict.ok, verdict.trusted, verdict.lines) == (True, True, len(LINES))
    assert verdict.document()["key_id"] == key_id(PUBLIC)


def test_the_key_in_the_file_alone_is_not_trusted():
    verdict = verify(BytesIO(WHOLE))
    assert (verdict.ok, verdict.trusted, verdict.document()["signed"]) == (True, False, True)


def test_a_file_signed_anew_by_somebody_else_passes_for_nobody_who_names_the_key():
    theirs = Ed25519PrivateKey.generate()
    forged = sealed(parsed(), theirs)
    assert verify(BytesIO(forged)).ok
    assert "another key" in first_problem(forged).message
    assert checked(forged, PUBLIC, theirs.public_key()).trusted


def test_an_unsigned_file_says_so_and_passes_for_nobody_who_names_a_key():
    unsigned = sealed(parsed(), None)
    verdict = verify(BytesIO(unsigned))
    assert (verdict.ok, verdict.document()["signed"]) == (True, False)
    assert "not signed" in first_problem(unsigned).message


@pytest.mark.parametrize("place", range(0, len(WHOLE), 173))
def test_a_changed_byte_is_found(place):
    for other in (WHOLE[place] ^ 1, WHOLE[place] ^ 0x80, 0x20):
        changed = WHOLE[:place] + bytes([other]) + WHOLE[place + 1 :]
        assert changed == WHOLE or not checked(changed).ok
    assert not checked(WHOLE[:place] + WHOLE[place + 1 :]).ok


def test_no_byte_of_the_seal_can_be_changed():
    begin = len(WHOLE) - len(LINES[-1])
    for place in range(begin, len(WHOLE)):
        assert not checked(WHOLE[:place] + bytes([WHOLE[place] ^ 1]) + WHOLE[place + 1 :]).ok


@pytest.mark.parametrize("left", range(len(LINES)))
def test_a_file_that_was_cut_off_is_found(left):
    assert "cut off" in first_problem(b"".join(LINES[:left])).message
    assert "cut off" in first_problem(b"".join(LINES[: left + 1])[:-1]).message


def test_lines_that_were_moved_doubled_or_added_are_found():
    swapped = [*LINES[:3], LINES[4], LINES[3], *LINES[5:]]
    assert first_problem(b"".join(swapped)).line == 4
    doubled = [*LINES[:4], LINES[3], *LINES[4:]]
    assert first_problem(b"".join(doubled)).line == 5
    assert "follows the seal" in first_problem(WHOLE + LINES[3]).message
    assert "follows the seal" in first_problem(WHOLE + b"\n").message
    assert "follows the seal" in first_problem(WHOLE + WHOLE).message


HOSTILE = {
    "twice": (b'{"seq":0,"seq":0}\n', "twice"),
    "deep": (b"[" * 100_000 + b"\n", "nested too deeply"),
    "latin-1": ('{"á":1}\n'.encode("latin-1"), "UTF-8"),
    "nul": (b"\0\n", "not JSON"),
    "list": (b"[]\n", "no line of an evidence file"),
    "digits": (b'{"seq":' + b"9" * 9999 + b"}\n", "no line of an evidence file"),
    "true": (b'{"seq":false,"prev":"","kind":"","time":"","body":{}}\n', "no line of an evidence file"),
    "empty": (b"", "cut off"),
    "no end": (b"{}", "no end"),
}


@pytest.mark.parametrize(("data", "said"), HOSTILE.values(), ids=HOSTILE)
def test_what_is_no_evidence_file_is_refused_in_one_sentence(data, said):
    assert said in first_problem(data).message


def test_spaces_that_change_no_meaning_are_found():
    assert "not written as" in first_problem(WHOLE.replace(b'"kind":', b'"kind": ', 1)).message


def test_a_line_that_is_too_long_is_refused(monkeypatch):
    monkeypatch.setattr(chain_rules, "MAX_LINE_BYTES", 100)
    assert "longer than" in first_problem(WHOLE).message


def _message(lines):
    of_kind(lines, "question")["body"]["frozen"]["message"] += " "


def _label(lines):
    of_kind(lines, "question")["body"]["frozen"]["items"][0]["label"] = "Outra"


def _argument(lines):
    of_kind(lines, "call", 1)["body"]["arguments"]["alvo"] = "Outra"


def _key(lines):
    of_kind(lines, "call", 1)["body"]["idempotency_key"] = "cfm_" + "0" * 40


def _another_item(lines):
    call = of_kind(lines, "call", 1)["body"]
    call["item_id"], call["idempotency_key"] = "Z-9", "cfm_" + "0" * 40


def _early(lines):
    call = of_kind(lines, "call", 1)
    lines.remove(call)
    lines.insert(lines.index(of_kind(lines, "decision")), call)


def _no_yes(lines):
    lines.remove(of_kind(lines, "decision"))


def _refused(lines):
    of_kind(lines, "decision")["body"]["effect"] = "refused"


def _rejected(lines):
    of_kind(lines, "decision")["body"]["decision"]["decision"] = "reject"


def _other_digest(lines):
    of_kind(lines, "decision")["body"]["decision"]["digest"] = "0" * 64


def _no_question(lines):
    lines.remove(of_kind(lines, "question"))


def _counts(lines):
    of_kind(lines, "result")["body"]["result"]["metadata"]["multi_item"]["items_succeeded_count"] += 1


def _status(lines):
    of_kind(lines, "result")["body"]["result"]["multi_item_status"] = "SUCCESS"


def _entry(lines):
    result = of_kind(lines, "result")["body"]["result"]
    for entry in result["result"]["output"][result["tool_name"]]["results"]:
        entry |= {"success": True, "ok": True, "outcome": "SUCCEEDED"}
    result["multi_item_status"], result["partial_success"] = "SUCCESS", False
    result["metadata"]["multi_item"] |= {
        "status": "SUCCESS",
        "items_succeeded_count": 3,
        "items_failed_count": 0,
    }


def _silent(lines):
    lines[:] = [line for line in lines if line["kind"] != "answer" or line["body"]["outcome"] != "SUCCEEDED"]


def _unmade(lines):
    of_kind(lines, "answer", 1)["body"]["call_id"] = "item-9"


def _no_result(lines):
    lines.remove(of_kind(lines, "result"))


def _still_open(lines):
    of_kind(lines, "end")["body"]["status"] = "open"


def _late(lines):
    lines.append(of_kind(lines, "event"))


def _request(lines):
    of_kind(lines, "request")["body"]["request"]["tenant"] = "outro"


def _policy(lines):
    of_kind(lines, "policy")["body"]["resolved"]["tool"]["version"] = "0" * 16


def _two_people(lines):
    of_kind(lines, "question")["body"]["approvals_needed"] = 2


def _fewer_people(lines):
    of_kind(lines, "policy")["body"]["resolved"]["tool"]["confirmation"]["approvals"] = 2


def _not_allowed(lines):
    of_kind(lines, "policy")["body"]["resolved"]["tool"]["confirmation"]["by"] = "role:gerente"


def _no_actor(lines):
    of_kind(lines, "decision")["body"]["decision"]["actor"] = "ana"


def _expired(lines):
    of_kind(lines, "question")["body"]["expires_at"] = of_kind(lines, "question")["time"]


def _events(lines):
    first, second = of_kind(lines, "event"), of_kind(lines, "event", 1)
    first["body"], second["body"] = second["body"], first["body"]


def _unknown_kind(lines):
    of_kind(lines, "event")["kind"] = "?"


def _typed(lines):
    of_kind(lines, "question")["body"]["number"] = "1"


def _earlier_than_the_yes(lines):
    of_kind(lines, "call", 1)["time"] = of_kind(lines, "question")["time"]


def _older_answer(lines):
    of_kind(lines, "answer", 1)["time"] = of_kind(lines, "question")["time"]


def _other_key_answered(lines):
    of_kind(lines, "answer", 1)["body"]["idempotency_key"] = "cfm_" + "0" * 40


def _again(lines):
    again = json.loads(json.dumps(of_kind(lines, "call", 1)))
    again["body"]["call_id"], again["time"] = "item-1-2", of_kind(lines, "result")["time"]
    lines.insert(lines.index(of_kind(lines, "result")), again)


def _server(lines):
    of_kind(lines, "call", 1)["body"]["server"] = "outro"


def _failed(lines):
    of_kind(lines, "result")["body"]["result"]["transaction_status"] = "FAILED"


FORGERIES = {
    _earlier_than_the_yes: "before the yes",
    _older_answer: "older than its call",
    _other_key_answered: "not that of its call",
    _again: "sent again",
    _server: "another server",
    _failed: "did not complete",
    _message: "digest is not that",
    _label: "digest is not that",
    _argument: "arguments are not those",
    _key: "idempotency key",
    _another_item: "not in the question",
    _early: "before the yes",
    _no_yes: "before the yes",
    _refused: "before the yes",
    _rejected: "said something else",
    _other_digest: "digest is not that",
    _no_question: "nobody had been asked",
    _counts: "status and counts",
    _status: "status and counts",
    _entry: "no answer says so",
    _silent: "no answer says so",
    _unmade: "not made before",
    _no_result: "result where it completed",
    _still_open: "another status",
    _late: "after the line",
    _request: "fingerprint",
    _policy: "policy that it names",
    _two_people: "1 of 2 approvals",
    _fewer_people: "more approvals",
    _not_allowed: "does not let this actor",
    _no_actor: "names no actor",
    _expired: "had expired",
    _events: "out of order",
    _unknown_kind: "kind is not known",
    _typed: "another form than its kind has, at number",
}


@pytest.mark.parametrize("forge", FORGERIES, ids=lambda forge: forge.__name__.strip("_"))
def test_contents_that_contradict_each_other_are_found_under_a_good_signature(forge):
    lines = parsed()
    forge(lines)
    verdict = checked(sealed(lines))
    assert not verdict.ok
    assert any(FORGERIES[forge] in problem.message for problem in verdict.problems), verdict.problems


def test_two_spellings_of_a_person_are_not_two_approvals():
    lines = parsed()
    policy = of_kind(lines, "policy")["body"]["resolved"]
    policy["people"], policy["tool"]["confirmation"]["approvals"] = 2, 2
    of_kind(lines, "question")["body"]["approvals_needed"] = 2
    last = of_kind(lines, "decision")
    last["body"]["decision"]["actor"] = {"id": "Ana\u200b", "roles": []}
    first = json.loads(json.dumps(last))
    first["body"]["effect"], first["body"]["decision"]["actor"] = "approved", {"id": "ana", "roles": []}
    lines.insert(lines.index(last), first)
    assert "already did" in first_problem(sealed(lines)).message
    policy["people"] = 1
    assert checked(sealed(lines)).ok
    last["body"]["decision"]["actor"]["id"] = "beto"
    policy["people"] = 2
    assert checked(sealed(lines)).ok
    first["body"]["decision"]["item_ids"] = ["A-01"]
    assert "other items" in first_problem(sealed(lines)).message


def whole(arguments):
    """Return the call for all items of the file's question, in place of those for one each."""
    lines = parsed()
    policy = of_kind(lines, "policy")["body"]["resolved"]["tool"]
    policy["execution"]["call"] = "whole"
    calls = [line for line in lines if line["kind"] == "call" and line["body"]["role"] == "primary"]
    body, ids = calls[0]["body"], [call["body"]["item_id"] for call in calls]
    body |= {"call": "whole", "item_id": None, "item_ids": ids, "arguments": arguments}
    body["item_keys"] = {id: item_key(of_kind(lines, "header")["body"]["root"], id) for id in ids}
    body["idempotency_key"] = call_key(of_kind(lines, "header")["body"]["root"])
    for line in lines:
        if line["kind"] == "answer" and line["body"]["role"] == "primary":
            line["body"]["call_id"] = body["call_id"]
    return [line for line in lines if line not in calls[1:]]


def test_a_call_for_all_items_sends_these_items_and_no_other_arguments():
    entries = [item["data"] for item in of_kind(parsed(), "question")["body"]["frozen"]["items"]]
    said = of_kind(parsed(), "question")["body"]["frozen"]["arguments"]
    assert checked(sealed(whole(said | {"items": entries}))).ok
    for forged in (said | {"items": [*entries, {"id": "Z-9"}]}, said | {"items": entries, "valor": 1}):
        assert "arguments are not those" in first_problem(sealed(whole(forged))).message


def test_a_problem_quotes_no_value():
    lines = parsed()
    of_kind(lines, "request")["body"]["request"] = {"tool_name": 1, "cpf": "529.982.247-25"}
    _argument(lines)
    said = str(checked(sealed(lines)).document()["problems"])
    assert "529" not in said
    assert "Outra" not in said


@settings(max_examples=60, deadline=None)
@given(data=st.binary(max_size=300))
@pytest.mark.parametrize("name", targets.TARGETS)
def test_what_must_hold_for_any_bytes_holds(name, data):
    targets.TARGETS[name](data)


@settings(max_examples=100, deadline=None)
@example(edits=[(0, 3, 0)])
@given(edits=st.lists(st.tuples(st.integers(0, 65_535), st.integers(0, 3), st.integers(0, 255)), max_size=6))
def test_no_edits_of_a_signed_file_pass(edits):
    data = b"".join(place.to_bytes(2, "big") + bytes([how, value]) for place, how, value in edits)
    targets.evidence_file(b"\x01" + data)
