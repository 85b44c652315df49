"""What goes in and out of a turn."""

import hashlib
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from confirmo.client.errors import InvalidRequest
from confirmo.policies.json_text import canonical
from confirmo.policies.models import Actor, TransactionState
from confirmo.policies.replies import Reply

Intent = Literal["confirm", "reject", "amend", "other"]


class ToolCall(BaseModel):
    """A tool call that an agent picked."""

    model_config = ConfigDict(frozen=True)

    tool_name: str
    arguments: dict[str, Any] = {}

    @classmethod
    def of(cls, call: "ToolCall | Mapping[str, Any] | None") -> "ToolCall | None":
        """Return ``call`` as a model.

        Raises:
            InvalidRequest: It is none, or holds what JSON cannot.
        """
        if call is None:
            return None
        try:
            read = call if isinstance(call, ToolCall) else cls.model_validate(dict(call))
            read.digest  # noqa: B018 - half a surrogate pair has none
        except (ValueError, TypeError, RecursionError):
            raise InvalidRequest(
                "The tool call is none: send tool_name as text, and arguments as a map of what JSON can carry."
            ) from None
        return read

    @property
    def digest(self) -> str:
        """Fingerprint of tool and arguments, 16 hex digits."""
        return _digest(self.model_dump())

    @property
    def argument_digests(self) -> dict[str, str]:
        """Fingerprint of each argument by name."""
        return {name: _digest(value) for name, value in self.arguments.items()}


class Offer:
    """The tool call that came with a message, and whether it was taken up.

    Args:
        call: Null for none.
        session: Before the turn: a call that the open transaction was started with is no news.
    """

    def __init__(self, call: ToolCall | None, session: "Session") -> None:
        self.call = call if call is not None and call.digest != session.call_digest else None

    def take(self) -> ToolCall | None:
        """Return the call, once; null where there is none, or where it was taken."""
        call, self.call = self.call, None
        return call


def _digest(value: Any) -> str:
    return hashlib.sha256(canonical(value).encode()).hexdigest()[:16]


class Session(BaseModel):
    """What a conversation has to remember between two turns; store it as JSON after each of them.

    It holds ids and digests, no argument, no label and no text. ``turn`` changes it in place.

    Attributes:
        session_id: Of the conversation. With ``started`` it makes the ids of its transactions, so that a turn that is
            repeated because the session was not stored finds the same transaction.
        transaction_id: The open transaction.
        shown_digest: Digest of the question that this conversation has shown; a yes is a yes to this one.
        call_digest: Of the tool call that the open transaction was started or last corrected with.
        argument_digests: The same for each of its arguments by name: what an agent brings again is no correction.
        started: How many transactions were started.
        parked: Open transactions that were put on hold, the last one last.
    """

    model_config = ConfigDict(validate_assignment=True)

    session_id: str = Field(default_factory=lambda: uuid.uuid4().hex)
    tenant: str = "default"
    locale: str = "pt-BR"
    requester: Actor | None = None
    transaction_id: str | None = None
    shown_digest: str | None = None
    call_digest: str | None = None
    argument_digests: dict[str, str] = {}
    started: int = 0
    parked: tuple[str, ...] = ()

    def hold(self, transaction_id: str, call: ToolCall | None) -> None:
        """Take up a transaction; none of its questions has been shown."""
        self.transaction_id, self.shown_digest = transaction_id, None
        self.note_call(call)

    def note_call(self, call: ToolCall | None) -> None:
        """Remember what the open transaction was asked for with."""
        self.call_digest = call.digest if call else None
        self.argument_digests = call.argument_digests if call else {}

    def release(self) -> None:
        """Forget the open transaction."""
        self.transaction_id = self.shown_digest = None
        self.note_call(None)


class Wants(StrEnum):
    """What comes next."""

    ANSWER = "answer"
    """The person's answer to the question in the text."""
    VALUE = "value"
    """The person's value for the parameter that the text asks for."""
    AGENT = "agent"
    """The agent: the message is not for Confirmo. A question that is open stays open."""
    PATIENCE = "patience"
    """Nothing from the person here; call ``turn`` again later to hear how it ended."""
    NOTHING = "nothing"
    """It is over."""


@dataclass(frozen=True)
class Turn:
    """What to say, and what comes next.

    Attributes:
        text: For the person; empty where there is nothing to say.
        state: Of the transaction that the text is about, null for none.
        wants: What comes next.
        reply: How the message was read, null where nothing was open.
        rest: The part of the message that is another request, for the agent.
        unused: The tool call that came with the message, where it was neither started nor taken for a correction: bring
            it again when its time has come.
    """

    text: str
    state: TransactionState | None
    wants: Wants
    reply: Reply | None = None
    rest: str = ""
    unused: ToolCall | None = None
