"""What goes in and out of a turn."""

import hashlib
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

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
        """Return ``call`` as a model. Raises pydantic's ``ValidationError`` where it is none."""
        return call if call is None or isinstance(call, ToolCall) else cls.model_validate(dict(call))

    @property
    def digest(self) -> str:
        """Fingerprint of tool and arguments, 16 hex digits."""
        return hashlib.sha256(canonical(self.model_dump()).encode()).hexdigest()[:16]


class Session(BaseModel):
    """What a conversation has to remember between two turns; store it as JSON after each of them.

    It holds ids and digests, no argument, no label and no text. ``turn`` changes it in place.

    Attributes:
        session_id: Of the conversation. With ``started`` it makes the ids of its transactions, so that a turn that is
            repeated because the session was not stored finds the same transaction.
        transaction_id: The open transaction.
        shown_digest: Digest of the question that this conversation has shown; a yes is a yes to this one.
        call_digest: Of the tool call that started the open transaction.
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
    started: int = 0
    parked: tuple[str, ...] = ()

    def hold(self, transaction_id: str, call_digest: str | None) -> None:
        """Take up a transaction; none of its questions has been shown."""
        self.transaction_id, self.call_digest, self.shown_digest = transaction_id, call_digest, None

    def release(self) -> None:
        """Forget the open transaction."""
        self.transaction_id = self.call_digest = self.shown_digest = None


class Wants(StrEnum):
    """What comes next."""

    ANSWER = "answer"
    """The person's answer to the question in the text."""
    VALUE = "value"
    """The person's value for the parameter that the text asks for."""
    AGENT = "agent"
    """The agent: the message is not for Confirmo. A question that is open stays open."""
    PATIENCE = "patience"
    """Nothing from the person; call ``turn`` again later to hear how it ended."""
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
    """

    text: str
    state: TransactionState | None
    wants: Wants
    reply: Reply | None = None
    rest: str = ""
