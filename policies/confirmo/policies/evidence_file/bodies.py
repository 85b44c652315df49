"""What a line of each kind holds. The exporter writes through these models, and the verifier reads through them.

They grow by fields with defaults only: a file must stay readable for as long as somebody keeps it.
"""

from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict

from confirmo.policies.evidence_file.chain import FORMAT

Role = Literal["validator", "primary", "undo", "auxiliary"]
Door = Literal["update", "signal"]
MIXED: Final = "MIXED"
"""Outcome of a call without items whose own results differ."""


class Body(BaseModel):
    """Base of all bodies: frozen, strict types, unknown fields ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class Header(Body):
    """The first line: ``header``.

    Attributes:
        status: How the run stood: ``open``, ``completed``, ``failed``, ``terminated``, ``cancelled``, ``timed_out`` or
            ``continued``.
        original_run_id: Of the run that was reset, where this one goes on from a reset; else the same.
        first_run_id: Of the first run of a chain of continued ones.
        root: What idempotency keys are derived from: the first transaction of a chain of redrives.
        redrive_of: The transaction that this one takes up, or null.
        workers: Identities of the processes that ran the workflow.
    """

    format: str = FORMAT
    exporter: str
    exported_at: str
    transaction_id: str
    run_id: str
    original_run_id: str | None = None
    first_run_id: str | None = None
    namespace: str
    workflow_type: str
    status: str
    root: str
    redrive_of: str | None = None
    history_events: int
    workers: list[str] = []


class Request(Body):
    """``request``: what started the run, as it was sent.

    Attributes:
        request_digest: The fingerprint that Temporal keeps beside the run, or null.
        identity: Of the process that sent it, as it called itself.
    """

    request: Any = None
    request_digest: str | None = None
    identity: str | None = None


class Policy(Body):
    """``policy``: what the configuration said about a tool, frozen for this run."""

    tool_name: str
    resolved: dict[str, Any]


class Frozen(Body):
    """What a question's digest is taken over."""

    tool_name: str
    arguments: dict[str, Any]
    items: list[dict[str, Any]]
    message: str
    policy_version: str


class Question(Body):
    """``question``: as it was shown. ``purpose`` is ``undo`` where a compensation asks first."""

    number: int
    purpose: Literal["execute", "undo"]
    frozen: Frozen
    digest: str
    requested_at: str
    expires_at: str
    approvals_needed: int
    channel: str
    by: str


class Delivery(Body):
    """``delivery``: a question was handed to the sink, or could not be."""

    delivery_id: str
    digest: str
    sink: str | None = None
    delivered: bool
    failure: dict[str, Any] | None = None


class Decision(Body):
    """``decision``: one answer of a person that reached the transaction, taken or refused.

    Attributes:
        decision: As it was sent.
        effect: ``confirmed``, ``approved`` (counts, and more are needed), ``rejected``, ``nothing`` (the same again),
            ``refused``, or ``not_processed``: the run ended, or no worker came, before it was judged.
        refusal_type: Update error type of a refused one.
        identity: Of the process that sent it, as it called itself.
    """

    door: Door
    decision: Any = None
    effect: Literal["confirmed", "approved", "rejected", "nothing", "refused", "not_processed"]
    refusal_type: str | None = None
    refusal: str | None = None
    received_at: str
    update_id: str | None = None
    identity: str | None = None


class Message(Body):
    """``message``: any other message: ``cancel``, ``amend``, ``provide_parameters``, or Temporal's own cancel."""

    door: str
    name: str
    argument: Any = None
    refusal_type: str | None = None
    refusal: str | None = None
    identity: str | None = None


class Call(Body):
    """``call``: handed to a worker to be sent. Whether it was sent, the answer's ``attempts`` say.

    Attributes:
        call_id: Temporal's activity id; calls of one slice share it.
        call: ``per_item``, ``whole`` or ``single``.
        item_id: The item of a call for one; null otherwise.
        item_ids: The items of a call for all.
        arguments: As sent to the tool; null for a call that Temporal holds no arguments of.
        asks_first: The status tool that is asked before anything is sent, or null.
    """

    call_id: str
    role: Role
    tool_name: str
    server: str
    call: Literal["per_item", "whole", "single"]
    item_id: str | None = None
    item_ids: list[str] | None = None
    arguments: dict[str, Any] | None = None
    idempotency_key: str | None = None
    item_keys: dict[str, str] | None = None
    asks_first: str | None = None
    attempts_before: int = 0


class Answer(Body):
    """``answer``: what a call came back with.

    Attributes:
        item_id: Whose it is; null for a call without items, and for what stands beside the items.
        outcome: ``SUCCEEDED``, ``FAILED``, ``UNKNOWN``, ``MIXED``; null where the line says nothing of an outcome.
        attempts: Calls in which it was sent.
        answer: What the tool returned for it.
        beside: What the answer held beside the items.
        failure: Why Temporal has no answer of the worker: type, message and what a last heartbeat said.
        from_heartbeat: A worker that was lost had written this down before.
        worker_attempts: Attempts that Temporal made to run the call.
        earlier_failure: Why the attempt before the last one failed; on the first line of a call's answer.
        retryable: The workflow may send it again.
    """

    call_id: str
    role: Role
    tool_name: str
    item_id: str | None = None
    outcome: str | None = None
    attempts: int = 0
    idempotency_key: str | None = None
    reason: str | None = None
    reason_code: str | None = None
    verified_by: str | None = None
    answer: Any = None
    conflicting: list[Any] = []
    beside: dict[str, Any] | None = None
    failure: dict[str, Any] | None = None
    from_heartbeat: bool = False
    worker_attempts: int = 0
    earlier_failure: dict[str, Any] | None = None
    retryable: bool = False


class Event(Body):
    """``event``: one transition, ``IC.TRANSACTION_*``, with its counts."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True)

    event_id: str
    name: str
    transaction_id: str


class Result(Body):
    """``result``: the ``TransactionResult`` whole."""

    result: dict[str, Any]


class End(Body):
    """``end``: the last line before the seal. ``status`` as in the header."""

    status: str
    reason: str | None = None
    failure_type: str | None = None


BODIES: Final[dict[str, type[Body]]] = {
    "header": Header,
    "request": Request,
    "policy": Policy,
    "question": Question,
    "delivery": Delivery,
    "decision": Decision,
    "message": Message,
    "call": Call,
    "answer": Answer,
    "event": Event,
    "result": Result,
    "end": End,
}
"""Kind of a line to what it holds, but for ``seal``."""
