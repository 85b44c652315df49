"""A transaction's state in the vocabulary of agent runtimes that keep it in their own graph state."""

import re
from typing import Any

from confirmo.client.answers import status_word
from confirmo.policies.models import Status, TransactionState

_OPEN = {
    Status.VALIDATING: Status.COLLECTING_PARAMETERS.value,
    Status.COLLECTING_PARAMETERS: Status.COLLECTING_PARAMETERS.value,
    Status.AWAITING_CONFIRMATION: Status.AWAITING_CONFIRMATION.value,
    Status.EXECUTING: Status.EXECUTING.value,
}
_EXECUTED = (Status.COMPLETED, Status.FAILED)
_OTHER = re.compile(r"[^A-Z0-9]+")


def agent_state(state: TransactionState | None, *, agent: str = "support") -> dict[str, Any]:
    """Return the fields that such a runtime routes by.

    A closed transaction leaves no latch: no tool call, no missing parameter, ``confirmation_required`` false and
    ``next_state`` null, so that the next turn is routed freely. Its pre-validation stays for audit. A rejection is no
    evidence: only what was executed has any.

    Args:
        state: Null for none.
        agent: Route or agent, the middle of ``next_state``: ``COLLECTING_SUPPORT_PARAMETERS``.

    Returns:
        ``transaction_status``, ``next_state``, ``selected_tool_call``, ``pending_tool_call``, ``missing_parameters``,
        ``confirmation_required``, ``transaction_pre_validation``, ``transaction_evidence``. While a validator is asked
        the status is ``COLLECTING_PARAMETERS``; ``EXPIRED`` and ``TERMINATED`` are closing ones as well.
    """
    if state is None:
        return _fields(None)
    status = _OPEN.get(state.status)
    if status is None:
        return _fields(status_word(state), state)
    call = {"tool_name": state.tool_name, "arguments": dict(state.arguments)}
    waiting = state.status is Status.AWAITING_CONFIRMATION
    return _fields(status, state) | {
        "next_state": _next_state(state.status, agent),
        "selected_tool_call": call,
        "pending_tool_call": call if waiting else {},
        "missing_parameters": list(state.missing_parameters),
        "confirmation_required": waiting,
    }


def _fields(status: str | None, state: TransactionState | None = None) -> dict[str, Any]:
    record = state.transaction_pre_validation if state else None
    return {
        "transaction_status": status,
        "next_state": None,
        "selected_tool_call": {},
        "pending_tool_call": {},
        "missing_parameters": [],
        "confirmation_required": False,
        "transaction_pre_validation": record.model_dump(mode="json") if record else None,
        "transaction_evidence": _evidence(state) if state else [],
    }


def _next_state(status: Status, agent: str) -> str | None:
    prefix = _OTHER.sub("_", agent.upper().removesuffix("_AGENT")).strip("_") or "SUPPORT"
    if status is Status.AWAITING_CONFIRMATION:
        return f"WAITING_{prefix}_CONFIRMATION"
    return None if status is Status.EXECUTING else f"COLLECTING_{prefix}_PARAMETERS"


def _evidence(state: TransactionState) -> list[dict[str, Any]]:
    if state.status not in _EXECUTED or state.result is None:
        return []
    return [
        {
            "transaction_id": state.transaction_id,
            "tool_name": state.tool_name,
            "arguments": dict(state.arguments),
            "status": status_word(state),
            "result": state.result.model_dump(mode="json"),
        }
    ]
