"""Taking up an earlier transaction: what failed, what nobody can say of, or what shall be undone."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from confirmo.client.answers import AnsweredState, TerminatedState, is_over
from confirmo.client.delivery import Delivery
from confirmo.client.errors import (
    ConfirmoError,
    NothingToRedrive,
    RequestTooLarge,
    StillOpen,
    TransactionNotFound,
)
from confirmo.client.reading import Reader
from confirmo.client.records import Record
from confirmo.client.replies import no_worker
from confirmo.client.requests import MAX_BYTES, Start, payload_limit, prepare_start
from confirmo.policies.events import timestamp
from confirmo.policies.models import (
    Actor,
    Outcome,
    Redrive,
    Resolution,
    Status,
    TransactionRequest,
    TransactionResult,
    TransactionState,
)
from confirmo.policies.redriving import (
    MAX_REDRIVES,
    OUTCOMES,
    NothingToRedriveError,
    is_side_record,
    later_ids,
    plan_redrive,
    redrive_id,
    same_plan,
)

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
        state = await self._reader.whole_state(transaction_id)
        if not is_over(state):
            raise StillOpen(
                "The transaction is still open: let it end, or cancel it, before it is taken up again."
            )
        if state.items_omitted:  # no worker gave the rest: a plan over a part would pass for one over all
            raise no_worker(transaction_id, state)
        record = await self._reader.record(transaction_id)
        request = record.request
        if request is None:
            raise NothingToRedrive(
                "What started this transaction is no request, so nothing of it can be taken up."
            )
        if request.redrive is not None and is_side_record(request.redrive):
            raise NothingToRedrive(
                f"It only undoes or records: take up {request.redrive.of}, which it belongs to."
            )
        recorded = await self._later(transaction_id, "resolved")
        undoing = await self._later(transaction_id, "undo") if undo else {}
        repeated = _open_one(undoing) or _repeated(recorded, resolve, unknown=unknown)
        if repeated is not None:
            return await self._delivery.start(self._start(*repeated), timeout)
        resolutions = _resolutions(resolve, note, actor)
        result = None if isinstance(state, TerminatedState) else state.result
        try:
            plan = plan_redrive(
                _as_open(state, record),
                result,
                request.redrive,
                unknown=unknown,
                undo=undo,
                resolutions=resolutions,
                recorded=[each for later in recorded.values() for each in _plan(later).resolutions],
                undone=_undone(state, result, record, list(undoing.values())),
            )
        except NothingToRedriveError as nothing:
            if undoing:  # all of it is undone: the same again finds the transaction that did it
                later, done = undoing.popitem()
                return await self._delivery.start(self._start(later, _request_of(done)), timeout)
            raise NothingToRedrive(str(nothing)) from None
        start = self._start(await self._free_id(plan), _request(request, state, plan, actor))
        return await self._delivery.start(start, timeout)

    def _start(self, transaction_id: str, request: TransactionRequest) -> Start:
        """Return a start that carries what is taken up; of a large set it is as large as that."""
        limit = payload_limit(self._reader.temporal)
        try:
            return prepare_start(request, transaction_id, limit)
        except RequestTooLarge as error:
            if limit > MAX_BYTES:
                raise
            raise RequestTooLarge(
                f"{transaction_id} would carry more than {limit:,} bytes of the earlier transaction; nothing was sent. "
                "Set CONFIRMO_PAYLOAD_STORE to the workers' payload store, here, and repeat the same."
            ) from error

    async def _later(self, transaction_id: str, kind: str) -> dict[str, Record]:
        """Return the transactions of one kind that took up another one and were executed or are open, in order."""
        found: dict[str, Record] = {}
        for later in later_ids(transaction_id, kind):
            try:
                record = await self._reader.record(later)
            except TransactionNotFound:
                break
            if record.request is None or record.request.redrive is None:
                continue
            if record.open or record.state().status not in UNEXECUTED:
                found[later] = record
        return found

    async def _free_id(self, plan: Redrive) -> str:
        """Return the id to start under: of the same redrive, or the first that no redrive has used up.

        One that ended before anything was executed may be followed by another, as one that only recorded or undid
        something else; one that executed is taken up itself.
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
            if is_side_record(plan):
                continue
            raise NothingToRedrive(f"It was taken up as {later}, in another way: go on with that one.")
        raise NothingToRedrive("It was taken up too often. Start anew.")

    async def linked(self, state: TransactionState) -> TransactionState:
        """Return a closed state with the transaction that took it up last, where there is one."""
        if not is_over(state):
            return state
        for kind in ("r", "undo", "resolved"):
            last = None
            for later in later_ids(state.transaction_id, kind):
                try:
                    await self._reader.describe(later)
                except ConfirmoError:
                    break
                last = later
            if last is not None:
                return state.model_copy(update={"redriven_as": last})
        return state


def _plan(record: Record) -> Redrive:
    assert record.request is not None
    assert record.request.redrive is not None
    return record.request.redrive


def _request_of(record: Record) -> TransactionRequest:
    assert record.request is not None
    return record.request


def _open_one(found: Mapping[str, Record]) -> tuple[str, TransactionRequest] | None:
    return next(((later, _request_of(record)) for later, record in found.items() if record.open), None)


def _repeated(
    found: Mapping[str, Record], resolve: Mapping[str, str], *, unknown: bool
) -> tuple[str, TransactionRequest] | None:
    """Return the id and the request that recorded exactly this before."""
    if not resolve or unknown:
        return None
    for later, record in found.items():
        if {each.item_id: each.outcome for each in _plan(record).resolutions} == dict(resolve):
            return later, _request_of(record)
    return None


def _undone(
    state: TransactionState, result: TransactionResult | None, record: Record, undoing: Sequence[Record]
) -> dict[str, Outcome]:
    """Return what became of undoing, by item id: in the transaction itself and in those that undid it later."""
    undone: dict[str, Outcome] = {}
    sets = [(record, [item.item_id for item in state.items])]
    sets += [(each, _wanted(_plan(each))) for each in undoing]
    for each, item_ids in sets:
        for number, outcome in each.undone.items():
            if number <= len(item_ids):
                undone[item_ids[number - 1]] = outcome
        own = result if each is record else _result_of(each)
        for item_id in _certainly_not(own):
            if undone.get(item_id) is Outcome.UNKNOWN:
                undone[item_id] = Outcome.FAILED
    return undone


def _wanted(plan: Redrive) -> list[str]:
    return [item.item_id for item in plan.known_items if item.item_id in set(plan.item_ids)]


def _result_of(record: Record) -> TransactionResult | None:
    return record.ending.result if record.ending else None


def _certainly_not(result: TransactionResult | None) -> set[str]:
    """Return the items whose undoing is recorded as ``FAILED``: the tool said no, or it was never sent."""
    output = (result.result.get("output") or {}) if result else {}
    return {
        str(entry.get("item_id"))
        for name, answer in output.items()
        if isinstance(answer, dict) and isinstance(answer.get("results"), list)
        for entry in answer["results"]
        if isinstance(entry, dict) and entry.get("outcome") == Outcome.FAILED.value
    }


def _as_open(state: TransactionState, record: Record) -> TransactionState:
    """Read a terminated run as what it was doing: it had begun where a call was handed out or its yes was taken."""
    if not isinstance(state, TerminatedState):
        return state
    confirmed = state.confirmation is not None and bool(state.confirmation.approvals)
    begun = record.begun or confirmed or any(item.outcome is not None for item in state.items)
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
