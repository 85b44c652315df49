"""``confirmo demo``."""

import logging
from typing import TYPE_CHECKING, Annotated

import typer

from confirmo.client.commands.common import Json, quiet_core, with_worker_errors
from confirmo.client.console import Output, note
from confirmo.client.exits import Exit
from confirmo.client.transactions import TransactionClient
from confirmo.worker.logs import log_to_stderr

if TYPE_CHECKING:
    from confirmo.worker.dev import DevStack


def demo(
    keep: Annotated[bool, typer.Option("--keep", help="Stay up afterwards, until Ctrl-C.")] = False,
    json: Json = False,
) -> int:
    """Start everything and play the documents' scenarios on it; exits 1 where one does not end as it must."""
    quiet_core()
    log_to_stderr(logging.ERROR)
    from confirmo.worker.dev import DevStack

    output = Output(json)

    async def run() -> Exit:
        output.lines(["Starting Temporal, a worker and the example tool servers …"])
        async with DevStack() as stack:
            code = await _play_all(stack, output, keep=keep)
            if keep:
                _say_kept(stack, output)
                await stack.wait()
        return code

    return with_worker_errors(run(), int)


async def _play_all(stack: "DevStack", output: Output, *, keep: bool) -> Exit:
    from confirmo.client.demonstration import SCENARIOS, episode_view, play

    client = TransactionClient(stack.client, task_queue=stack.info.task_queue)
    episodes = []
    for number, scenario in enumerate(SCENARIOS, start=1):
        episode = await play(client, scenario, stack.ledgers)
        output.show(episode_view(number, episode))
        episodes.append(episode)
    failed = [episode.scenario.title for episode in episodes if episode.problems]
    reports = [episode.report() for episode in episodes]
    output.document({"ok": not failed, "ui_url": stack.info.ui_url, "scenarios": reports})
    output.lines(["", f"{len(episodes) - len(failed)} of {len(episodes)} scenarios ended as they must."])
    hint = "" if keep else " (gone with this command; --keep leaves it up)"
    output.lines([f"Temporal UI: {stack.info.ui_url}{hint}"])
    if failed:
        note(f"Not as it must be: {'; '.join(failed)}.")
    return Exit.NOT_SUCCEEDED if failed else Exit.DONE


def _say_kept(stack: "DevStack", output: Output) -> None:
    output.lines(
        [
            f"Still up, Temporal at {stack.info.temporal_address}. In another terminal:",
            f"  export TEMPORAL_ADDRESS={stack.info.temporal_address}",
            "  confirmo start cancelar_pedido --arg order_id=P-10001",
            "Ctrl-C ends all of it.",
        ]
    )


def add_to(app: typer.Typer) -> None:
    """Add this group's commands."""
    app.command()(demo)
