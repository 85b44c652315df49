"""``confirmo keys`` and ``confirmo codec-server``."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from confirmo.client.commands.common import Json, with_worker_errors
from confirmo.client.console import Output, note
from confirmo.client.exits import Exit
from confirmo.client.inputs import WrongUse
from confirmo.policies.encryption_keys import EncryptionKeyError

keys = typer.Typer(help="Files of encryption keys for CONFIRMO_ENCRYPTION_KEYS_FILE.", no_args_is_help=True)

KeysFile = Annotated[Path, typer.Argument(metavar="FILE", show_default=False)]


@keys.command()
def new(file: KeysFile, json: Json = False) -> int:
    """Write a new file with one key, readable by its owner alone."""
    from confirmo.worker.keys import new_keys_file

    return _written(file, new_keys_file, Output(json))


@keys.command()
def add(file: KeysFile, json: Json = False) -> int:
    """Add a new key to a file: it decrypts at once, and encrypts once its line is the first."""
    from confirmo.worker.keys import add_key

    return _written(file, add_key, Output(json))


def _written(file: Path, write: Callable[[Path], str], output: Output) -> Exit:
    try:
        id = write(file)
    except EncryptionKeyError as error:
        raise WrongUse(f"{str(file)!r} is not changed. {error}") from None
    output.document({"path": str(file), "key_id": id})
    output.lines([f"{file}: the key {id}"])
    return Exit.DONE


def codec_server(
    port: Annotated[int, typer.Option("--port", min=0, max=65535)] = 8234,
    host: Annotated[
        str, typer.Option("--host", help="Another than this machine needs a token.")
    ] = "127.0.0.1",
    origin: Annotated[
        list[str] | None,
        typer.Option("--origin", metavar="URL", help="Of the Temporal UI; may be repeated."),
    ] = None,
    json: Json = False,
) -> int:
    """Decrypt payloads for the Temporal UI, until Ctrl-C or SIGTERM."""
    return with_worker_errors(_serve(host, port, origin or ["http://localhost:8233"], Output(json)), int)


async def _serve(host: str, port: int, origins: list[str], output: Output) -> Exit:
    from confirmo.worker.app import stop_event
    from confirmo.worker.codec_server import read_token, serving_codec
    from confirmo.worker.connection import converter_of
    from confirmo.worker.sink import load_settings
    from confirmo.worker.telemetry import observing

    settings = load_settings()
    converter = converter_of(settings.payload_store, settings.encryption_keys_file, read_only=True)
    token = read_token(settings.codec_token_file)
    stop = stop_event()
    pages = [origin.rstrip("/") for origin in origins]
    with observing(logging.WARNING, "confirmo-codec-server"):
        async with serving_codec(converter, pages, host=host, port=port, token=token) as endpoint:
            note(f"Codec server at {endpoint} for {', '.join(pages)}; Ctrl-C ends it.")
            await stop.wait()
    output.document({"stopped": True})
    return Exit.DONE


def add_to(app: typer.Typer) -> None:
    """Add this group's commands; ``keys`` is a group of its own."""
    app.command(name="codec-server")(codec_server)
