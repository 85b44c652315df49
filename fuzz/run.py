"""Fuzz each target for a while and print a table: ``python -m fuzz.run [TARGET …] [--seconds N]``.

Needs atheris in this environment: ``make fuzz`` makes one. Exits 1 where an input broke something; the input is kept.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from fuzz.targets import CUT, SAMPLE, TARGETS

ROOT = Path(__file__).parents[1]
MARGIN = 120
CATALOG = (
    b"tools:\n  pedir: &a {mcp_server: loja, requires: [id], args_schema: {id: {type: list, items: {type: str}}}}\n"
    b"  ver: {mcp_server: loja, tool_type: read_only}\n  x-y: {<<: *a, enabled: false, description: 0123}\n",
    b"version: 1\ntool_policies:\n  pedir: {type: transactional, pre_validation: {enabled: true, tool: ver},\n"
    b"    confirmation: {by: 'role:chefe', approvals: 2, expires_seconds: 1.5e2},\n"
    b"    execution: {call: per_item, effect: keyed},\n"
    b"    after: [{tool: ver, when: always, arguments: {a: '{{ results }}'}}]}\n",
    b"servers:\n  loja: {endpoint: 'https://h/${TOKEN}', headers: {a: '${TOKEN}'}, timeout_seconds: 3}\n",
)
ANSWERS = (
    b'\x01{"results":[{"id":"A-1","success":true},{"id":"A-2","success":false,"reason":"x"}]}',
    b'\x02{"result":"{\\"ok\\":true}"}',
    b'\x04{"error":{"message":"no"}}',
    b'\x03{"found":true,"success":true,"name":"Cofre"}',
)
REPLIES = ("sim, pode cancelar", "só o primeiro", "não, tira o Cofre", "yes, but keep the second one")


def seeds(name: str) -> Iterator[bytes]:
    """What the first inputs are made from."""
    if name == "catalog":
        yield CUT.join(CATALOG)
    elif name == "evidence_file":
        yield b"\x00" + SAMPLE.read_bytes()
        yield b"\x01\x00\x10\x00\x41"
        yield b"\x02" + b"\n".join(bytes([kind]) + b"{}" for kind in range(12))
    elif name == "replies":
        yield from (text.encode() for text in REPLIES)
    else:
        yield from (text[name == "json_texts" :] for text in ANSWERS)


def fuzz(name: str, seconds: int, kept: Path) -> tuple[int, int, int]:
    """Return inputs tried, inputs that reached something new, and crashes."""
    with tempfile.TemporaryDirectory() as folder:
        for number, seed in enumerate(seeds(name)):
            (Path(folder) / f"seed-{number}").write_bytes(seed)
        command = [sys.executable, "-m", "fuzz.one", name, folder, f"-max_total_time={seconds}"]
        options = [
            "-print_final_stats=1",
            "-timeout=20",
            "-max_len=24000",
            f"-artifact_prefix={kept}/{name}-",
        ]
        done = subprocess.run(
            [*command, *options], cwd=ROOT, capture_output=True, text=True, timeout=seconds + MARGIN
        )
    counts = dict(re.findall(r"stat::(\w+):\s+(\d+)", done.stderr))
    if done.returncode != 0:
        print(done.stderr[-6000:], file=sys.stderr)
    tried = int(counts.get("number_of_executed_units", 0))
    return tried, int(counts.get("new_units_added", 0)), int(done.returncode != 0)


def main() -> int:
    parser = argparse.ArgumentParser(description="Fuzz the readers of what comes from outside.")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument(
        "--keep", type=Path, default=ROOT / "fuzz" / ".found", help="where crashing inputs go"
    )
    chosen = parser.parse_args()
    chosen.keep.mkdir(parents=True, exist_ok=True)
    broken = 0
    print("| target | seconds | inputs tried | reached something new | crashes |\n|---|---|---|---|---|")
    for name in chosen.targets or TARGETS:
        tried, new, crashes = fuzz(name, chosen.seconds, chosen.keep)
        broken += crashes
        print(f"| {name} | {chosen.seconds} | {tried:,} | {new:,} | {crashes} |", flush=True)
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
