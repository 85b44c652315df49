"""What the commands share: their common options, the connection, and how a worker's errors are told."""

import asyncio
import functools
import logging
import os
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from temporalio.runtime import LogForwardingConfig, LoggingConfig, Runtime, TelemetryConfig, TelemetryFilter

from confirmo.client.console import Output, note
from confirmo.client.exits import Exit
from confirmo.client.inputs import WrongUse
from confirmo.client.settings import ClientSettings
from confirmo.client.transactions import TransactionClient
from confirmo.client.views import message_lines, state_lines, state_view
from confirmo.policies.models import Actor, TransactionResult, TransactionState
from confirmo.worker import private_logs

T = TypeVar("T")

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
Transaction = Annotated[str, typer.Argument(metavar="TX", help="Id of the transaction.", show_default=False)]
ActorId = Annotated[str | None, typer.Option("--actor", metavar="ID", help="Who says so.")]
Roles = Annotated[
    list[str] | None, typer.Option("--role", metavar="ROLE", help="A role of the actor; may be repeated.")
]
Wait = Annotated[bool, typer.Option("--wait", help="Wait until it is over and print its result.")]
Config = Annotated[
    Path,
    typer.Option("--config", metavar="DIR", help="Folder with the three YAML files.", show_default=False),
]

_CORE_LEVEL = "ERROR"
_FLUSH_SECONDS = 2.0
_CARRIED = ("traceparent", "tracestate")


@functools.cache
def quiet_core() -> None:
    """Keep Temporal's core from writing its log to standard output, which is its default, and mask every log line."""
    private_logs.install(ClientSettings().masked_fields)
    levels = TelemetryFilter(core_level=_CORE_LEVEL, other_level=_CORE_LEVEL)
    forwarding = LogForwardingConfig(logger=logging.getLogger("temporalio.core"))
    runtime = Runtime(telemetry=TelemetryConfig(logging=LoggingConfig(filter=levels, forwarding=forwarding)))
    Runtime.set_default(runtime, error_if_already_set=False)


def connected(work: Callable[[TransactionClient], Awaitable[int]]) -> int:
    """Run ``work`` with a connected ``TransactionClient``."""

    async def run() -> int:
        return await work(await own_client())

    prepare_client()
    with traced():
        return asyncio.run(run())


async def own_client() -> TransactionClient:
    """Connect to where this process's settings say."""
    return await TransactionClient.connect(task_queue=ClientSettings().task_queue)


@contextmanager
def traced() -> Iterator[None]:
    """Make a command one span, where ``OTEL_*`` says so; ``TRACEPARENT`` in the environment is its parent."""
    from confirmo.worker.otel import exporting, wanted_signals

    if not wanted_signals(os.environ):
        yield
        return
    from opentelemetry import trace
    from opentelemetry.propagate import extract

    # A collector that is away is nobody's business at the command line.
    logging.getLogger("opentelemetry").setLevel(logging.CRITICAL + 1)

    parent = extract({name: os.environ[name.upper()] for name in _CARRIED if name.upper() in os.environ})
    with (
        exporting(os.environ, "confirmo-cli", _FLUSH_SECONDS),
        trace.get_tracer("confirmo").start_as_current_span("confirmo command", parent),
    ):
        yield


def prepare_client() -> None:
    """Set up logging for a command that connects: what a person must know, the command itself says."""
    quiet_core()
    logging.getLogger("confirmo.client").setLevel(logging.ERROR)


def actor_of(id: str | None, roles: list[str] | None) -> Actor | None:
    """Return the actor, null where none is named."""
    return Actor(id=id, roles=tuple(roles or ())) if id else None


def locale_of(text: str) -> str:
    """Return a locale that was typed. Raises ``WrongUse`` for another language."""
    if text.lower().replace("_", "-") not in ("pt-br", "pt", "en", "en-us", "en-gb"):
        raise WrongUse("--locale is pt-BR or en.")
    return text


def print_state(state: TransactionState, output: Output) -> None:
    """Print a state; say where a message was only handed over."""
    output.document(state)
    if output.live:
        output.show(state_view(state))
    else:
        output.lines(state_lines(state))
    if getattr(state, "accepted_by", None) == "signal":
        note(
            "No worker answered in time: the message is on record as a signal and is judged as soon as a worker is up; "
            f"ask confirmo status {state.transaction_id} then."
        )


def print_result(result: TransactionResult, output: Output) -> None:
    """Print a result."""
    output.document(result)
    output.lines(message_lines(result))


def with_worker_errors(work: Coroutine[Any, Any, T], then: Callable[[T], int]) -> int:
    """Run something of the worker package; tell each of its errors as a sentence, every problem of a file on a line."""
    from confirmo.worker.errors import ConfigurationError, ServerUnavailable

    try:
        return then(asyncio.run(work))
    except ConfigurationError as error:
        print_problems([vars_of(problem) for problem in error.problems])
        note(str(error))
        return Exit.WRONG_USE
    except ServerUnavailable as error:
        note(str(error))
        return Exit.UNREACHABLE


def vars_of(problem: Any) -> dict[str, Any]:
    """Return file, line, key and message of a problem."""
    return {name: getattr(problem, name) for name in ("file", "line", "key", "message")}


def print_problems(problems: list[dict[str, Any]]) -> None:
    """Print problems to standard error, one a line."""
    for problem in problems:
        note(problem_text(problem))


def problem_text(problem: dict[str, Any]) -> str:
    """Return ``file:line: key: message``, without what is not known."""
    place = ":".join(str(part) for part in (problem["file"], problem["line"]) if part is not None)
    return ": ".join(str(part) for part in (place, problem["key"], problem["message"]) if part)
