"""Every Temporal name, once more and literally: they stand in recorded histories and in other people's code."""

from confirmo.policies import names

PINNED = {
    "ARGUMENT_IDEMPOTENCY_KEY": "idempotency_key",
    "CANCEL": "cancel",
    "CONFIRM": "confirm",
    "CONFIRM_SIGNAL": "confirm_signal",
    "DELIVERY_WORKFLOW": "DeliveryWorkflow",
    "DELIVER_COMPLETION": "deliver_completion",
    "EXECUTE_ITEM": "execute_item",
    "EXECUTE_ITEMS": "execute_items",
    "HEADER_IDEMPOTENCY_KEY": "Idempotency-Key",
    "MEMO_REQUEST_DIGEST": "request_digest",
    "META_IDEMPOTENCY_KEY": "confirmo/idempotency_key",
    "META_ITEM_KEYS": "confirmo/item_keys",
    "META_TRANSACTION_ID": "confirmo/transaction_id",
    "PREVALIDATE": "prevalidate",
    "QUERY_STATE": "state",
    "QUERY_ITEMS": "items",
    "QUERY_WHOLE_STATE": "whole_state",
    "RESOLVE_POLICY": "resolve_policy",
    "RUN_AUXILIARY": "run_auxiliary",
    "SEARCH_ATTRIBUTES": ("ConfirmoStatus", "ConfirmoTool", "ConfirmoTenant", "ConfirmoOutcome"),
    "SEARCH_OUTCOME": "ConfirmoOutcome",
    "SEARCH_STATUS": "ConfirmoStatus",
    "SEARCH_TENANT": "ConfirmoTenant",
    "SEARCH_TOOL": "ConfirmoTool",
    "TASK_QUEUE": "confirmo",
    "TRANSACTION_WORKFLOW": "TransactionWorkflow",
    "UPDATE_AMEND": "amend",
    "UPDATE_AWAITING": "awaiting",
    "UPDATE_PROVIDE_PARAMETERS": "provide_parameters",
}


def test_no_temporal_name_has_changed() -> None:
    assert {name: value for name, value in vars(names).items() if name.isupper()} == PINNED
