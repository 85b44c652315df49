"""Following a transaction to its end: a table and a bar that move at a terminal, plain lines elsewhere."""

import contextlib
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.live import Live

from confirmo.client.answers import status_word
from confirmo.client.console import Output, note
from confirmo.client.transactions import TransactionClient
from confirmo.client.views import headline, moving_view, next_step, progress_text, question_lines
from confirmo.policies.models import TransactionResult, TransactionState

Show = Callable[[TransactionState], None]


async def follow(client: TransactionClient, transaction_id: str, output: Output) -> TransactionState:
    """Show every change until the transaction is over; return the final state."""
    with _screen(output) as show:
        async for state in client.watch(transaction_id):
            show(state)
    return state


async def wait_for_result(
    client: TransactionClient, state: TransactionState, output: Output
) -> TransactionResult:
    """Follow a transaction and return its result; with JSON, nothing but a note says that it is waited for."""
    if output.json:
        hint = next_step(state)
        if hint:
            note(f"{state.transaction_id} is {status_word(state)} and is waited for; {hint}")
    else:
        await follow(client, state.transaction_id, output)
    return await client.result(state.transaction_id)


@contextlib.contextmanager
def _screen(output: Output) -> Iterator[Show]:
    if not output.live:
        yield _Lines(output)
        return
    console = Console(markup=False, highlight=False, emoji=False)
    with Live(console=console, auto_refresh=False, vertical_overflow="ellipsis") as live:
        yield lambda state: live.update(moving_view(state), refresh=True)


class _Lines:
    """Writes what changed."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._said: set[str] = set()

    def __call__(self, state: TransactionState) -> None:
        lines = [headline(state), *question_lines(state)]
        if state.progress.items_done_count:
            lines.append(progress_text(state))
        for line in lines:
            if line not in self._said:
                self._output.lines([line])
        self._said.update(lines)
