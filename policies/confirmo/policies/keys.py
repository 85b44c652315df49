"""Idempotency keys: from the transaction and the item, so that they outlive attempts, resets and redrives."""

import hashlib

from confirmo.policies import json_text


def item_key(root: str, item_id: str) -> str:
    """Return an item's idempotency key: ``cfm_`` and 40 hex digits over root, NUL and item id."""
    return _key(f"{root}\x00{item_id}")


def call_key(root: str) -> str:
    """Return the idempotency key of a call as a whole: the same as an item's, over the root alone."""
    return _key(root)


def _key(text: str) -> str:
    return "cfm_" + hashlib.sha256(json_text.clean_text(text).encode()).hexdigest()[:40]
