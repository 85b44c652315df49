"""What is done with a message, beyond sending it: an open run, a closed one, and no worker in sight."""

import logging
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

from confirmo.client.answers import AnsweredState
from confirmo.client.errors import NoWorker, RequestMismatch
from confirmo.client.judging import check_change, check_decision
from confirmo.client.messages import Messenger, NobodyAnswered, RunClosed
from confirmo.client.reading import Reader
from confirmo.client.repeated import already_closed, was_cancelled, was_carried_out
from confirmo.client.replies import no_worker
from confirmo.client.requests import Start, json_payload
from confirmo.policies import names
from confirmo.policies.models import Cancellation, Decision, TransactionState
from confirmo.policies.snapshot import request_digest

Check = Callable[[TransactionState], None]

_logger = logging.getLogger("confirmo.client")

START_PATIENCE = timedelta(seconds=10)
ANSWER_TIMEOUT = timedelta(seconds=120)
"""Until a worker that took a message has answered it; validating may take several attempts."""


class Delivery:
    """Delivers messages of one client.

    Args:
        messenger: Sends them.
        reader: Reads what is on record.
        patience: How long a worker may take to take a message.
    """

    def __init__(self, messenger: Messenger, reader: Reader, patience: timedelta) -> None:
        self._messenger = messenger
        self._reader = reader
        self._patience = patience

    async def start(self, start: Start, timeout: timedelta | None) -> AnsweredState:
        """Start, or answer with the transaction of the same id and request."""
        try:
            state = await self._messenger.start(start, patience=START_PATIENCE, timeout=timeout)
        except RunClosed:
            await self._check_same(start)
            return AnsweredState.of(await self._reader.state(start.transaction_id), "record")
        except NobodyAnswered:
            await self._check_same(start)
            raise NoWorker(
                f"The transaction {start.transaction_id} is on record and no worker has answered in time: start one "
                "(confirmo worker), then repeat the same start with this id, or ask for its state."
            ) from None
        return AnsweredState.of(state, "update")

    async def _check_same(self, start: Start) -> None:
        """Raise ``RequestMismatch`` where the id belongs to another request."""
        description = await self._reader.describe(start.transaction_id)
        try:
            digest = await description.memo_value(names.MEMO_REQUEST_DIGEST, None)
        except Exception:  # a memo that another codec wrote
            digest = None
        if digest is None:
            request = (await self._reader.record(start.transaction_id)).request
            digest = request_digest(request) if request else None
        if digest != start.digest:
            raise RequestMismatch(
                f"The id {start.transaction_id} belongs to a transaction with another tool, arguments, tenant or "
                "requester: use a new request_id for a new request."
            )

    async def decide(self, transaction_id: str, decision: Decision) -> AnsweredState:
        """Give a decision; one that ended the transaction is no error when it comes again."""
        payload = json_payload(decision, "decision")
        about = ":".join(
            part[:64] for part in (decision.decision, decision.digest, decision.decision_id) if part
        )
        try:
            return await self._deliver(
                transaction_id, names.CONFIRM, payload, partial(check_decision, decision=decision), about
            )
        except RunClosed:
            state = await self._reader.state(transaction_id)
            if not was_carried_out(decision, state):
                raise already_closed(state) from None
            return AnsweredState.of(state, "record")

    async def cancel(self, transaction_id: str, cancellation: Cancellation) -> AnsweredState:
        """Cancel; a transaction that was cancelled is no error."""
        payload = json_payload(cancellation, "cancellation")
        try:
            check = partial(check_change, actor=cancellation.actor)
            return await self._deliver(transaction_id, names.CANCEL, payload, check)
        except RunClosed:
            state = await self._reader.state(transaction_id)
            if not was_cancelled(state):
                raise already_closed(state) from None
            return AnsweredState.of(state, "record")

    async def _deliver(
        self, transaction_id: str, name: str, payload: Any, check: Check, about: str = ""
    ) -> AnsweredState:
        """Send an update; where no worker takes it in time, the signal of the same name.

        The workflow judges an update and says no. A signal nobody answers, so the door judges it first.
        """
        try:
            state = await self._messenger.update(
                transaction_id, name, payload, patience=self._patience, timeout=ANSWER_TIMEOUT, about=about
            )
        except NobodyAnswered:
            check((await self._reader.record(transaction_id)).state())
            await self._messenger.signal(transaction_id, name, payload)
            _logger.warning("No worker answered in time: %s of %s went as a signal.", name, transaction_id)
            return AnsweredState.of((await self._reader.record(transaction_id)).state(), "signal")
        return AnsweredState.of(state, "update")

    async def change(self, transaction_id: str, name: str, payload: Any) -> AnsweredState:
        """Send a change that only a worker can take. Raises ``AlreadyClosed``, ``NoWorker``."""
        answer = await self.ask(transaction_id, name, payload, ANSWER_TIMEOUT)
        if answer.accepted_by == "record":
            raise already_closed(answer)
        return answer

    async def ask(
        self, transaction_id: str, name: str, payload: Any, timeout: timedelta | None
    ) -> AnsweredState:
        """Send an update that only a worker can answer; of a closed run, return the record."""
        try:
            state = await self._messenger.update(
                transaction_id, name, payload, patience=self._patience, timeout=timeout
            )
        except RunClosed:
            return AnsweredState.of(await self._reader.state(transaction_id), "record")
        except NobodyAnswered:
            await self._reader.describe(transaction_id)
            raise no_worker(transaction_id) from None
        return AnsweredState.of(state, "update")
