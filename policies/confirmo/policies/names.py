"""Every Temporal name of Confirmo, pinned.

These strings stand in recorded histories and in other people's code. A changed meaning takes a new name;
the old one stays registered. Renaming one breaks replay.
"""

from typing import Final

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

META_IDEMPOTENCY_KEY: Final = "confirmo/idempotency_key"
META_ITEM_KEYS: Final = "confirmo/item_keys"
META_TRANSACTION_ID: Final = "confirmo/transaction_id"
ARGUMENT_IDEMPOTENCY_KEY: Final = "idempotency_key"
HEADER_IDEMPOTENCY_KEY: Final = "Idempotency-Key"
