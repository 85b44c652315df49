"""Freezing a question: what is shown is what runs. Also the fingerprint of a request."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from confirmo.policies.json_text import canonical
from confirmo.policies.models import FrozenItem, TransactionRequest
from confirmo.policies.tool_spec import ToolSpec


def question_digest(
    tool: ToolSpec,
    arguments: Mapping[str, Any],
    items: Sequence[FrozenItem],
    message: str,
    policy_version: str,
) -> str:
    """Return 64 hex digits over tool, arguments, items, message and policy version."""
    return digest_of(frozen_question(tool.name, arguments, items, message, policy_version))


def frozen_question(
    tool_name: str,
    arguments: Mapping[str, Any],
    items: Sequence[FrozenItem],
    message: str,
    policy_version: str,
) -> dict[str, Any]:
    """Return what a question's digest is taken over, as plain JSON."""
    return {
        "tool_name": tool_name,
        "arguments": dict(arguments),
        "items": [
            {
                "item_id": item.item_id,
                "label": item.label,
                "eligible": item.eligible,
                "reason": item.reason,
                "data": item.data,
            }
            for item in items
        ],
        "message": message,
        "policy_version": policy_version,
    }


def digest_of(frozen: Mapping[str, Any]) -> str:
    """Return 64 hex digits over the canonical JSON of a frozen question."""
    return _sha256(canonical(frozen))


def set_digest(tool: ToolSpec, arguments: Mapping[str, Any], items: Sequence[FrozenItem]) -> str:
    """Return the digest of what would be executed, without the wording: tells a changed set from the same one."""
    return question_digest(tool, arguments, items, "", tool.version)


def request_digest(request: TransactionRequest) -> str:
    """Return the fingerprint by which two starts differ: tool, arguments, tenant and requester's id.

    Key order, white space and escapes of the JSON do not matter.
    """
    return _sha256(
        canonical(
            {
                "tool_name": request.tool_name,
                "arguments": request.arguments,
                "tenant": request.tenant,
                "requester": request.requester.id if request.requester else None,
            }
        )
    )


def transaction_id_for(tenant: str, request_id: str) -> str:
    """Return ``"tx-"`` and the first 32 hex digits of SHA-256 over tenant, NUL and request id (UTF-8)."""
    return "tx-" + hashlib.sha256(f"{tenant}\x00{request_id}".encode()).hexdigest()[:32]


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
