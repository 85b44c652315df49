"""What must hold for any bytes. Each target takes bytes and returns, or raises what is a bug.

The same functions are run by hypothesis in the suite and by atheris in ``make fuzz``.
"""

import json
from collections.abc import Callable
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from confirmo.policies import json_text
from confirmo.policies.catalog import load_texts
from confirmo.policies.evidence import report_items, report_single, report_status
from confirmo.policies.evidence_file.bodies import BODIES
from confirmo.policies.evidence_file.chain import Chain
from confirmo.policies.evidence_file.seal import SEAL, make_seal
from confirmo.policies.evidence_file.verifying import verify
from confirmo.policies.models import FrozenItem, Outcome, ToolAnswer
from confirmo.policies.outcomes import CallReport
from confirmo.policies.replies import NamedItem, OpenQuestion, read_reply
from confirmo.policies.tool_spec import ToolSpec

FILES = ("tools.yaml", "tool_policies.yaml", "mcp_servers.yaml", "texts.pt-BR.yaml")
CUT = b"\n%%\n"
"""Between the files of one input."""
SAMPLE = Path(__file__).parent / "seeds" / "evidence.jsonl"
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
"""Signs the sample; no secret."""
TOOL = ToolSpec(name="cancelar")
ITEMS = tuple(
    FrozenItem(item_id=name, label=label, data={"id": name, "name": label}, aliases=(name, label))
    for name, label in (("A-1", "Rádio Maré"), ("A-2", "Clube Leitura"), ("A-3", "Cofre"))
)


def catalog(data: bytes) -> None:
    """The YAML loader answers every input with problems or a catalogue, never both."""
    parts = data.split(CUT)
    loaded = load_texts(dict(zip(FILES, parts, strict=False)), {"TOKEN": "s3cr3t-value"})
    assert (loaded.catalog is None) == bool(loaded.errors)
    for problem in (*loaded.errors, *loaded.warnings):
        assert problem.file
        assert problem.message.strip()
        assert "s3cr3t-value" not in problem.message


def json_texts(data: bytes) -> None:
    """What is read from a text can be written, and reads back the same."""
    text = data.decode("utf-8", "replace")
    for read in (json_text.parse, json_text.parse_strict):
        try:
            value = read(text)
        except json_text.JsonError:
            continue
        clean = json_text.clean(value)
        again = json_text.parse(json_text.dump(clean))
        assert json_text.same(again, clean)


def answers(data: bytes) -> None:
    """Every item has one outcome, nothing is a success without a true flag, and the report can be stored."""
    answer = _answer(data)
    flagged = b"true" in data or b"\\u" in data
    for items in (ITEMS, ITEMS[:1]):
        report = report_items(answer, items, TOOL)
        assert [outcome.item_id for outcome in report.items] == [item.item_id for item in items]
        assert flagged or all(outcome.outcome is not Outcome.SUCCEEDED for outcome in report.items)
        assert CallReport.model_validate_json(report.model_dump_json()).items == report.items
    single = report_single(answer, TOOL)
    assert flagged or single.outcome is not Outcome.SUCCEEDED
    verdict = report_status(answer, ITEMS[0], TOOL)
    assert verdict.kind in ("found", "not_found", "unknown")


def _answer(data: bytes) -> ToolAnswer:
    """The first byte says where the answer stands: structured, as text, in both, and whether it is an error."""
    how, text = (data[0] if data else 0), data[1:].decode("utf-8", "replace")
    try:
        structured = json_text.parse(text)
    except json_text.JsonError:
        structured = None
    both = bool(how & 1) and isinstance(structured, dict)
    texts = tuple(text.split("\x1e")) if how & 2 or not both else ()
    return ToolAnswer(
        structured=structured if both else None, has_structured=both, texts=texts, is_error=bool(how & 4)
    )


@cache
def sample() -> bytes:
    """A whole and signed file."""
    return SAMPLE.read_bytes()


def evidence_file(data: bytes) -> None:
    """The verifier never raises; of a signed file no change passes; no contents break the rules that judge them."""
    mode, rest = (data[0] % 3 if data else 0), data[1:]
    if mode == 0:
        assert not verify(BytesIO(rest)).ok or rest == sample()
    elif mode == 1:
        changed = _changed(sample(), rest)
        assert verify(BytesIO(changed), [KEY.public_key()]).ok == (changed == sample())
    else:
        verdict = verify(_chained(rest), [KEY.public_key()])
        json.dumps(verdict.document())


def _changed(data: bytes, edits: bytes) -> bytes:
    """Each four bytes are an edit: where, and what to put, take or move there."""
    changed = bytearray(data)
    for at in range(0, len(edits) - 3, 4):
        place = int.from_bytes(edits[at : at + 2], "big") % (len(changed) + 1)
        how, value = edits[at + 2] % 4, edits[at + 3]
        if how == 0:
            changed[place : place + 1] = bytes([value])
        elif how == 1:
            changed[place:place] = bytes([value])
        elif how == 2:
            del changed[place : place + value + 1]
        else:
            lines = bytes(changed).splitlines(keepends=True)
            line = lines.pop(place % len(lines)) if lines else b""
            lines.insert(value % (len(lines) + 1), line)
            changed = bytearray(b"".join(lines))
    return bytes(changed)


def _chained(data: bytes) -> list[bytes]:
    """Any bodies, properly chained and signed: only the contents can be wrong."""
    kinds, bodies = [*BODIES, "?"], _bodies()
    chain, lines = Chain(), list[bytes]()
    for part in data.split(b"\n")[:40]:
        kind = kinds[part[0] % len(kinds)] if part else "header"
        lines.append(chain.add(kind, "2026-12-01T00:00:00.000Z", _body(part[1:], bodies.get(kind, {}))))
    signed = "2026-12-01T00:00:00.000Z"
    seal = make_seal(count=chain.count, head=chain.head, signed_at=signed, exporter="fuzz 1", key=KEY)
    return [*lines, chain.add(SEAL, signed, seal)]


def _body(data: bytes, whole: dict[str, Any]) -> dict[str, Any]:
    """Lay what the bytes say over a body that is right."""
    try:
        value = json_text.parse(data.decode("utf-8", "replace"))
    except json_text.JsonError:
        return whole
    return whole | value if isinstance(value, dict) else whole


@cache
def _bodies() -> dict[str, dict[str, Any]]:
    lines = [json.loads(line) for line in sample().splitlines()]
    return {line["kind"]: line["body"] for line in lines}


QUESTION = OpenQuestion(
    tool_name="cancelar", items=tuple(NamedItem(item_id=item.item_id, label=item.label) for item in ITEMS)
)


def replies(data: bytes) -> None:
    """Every reply is read as something, and the same one as the same."""
    text = data.decode("utf-8", "replace")
    assert read_reply(text, QUESTION) == read_reply(text, QUESTION)


TARGETS: dict[str, Callable[[bytes], None]] = {
    "catalog": catalog,
    "json_texts": json_texts,
    "answers": answers,
    "evidence_file": evidence_file,
    "replies": replies,
}
