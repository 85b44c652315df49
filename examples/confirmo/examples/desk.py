"""Between an MCP call and the ledger: whose key it carries, what is written down, what goes wrong."""

import os
from collections.abc import Callable, Sequence

import anyio
from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError
from mcp.types import INTERNAL_ERROR

from confirmo.examples.ledger import Answer, Dedupe, Demand, Knob, KnobKind, Ledger, Outcome
from confirmo.examples.ledger.rows import BEFORE
from confirmo.policies.names import (
    HEADER_IDEMPOTENCY_KEY,
    META_IDEMPOTENCY_KEY,
    META_ITEM_KEYS,
    META_TRANSACTION_ID,
)

CRASH_EXIT_CODE = 70

Act = Callable[[str], Outcome]


def call_key(context: Context, argument: str | None = None) -> str | None:
    """Return the call's idempotency key: the argument, else ``_meta``, else the HTTP header, else null."""
    return argument or _meta_text(context, META_IDEMPOTENCY_KEY) or _header(context)


def item_keys(context: Context, items: Sequence[str]) -> list[str | None]:
    """Return one key per item of a whole call.

    ``_meta["confirmo/item_keys"]`` decides; an item that it leaves out gets one made of the call's key and
    the item, or null where the call has none.
    """
    keys = (context.request_context.meta or {}).get(META_ITEM_KEYS)
    given = keys if isinstance(keys, dict) else {}
    whole = call_key(context)
    return [given.get(item) or (f"{whole}/{item}" if whole else None) for item in items]


class Desk:
    """Takes the calls of one server.

    Calls into SQLite are made on the event loop: a transaction takes some tens of microseconds, less than a
    hop to a thread. Only delays are awaited.

    Args:
        ledger: Where everything is written down.
        crash: Ends the process; replaced in tests that run in it.
    """

    def __init__(
        self, ledger: Ledger, crash: Callable[[], object] = lambda: os._exit(CRASH_EXIT_CODE)
    ) -> None:
        self.ledger = ledger
        self._crash = crash

    def answer(self, context: Context, tool: str, item: str, answer: Answer) -> Answer:
        """Write down a call that changes nothing, and return its answer."""
        self.ledger.record(tool, item, answer, _meta_text(context, META_TRANSACTION_ID))
        return answer

    async def act(
        self, context: Context, tool: str, demand: Demand, act: Act, *, dedupe: Dedupe = Dedupe.KEY
    ) -> Answer:
        """Act on one item, at most once per key."""
        answers = await self.act_on_all(context, tool, [demand], act, dedupe=dedupe)
        return answers[0]

    async def act_on_all(
        self,
        context: Context,
        tool: str,
        demands: Sequence[Demand],
        act: Act,
        *,
        dedupe: Dedupe = Dedupe.KEY,
    ) -> list[Answer]:
        """Act on several items in one transaction, each at most once per key; answers in the given order.

        A caller that hangs up does not stop what has arrived: that is what makes a lost answer a question.

        Raises:
            MCPError: JSON-RPC −32603 where an ``error_…`` knob is due.
        """
        with anyio.CancelScope(shield=True):
            for knob in self.ledger.knobs.take(BEFORE, tool, [demand.item for demand in demands]):
                await self._misbehave(knob)
            transaction_id = _meta_text(context, META_TRANSACTION_ID)
            batch = self.ledger.perform(tool, demands, act, dedupe=dedupe, transaction_id=transaction_id)
        for knob in batch.after:
            await self._misbehave(knob)
        return list(batch.answers)

    async def _misbehave(self, knob: Knob) -> None:
        if knob.kind in (KnobKind.CRASH_BEFORE, KnobKind.CRASH_AFTER):
            self._crash()
        elif knob.kind in (KnobKind.ERROR_BEFORE, KnobKind.ERROR_AFTER):
            raise MCPError(INTERNAL_ERROR, "Falha interna simulada")
        else:
            await anyio.sleep(knob.seconds)


def _meta_text(context: Context, name: str) -> str | None:
    value = (context.request_context.meta or {}).get(name)
    return value if isinstance(value, str) and value else None


def _header(context: Context) -> str | None:
    headers = context.headers
    return headers.get(HEADER_IDEMPOTENCY_KEY) if headers is not None else None
