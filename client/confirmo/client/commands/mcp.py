"""``confirmo mcp``: the catalogue as an MCP server for any agent."""

import asyncio
import contextlib
import logging
import os
import socket
from contextlib import AsyncExitStack
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from confirmo.client.commands.callers import check_options, check_reach, token_settings
from confirmo.client.commands.common import with_worker_errors
from confirmo.client.console import flush, note
from confirmo.client.exits import Exit
from confirmo.client.inputs import WrongUse
from confirmo.client.settings import LOOPBACK, TokenSettings
from confirmo.client.transactions import TransactionClient
from confirmo.policies.access import Anyone
from confirmo.policies.models import Actor


class Transport(StrEnum):
    """How clients reach the server."""

    STDIO = "stdio"
    STREAMABLE_HTTP = "streamable-http"


@dataclass(frozen=True)
class _Face:
    config: Path | None
    wrap: str | None
    tenant: str
    actor: Actor | None
    locale: str
    state_key: bytes | None
    headers: dict[str, str]
    tokens: TokenSettings | None


def mcp(
    config: Annotated[
        Path | None, typer.Option("--config", metavar="DIR", help="Folder with the three YAML files.")
    ] = None,
    wrap: Annotated[
        str | None,
        typer.Option(
            "--wrap",
            metavar="URL|COMMAND",
            help="Instead: take the tools of this MCP server, and run a worker for it here.",
        ),
    ] = None,
    header: Annotated[
        list[str] | None,
        typer.Option(
            "--header",
            metavar="'NAME: VALUE'",
            help="Sent to a wrapped URL; may be repeated. ${NAME} is read from the environment, not by the shell.",
        ),
    ] = None,
    transport: Annotated[Transport, typer.Option("--transport")] = Transport.STDIO,
    host: Annotated[str, typer.Option("--host", help="Of streamable-http.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Of streamable-http.")] = 8300,
    authenticated_in_front: Annotated[
        bool,
        typer.Option(
            "--authenticated-in-front",
            help="Listen beyond this machine without asking for tokens: something before this face asks who calls.",
        ),
    ] = False,
    tenant: Annotated[
        str, typer.Option("--tenant", help="Of every transaction, where no token says.")
    ] = "default",
    actor: Annotated[
        str | None,
        typer.Option(
            "--actor", metavar="ID", help="Requester and decider of every transaction, where no token says."
        ),
    ] = None,
    role: Annotated[
        list[str] | None, typer.Option("--role", metavar="ROLE", help="A role of the actor; may be repeated.")
    ] = None,
    locale: Annotated[str, typer.Option("--locale", help="Of questions and results.")] = "pt-BR",
    state_key_file: Annotated[
        Path | None,
        typer.Option(
            "--state-key-file",
            metavar="FILE",
            help="32 secret bytes or more; several instances behind one address share it.",
        ),
    ] = None,
) -> int:
    """Serve the tools of a catalogue to any MCP client: its user is asked before anything is executed."""
    if (config is None) == (wrap is None):
        raise WrongUse("Give --config DIR, or --wrap with a URL or a command: one of the two.")
    who = Actor(id=actor, roles=tuple(role or ())) if actor else None
    tokens = token_settings() if transport is Transport.STREAMABLE_HTTP else None
    if transport is Transport.STREAMABLE_HTTP:
        check_reach(host, tokens, in_front=authenticated_in_front)
        check_options(tokens, tenant=tenant, named=who is not None or bool(role))
    face = _Face(
        config, wrap, tenant, who, locale, _key(state_key_file), _headers(header or [], wrap), tokens
    )
    return with_worker_errors(_serve(face, transport, host, port), int)


async def _serve(face: _Face, transport: Transport, host: str, port: int) -> Exit:
    from confirmo.client.mcp_face import Tokens, address, health_routes, serve_http
    from confirmo.worker.app import stop_event
    from confirmo.worker.telemetry import observing

    with observing(logging.WARNING, "confirmo-mcp"):
        async with AsyncExitStack() as stack:
            server, client = await _server(face, stack)
            if transport is Transport.STREAMABLE_HTTP:
                listener = stack.enter_context(_listener(host, port))
                note(f"MCP at {address(host, listener.getsockname()[1])}; Ctrl-C ends it.")
                if face.tokens is None and host not in LOOPBACK:
                    note(
                        "It asks nobody for credentials, as --authenticated-in-front says that something else does."
                    )
                tokens = Tokens.of(face.tokens, face.tenant) if face.tokens else None
                beside = health_routes(client.temporal)
                await serve_http(server, listener, host, stop_event(), tokens, beside)
                return Exit.DONE
            reading = await _serve_stdio(server, stop_event())
    if not reading.done():
        # The thread that reads standard input cannot be interrupted; nothing is left to be done.
        flush()
        os._exit(Exit.DONE)
    await reading
    return Exit.DONE


