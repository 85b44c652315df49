"""``confirmo chat``."""

import asyncio
import logging
import sys
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Annotated, Any

import typer

from confirmo.client.commands.common import Json, locale_of, prepare_client, with_worker_errors
from confirmo.client.console import Output
from confirmo.client.exits import Exit
from confirmo.client.transactions import TransactionClient
from confirmo.worker.logs import log_to_stderr

PROMPT = "> "
Stopped = Callable[[], Coroutine[Any, Any, Any]]


def chat(
    connect: Annotated[
        bool,
        typer.Option("--connect", help="Use what runs at TEMPORAL_ADDRESS (confirmo dev) and start nothing."),
    ] = False,
    locale: Annotated[str, typer.Option("--locale", metavar="LOCALE", help="pt-BR or en.")] = "pt-BR",
    json: Json = False,
) -> int:
    """Talk to the example tools: keywords pick the tool, and every question and answer is the real thing.

    Without --connect it starts everything and ends it again. Without a terminal it reads one message a line from
    standard input. With --json it prints the turns as one document at the end.
    """
    prepare_client()
    log_to_stderr(logging.ERROR)
    return with_worker_errors(_chat(Output(json), locale_of(locale), connect=connect), int)


async def _chat(output: Output, locale: str, *, connect: bool) -> Exit:
    from confirmo.client.demonstration import Chat

    async with _client(connect=connect) as (client, stopped):
        chat = Chat(client, locale)
        _tell(output, chat.welcome())
        await _talk(chat, output, stopped)
        _tell(output, chat.farewell())
        output.document({"turns": chat.turns})
    return Exit.DONE


@asynccontextmanager
async def _client(*, connect: bool) -> AsyncIterator[tuple[TransactionClient, Stopped]]:
    """Yield a client, and what waits for Ctrl-C or SIGTERM."""
    if connect:
        from confirmo.worker.app import stop_event
        from confirmo.worker.settings import Settings

        client = await TransactionClient.connect(task_queue=Settings().task_queue)
        yield client, stop_event().wait
        return
    from confirmo.worker.dev import DevStack

    async with DevStack() as stack:
        yield TransactionClient(stack.client, task_queue=stack.info.task_queue), stack.wait


async def _talk(chat: Any, output: Output, stopped: Stopped) -> None:
    lines = _lines()
    while True:
        _prompt(output)
        message = await _unless(stopped, lines.get())
        if message is None:
            _tell(output, [""])
            return
        if not output.can_ask:
            _tell(output, [f"{PROMPT}{message}"])
        if not message.strip():
            continue
        answer = await _unless(stopped, chat.say(message.strip()))
        if answer is None:
            return
        _tell(output, [answer, ""])


def _lines() -> asyncio.Queue[str | None]:
    """Return a queue of what is typed, null at its end.

    A daemon thread reads: it cannot be interrupted while it waits, and must not be waited for.
    """
    lines: asyncio.Queue[str | None] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def read() -> None:
        while line := sys.stdin.buffer.readline():
            loop.call_soon_threadsafe(lines.put_nowait, line.decode(errors="replace").rstrip("\r\n"))
        loop.call_soon_threadsafe(lines.put_nowait, None)

    threading.Thread(target=read, daemon=True).start()
    return lines


async def _unless(stopped: Stopped, work: Coroutine[Any, Any, str | None]) -> str | None:
    """Return what ``work`` returns, null where Ctrl-C or SIGTERM came first."""
    task, stop = asyncio.ensure_future(work), asyncio.ensure_future(stopped())
    try:
        await asyncio.wait({task, stop}, return_when=asyncio.FIRST_COMPLETED)
        return None if stop.done() else task.result()
    finally:
        task.cancel()
        stop.cancel()
        await asyncio.gather(task, stop, return_exceptions=True)


def _prompt(output: Output) -> None:
    if output.can_ask:
        stream = sys.stderr if output.json else sys.stdout
        stream.write(PROMPT)
        stream.flush()


def _tell(output: Output, lines: list[str]) -> None:
    """Say something to a person; beside a JSON document only where somebody sits there."""
    if not output.json or output.can_ask:
        output.aside(lines)


def add_to(app: typer.Typer) -> None:
    """Add this group's commands."""
    app.command()(chat)
