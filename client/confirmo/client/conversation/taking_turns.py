"""Several messages of one session at once: one turn after the other, each an answer to what it was sent for."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final
from weakref import WeakValueDictionary

from confirmo.client.conversation.models import Session

_LOCKS: Final[WeakValueDictionary[int, asyncio.Lock]] = WeakValueDictionary()
"""By the object's id: as long as a lock is in here, a turn that has the session is under way."""


@asynccontextmanager
async def one_at_a_time(session: Session) -> AsyncIterator[None]:
    """Wait for the turns ahead of this one.

    What they have shown meanwhile was not there when this message was sent: it stays an answer to the question, and a
    word about the transaction, of that moment, so that a yes never goes to a question that nobody had read.
    """
    transaction_id, shown = session.transaction_id, session.shown_digest
    lock = _LOCKS.setdefault(id(session), asyncio.Lock())
    async with lock:
        if session.transaction_id is None and transaction_id is not None:
            session.hold(transaction_id, None)
        session.shown_digest = shown
        yield
