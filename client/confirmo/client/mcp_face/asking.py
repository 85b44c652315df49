"""Asking the client's user: the form, who can be asked in which way, and which reply is a yes."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

import anyio
import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from confirmo.policies.models import TransactionState, Wire
from confirmo.policies.texts import clean_text, is_portuguese

CONFIRMATION: Final = "confirmation"
"""Key of the one question of a round."""
FIELD: Final = "confirm"
Context = ServerRequestContext[Any, Any]


class Reply(StrEnum):
    """What a person said to the question that they were shown."""

    YES = "yes"
    NO = "no"
    NOTHING = "nothing"
    """They dismissed it, or what came back is no answer to it."""
    TOO_LATE = "too_late"
    """The question expired before they answered."""


class Asked(Wire):
    """What travels sealed between two rounds: which question the person is being shown."""

    transaction_id: str
    digest: str


@dataclass(frozen=True)
class Asking:
    """How the user behind one call can be asked.

    Attributes:
        possible: Whether the client can show its user a form.
        in_rounds: Whether it does so between two rounds of the same call (2026-07-28), not during one.
    """

    possible: bool
    in_rounds: bool

    @classmethod
    def of(cls, context: Context) -> "Asking":
        """Read what the client declared. An empty ``elicitation`` means forms, as in 2025-06-18."""
        modern = context.protocol_version in MODERN_PROTOCOL_VERSIONS
        capabilities = context.session.client_capabilities
        elicitation = capabilities.elicitation if capabilities else None
        if elicitation is None:
            return cls(False, modern)
        forms = elicitation.form is not None or elicitation.url is None
        return cls(forms and (modern or context.session.can_send_request), modern)


def form(locale: str) -> dict[str, Any]:
    """Return the schema of the form: one box, not ticked."""
    portuguese = is_portuguese(locale)
    title = "Confirmo" if portuguese else "I confirm"
    told = "Marque para executar exatamente isto." if portuguese else "Tick to have exactly this carried out."
    box = {"type": "boolean", "title": title, "description": told, "default": False}
    return {"type": "object", "properties": {FIELD: box}, "required": [FIELD]}


def input_required(state: TransactionState, digest: str, locale: str) -> types.InputRequiredResult:
    """Return the round's question; the server's boundary seals the state."""
    params = types.ElicitRequestFormParams(message=_message(state), requested_schema=form(locale))
    asked = Asked(transaction_id=state.transaction_id, digest=digest)
    return types.InputRequiredResult(
        input_requests={CONFIRMATION: types.ElicitRequest(params=params)},
        request_state=asked.model_dump_json(),
    )


async def elicit(context: Context, state: TransactionState, locale: str) -> Reply:
    """Ask during the call, at most until the question expires."""
    with anyio.move_on_after(_seconds_left(state)):
        try:
            reply = await context.session.elicit_form(_message(state), form(locale), context.request_id)
        except (MCPError, ValidationError):  # the client failed, or answered with something else
            return Reply.NOTHING
        return reading(reply)
    return Reply.TOO_LATE


def reading(reply: Any) -> Reply:
    """Return what a reply says; only a ticked box in an accepted form is a yes."""
    if not isinstance(reply, types.ElicitResult):
        return Reply.NOTHING
    if reply.action == "decline":
        return Reply.NO
    ticked = (reply.content or {}).get(FIELD) if reply.action == "accept" else None
    if not isinstance(ticked, bool):
        return Reply.NOTHING
    return Reply.YES if ticked else Reply.NO


def asked_before(request_state: str) -> Asked | None:
    """Return the question of the round before, null where the state is not ours."""
    try:
        return Asked.model_validate(json.loads(request_state))
    except ValueError:
        return None


def _message(state: TransactionState) -> str:
    return clean_text(state.question or (state.confirmation.message if state.confirmation else ""))


def _seconds_left(state: TransactionState) -> float:
    if state.confirmation is None:
        return 0.0
    end = datetime.fromisoformat(state.confirmation.expires_at.replace("Z", "+00:00"))
    return max((end - datetime.now(UTC)).total_seconds(), 0.0)
