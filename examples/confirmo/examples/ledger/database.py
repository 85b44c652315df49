"""One SQLite file, one connection, short transactions."""

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from confirmo.examples.ledger.schema import SCHEMA

BUSY_SECONDS = 5.0


class Database:
    """The ledger's file. Several threads and processes may use it at once.

    A process crash loses nothing that was committed; with ``synchronous=NORMAL`` a power cut can lose the
    last moments.

    Args:
        path: The file, created if absent; ``:memory:`` for one that ends with the process.
    """

    def __init__(self, path: str | Path) -> None:
        self._lock = threading.RLock()
        self._connection = sqlite3.connect(
            path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute("PRAGMA synchronous=NORMAL")
        with self.transaction():
            for statement in SCHEMA:
                self._connection.execute(statement)

    def close(self) -> None:
        """Close the file. A second call does nothing."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Hold the file's only writing place: what is read inside cannot change until it is left."""
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def execute(self, statement: str, values: Sequence[Any] = ()) -> int:
        """Run a writing statement; returns how many rows it touched."""
        with self._lock:
            return self._connection.execute(statement, values).rowcount

    def select(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run a query; inside a transaction it sees that transaction."""
        with self._lock:
            return self._connection.execute(query, values).fetchall()
