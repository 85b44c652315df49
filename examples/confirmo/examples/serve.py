"""Running an example server: its arguments, its transport, and how it ends."""

import argparse
import asyncio
import json
import os
import signal
import socket
import sqlite3
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any

import uvicorn
from mcp.server import MCPServer

from confirmo.examples.ledger import Ledger
from confirmo.examples.ledger.knobs import ENVIRONMENT_VARIABLE

PATH = "/mcp"
SSE_PATH = "/sse"
_SHUTDOWN_SECONDS = 1
"""How long open connections are waited for: an event stream would otherwise keep the process for ever."""


def run(
    name: str,
    create_server: Callable[[Ledger], MCPServer[Any]],
    default_port: int,
    arguments: Sequence[str] | None = None,
) -> int:
    """Parse the arguments and serve until SIGINT, SIGTERM or, on stdio, the end of the input.

    On HTTP one JSON line goes to stdout as soon as requests are answered: ``{"server", "transport", "url",
    "pid"}``.

    Returns:
        The exit code: 0 when it was told to stop, 2 for wrong use, a file that cannot be opened or a port in
        use.
    """
    options = _parser(name, default_port).parse_args(arguments)
    try:
        ledger = Ledger(options.db)
    except sqlite3.Error as error:
        return _complain(f"{name}: {options.db} cannot be used as a ledger: {error}")
    with ledger:
        if text := os.environ.get(ENVIRONMENT_VARIABLE):
            try:
                ledger.knobs.turn_from(text, once=True)
            except ValueError as error:
                return _complain(f"{name}: {ENVIRONMENT_VARIABLE}: {error}")
        server = create_server(ledger)
        if options.transport == "stdio":
            server.run("stdio")
            return 0
        return _serve_http(name, server, options)


def _serve_http(name: str, server: MCPServer[Any], options: argparse.Namespace) -> int:
    host, sse = options.host, options.transport == "sse"
    app = (
        server.sse_app(sse_path=SSE_PATH, host=host)
        if sse
        else server.streamable_http_app(streamable_http_path=PATH, json_response=True, host=host)
    )
    return serve_app(name, app, options, SSE_PATH if sse else PATH, transport=options.transport)


def serve_app(name: str, app: Any, options: argparse.Namespace, path: str, **announced: str) -> int:
    """Serve an ASGI application at ``options.host`` and ``port`` until a signal or, where asked, the end of stdin.

    The JSON line on stdout has ``announced`` and a ``url`` that ends in ``path``. Returns the exit code, 2 where the
    port cannot be had.
    """
    host, port = options.host, options.port
    try:
        listener = _listen(host, port)
    except OSError as error:
        return _complain(
            f"{name}: cannot listen on {host}:{port}: {error.strerror or error}; choose another --port."
        )
    with listener:
        shown = f"[{host}]" if ":" in host else host
        url = f"http://{shown}:{listener.getsockname()[1]}{path}"
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            ws="none",
            timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        )
        ready = {"server": name} | announced | {"url": url, "pid": os.getpid()}
        http = _Announcing(config, json.dumps(ready))
        if options.until_stdin_closes:
            threading.Thread(target=http.stop_at_end_of_stdin, daemon=True).start()
        # At its end uvicorn raises again the signals that it took; these handlers make that a clean end.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: None)
        asyncio.run(http.serve(sockets=[listener]))
    return 0


class _Announcing(uvicorn.Server):
    """A uvicorn server that says on stdout when it answers."""

    def __init__(self, config: uvicorn.Config, announcement: str) -> None:
        super().__init__(config)
        self._announcement = announcement

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            sys.stdout.write(self._announcement + "\n")
            sys.stdout.flush()

    def stop_at_end_of_stdin(self) -> None:
        # Unbuffered: a thread that waits in sys.stdin would hold its lock when the interpreter ends.
        while os.read(0, 4096):
            pass
        self.should_exit = True


def _parser(name: str, default_port: int) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"python -m confirmo.examples.{name}", description=f"The example tool server {name} (MCP)."
    )
    parser.add_argument("--transport", choices=["streamable-http", "stdio", "sse"], default="streamable-http")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument(
        "--port", type=int, default=default_port, help="0 for any free one (default %(default)s)"
    )
    parser.add_argument(
        "--db",
        metavar="FILE",
        default=":memory:",
        help="keeps state over a restart; without it, it ends with the process",
    )
    parser.add_argument(
        "--until-stdin-closes",
        action="store_true",
        help="end as soon as stdin ends: a parent that holds it open never leaves this process behind",
    )
    return parser


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, which socket.create_server does not do: asyncio sets TCP_NODELAY only on such
    # sockets, and without it every answer waits 40 ms for an acknowledgement.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(2048)
    except BaseException:
        listener.close()
        raise
    return listener


def _complain(sentence: str) -> int:
    sys.stderr.write(sentence + "\n")
    return 2
