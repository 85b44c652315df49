"""One transaction as one file: every line of its record in order, chained and sealed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from temporalio.client import WorkflowHistory
from temporalio.converter import DataConverter, WorkflowSerializationContext

from confirmo.client.errors import UnreadableRecord
from confirmo.client.evidence_export.drafts import Draft
from confirmo.client.evidence_export.history import HistoryLines, time_of
from confirmo.client.evidence_export.witnessed import witnessed
from confirmo.policies.evidence_file import bodies
from confirmo.policies.evidence_file.chain import Chain
from confirmo.policies.evidence_file.seal import SEAL, make_seal


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


async def gather(
    history: WorkflowHistory, namespace: str, converter: DataConverter, exported_at: str
) -> Evidence:
    """Read a history and replay it.

    Args:
        history: Whole.
        namespace: Where it comes from.
        converter: Reads its payloads; stores nothing.
        exported_at: RFC 3339 in UTC.

    Raises:
        UnreadableRecord: A part of it cannot be decoded, or it does not replay.
        PayloadNotFound: A part of it is in no payload store that is known here.
    """
    from confirmo.worker.witness import NotReplayable, witness

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
    header = Draft((0, 0), exported_at, _header(history, namespace, read, exported_at))
    return Evidence(history.workflow_id, read.end.status, (header, read.start(), *middle, end))


def _header(history: WorkflowHistory, namespace: str, read: HistoryLines, exported_at: str) -> bodies.Header:
    started = read.started
    return bodies.Header(
        exporter=exporter(),
        exported_at=exported_at,
        transaction_id=history.workflow_id,
        run_id=started.original_execution_run_id,
        first_run_id=started.first_execution_run_id or None,
        namespace=namespace,
        workflow_type=started.workflow_type.name,
        status=read.end.status,
        root=read.root,
        redrive_of=read.redrive.get("of"),
        history_events=len(history.events),
        workers=list(read.workers),
    )


def only_reading(converter: DataConverter, storage: Any) -> DataConverter:
    """Return a converter that reads what ``converter`` does and stores nothing: a replay encodes, too."""
    return replace(converter, external_storage=storage)
