"""Making a start: checked, measured, named and described, before anything is sent."""

import json
import re
import secrets
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from temporalio.client import Client

from confirmo.client.errors import InvalidRequest, RequestTooLarge
from confirmo.policies.json_text import cut
from confirmo.policies.masking import masked, plainly_personal
from confirmo.policies.models import TransactionRequest
from confirmo.policies.names import fairness_key, tenant_digest
from confirmo.policies.snapshot import request_digest, transaction_id_for
from confirmo.policies.texts import one_line
from confirmo.workflows.payload_store import stores

MAX_BYTES = 1_500_000
"""Of one message's JSON. Temporal takes 2 MB in one payload, and a start carries the request twice in 4 MB."""
MAX_STORED_BYTES = 40_000_000
"""The same with a payload store."""

SUMMARY_BYTES = 200
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|!])")


@dataclass(frozen=True)
class Start:
    """A start that can be sent.

    Attributes:
        transaction_id: The workflow id.
        payload: The request as JSON.
        digest: Fingerprint by which two requests differ.
        summary: One line for the Temporal UI. No argument value.
        details: Markdown for the Temporal UI: what is asked and by whom. No argument value.
        fairness_key: What the tenant's transactions share workers by.
        tenant_digest: Whose it is.
    """

    transaction_id: str
    payload: dict[str, Any]
    digest: str
    summary: str
    details: str
    fairness_key: str
    tenant_digest: str


def payload_limit(client: Client) -> int:
    """Return how many bytes of JSON one message may have: more where there is a payload store."""
    return MAX_STORED_BYTES if stores(client.data_converter.external_storage) else MAX_BYTES


def prepare_start(request: TransactionRequest, id: str | None, limit: int = MAX_BYTES) -> Start:
    """Return the start of a request.

    Args:
        request: What is asked.
        id: The caller's choice; null means one made from tenant and ``request_id``, else a random one.
        limit: Bytes of its JSON; see ``payload_limit``.

    Raises:
        InvalidRequest: It has no tool name, or holds what JSON cannot.
        RequestTooLarge: Above ``limit``.
    """
    if not request.tool_name.strip():
        raise InvalidRequest("The request names no tool: set tool_name.")
    if (
        "\x00" in request.tenant
    ):  # it ends the tenant where ids are made, so another tenant could have the same
        raise InvalidRequest("The tenant holds a NUL character: name it otherwise.")
    payload = json_payload(request, "request", limit)
    sent = TransactionRequest.model_validate(payload)
    return Start(
        transaction_id=_transaction_id(request, id),
        payload=payload,
        digest=request_digest(sent),
        summary=cut(one_line(masked(request.tool_name)), SUMMARY_BYTES),
        details=_details(request),
        fairness_key=fairness_key(request.tenant),
        tenant_digest=tenant_digest(request.tenant),
    )


def of_tenant(request: TransactionRequest, id: str | None, tenant: str) -> TransactionRequest:
    """Return a request as one tenant's.

    An id of the caller's choice could be another tenant's, and any answer to it would tell so: here it is refused
    before anybody looks.

    Raises:
        InvalidRequest: It names another tenant, or comes with an id.
    """
    if id is not None:
        raise InvalidRequest("A client of one tenant makes ids itself: give a request_id, and no id.")
    if "tenant" in request.model_fields_set and request.tenant != tenant:
        raise InvalidRequest("The request names another tenant than this client's: leave tenant out.")
    return request.model_copy(update={"tenant": tenant})


def json_payload(message: BaseModel, what: str, limit: int = MAX_BYTES) -> dict[str, Any]:
    """Return a message as the JSON that travels, absent fields left out.

    Raises:
        InvalidRequest: It holds what JSON cannot: NaN, half a surrogate pair, endless nesting, a foreign object.
        RequestTooLarge: Above ``limit``.
    """
    try:
        json.dumps(message.model_dump(), allow_nan=False, default=str)
        payload: dict[str, Any] = message.model_dump(mode="json", exclude_none=True)
        size = len(json.dumps(payload, ensure_ascii=False).encode())
        type(message).model_validate(payload)
    except (ValueError, RecursionError, TypeError):
        raise InvalidRequest(
            f"The {what} holds something that JSON cannot carry: send texts, numbers, booleans, lists and maps."
        ) from None
    if size > limit:
        store = "" if limit > MAX_BYTES else ", or set CONFIRMO_PAYLOAD_STORE, here and for the workers"
        raise RequestTooLarge(
            f"The {what} has {size:,} bytes of JSON and may have {limit:,}; nothing was sent. Split the set{store}."
        )
    return payload


def _transaction_id(request: TransactionRequest, id: str | None) -> str:
    if id is not None:
        if not id.strip() or not id.isprintable():
            raise InvalidRequest(
                "The transaction id is not a plain text: leave it out, or choose letters and digits."
            )
        if plainly_personal(id):
            raise InvalidRequest(
                "The transaction id holds personal data, and nothing encrypts an id: give it as request_id, which is "
                "hashed."
            )
        return id
    if request.request_id is None:
        return f"tx-{secrets.token_hex(16)}"
    if not request.request_id:
        raise InvalidRequest("The request_id is empty: leave it out, or choose a text.")
    return transaction_id_for(request.tenant, request.request_id)


def _details(request: TransactionRequest) -> str:
    facts = {
        "tool": request.tool_name,
        "asked by": request.requester.id if request.requester else None,
        "tenant": request.tenant,
        "session": request.session_id,
    }
    return "\n".join(f"- {name}: {_plain(masked(value))}" for name, value in facts.items() if value)


def _plain(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", one_line(text, 200))
