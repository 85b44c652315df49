"""``confirmo status``, ``confirmo result``, ``confirmo watch`` and ``confirmo list``."""

from pathlib import Path
from typing import Annotated

import typer

from confirmo.client.answers import TerminatedState, is_over
from confirmo.client.commands.common import Json, Transaction, connected, print_result, print_state
from confirmo.client.console import Output, note
from confirmo.client.errors import NoWorker
from confirmo.client.exits import Exit, of_result, of_state
from confirmo.client.inputs import WrongUse
from confirmo.client.item_files import write_items
from confirmo.client.listing import STATUS_WORDS
from confirmo.client.live import follow
from confirmo.client.transactions import TransactionClient
from confirmo.client.views import entry_line, message_lines, next_step, summary_lines
from confirmo.policies.models import Outcome, TransactionState
from confirmo.policies.presenting import answer_text, question_text
from confirmo.policies.texts.markdown import as_markdown

Markdown = Annotated[bool, typer.Option("--markdown", help="Only the question or the answer, as markdown.")]


def status(transaction: Transaction, json: Json = False, markdown: Markdown = False) -> int:
    """Show a transaction: its question, its items, what became of it."""

    async def work(client: TransactionClient) -> Exit:
        state = await client.state(transaction)
        if markdown and not json:
            Output(json).lines(_markdown(state))
        else:
            print_state(state, Output(json))
        return Exit.DONE

    return connected(work)


def _markdown(state: TransactionState) -> list[str]:
    told = answer_text(state.result, "markdown") if state.result else question_text(state, "markdown")
    return (told or as_markdown(state.reason or state.status.value)).splitlines()


def result(
    transaction: Transaction,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", metavar="FILE", help="Write every item to FILE, one JSON a line.", show_default=False
        ),
    ] = None,
    json: Json = False,
    markdown: Markdown = False,
) -> int:
    """Wait until a transaction is over and print its result."""

    async def work(client: TransactionClient) -> Exit:
        await _tell_who_is_needed(client, transaction)
        found = await client.result(transaction)
        if output is not None:
            note(f"{await write_items(client.items(transaction), output)} items written to {output}")
        if markdown and not json:
            Output(json).lines(answer_text(found, "markdown").splitlines())
        else:
            print_result(found, Output(json))
        return of_result(found)

    return connected(work)


def items(
    transaction: Transaction,
    outcome: Annotated[
        Outcome | None,
        typer.Option("--outcome", help="Only these.", show_default=False, case_sensitive=False),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", metavar="FILE", help="Write them to FILE, one JSON a line.", show_default=False
        ),
    ] = None,
    json: Json = False,
) -> int:
    """List every item of a transaction of any size, with its evidence."""

    async def work(client: TransactionClient) -> Exit:
        found, out = client.items(transaction, outcome=outcome), Output(json)
        if output is not None:
            written = await write_items(found, output)
            out.document({"written": written, "path": str(output)})
            out.lines([f"{written} items written to {output}"])
        elif json:
            out.document([entry async for entry in found])
        else:
            async for entry in found:
                out.lines([entry_line(entry)])
        return Exit.DONE

    return connected(work)


async def _tell_who_is_needed(client: TransactionClient, transaction: str) -> None:
    try:
        state = await client.state(transaction)
    except NoWorker as error:
        note(str(error))
        return
    hint = None if is_over(state) else next_step(state)
    if hint:
        note(f"{transaction} is {state.status.value} and is waited for; {hint}")


def watch(transaction: Transaction, json: Json = False) -> int:
    """Follow a transaction to its end; with --json, print its final state."""

    async def work(client: TransactionClient) -> Exit:
        output = Output(json)
        state = await follow(client, transaction, output)
        output.document(state)
        output.lines(message_lines(state.result) if state.result else [state.reason or ""])
        return Exit.REFUSED if isinstance(state, TerminatedState) else of_state(state)

    return connected(work)


def list_transactions(
    status: Annotated[str | None, typer.Option("--status", metavar="STATUS")] = None,
    tenant: Annotated[str | None, typer.Option("--tenant", metavar="TENANT")] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1)] = 100,
    json: Json = False,
) -> int:
    """List transactions: the open ones first, then the newest."""
    if status is not None and status.upper() not in STATUS_WORDS:
        raise WrongUse(f"There is no such status: choose one of {', '.join(STATUS_WORDS)}.")

    async def work(client: TransactionClient) -> Exit:
        output = Output(json)
        found = await client.list(status=status.upper() if status else None, tenant=tenant, limit=limit)
        output.document(found)
        output.lines(summary_lines(found))
        return Exit.DONE

    return connected(work)


def add_to(app: typer.Typer) -> None:
    """Add this group's commands."""
    for command in (status, result, items, watch):
        app.command()(command)
    app.command("list")(list_transactions)
