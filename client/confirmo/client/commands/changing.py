"""``confirmo amend``, ``confirmo provide`` and ``confirmo cancel``."""

from collections.abc import Awaitable, Callable
from typing import Annotated

import typer

from confirmo.client.answers import AnsweredState
from confirmo.client.commands.common import (
    ActorId,
    Json,
    Roles,
    Transaction,
    actor_of,
    connected,
    print_state,
)
from confirmo.client.console import Output
from confirmo.client.exits import Exit
from confirmo.client.inputs import WrongUse, read_entries, read_object
from confirmo.client.transactions import TransactionClient


def amend(
    transaction: Transaction,
    arguments: Annotated[
        str | None, typer.Option("--arguments", metavar="JSON|@FILE", help="Arguments to change.")
    ] = None,
    remove: Annotated[
        list[str] | None,
        typer.Option("--remove", metavar="ID", help="An item to leave out; may be repeated."),
    ] = None,
    add: Annotated[
        str | None, typer.Option("--add", metavar="JSON|@FILE", help="An item, or a list.")
    ] = None,
    actor: ActorId = None,
    role: Roles = None,
    json: Json = False,
) -> int:
    """Change the set before the yes: it is validated again, and a new question is asked."""
    changed = read_object("--arguments", arguments) if arguments is not None else None
    added = read_entries("--add", add)
    if not changed and not remove and not added:
        raise WrongUse("The amendment changes nothing: give --arguments, --remove or --add.")
    return _send(
        json,
        lambda client: client.amend(
            transaction,
            arguments=changed,
            remove_item_ids=tuple(remove or ()),
            add_items=added,
            actor=actor_of(actor, role),
        ),
    )


def provide(
    transaction: Transaction,
    arguments: Annotated[
        str,
        typer.Option("--arguments", metavar="JSON|@FILE", help="What was asked for.", show_default=False),
    ],
    actor: ActorId = None,
    role: Roles = None,
    json: Json = False,
) -> int:
    """Give arguments that were asked for."""
    provided = read_object("--arguments", arguments)
    if not provided:
        raise WrongUse("--arguments is empty: name at least one argument with its value.")
    who = actor_of(actor, role)
    return _send(json, lambda client: client.provide_parameters(transaction, provided, actor=who))


def cancel(
    transaction: Transaction,
    reason: Annotated[str | None, typer.Option("--reason", metavar="TEXT")] = None,
    actor: ActorId = None,
    role: Roles = None,
    json: Json = False,
) -> int:
    """Stop: what was not sent yet never is."""
    return _send(json, lambda client: client.cancel(transaction, reason=reason, actor=actor_of(actor, role)))


def _send(json: bool, send: Callable[[TransactionClient], Awaitable[AnsweredState]]) -> int:
    async def work(client: TransactionClient) -> Exit:
        print_state(await send(client), Output(json))
        return Exit.DONE

    return connected(work)


def add_to(app: typer.Typer) -> None:
    """Add this group's commands."""
    for command in (amend, provide, cancel):
        app.command()(command)
