"""Every Temporal name of Confirmo, pinned.

These strings stand in recorded histories and in other people's code. A changed meaning takes a new name;
the old one stays registered. Renaming one breaks replay.
"""

import hashlib
import re
from typing import Final

from confirmo.policies.masking import is_personal

TRANSACTION_WORKFLOW: Final = "TransactionWorkflow"
DELIVERY_WORKFLOW: Final = "DeliveryWorkflow"
TASK_QUEUE: Final = "confirmo"

UPDATE_AWAITING: Final = "awaiting"
UPDATE_PROVIDE_PARAMETERS: Final = "provide_parameters"
UPDATE_AMEND: Final = "amend"
CONFIRM: Final = "confirm"
"""Name of an update and of a signal."""
CANCEL: Final = "cancel"
"""Name of an update and of a signal."""
QUERY_STATE: Final = "state"
QUERY_ITEMS: Final = "items"
QUERY_WHOLE_STATE: Final = "whole_state"
"""The state with every item; for our own doors, which take up a transaction again."""

RESOLVE_POLICY: Final = "resolve_policy"
PREVALIDATE: Final = "prevalidate"
CONFIRM_SIGNAL: Final = "confirm_signal"
EXECUTE_ITEM: Final = "execute_item"
EXECUTE_ITEMS: Final = "execute_items"
RUN_AUXILIARY: Final = "run_auxiliary"
DELIVER_COMPLETION: Final = "deliver_completion"

SEARCH_STATUS: Final = "ConfirmoStatus"
SEARCH_TOOL: Final = "ConfirmoTool"
SEARCH_TENANT: Final = "ConfirmoTenant"
SEARCH_OUTCOME: Final = "ConfirmoOutcome"
SEARCH_ATTRIBUTES: Final = (SEARCH_STATUS, SEARCH_TOOL, SEARCH_TENANT, SEARCH_OUTCOME)

MEMO_REQUEST_DIGEST: Final = "request_digest"
MEMO_TENANT: Final = "tenant_digest"
"""``tenant_digest`` of the tenant, so that a door can tell whose a run is without a worker."""

META_IDEMPOTENCY_KEY: Final = "confirmo/idempotency_key"
META_ITEM_KEYS: Final = "confirmo/item_keys"
META_TRANSACTION_ID: Final = "confirmo/transaction_id"
ARGUMENT_IDEMPOTENCY_KEY: Final = "idempotency_key"
HEADER_IDEMPOTENCY_KEY: Final = "Idempotency-Key"


_PLAIN: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")


def server_queue(task_queue: str, server: str) -> str:
    """Return the task queue for calls of one tool server: ``<task_queue>/<server>``.

    A name that is long, or holds anything but ASCII letters, digits and ``._-``, stands as ``~`` and 32 hex digits of
    its SHA-256, so that every server has its own queue and every queue can be typed. Calls wait on it: never change it.
    """
    shown = server if _PLAIN.fullmatch(server) else f"~{_digest(server)}"
    return f"{task_queue}/{shown}"


ENCRYPTED: Final = "yes"


def encrypted_mark(task_queue: str) -> str:
    """Return the key of a namespace's data under which the workers of a task queue say that they encrypt."""
    return f"confirmo/encrypted/{task_queue}"


def fairness_key(tenant: str) -> str:
    """Return the key by which tenants share workers: ``t-`` and 32 hex digits of SHA-256 (Temporal takes 64 bytes).

    Hashed, as a tenant may be a person's name. The default tenant has one, too.
    """
    return f"t-{_digest(tenant)}"


def search_value(text: str) -> str:
    """Return a text as it stands in a search attribute, which nothing encrypts: personal data as ``~`` and a hash."""
    return f"~{_digest(text)}" if is_personal(text) else text


def tenant_digest(tenant: str) -> str:
    """Return 32 hex digits of SHA-256: a tenant may be a person's name, and a memo is not always encoded."""
    return _digest(tenant)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
