"""A process that has imported everything and forks: a worker, a face or a tool server starts in it without the second
or two of processor time that its imports take.

Run as a script it waits for requests on a Unix socket until its standard input ends. Whoever asks holds a connection
for as long as the process lives: its end kills the process, so that nothing is left behind.
"""

import contextlib
import gc
import importlib
import json
import os
import selectors
import signal
import socket
import sys
import traceback
from typing import Any, NoReturn

MODULES = (
    "entries",
    "confirmo.worker.app",
    "confirmo.client.main",
    "confirmo.client.mcp_face",
    "confirmo.examples.contas",
    "confirmo.examples.retail",
    "confirmo.examples.webhook_receiver",
    "mcp.server.stdio",
    "uvicorn.protocols.http.h11_impl",
    "uvicorn.lifespan.on",
    "uvicorn.loops.auto",
)


def main(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(64)
        for name in MODULES:
            importlib.import_module(name)
        gc.collect()
        gc.freeze()
        Template(listener).serve()


class Template:
    """Forks on request, and tells each connection the pid and then the exit code of its process."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._selector = selectors.DefaultSelector()
        self._children: dict[int, socket.socket] = {}
        self._ends, woken = socket.socketpair()
        self._ends.setblocking(False)
        woken.setblocking(False)
        signal.set_wakeup_fd(woken.fileno(), warn_on_full_buffer=False)
        self._woken = woken
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def serve(self) -> None:
        for file in (self._listener, self._ends, 0):
            self._selector.register(file, selectors.EVENT_READ)
        while True:
            for key, _ in self._selector.select():
                if key.fileobj == 0:
                    if not os.read(0, 1):
                        return self._end()
                elif key.fileobj is self._listener:
                    self._begin(self._listener.accept()[0])
                elif key.fileobj is self._ends:
                    self._ends.recv(4096)
                    self._reap()
                else:
                    self._hear(key.data)

    def _begin(self, connection: socket.socket) -> None:
        asked, files = received(connection)
        if (pid := os.fork()) == 0:
            connection.close()
            self._become(asked, files)
        for file in files:
            os.close(file)
        self._children[pid] = connection
        self._selector.register(connection, selectors.EVENT_READ, pid)
        self._tell(connection, pid)

    def _become(self, asked: dict[str, Any], files: list[int]) -> NoReturn:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for file in (self._listener, self._ends, self._woken, *self._children.values()):
            file.close()
        self._selector.close()
        run(asked, files)

    def _hear(self, pid: int) -> None:
        """Pass a signal on; where the connection is over, so is the process."""
        if (connection := self._children.get(pid)) is None:
            return
        said = b""
        with contextlib.suppress(OSError):
            said = connection.recv(1)
        if not said:
            self._selector.unregister(connection)
        os.kill(pid, said[0] if said else signal.SIGKILL)

    def _reap(self) -> None:
        while self._children:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            connection = self._children.pop(pid)
            with contextlib.suppress(KeyError):
                self._selector.unregister(connection)
            self._tell(connection, os.waitstatus_to_exitcode(status))
            connection.close()

    def _tell(self, connection: socket.socket, number: int) -> None:
        with contextlib.suppress(OSError):
            connection.sendall(b"%d\n" % number)

    def _end(self) -> None:
        for pid in self._children:
            os.kill(pid, signal.SIGKILL)


def received(connection: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """Return a request and the three standard files that came with it."""
    text, files, _, _ = socket.recv_fds(connection, 65536, 3)
    while not text.endswith(b"\n"):
        text += connection.recv(65536)
    return json.loads(text), files


def run(asked: dict[str, Any], files: list[int]) -> NoReturn:
    """Be the process that was asked for: a function of a module, with arguments and an environment."""
    code: Any = 70
    try:
        os.setsid()
        for number, file in enumerate(files):
            os.dup2(file, number)
            os.close(file)
        os.chdir(asked["folder"])
        os.environ.clear()
        os.environ.update(asked["environ"])
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False, buffering=1)  # noqa: SIM115
        module, _, function = asked["target"].partition(":")
        sys.argv = [module, *asked["arguments"]]
        code = getattr(importlib.import_module(module), function)()
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
        code = 1
    finally:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code if isinstance(code, int) else int(code is not None))


if __name__ == "__main__":
    main(sys.argv[1])
