"""One transaction as one file: every line of its record in order, chained and sealed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from temporalio.client import WorkflowHistory
from temporalio.converter import DataConverter, WorkflowSerializationContext
from temporalio.service import RPCError

from confirmo.client.connection import store_fault
from confirmo.client.errors import UnreadableRecord
from confirmo.client.evidence_export.drafts import Draft
from confirmo.client.evidence_export.history import HistoryLines, time_of
from confirmo.client.evidence_export.witnessed import witnessed
from confirmo.client.reading import RPC_TIMEOUT, Reader
from confirmo.policies.evidence_file import bodies
from confirmo.policies.evidence_file.chain import Chain
from confirmo.policies.evidence_file.seal import SEAL, make_seal
from confirmo.workflows.payload_drivers import PayloadProblem
from confirmo.workflows.payload_store import with_payloads


@dataclass(frozen=True)
class Evidence:
    """The lines of one transaction, before they are chained. Make it with ``gather``."""

    transaction_id: str
    status: str
    drafts: Sequence[Draft]

    def lines(self, key: Ed25519PrivateKey | None, signed_at: str) -> Iterator[bytes]:
        """Yield the lines of the file; without a key the seal says that nothing is signed."""
        chain = Chain()
        for draft in self.drafts:
            yield chain.add(draft.kind, draft.time, draft.plain())
        seal = make_seal(
            count=chain.count, head=chain.head, signed_at=signed_at, exporter=exporter(), key=key
        )
        yield chain.add(SEAL, signed_at, seal)


def exporter() -> str:
    """Return the name and version of this program."""
    return f"confirmo {version('confirmo')}"


async def export_evidence(reader: Reader, transaction_id: str, exported_at: str) -> Evidence:
    """Read the newest run of a transaction from Temporal; needs no worker.

    Raises:
        TransactionNotFound: There is none.
        UnreadableRecord: As ``gather``.
        PayloadNotFound: A part of it is in no payload store that is known here.
    """
    run_id = (await reader.describe(transaction_id)).run_id
    client = reader.temporal
    try:
        handle = client.get_workflow_handle(transaction_id, run_id=run_id)
        history = await handle.fetch_history(rpc_timeout=RPC_TIMEOUT)
        await with_payloads(history.events, client.data_converter.external_storage)
    except RPCError as error:
        raise reader.fault(error, transaction_id) from None
    except PayloadProblem as problem:
        raise store_fault(problem) from None
    return await gather(
        history, client.namespace, client.data_converter, run_id=run_id, exported_at=exported_at
    )


async def gather(
    history: WorkflowHistory, namespace: str, converter: DataConverter, *, run_id: str, exported_at: str
) -> Evidence:
    """Read a history and replay it.

    Args:
        history: Whole, with what a payload store held of it.
        namespace: Where it comes from.
        converter: Reads its payloads.
        run_id: Of the run.
        exported_at: RFC 3339 in UTC.

    Raises:
        UnreadableRecord: A part of it cannot be decoded, or it does not replay.
    """
    from confirmo.worker.witness import NotReplayable, witness

    # A replay encodes, too, and must put nothing into a store.
    converter = replace(converter, external_storage=None)
    context = WorkflowSerializationContext(namespace=namespace, workflow_id=history.workflow_id)
    read = HistoryLines(converter.with_context(context))
    for event in history.events:
        await read.read(event)
    try:
        facts = await witness(history, converter)
    except NotReplayable as error:
        raise UnreadableRecord(
            f"The history was written by other code than this version ({error}): export with the workers' version."
        ) from None
    told = witnessed(facts, read.messages, read.replayed_to)
    middle = sorted([*read.drafts, *told, *read.messages.rest()], key=lambda draft: draft.place)
    last = read.ended_at or time_of(history.events[-1])
    end = Draft((history.events[-1].event_id, 2), last, read.end)
    header = Draft((0, 0), exported_at, _header(history, namespace, run_id, read, exported_at))
    return Evidence(history.workflow_id, read.end.status, (header, read.start(), *middle, end))


def _header(
    history: WorkflowHistory, namespace: str, run_id: str, read: HistoryLines, exported_at: str
) -> bodies.Header:
    started = read.started
    return bodies.Header(
        exporter=exporter(),
        exported_at=exported_at,
        transaction_id=history.workflow_id,
        run_id=run_id,
        original_run_id=started.original_execution_run_id or None,
        first_run_id=started.first_execution_run_id or None,
        namespace=namespace,
        workflow_type=started.workflow_type.name,
        status=read.end.status,
        root=read.root,
        redrive_of=read.redrive.get("of"),
        history_events=len(history.events),
        workers=list(read.workers),
    )
