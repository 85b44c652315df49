"""``confirmo start``."""

from typing import Annotated

import typer

from confirmo.client.commands.common import (
    Json,
    Wait,
    actor_of,
    connected,
    locale_of,
    print_result,
    print_state,
)
from confirmo.client.console import Output
from confirmo.client.exits import Exit, of_result, of_start
from confirmo.client.inputs import read_arguments
from confirmo.client.live import wait_for_result
from confirmo.client.transactions import TransactionClient
from confirmo.policies.models import TransactionRequest


def start(
    tool: Annotated[str, typer.Argument(metavar="TOOL", help="Name of the tool.", show_default=False)],
    arg: Annotated[
        list[str] | None, typer.Option("--arg", metavar="NAME=VALUE", help="One argument; may be repeated.")
    ] = None,
    arguments: Annotated[
        str | None, typer.Option("--arguments", metavar="JSON|@FILE", help="Arguments as a JSON object.")
    ] = None,
    request_id: Annotated[
        str | None,
        typer.Option("--request-id", metavar="KEY", help="The same key finds the same transaction."),
    ] = None,
    id: Annotated[str | None, typer.Option("--id", metavar="TX", help="Id of one's own choice.")] = None,
    tenant: Annotated[str, typer.Option("--tenant", metavar="TENANT")] = "default",
    session: Annotated[str | None, typer.Option("--session", metavar="SESSION")] = None,
    requester: Annotated[str | None, typer.Option("--requester", metavar="ID", help="Who asks.")] = None,
    locale: Annotated[str, typer.Option("--locale", metavar="LOCALE", help="pt-BR or en.")] = "pt-BR",
    wait: Wait = False,
    json: Json = False,
) -> int:
    """Start a transaction: validate, and ask for what is needed. The same start again finds the same transaction."""
    request = TransactionRequest(
        tool_name=tool,
        arguments=read_arguments(arg or [], arguments),
        request_id=request_id,
        tenant=tenant,
        session_id=session,
        requester=actor_of(requester, None),
        locale=locale_of(locale),
    )
    output = Output(json)

    async def work(client: TransactionClient) -> Exit:
        state = await client.start(request, id=id)
        if not wait:
            print_state(state, output)
            return of_start(state)
        result = await wait_for_result(client, state, output)
        print_result(result, output)
        return of_result(result)

    return connected(work)


def add_to(app: typer.Typer) -> None:
    """Add this group's commands."""
    app.command()(start)