async def _serve_stdio(server: Any, stop: asyncio.Event) -> asyncio.Task[None]:
    """Serve until the client or a signal ends it; return what reads standard input, perhaps still."""
    from confirmo.client.mcp_face import serve_stdio

    reading, stopping = asyncio.create_task(serve_stdio(server)), asyncio.create_task(stop.wait())
    await asyncio.wait({reading, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    return reading


async def _server(face: _Face, stack: AsyncExitStack) -> tuple[Any, TransactionClient]:
    from confirmo.client.mcp_face import FaceOptions, NameTaken, Wrapped, build_server

    wrapped: dict[str, Wrapped] = {}
    if face.wrap is not None:
        client, catalog, listings = await _wrapping(face, face.wrap, stack)
        wrapped = {entry.name: Wrapped(entry.input_schema, entry.title) for entry in listings}
    else:
        from confirmo.worker.app import load_or_fail
        from confirmo.worker.settings import Settings

        catalog = load_or_fail(face.config or Path(), os.environ)
        client = await TransactionClient.connect(task_queue=Settings().task_queue)
    options = FaceOptions(
        tenant=face.tenant,
        actor=face.actor,
        tokens=face.tokens is not None,
        anyone=face.tokens.any_means if face.tokens else Anyone.TENANT,
        locale=face.locale,
        state_key=face.state_key,
        wrapped=wrapped,
    )
    try:
        return build_server(client, catalog, options), client
    except NameTaken as taken:
        raise WrongUse(str(taken)) from None


async def _wrapping(face: _Face, wrapped: str, stack: AsyncExitStack) -> tuple[TransactionClient, Any, Any]:
    """Build the catalogue of a server, and run a worker for it, on a task queue of its own."""
    from confirmo.worker.app import running_worker
    from confirmo.worker.settings import Settings
    from confirmo.worker.wrap_target import WrapTarget
    from confirmo.worker.wrapping import wrap

    requester = face.actor.id if face.actor else None
    target = WrapTarget(wrapped, face.headers, face.tenant, requester)
    catalog, listings = await wrap(target)
    queue = target.queue()
    client = await TransactionClient.connect(task_queue=queue)
    settings = Settings().model_copy(update={"task_queue": queue})
    await stack.enter_async_context(running_worker(client.temporal, catalog, settings))
    return client, catalog, listings


def _listener(host: str, port: int) -> socket.socket:
    from confirmo.worker.errors import ServerUnavailable

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with contextlib.suppress(OSError):
        return socket.create_server((host, port), family=family)
    raise ServerUnavailable(f"{host} port {port} cannot be listened on. Choose another --host or --port.")


def _headers(given: list[str], wrap: str | None) -> dict[str, str]:
    """Read ``Name: value``; what is wrong with one is told without quoting it."""
    if given and not (wrap or "").startswith(("http://", "https://")):
        raise WrongUse(
            "--header goes with --wrap and a URL: a command takes what it needs from the environment."
        )
    headers: dict[str, str] = {}
    for text in given:
        name, colon, value = text.partition(":")
        if not colon or not name.strip():
            raise WrongUse("--header is written 'Name: value'.")
        if name.strip().lower() in {known.lower() for known in headers}:
            raise WrongUse(f"--header names {name.strip()} twice.")
        headers[name.strip()] = value.strip()
    return headers


def _key(file: Path | None) -> bytes | None:
    if file is None:
        return None
    try:
        key = file.read_bytes()
    except OSError as error:
        raise WrongUse(f"--state-key-file cannot be read: {error.strerror}.") from None
    if len(key) < 32:
        raise WrongUse("--state-key-file holds less than 32 bytes. Fill it with openssl rand 32.")
    return key


def add_to(app: typer.Typer) -> None:
    """Add this group's commands."""
    app.command()(mcp)
