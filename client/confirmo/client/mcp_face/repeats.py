"""Finding the transaction of a call that comes again, after a client's timeout for example."""

import hashlib
import uuid
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, Final

from confirmo.client.mcp_face.caller import Caller
from confirmo.policies.json_text import canonical

LIMIT: Final = 10_000


class Repeats:
    """Request ids of calls whose end was not handed back yet.

    A call without a request id of its own gets one from session, tool and arguments. The same call finds the same
    transaction until its end was handed back, so that the answer that a client did not wait for is not lost, and
    nothing is done twice; after that, the same call is a new wish.

    Args:
        limit: Oldest entries above this are forgotten.
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._open: OrderedDict[str, tuple[str, str]] = OrderedDict()
        self._keys: dict[str, str] = {}

    def request_id(self, caller: Caller, session: str | None, tool: str, arguments: Mapping[str, Any]) -> str:
        """Return the request id of a call; a fresh one where no session tells whose call it is."""
        if session is None:
            return _fresh()
        key = hashlib.sha256(
            canonical([caller.transaction_id(session), tool, dict(arguments)]).encode(
                "utf-8", "surrogatepass"
            )
        ).hexdigest()
        known = self._open.get(key)
        if known is not None:
            self._open.move_to_end(key)
            return known[0]
        request_id = _fresh()
        transaction_id = caller.transaction_id(request_id)
        self._open[key], self._keys[transaction_id] = (request_id, transaction_id), key
        while len(self._open) > self._limit:
            _, (_, forgotten) = self._open.popitem(last=False)
            self._keys.pop(forgotten, None)
        return request_id

    def handed_back(self, transaction_id: str) -> None:
        """Forget the call of a transaction whose end its client has."""
        key = self._keys.pop(transaction_id, None)
        if key is not None:
            self._open.pop(key, None)


def _fresh() -> str:
    return f"mcp-{uuid.uuid4().hex}"
