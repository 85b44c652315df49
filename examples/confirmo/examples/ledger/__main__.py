"""``python -m confirmo.examples.ledger --db FILE``: print what was done; arm and disarm knobs."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from confirmo.examples.ledger.store import Ledger


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the rows, one a line (with ``--json`` one document). Exit code: 0, or 2 for wrong use."""
    options = _parser().parse_args(arguments)
    if not Path(options.db).is_file():
        sys.stderr.write(f"There is no ledger at {options.db}; start a server with --db first.\n")
        return 2
    with Ledger(options.db) as ledger:
        if options.reset_knobs:
            ledger.knobs.reset()
        if options.knobs:
            try:
                ledger.knobs.turn_from(options.knobs)
            except ValueError as error:
                sys.stderr.write(f"--knobs: {error}\n")
                return 2
        document: dict[str, list[Any]] = {
            "calls": [asdict(row) for row in ledger.calls(tool=options.tool, item=options.item)],
            "effects": [asdict(row) for row in ledger.effects(tool=options.tool, item=options.item)],
            "repeated_effects": ledger.repeated_effects(),
            "knobs": [asdict(knob) for knob in ledger.knobs.all()],
        }
    if options.json:
        sys.stdout.write(json.dumps(document, ensure_ascii=False) + "\n")
    else:
        for name, rows in document.items():
            sys.stdout.write(f"{name}: {len(rows)}\n")
            sys.stdout.writelines(f"  {json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m confirmo.examples.ledger", description="What the example servers were asked and did."
    )
    parser.add_argument(
        "--db", required=True, metavar="FILE", help="the file that a server was given as --db"
    )
    parser.add_argument("--tool", help="only this tool")
    parser.add_argument("--item", help="only this item")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.add_argument("--knobs", metavar="JSON", help="arm misbehaviours, as in EXAMPLES_KNOBS")
    parser.add_argument("--reset-knobs", action="store_true", help="disarm all of them first")
    return parser


if __name__ == "__main__":
    sys.exit(main())
