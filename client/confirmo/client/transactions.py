"""The door for agent runtimes: start a transaction, answer its question, read what became of it."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Self

from temporalio.client import Client

from confirmo.client.answers import AnsweredState, TransactionSummary
from confirmo.client.connection import CONNECT_TIMEOUT, connect, own_plugin
from confirmo.client.delivery import ANSWER_TIMEOUT, Delivery
from confirmo.client.errors import InvalidDecision, InvalidRequest
from confirmo.client.listing import Listing
from confirmo.client.messages import Messenger
from confirmo.client.paging import items_of
from confirmo.client.plugin import WORKER_PATIENCE, settings_of
from confirmo.client.reading import Reader
from confirmo.client.redriving import Redriver
from confirmo.client.requests import json_payload, of_tenant, payload_limit, prepare_start
from confirmo.policies import names
from confirmo.policies.decisions import parse_decision
from confirmo.policies.errors import Refusal
from confirmo.policies.events import timestamp
from confirmo.policies.models import (
    Actor,
    Amendment,
    Cancellation,
    Decision,
    Outcome,
    ParametersProvided,
    TransactionRequest,
    TransactionResult,
    TransactionState,
)

if TYPE_CHECKING:
    from confirmo.client.evidence_export.exporting import Evidence

WATCH_INTERVAL = timedelta(milliseconds=250)
WATCH_PATIENCE = timedelta(seconds=60)


class TransactionClient:
    """Transactions of one namespace. Every method may be called twice: nothing is started or executed twice.

    All methods raise ``ConnectionProblem`` where Temporal does not answer, and all that take a ``transaction_id``
    raise ``TransactionNotFound`` where there is none.

    Args:
        client: A Temporal client: that of ``connect``, or any other, best with a ``ConfirmoPlugin``.
        task_queue: Where the workers of new transactions listen; null means as the client's plugin says.
        worker_patience: How long a worker may take before a decision is handed over as a signal instead; null as well.
        tenant: The only one whose transactions this client starts and finds; those of others do not exist for it, and
            ids are made from request ids alone. Null means all.

    Attributes:
        temporal: The Temporal client.
    """

    def __init__(
        self,
        client: Client,
        *,
        task_queue: str | None = None,
        worker_patience: timedelta | None = None,
        tenant: str | None = None,
    ) -> None:
        self.temporal = client
        self._tenant = tenant
        settings = settings_of(client)
        patience = settings.worker_patience if worker_patience is None else worker_patience
        self._reader = Reader(client, patience)
        messenger = Messenger(client, self._reader, task_queue or settings.task_queue)
        self._delivery = Delivery(messenger, self._reader, patience)
        self._redriver = Redriver(self._reader, self._delivery)

    @classmethod
    async def connect(
        cls,
        *,
        profile: str | None = None,
        timeout: timedelta = CONNECT_TIMEOUT,
        task_queue: str = names.TASK_QUEUE,
        worker_patience: timedelta = WORKER_PATIENCE,
        tenant: str | None = None,
    ) -> Self:
        """Connect as ``temporalio.envconfig`` says: address, namespace, profiles, mTLS, API key.

        The payload store is that of ``CONFIRMO_PAYLOAD_STORE``.

        Raises:
            InvalidConnection: The settings cannot be read.
            TemporalUnavailable: No answer within ``timeout``.
            NamespaceNotFound: The namespace does not exist.
        """
        plugin = own_plugin(task_queue=task_queue, worker_patience=worker_patience)
        return cls(await connect(profile, timeout, plugin), tenant=tenant)

    async def start(
        self,
        request: TransactionRequest,
        *,
        id: str | None = None,
        timeout: timedelta | None = ANSWER_TIMEOUT,
    ) -> AnsweredState:
        """Start a transaction, or find the one of the same id, and return as soon as someone outside is needed.

        Args:
            request: What is asked. Its ``request_id`` makes the id, so that the same start finds the same transaction.
            id: Another id of the caller's choice.
            timeout: How long validation may take; null means for ever.

        Returns:
            The state; ``accepted_by`` is ``record`` where the transaction was over already.

        Raises:
            RequestMismatch: The id belongs to another request.
            InvalidRequest: It is no request.
            RequestTooLarge: Above 1.5 MB of JSON; nothing was sent.
            NoWorker: It is durable and waits for a worker.
        """
        if request.redrive is not None:
            raise InvalidRequest("redrive is not for a start: take up an earlier transaction with redrive().")
        request = request if self._tenant is None else of_tenant(request, id, self._tenant)
        return await self._delivery.start(prepare_start(request, id, payload_limit(self.temporal)), timeout)

    async def check_tenant(self, transaction_id: str, tenant: str) -> None:
        """Raise ``TransactionNotFound`` unless it is this tenant's, in the words for an id that nothing has."""
        await self._reader.check_tenant(transaction_id, tenant)

    async def _check(self, transaction_id: str) -> None:
        if self._tenant is not None:
            await self.check_tenant(transaction_id, self._tenant)

    async def awaiting(self, transaction_id: str, *, timeout: timedelta | None = None) -> AnsweredState:
        """Return the state as soon as someone outside is needed, or the transaction is over.

        Raises:
            NoWorker: No worker took the question, or ``timeout`` is over.
        """
        await self._check(transaction_id)
        return await self._delivery.ask(transaction_id, names.UPDATE_AWAITING, None, timeout)

    async def confirm(self, transaction_id: str, decision: Decision | Mapping[str, Any]) -> AnsweredState:
        """Give a decision; returns at once and does not wait for the execution.

        Args:
            transaction_id: The transaction.
            decision: ``confirm`` with the digest of the question that the person was shown, or ``reject``.

        Returns:
            The state. ``accepted_by`` is ``signal`` where no worker answered within a few seconds: the decision is on
            record, and is judged when one is up. It is ``record`` where this very decision had ended the transaction.

        Raises:
            UpdateRefused: The subclass says why; nothing was changed. ``AlreadyClosed`` carries the recorded state.
        """
        given = _decision(decision)
        await self._check(transaction_id)
        return await self._delivery.decide(transaction_id, given)

    async def reject(
        self,
        transaction_id: str,
        *,
        digest: str | None = None,
        actor: Actor | None = None,
        comment: str | None = None,
        decision_id: str | None = None,
    ) -> AnsweredState:
        """Say no to the question; as ``confirm`` otherwise."""
        decision = Decision(
            decision="reject", digest=digest, actor=actor, comment=comment, decision_id=decision_id
        )
        await self._check(transaction_id)
        return await self._delivery.decide(transaction_id, decision)

    async def cancel(
        self, transaction_id: str, *, reason: str | None = None, actor: Actor | None = None
    ) -> AnsweredState:
        """Stop: what was not sent yet never is. Falls back to the signal as ``confirm`` does.

        Raises:
            AlreadyClosed: It was over, and not by a cancel.
            NotAllowed: This actor may not.
        """
        await self._check(transaction_id)
        return await self._delivery.cancel(transaction_id, Cancellation(reason=reason, actor=actor))

    async def amend(
        self,
        transaction_id: str,
        *,
        arguments: Mapping[str, Any] | None = None,
        remove_item_ids: tuple[str, ...] = (),
        add_items: tuple[Any, ...] = (),
        actor: Actor | None = None,
    ) -> AnsweredState:
        """Change the set before the yes: it is validated again, and a new question is asked.

        Raises:
            UpdateRefused: The subclass says why; nothing was changed.
            NoWorker: Nobody could validate it; nothing was changed.
        """
        amendment = Amendment(
            arguments=dict(arguments) if arguments is not None else None,
            remove_item_ids=remove_item_ids,
            add_items=add_items,
            actor=actor,
        )
        payload = json_payload(amendment, "amendment", payload_limit(self.temporal))
        await self._check(transaction_id)
        return await self._delivery.change(transaction_id, names.UPDATE_AMEND, payload)

    async def provide_parameters(
        self, transaction_id: str, arguments: Mapping[str, Any], *, actor: Actor | None = None
    ) -> AnsweredState:
        """Give arguments that were asked for, and return after they were validated; raises as ``amend`` does."""
        provided = ParametersProvided(arguments=dict(arguments), actor=actor)
        payload = json_payload(provided, "arguments", payload_limit(self.temporal))
        await self._check(transaction_id)
        return await self._delivery.change(transaction_id, names.UPDATE_PROVIDE_PARAMETERS, payload)

    async def state(self, transaction_id: str) -> TransactionState:
        """Return the state now. A run that an operator ended is a ``TerminatedState``.

        Raises:
            NoWorker: It is open and no worker answers; the error carries what is on record.
        """
        await self._check(transaction_id)
        return await self._redriver.linked(await self._reader.state(transaction_id))

    async def redrive(
        self,
        transaction_id: str,
        *,
        unknown: bool = False,
        undo: bool = False,
        resolve: Mapping[str, str] | None = None,
        note: str | None = None,
        actor: Actor | None = None,
        timeout: timedelta | None = ANSWER_TIMEOUT,
    ) -> AnsweredState:
        """Take up a closed or terminated transaction with a new one, linked to it in both directions.

        It is for exactly the items that failed, with the same item keys, validated and confirmed again as the policy
        says. Called again it finds the same new transaction.

        Args:
            transaction_id: The earlier transaction.
            unknown: Items that are ``UNKNOWN`` as well; a status tool is asked about them first.
            undo: Instead, undo what succeeded, as the policy's ``compensate`` says.
            resolve: What was found out about unknown items: item id to ``succeeded`` or ``failed``. Kept as evidence
                of its own kind beside what the tool said; these items are not sent. Without ``unknown`` nothing else
                is.
            note: How that was found out; needed with ``resolve``.
            actor: Who says so.
            timeout: As for ``start``.

        Raises:
            StillOpen: It is not over.
            NothingToRedrive: No item is left, or a resolution names one that is not unknown.
        """
        await self._check(transaction_id)
        return await self._redriver.redrive(
            transaction_id,
            unknown=unknown,
            undo=undo,
            resolve=resolve or {},
            note=note,
            actor=actor,
            timeout=timeout,
        )

    async def result(self, transaction_id: str) -> TransactionResult:
        """Wait until the transaction is over and return its result.

        Raises:
            TransactionTerminated: It has none, because an operator ended it.
            InvalidRequest: What started it was no request.
            UnreadableRecord: It cannot be decoded here.
        """
        await self._check(transaction_id)
        return await self._reader.result(transaction_id)

    async def items(
        self, transaction_id: str, *, outcome: Outcome | None = None
    ) -> AsyncGenerator[dict[str, Any]]:
        """Yield every item of a set of any size, page by page, in the confirmed order.

        An item with an outcome is its entry of ``results[]`` with all of its evidence; one without is ``item_id``,
        ``label``, ``eligible`` and ``reason``. Where no worker answers, the recorded result or state is read instead.

        Args:
            transaction_id: The transaction.
            outcome: Only these.

        Raises:
            NoWorker: Nobody answered between two pages.
        """
        await self._check(transaction_id)
        async with aclosing(items_of(self._reader, transaction_id, outcome)) as entries:
            async for entry in entries:
                yield entry

    async def watch(
        self,
        transaction_id: str,
        *,
        interval: timedelta = WATCH_INTERVAL,
        patience: timedelta = WATCH_PATIENCE,
    ) -> AsyncGenerator[TransactionState]:
        """Yield the state now and whenever it changes; ends with the final one.

        Args:
            transaction_id: The transaction.
            interval: Between two looks.
            patience: How long no worker may answer, before ``NoWorker``.
        """
        await self._check(transaction_id)
        async with aclosing(self._reader.watch(transaction_id, interval, patience)) as states:
            async for state in states:
                yield state

    async def export_history(self, transaction_id: str) -> str:
        """Return the history as Temporal's own JSON, fit for a replay."""
        await self._check(transaction_id)
        return await self._reader.history(transaction_id)

    async def evidence(self, transaction_id: str) -> "Evidence":
        """Return the lines of an evidence file of the newest run, whatever became of it; needs no worker.

        Raises:
            UnreadableRecord: A part of the record cannot be decoded here, or other code wrote it.
        """
        await self._check(transaction_id)
        from confirmo.client.evidence_export.exporting import export_evidence

        return await export_evidence(self._reader, transaction_id, timestamp(datetime.now(UTC)))

    async def find(self, query: str, limit: int | None = None) -> tuple[str, ...]:
        """Return the ids of the transactions that a Temporal list filter finds, the newest first.

        Args:
            query: The filter.
            limit: At most so many; null for all.

        Raises:
            InvalidRequest: It is no filter, or this client is for one tenant: a filter knows none.
        """
        if self._tenant is not None:
            raise InvalidRequest("This client is for one tenant: use list(), a filter finds those of all.")
        return await Listing(self.temporal, self._reader).find(query, limit)

    async def list(
        self, *, status: str | None = None, tenant: str | None = None, limit: int = 100
    ) -> tuple[TransactionSummary, ...]:
        """Return transactions, newest first.

        By search attributes where the namespace has them; else each run is read, which is correct and slower.

        Args:
            status: A ``Status``, or ``TERMINATED``.
            tenant: Only this one's; a client of one tenant lists no other's.
            limit: At most so many.
        """
        if self._tenant is not None and tenant not in (None, self._tenant):
            return ()
        wanted = self._tenant or tenant
        return await Listing(self.temporal, self._reader).list(status=status, tenant=wanted, limit=limit)


def _decision(decision: Decision | Mapping[str, Any]) -> Decision:
    try:
        return parse_decision(decision.model_dump() if isinstance(decision, Decision) else dict(decision))
    except Refusal as refusal:
        raise InvalidDecision(refusal.message) from None
