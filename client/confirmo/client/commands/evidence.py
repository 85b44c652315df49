"""``confirmo evidence export``, ``verify`` and ``keys``."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from confirmo.client.commands.common import Json, Transaction, connected
from confirmo.client.commands.history import file_name
from confirmo.client.console import Output, note
from confirmo.client.exits import Exit
from confirmo.client.inputs import WrongUse
from confirmo.client.settings import ClientSettings
from confirmo.client.transactions import TransactionClient
from confirmo.policies.events import timestamp

app = typer.Typer(help="Evidence files: export, verify, and the keys that sign them.", no_args_is_help=True)


@app.command()
def export(
    transaction: Transaction,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Default: <id>.evidence.jsonl here."),
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option("--key", metavar="FILE", help="Private key; default CONFIRMO_EVIDENCE_KEY_FILE."),
    ] = None,
    unsigned: Annotated[bool, typer.Option("--unsigned", help="Write it without a signature.")] = False,
    json: Json = False,
) -> int:
    """Write all that is on record of a transaction into one chained and signed file, personal data included."""
    from confirmo.client.evidence_export.files import read_private, write_lines
    from confirmo.policies.evidence_file.seal import key_id

    key_file = key or ClientSettings().evidence_key_file
    if unsigned and key is not None:
        raise WrongUse("Give --key or --unsigned, not both.")
    if key_file is None and not unsigned:
        raise WrongUse(
            "No key to sign with: name one with --key or CONFIRMO_EVIDENCE_KEY_FILE (confirmo evidence keys makes "
            "one), or say --unsigned."
        )
    private = None if unsigned or key_file is None else read_private(key_file)
    path = output or Path(f"{file_name(transaction)}.evidence.jsonl")

    async def work(client: TransactionClient) -> Exit:
        evidence = await client.evidence(transaction)
        count = write_lines(path, evidence.lines(private, timestamp(datetime.now(UTC))))
        document = {
            "transaction_id": transaction,
            "path": str(path),
            "status": evidence.status,
            "lines": count,
            "signed": private is not None,
            "key_id": key_id(private.public_key()) if private else None,
        }
        Output(json).document(document)
        sealed = f"signed by {document['key_id']}" if private else "NOT SIGNED"
        Output(json).lines([f"{path}: {count} lines, {evidence.status}, {sealed}"])
        return Exit.DONE

    return connected(work)


@app.command()
def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", show_default=False)],
    public_key: Annotated[
        Path | None,
        typer.Option("--public-key", metavar="FILE", help="The one key that must have signed it."),
    ] = None,
    trust: Annotated[
        Path | None, typer.Option("--trust", metavar="FILE", help="Public keys one of which must have.")
    ] = None,
    json: Json = False,
) -> int:
    """Check a file, without Temporal: exit 0 where it is whole and agrees with itself, 1 where it does not."""
    from confirmo.client.evidence_export.files import read_lines, read_public
    from confirmo.client.evidence_export.summary import summary_lines
    from confirmo.policies.evidence_file import verifying

    if public_key is not None and trust is not None:
        raise WrongUse("Give --public-key or --trust, not both.")
    named = public_key or trust
    keys = read_public(named) if named is not None else ()
    if public_key is not None and len(keys) != 1:
        raise WrongUse(f"{str(public_key)!r} holds several keys: name that list with --trust.")
    verdict = verifying.verify(read_lines(file), keys)
    output = Output(json)
    output.document(verdict.document())
    for problem in verdict.problems:
        kind = f" ({problem.kind})" if problem.kind else ""
        note(f"BROKEN at line {problem.line}{kind}: {problem.message}.")
    output.lines(summary_lines(verdict))
    if not verdict.ok:
        return Exit.NOT_SUCCEEDED
    output.lines(["OK: the file is whole, and its contents agree with each other."])
    return Exit.DONE


@app.command()
def keys(
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Private key; the public one beside it, .pub.",
            show_default=False,
        ),
    ],
    json: Json = False,
) -> int:
    """Make a key pair for signing evidence files."""
    from confirmo.client.evidence_export.files import create_pair, public_text
    from confirmo.policies.evidence_file.seal import key_id

    public = create_pair(output)
    text, id = public_text(public), key_id(public)
    Output(json).document({"private_key_file": str(output), "public_key": text, "key_id": id})
    Output(json).lines(
        [text.rstrip(), f"key_id {id}", f"The private key is in {output}: keep it to yourself."]
    )
    return Exit.DONE
