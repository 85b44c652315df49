"""``confirmo dev`` and ``confirmo worker``."""

import logging
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from confirmo.client.commands.common import Config, Json, with_worker_errors
from confirmo.client.console import Output
from confirmo.client.exits import Exit

if TYPE_CHECKING:
    from confirmo.worker.dev import DevStack

ReadyFile = Annotated[
    Path | None,
    typer.Option("--ready-file", metavar="FILE", help="Written once everything works."),
]


def dev(
    config: Annotated[
        Path | None,
        typer.Option(
            "--config", metavar="DIR", help="Folder with the three YAML files; without it, the examples."
        ),
    ] = None,
    port: Annotated[int | None, typer.Option("--port", min=1, max=65535, help="Of Temporal.")] = None,
    ui_port: Annotated[int | None, typer.Option("--ui-port", min=1, max=65535, help="Of its UI.")] = None,
    db: Annotated[
        Path | None, typer.Option("--db", metavar="FILE", help="Keeps everything over a restart.")
    ] = None,
    encrypt: Annotated[
        bool,
        typer.Option("--encrypt", help="Encrypt what Temporal holds, with keys beside the database."),
    ] = False,
    ready_file: ReadyFile = None,
    json: Json = False,
) -> int:
    """Start Temporal, its UI, a worker and, without --config, the example tool servers; Ctrl-C ends all of it."""
    from confirmo.worker.dev import DevStack
    from confirmo.worker.telemetry import observing

    # The default sink of confirmation requests: it is meant to be seen.
    logging.getLogger("confirmo.confirmation").setLevel(logging.INFO)

    async def serve() -> Exit:
        with observing(logging.WARNING, "confirmo-dev"):
            async with DevStack(config, port, ui_port, db, ready_file, encrypt=encrypt) as stack:
                _announce(stack, Output(json), examples=config is None)
                await stack.wait()
        return Exit.DONE

    return with_worker_errors(serve(), int)


def _announce(stack: "DevStack", output: Output, *, examples: bool) -> None:
    info = stack.info
    output.document(info)
    output.lines(
        [
            f"Temporal    {info.temporal_address}  namespace {info.namespace}  task queue {info.task_queue}",
            f"UI          {info.ui_url}",
            *([f"Codec       {info.codec_endpoint}"] if info.codec_endpoint else []),
            "",
            "In another terminal:",
            f"  export TEMPORAL_ADDRESS={info.temporal_address}",
        ]
    )
    if info.encryption_keys_file is not None:
        output.lines([f"  export CONFIRMO_ENCRYPTION_KEYS_FILE={shlex.quote(info.encryption_keys_file)}"])
    if examples:
        output.lines(["  confirmo start cancelar_pedido --arg order_id=PED-1001"])
    output.lines(["", "Ctrl-C ends all of it."])


def worker(
    config: Config,
    ready_file: ReadyFile = None,
    health_port: Annotated[
        int | None, typer.Option("--health-port", min=1, max=65535, help="Serves /healthz and /readyz.")
    ] = None,
    wait_seconds: Annotated[
        float, typer.Option("--wait-seconds", min=0, help="How long Temporal may take to come up.")
    ] = 60.0,
    json: Json = False,
) -> int:
    """Run a worker until Ctrl-C or SIGTERM."""
    from confirmo.worker.app import run_worker
    from confirmo.worker.telemetry import observing

    async def serve() -> Exit:
        with observing(logging.INFO, "confirmo-worker"):
            await run_worker(
                config, ready_file=ready_file, health_port=health_port, wait_seconds=wait_seconds
            )
        Output(json).document({"stopped": True})
        return Exit.DONE

    return with_worker_errors(serve(), int)


def add_to(app: typer.Typer) -> None:
    """Add this group's commands."""
    app.command()(dev)
    app.command()(worker)
