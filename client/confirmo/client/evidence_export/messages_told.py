"""What people and programs sent to a run, as the history holds it, and how each was taken."""

from collections import deque
from dataclasses import dataclass
from typing import Any

from temporalio.converter import DataConverter

from confirmo.client.evidence_export.drafts import Draft
from confirmo.client.evidence_export.failures import failed
from confirmo.client.evidence_export.payloads import first
from confirmo.policies import names
from confirmo.policies.evidence_file import bodies
from confirmo.policies.evidence_file.bodies import Door

_TOLD = (names.CONFIRM, names.CANCEL, names.UPDATE_AMEND, names.UPDATE_PROVIDE_PARAMETERS)


@dataclass
class Sent:
    """One message.

    Attributes:
        refusal: Type and message where an update was accepted and then refused.
        judged: Whether its line was made from what the workflow did with it.
    """

    door: Door
    name: str
    argument: Any
    place: int
    time: str
    identity: str | None
    update_id: str | None = None
    refusal: tuple[str | None, str | None] = (None, None)
    judged: bool = False


class Messages:
    """Reads the messages of a history."""

    def __init__(self, converter: DataConverter) -> None:
        self._converter = converter
        self._sent: list[Sent] = []
        self._updates: dict[str, Sent] = {}
        self._admitted: dict[str, Any] = {}

    async def read(self, kind: str, attributes: Any, place: int, time: str) -> None:
        """Take one event of any kind."""
        if kind == "workflow_execution_signaled_event_attributes":
            name, payloads = attributes.signal_name, attributes.input.payloads
            if name in _TOLD:
                argument = await first(self._converter, payloads)
                self._sent.append(Sent("signal", name, argument, place, time, attributes.identity or None))
        elif kind == "workflow_execution_update_admitted_event_attributes":
            self._admitted[attributes.request.meta.update_id] = attributes.request
        elif kind == "workflow_execution_update_accepted_event_attributes":
            await self._accepted(attributes, place, time)
        elif kind == "workflow_execution_update_completed_event_attributes":
            await self._completed(attributes)
        elif kind == "workflow_execution_cancel_requested_event_attributes":
            reason = {"reason": attributes.cause or None}
            self._sent.append(
                Sent("signal", "temporal_cancel", reason, place, time, attributes.identity or None)
            )

    async def _accepted(self, accepted: Any, place: int, time: str) -> None:
        request = accepted.accepted_request
        if not request.input.name:
            request = self._admitted.get(accepted.protocol_instance_id, request)
        if request.input.name not in _TOLD:
            return
        argument = await first(self._converter, request.input.args.payloads)
        id, identity = request.meta.update_id, request.meta.identity or None
        sent = Sent("update", request.input.name, argument, place, time, identity, id)
        self._sent.append(sent)
        self._updates[id] = sent

    async def _completed(self, completed: Any) -> None:
        sent = self._updates.get(completed.meta.update_id)
        if sent is not None and completed.outcome.HasField("failure"):
            failure, _ = await failed(completed.outcome.failure, self._converter)
            sent.refusal = (failure["type"], failure["message"])

    def by_update(self, update_id: str) -> Sent | None:
        """Return the decision that came as this update."""
        return self._updates.get(update_id)

    def signals(self) -> deque[Sent]:
        """Return the decisions that came as signals, in the order in which the workflow took them."""
        return deque(sent for sent in self._sent if sent.door == "signal" and sent.name == names.CONFIRM)

    def rest(self) -> list[Draft]:
        """Return the lines of all messages but the judged decisions."""
        return [_line(sent) for sent in self._sent if not sent.judged]


def _line(sent: Sent) -> Draft:
    type, message = sent.refusal
    body: bodies.Body
    if sent.name == names.CONFIRM:
        body = bodies.Decision(
            door=sent.door,
            decision=sent.argument,
            effect="not_processed" if sent.refusal == (None, None) else "refused",
            refusal_type=type,
            refusal=message,
            received_at=sent.time,
            update_id=sent.update_id,
            identity=sent.identity,
        )
    else:
        body = bodies.Message(
            door=sent.door if sent.name != "temporal_cancel" else "temporal",
            name=sent.name,
            argument=sent.argument,
            refusal_type=type,
            refusal=message,
            identity=sent.identity,
        )
    return Draft((sent.place, 0), sent.time, body)
