"""One call: whose it is, how its user can be asked, and how far its transaction is."""

import hashlib
from dataclasses import dataclass
from typing import Any

import mcp_types as types

from confirmo.client.answers import is_over, status_word
from confirmo.client.mcp_face.asking import Asking, Context
from confirmo.client.mcp_face.caller import Caller
from confirmo.client.mcp_face.options import FaceOptions
from confirmo.policies.models import TransactionState

REQUEST_ID = "confirmo/request_id"
"""Key in ``_meta`` of a call: the same text finds the same transaction, for as long as Temporal keeps it."""

_SESSION_HEADER = "mcp-session-id"
MAX_REQUEST_ID = 512


class UnusableRequestId(ValueError):
    """The ``_meta`` entry is no text of a sane length."""


@dataclass
class Call:
    """A ``tools/call`` under way.

    Attributes:
        caller: Who sent it.
        session: Tells whose calls belong together; null where the transport does not (2026-07-28 over HTTP).
        request_id: The caller's own, or null.
    """

    context: Context
    asking: Asking
    caller: Caller
    session: str | None
    request_id: str | None
    _reported: int = -1

    @classmethod
    def of(cls, context: Context, params: types.CallToolRequestParams, options: FaceOptions) -> "Call":
        """Read a call. Raises ``UnusableRequestId``, ``Unidentified``."""
        asking, caller = Asking.of(context), Caller.of(context, options)
        return cls(context, asking, caller, _session(context, asking), _request_id(params))

    async def report(self, state: TransactionState) -> None:
        """Tell the client how many items are done, where it asked for that; never the same or less again."""
        counts = state.progress
        total = counts.items_count or 1
        done = counts.items_done_count if counts.items_count else int(is_over(state))
        if done > self._reported:
            self._reported = done
            message = f"{status_word(state)}: {done}/{total}"
            await self.context.session.report_progress(float(done), float(total), message)


def _session(context: Context, asking: Asking) -> str | None:
    """Return a name for the session that gives nothing away: the header's own text is as good as a key."""
    if context.request is None:
        return str(context.lifespan_context)
    header = None if asking.in_rounds else context.request.headers.get(_SESSION_HEADER)
    return f"mcp-{hashlib.sha256(header.encode()).hexdigest()[:24]}" if header else None


def _request_id(params: types.CallToolRequestParams) -> str | None:
    meta: dict[str, Any] = dict(params.meta or {})
    given = meta.get(REQUEST_ID)
    if given is None:
        return None
    if not isinstance(given, str) or not given or len(given) > MAX_REQUEST_ID:
        raise UnusableRequestId(
            f"_meta {REQUEST_ID} has to be a text of 1 to {MAX_REQUEST_ID} characters; nothing was started."
        )
    return given
