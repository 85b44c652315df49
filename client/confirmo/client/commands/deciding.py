"""``confirmo confirm`` and ``confirmo reject``."""

import asyncio
from typing import Annotated

import typer

from confirmo.client.answers import is_over
from confirmo.client.commands.common import (
    ActorId,
    Json,
    Roles,
    Transaction,
    Wait,
    actor_of,
    connected,
    own_client,
    prepare_client,
    print_result,
    print_state,
    traced,
)
from confirmo.client.console import Output, note
from confirmo.client.errors import NotAwaitingConfirmation, NoWorker
from confirmo.client.exits import Exit, of_result
from confirmo.client.inputs import WrongUse, read_list
from confirmo.client.live import wait_for_result
from confirmo.client.repeated import already_closed
from confirmo.client.transactions import TransactionClient
from confirmo.client.views import question_lines
from confirmo.policies.models import Decision, TransactionState

YES = frozenset({"sim", "s", "yes", "y"})
NO = frozenset({"não", "nao", "n", "no"})


def confirm(
    transaction: Transaction,
    digest: Annotated[
        str | None,
        typer.Option("--digest", metavar="DIGEST", help="Of the question that the person was shown."),
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Confirm the question that is open now, and show it.")
    ] = False,
    items: Annotated[
        str | None, typer.Option("--items", metavar="ID,…", help="Only these, where the policy allows it.")
    ] = None,
    actor: ActorId = None,
    role: Roles = None,
    wait: Wait = False,
    json: Json = False,
) -> int:
    """Say yes to a question. At a terminal, without --digest and --yes, it is shown and asked."""
    output = Output(json)
    if digest is not None and yes:
        raise WrongUse(
            "Give --digest or --yes, not both: --yes takes the digest of the question that is open now."
        )
    if digest is None and not yes and not output.can_ask:
        raise WrongUse(
            "A confirm needs the digest of the question that was shown: give --digest DIGEST, or --yes."
        )
    item_ids, who = read_list("--items", items), actor_of(actor, role)
    prepare_client()
    with traced(), asyncio.Runner() as runner:  # not one coroutine: a Ctrl-C must reach the prompt
        client = runner.run(own_client())
        if digest is None:
            state = runner.run(_open_question(client, transaction, asking=not yes))
            output.aside(question_lines(state))
            digest = state.confirmation.digest if state.confirmation else None
            answer = True if yes else _answer()
            if answer is None:
                note(
                    f"That is neither yes nor no; nothing was decided. To refuse: confirmo reject {transaction}."
                )
                return Exit.REFUSED
            if not answer:
                print_state(runner.run(client.reject(transaction, digest=digest, actor=who)), output)
                return Exit.REFUSED
        decision = Decision(decision="confirm", digest=digest, actor=who, item_ids=item_ids)
        return runner.run(_confirm(client, transaction, decision, wait, output))


async def _confirm(
    client: TransactionClient, transaction: str, decision: Decision, wait: bool, output: Output
) -> Exit:
    state = await client.confirm(transaction, decision)
    if not wait:
        print_state(state, output)
        return Exit.DONE
    result = await wait_for_result(client, state, output)
    print_result(result, output)
    return of_result(result)


async def _open_question(client: TransactionClient, transaction: str, *, asking: bool) -> TransactionState:
    """Return a state whose question is open; where nobody is to be asked, it may have been answered."""
    try:
        state = await client.state(transaction)
    except NoWorker as error:
        if error.state is None or error.state.confirmation is None:
            raise
        return error.state
    if state.confirmation is None or (asking and not state.question):
        if is_over(state):
            raise already_closed(state)
        raise NotAwaitingConfirmation(
            f"No question is open; the transaction is {state.status.value}. Look at confirmo status {transaction}."
        )
    return state


def _answer() -> bool | None:
    """Ask the person: true for yes, false for no, null for anything else."""
    try:
        word = typer.prompt("sim / não", default="", show_default=False, err=True).strip().casefold()
    except EOFError:
        word = ""
    if word in YES:
        return True
    return False if word in NO else None


def reject(
    transaction: Transaction,
    digest: Annotated[
        str | None, typer.Option("--digest", metavar="DIGEST", help="Only if this question is still open.")
    ] = None,
    comment: Annotated[str | None, typer.Option("--comment", metavar="TEXT")] = None,
    actor: ActorId = None,
    role: Roles = None,
    json: Json = False,
) -> int:
    """Say no to a question: nothing is executed."""

    async def work(client: TransactionClient) -> Exit:
        who = actor_of(actor, role)
        print_state(await client.reject(transaction, digest=digest, actor=who, comment=comment), Output(json))
        return Exit.DONE

    return connected(work)


def add_to(app: typer.Typer) -> None:
    """Add this group's commands."""
    app.command()(confirm)
    app.command()(reject)
