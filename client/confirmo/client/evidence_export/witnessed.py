"""From what a replay shows to lines: questions as they were frozen, decisions as they were judged, events."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from confirmo.client.evidence_export.drafts import Draft
from confirmo.client.evidence_export.messages_told import Messages
from confirmo.policies.errors import Refusal
from confirmo.policies.events import timestamp
from confirmo.policies.evidence_file import bodies

if TYPE_CHECKING:
    from confirmo.worker.witness import Fact


def witnessed(facts: Iterable["Fact"], messages: Messages, replayed_to: int) -> list[Draft]:
    """Return the lines of what the workflow did in tasks that the history holds whole."""
    drafts: list[Draft] = []
    signals, questions = messages.signals(), 0
    for fact in facts:
        if fact.at_event > replayed_to:
            break
        body: bodies.Body | None = None
        if fact.what == "event":
            body = bodies.Event.model_validate(dict(fact.fact))
        elif fact.what == "policy":
            resolved = fact.fact["resolved"].model_dump(mode="json")
            body = bodies.Policy(tool_name=fact.fact["tool_name"], resolved=resolved)
        elif fact.what == "question":
            questions += 1
            body = _question(fact.fact, questions)
        else:
            sent = messages.by_update(fact.update_id) if fact.update_id else signals.popleft()
            if sent is not None:
                sent.judged = True
                body = _decision(fact.fact, sent)
        if body is not None:
            drafts.append(Draft((fact.at_event, 1), timestamp(fact.at), body))
    return drafts


def _question(fact: Mapping[str, Any], number: int) -> bodies.Question:
    confirmation = fact["confirmation"]
    return bodies.Question(
        number=number,
        purpose="undo" if fact["undo"] else "execute",
        frozen=bodies.Frozen(**fact["frozen"]),
        digest=confirmation.digest,
        requested_at=confirmation.requested_at,
        expires_at=confirmation.expires_at,
        approvals_needed=confirmation.approvals_needed,
        channel=confirmation.channel,
        by=fact["policy"].by,
    )


def _decision(fact: Mapping[str, Any], sent: Any) -> bodies.Decision:
    refusal: Refusal | None = fact.get("refusal")
    return bodies.Decision(
        door=sent.door,
        decision=sent.argument,
        effect=fact["effect"],
        refusal_type=refusal.type.value if refusal else None,
        refusal=refusal.message if refusal else None,
        received_at=sent.time,
        update_id=sent.update_id,
        identity=sent.identity,
    )
