"""Every Temporal name, once more and literally: they stand in recorded histories and in other people's code."""

from confirmo.policies import names

PINNED = {
    "ARGUMENT_IDEMPOTENCY_KEY": "idempotency_key",
    "CANCEL": "cancel",
    "CONFIRM": "confirm",
    "CONFIRM_SIGNAL": "confirm_signal",
    "DELIVERY_WORKFLOW": "DeliveryWorkflow",
    "DELIVER_COMPLETION": "deliver_completion",
    "ENCRYPTED": "yes",
    "EXECUTE_ITEM": "execute_item",
    "EXECUTE_ITEMS": "execute_items",
    "HEADER_IDEMPOTENCY_KEY": "Idempotency-Key",
    "MEMO_REQUEST_DIGEST": "request_digest",
    "MEMO_TENANT": "tenant_digest",
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
    public = {name: value for name, value in vars(names).items() if name.isupper() and name[0] != "_"}
    assert public == PINNED


def test_no_servers_queue_has_changed() -> None:
    """Calls wait on them over a deploy."""
    assert names.server_queue("confirmo", "contas") == "confirmo/contas"
    assert names.server_queue("confirmo", "Crm_2.eu-1") == "confirmo/Crm_2.eu-1"
    assert names.server_queue("q", "a/b") == "q/~c14cddc033f64b9dea80ea675cf280a0"
    assert names.server_queue("q", "faturação") == "q/~b28878a88f0f0cf1ab9f669effd74335"
    assert names.server_queue("q", "") == "q/~e3b0c44298fc1c149afbf4c8996fb924"
    assert len(names.server_queue("q", "n" * 5000)) < 40


def test_no_tenants_key_has_changed() -> None:
    """Weights are set by it."""
    assert names.fairness_key("default") == "t-37a8eec1ce19687d132fe29051dca629"
    assert names.fairness_key("ana@example.com") != names.fairness_key("ana@example.org")


def test_the_mark_of_workers_that_encrypt_has_not_changed() -> None:
    """Clients of other versions read it."""
    assert names.encrypted_mark("confirmo") == "confirmo/encrypted/confirmo"
