"""Taking up an earlier transaction: what failed, what nobody can say of, or what shall be undone."""

import contextlib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from confirmo.client.answers import AnsweredState, TerminatedState, is_over
from confirmo.client.delivery import Delivery
from confirmo.client.errors import ConfirmoError, NothingToRedrive, StillOpen, TransactionNotFound
from confirmo.client.reading import Reader
from confirmo.client.requests import prepare_start
from confirmo.policies.events import timestamp
from confirmo.policies.models import Actor, Redrive, Resolution, Status, TransactionRequest, TransactionState
from confirmo.policies.redriving import OUTCOMES, NothingToRedriveError, plan_redrive, redrive_id, same_plan

MAX_REDRIVES = 20
UNEXECUTED = frozenset({Status.BLOCKED, Status.CANCELLED, Status.EXPIRED, Status.OUT_OF_SCOPE})


class Redriver:
    """Starts transactions that take up earlier ones; the id is made from the earlier one, so it happens once."""

    def __init__(self, reader: Reader, delivery: Delivery) -> None:
        """Read with ``reader`` and start with ``delivery``."""
        self._reader = reader
        self._delivery = delivery

    async def redrive(
        self,
        transaction_id: str,
        *,
        unknown: bool,
        undo: bool,
        resolve: Mapping[str, str],
        note: str | None,
        actor: Actor | None,
        timeout: timedelta | None,
    ) -> AnsweredState:
        """See ``TransactionClient.redrive``."""
        state = await self._reader.state(transaction_id)
        if not is_over(state):
            raise StillOpen(
                "The transaction is still open: let it end, or cancel it, before it is taken up again."
            )
        request = (await self._reader.record(transaction_id)).request
        if request is None:
            raise NothingToRedrive(
                "What started this transaction is no request, so nothing of it can be taken up."
            )
        resolutions = _resolutions(resolve, note, actor)
        try:
            plan = plan_redrive(
                _as_open(state),
                None if isinstance(state, TerminatedState) else state.result,
                request.redrive,
                unknown=unknown,
                undo=undo,
                resolutions=resolutions,
            )
        except NothingToRedriveError as nothing:
            raise NothingToRedrive(str(nothing)) from None
        new_request = _request(request, state, plan, actor)
        return await self._delivery.start(prepare_start(new_request, await self._free_id(plan)), timeout)

    async def _free_id(self, plan: Redrive) -> str:
        """Return the id to start under: of the same redrive, or the first that no redrive has used up.

        One that ended before anything was executed may be followed by another; one that executed is taken up itself.
        """
        for number in range(1, MAX_REDRIVES + 1):
            later = redrive_id(plan.of, plan, number)
            try:
                record = await self._reader.record(later)
            except TransactionNotFound:
                return later
            if not record.open and record.state().status in UNEXECUTED:
                continue
            if same_plan(record.request.redrive if record.request else None, plan):
                return later
            raise NothingToRedrive(f"It was taken up as {later}, in another way: go on with that one.")
        raise NothingToRedrive("It was taken up too often without anything being executed. Start anew.")

    async def linked(self, state: TransactionState) -> TransactionState:
        """Return a closed state with the transaction that took it up, where there is one."""
        if not is_over(state):
            return state
        for kind in ("r", "undo", "resolved"):
            later = f"{state.transaction_id}-{kind}"
            with contextlib.suppress(ConfirmoError):
                await self._reader.describe(later)
                return state.model_copy(update={"redriven_as": later})
        return state


def _as_open(state: TransactionState) -> TransactionState:
    """Read a terminated run as what it was doing: it had begun where any item has an outcome or its yes was taken."""
    if not isinstance(state, TerminatedState):
        return state
    confirmed = state.confirmation is not None and bool(state.confirmation.approvals)
    begun = confirmed or any(item.outcome is not None for item in state.items)
    fields = {name: getattr(state, name) for name in TransactionState.model_fields}
    return TransactionState(
        **fields | {"status": Status.EXECUTING if begun else Status.AWAITING_CONFIRMATION}
    )


def _resolutions(resolve: Mapping[str, str], note: str | None, actor: Actor | None) -> tuple[Resolution, ...]:
    if not resolve:
        return ()
    if not note or not note.strip():
        raise NothingToRedrive("A resolution needs a note that says how it was found out.")
    wrong = sorted(word for word in resolve.values() if word not in OUTCOMES)
    if wrong:
        raise NothingToRedrive("A resolution is succeeded or failed.")
    at = timestamp(datetime.now(UTC))
    return tuple(
        Resolution.model_validate(
            {
                "item_id": item_id,
                "outcome": word,
                "note": note,
                "actor": actor.id if actor else None,
                "at": at,
            }
        )
        for item_id, word in resolve.items()
    )


def _request(
    earlier: TransactionRequest, state: TransactionState, plan: Redrive, actor: Actor | None
) -> TransactionRequest:
    metadata = dict(earlier.metadata) | {"redrive_of": plan.of}
    if actor is not None:
        metadata["redriven_by"] = actor.id
    return TransactionRequest(
        tool_name=state.tool_name,
        arguments=state.arguments,
        tenant=earlier.tenant,
        session_id=earlier.session_id,
        requester=earlier.requester,
        locale=earlier.locale,
        metadata=metadata,
        redrive=plan,
    )
