"""The products that ``cancelar_produtos`` knows: 1001, 1002, 1003, and 10000 to 99999 for large batches."""

import re
from typing import Any

from confirmo.examples.ledger import Answer, Outcome

_KNOWN = re.compile(r"100[123]|[1-9]\d{4}")
_IDENTITIES = ("item_id", "id", "product_id", "name", "subject")


def product_identity(item: Any) -> str:
    """Return what identifies a product: a map's id, else its name, else the scalar itself, as text."""
    if not isinstance(item, dict):
        return str(item).strip()
    found = next((item[name] for name in _IDENTITIES if item.get(name) not in (None, "")), "")
    return str(found).strip()


def cancel_product(identity: str, item: Any, is_refused: bool) -> Outcome:
    """Cancel one product.

    Args:
        identity: Its id.
        item: The item as it was given; a name in it is given back.
        is_refused: Whether it must be refused as cancelled already.
    """
    answer: Answer = {"id": identity}
    if isinstance(item, dict) and isinstance(item.get("name"), str):
        answer["name"] = item["name"]
    if not _KNOWN.fullmatch(identity):
        return Outcome(answer | {"success": False, "reason": "not_found"}, effect=False)
    if is_refused:
        return Outcome(answer | {"success": False, "reason": "already_cancelled"}, effect=False)
    return Outcome(answer | {"success": True, "protocol": f"PROD-2026-{identity}"}, effect=True)
