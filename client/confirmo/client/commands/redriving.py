"""``confirmo redrive``."""

from typing import Annotated

import typer

from confirmo.client.commands.common import (
    ActorId,
    Json,
    Roles,
    Transaction,
    Wait,
    actor_of,
    connected,
    print_result,
    print_state,
)
from confirmo.client.console import Output
from confirmo.client.exits import Exit, of_result, of_start
from confirmo.client.inputs import WrongUse
from confirmo.client.live import wait_for_result
from confirmo.client.transactions import TransactionClient


def redrive(
    transaction: Transaction,
    unknown: Annotated[
        bool,
        typer.Option(
            "--unknown", help="Also what nobody can say of; it is asked about first where possible."
        ),
    ] = False,
    undo: Annotated[
        bool, typer.Option("--undo", help="Undo what succeeded, as the policy's compensate says.")
    ] = False,
    resolve: Annotated[
        list[str] | None,
        typer.Option(
            "--resolve", metavar="ID=succeeded|failed", help="Record what was found out; may be repeated."
        ),
    ] = None,
    note: Annotated[
        str | None,
        typer.Option("--note", metavar="TEXT", help="How it was found out; needed with --resolve."),
    ] = None,
    actor: ActorId = None,
    role: Roles = None,
    wait: Wait = False,
    json: Json = False,
) -> int:
    """Take up what failed in a closed transaction: a new one with the same item keys, validated and asked again."""
    resolutions = _read(resolve or [])
    if resolutions and not (note and note.strip()):
        raise WrongUse("--resolve needs --note TEXT: say how it was found out.")
    if undo and (unknown or resolutions):
        raise WrongUse("--undo stands alone: it takes what succeeded, the others what did not.")

    async def work(client: TransactionClient) -> Exit:
        output = Output(json)
        state = await client.redrive(
            transaction,
            unknown=unknown,
            undo=undo,
            resolve=resolutions,
            note=note,
            actor=actor_of(actor, role),
        )
        if not wait:
            print_state(state, output)
            return of_start(state)
        result = await wait_for_result(client, state, output)
        print_result(result, output)
        return of_result(result)

    return connected(work)


def _read(pairs: list[str]) -> dict[str, str]:
    read: dict[str, str] = {}
    for pair in pairs:
        item_id, equals, word = pair.rpartition("=")
        if not equals or not item_id or word not in ("succeeded", "failed"):
            raise WrongUse("--resolve takes ID=succeeded or ID=failed.")
        if item_id in read:
            raise WrongUse("--resolve names the same item twice.")
        read[item_id] = word
    return read


def add_to(app: typer.Typer) -> None:
    """Add this group's command."""
    app.command()(redrive)
