"""The page about evidence files: its verifier does what it says, and its tables are those of the code."""

import re
import subprocess
import sys

from confirmo.policies.evidence_file.bodies import BODIES, Decision, Frozen
from confirmo.policies.evidence_file.verifying import Verdict
from harness.pages import ROOT, blocks

PAGE = "docs/evidence-export.md"
SEEDS = ROOT / "fuzz" / "seeds"


def test_the_verifier_of_the_page_passes_the_sample_and_finds_changes(tmp_path):
    program, file = tmp_path / "check.py", tmp_path / "file.jsonl"
    (body,) = blocks(PAGE, "python")
    program.write_text(body)
    whole = (SEEDS / "evidence.jsonl").read_bytes()

    def run(data):
        file.write_bytes(data)
        command = [sys.executable, "-W", "ignore", str(program), str(file), str(SEEDS / "evidence.pub")]
        return subprocess.run(command, capture_output=True, text=True, timeout=30)

    passed = run(whole)
    assert (passed.returncode, passed.stdout.split()[0]) == (0, str(whole.count(b"\n")))
    lines = whole.splitlines(keepends=True)
    broken = [
        whole[:-1],
        whole.replace(b"Clube", b"Klube", 1),
        b"".join(lines[:-1]),
        b"".join([*lines, lines[1]]),
    ]
    assert [run(data).returncode for data in broken] == [1] * len(broken)


def test_the_page_names_every_kind_and_field_of_the_format(tables):
    rows = {row[0].strip("`"): set(re.findall(r"`(\w+)`", row[1])) for row in tables(PAGE, "Kinds")}
    for kind, model in BODIES.items():
        if kind != "event":
            assert set(model.model_fields) <= rows[kind], kind
    assert set(Frozen.model_fields) <= rows["question"]
    assert set(Decision.model_fields["effect"].annotation.__args__) <= rows["decision"]
    assert rows.keys() == BODIES.keys()


def test_the_page_names_every_key_of_the_json_answer():
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    assert [key for key in Verdict().document() if f'"{key}"' not in text] == []
