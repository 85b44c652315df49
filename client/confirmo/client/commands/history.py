"""``confirmo history export`` and ``confirmo history replay``."""

import hashlib
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer

from confirmo.client.commands.common import Json, connected, quiet_core, with_worker_errors
from confirmo.client.console import Output, note
from confirmo.client.errors import TransactionNotFound
from confirmo.client.exits import Exit
from confirmo.client.inputs import WrongUse
from confirmo.client.settings import ClientSettings
from confirmo.client.transactions import TransactionClient
from confirmo.policies.texts import one_line

app = typer.Typer(
    help="Recorded histories: export them, and replay them against today's code.", no_args_is_help=True
)

_LONGEST_NAME = 200


@app.command()
def export(
    output: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="PATH", help="A .json file, or a folder.", show_default=False),
    ],
    transaction: Annotated[str | None, typer.Argument(metavar="[TX]", show_default=False)] = None,
    query: Annotated[
        str | None, typer.Option("--query", metavar="QUERY", help="A Temporal list filter, instead of TX.")
    ] = None,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="TIME", help="Those begun since: 24h, 7d, or 2026-01-31T12:00:00Z."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, metavar="N", help="The newest N of those found.")
    ] = None,
    json: Json = False,
) -> int:
    """Write histories as Temporal's own JSON."""
    many = query is not None or since is not None
    if (transaction is None) != many:
        raise WrongUse("Name one transaction, or give --since or --query with a Temporal list filter.")
    if many and output.suffix == ".json":
        raise WrongUse("With --query or --since, -o names a folder: leave out .json.")
    if limit is not None and not many:
        raise WrongUse("--limit goes with --query or --since.")
    wanted = _filter(query, since)

    async def work(client: TransactionClient) -> Exit:
        ids = (transaction,) if transaction is not None else await client.find(wanted, limit)
        if not ids:
            raise TransactionNotFound(
                "The query finds no transaction: try it with confirmo list, or in the Temporal UI."
            )
        written = [
            {"transaction_id": id, "path": str(_write(output, id, await client.export_history(id)))}
            for id in ids
        ]
        Output(json).document({"exported": written})
        Output(json).lines(entry["path"] for entry in written)
        return Exit.DONE

    return connected(work)


@app.command()
def replay(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH …", help="Files, or folders.", show_default=False)
    ],
    json: Json = False,
) -> int:
    """Replay histories against today's code; exits 1 where one breaks."""
    missing = [str(path) for path in paths if not path.exists()]
    if missing:
        raise WrongUse(f"There is no file or folder {missing[0]!r}.")
    quiet_core()
    settings = ClientSettings()
    from confirmo.worker.replay import replay_histories

    return with_worker_errors(
        replay_histories(paths, settings.payload_store, settings.encryption_keys_file),
        lambda replayed: _tell(replayed, Output(json)),
    )


def _filter(query: str | None, since: str | None) -> str:
    """Return one list filter of both; those that were started later come first, as Temporal lists them."""
    parts = [f"({query})"] if query else []
    if since is not None:
        parts.append(f'StartTime >= "{moment_of(since, datetime.now(UTC)).isoformat()}"')
    return " AND ".join(parts)


def moment_of(text: str, now: datetime) -> datetime:
    """Return the moment that was typed: so long before ``now``, or a time with its zone. Raises ``WrongUse``."""
    ago = re.fullmatch(r"(\d{1,6})([mhd])", text)
    if ago is not None:
        unit = {"m": "minutes", "h": "hours", "d": "days"}[ago[2]]
        return now - timedelta(**{unit: int(ago[1])})
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise WrongUse(
            f"--since {text!r} is no time: write 90m, 24h or 7d, or a time such as 2026-01-31T12:00:00Z."
        )
    return moment


def _tell(replayed: list[tuple[Path, str | None]], output: Output) -> Exit:
    if not replayed:
        raise WrongUse("There is no history in those folders: a history is a .json file.")
    entries: list[dict[str, Any]] = [{"path": str(path), "error": error} for path, error in replayed]
    broken = [entry for entry in entries if entry["error"]]
    output.document({"ok": not broken, "histories": entries})
    for entry in entries:
        output.lines([f"{entry['path']}: {one_line(entry['error']) if entry['error'] else 'ok'}"])
    if not broken:
        return Exit.DONE
    note(
        f"{len(broken)} of {len(entries)} histories break: today's code would not carry on where they stand."
    )
    return Exit.NOT_SUCCEEDED


def _write(output: Path, id: str, text: str) -> Path:
    path = output if output.suffix == ".json" else output / f"{file_name(id)}.json"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise WrongUse(
            f"{str(path)!r} cannot be written: {error.strerror or type(error).__name__}."
        ) from None
    return path


def file_name(id: str) -> str:
    """Return a workflow id as a file's name: itself where it is plain, and never a way into another folder."""
    name = quote(id, safe=" @+=,:()[]")
    if len(name) <= _LONGEST_NAME:
        return name
    return f"{name[:_LONGEST_NAME]}-{hashlib.sha256(id.encode()).hexdigest()[:8]}"
