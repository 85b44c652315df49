"""The way of a call: start or find the transaction, have the user asked, follow it to its end."""

import asyncio
import contextlib
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

import mcp_types as types

from confirmo.client.answers import AnsweredState, is_over
from confirmo.client.connection import not_found
from confirmo.client.errors import ConfirmoError, NoWorker, UpdateRefused
from confirmo.client.judging import check_decision
from confirmo.client.mcp_face import advice
from confirmo.client.mcp_face.answers import answer
from confirmo.client.mcp_face.asking import Asked, Reply, elicit, input_required
from confirmo.client.mcp_face.calls import Call
from confirmo.client.mcp_face.options import FaceOptions
from confirmo.client.mcp_face.repeats import Repeats
from confirmo.client.transactions import TransactionClient
from confirmo.policies.access import door_policy, may_read
from confirmo.policies.decisions import has_approved, may_confirm
from confirmo.policies.models import WAITING_STATUSES, Decision, Status, TransactionRequest, TransactionState
from confirmo.policies.tool_spec import Catalog, ConfirmationPolicy

Outcome = types.CallToolResult | types.InputRequiredResult

_GLANCE: Final = 0.5
"""Seconds between two looks at a transaction whose start has not answered yet."""
_TIMER_SECONDS: Final = 5.0
_FOLLOW: Final = timedelta(milliseconds=100)
_STRICTNESS: Final = ("any", "elicitation", "out_of_band")


class Conductor:
    """Conducts the calls of one face.

    Args:
        client: The door.
        catalog: What the worker runs.
        options: Whose transactions these are.
    """

    def __init__(self, client: TransactionClient, catalog: Catalog, options: FaceOptions) -> None:
        self._client = client
        self._catalog = catalog
        self._options = options
        self._repeats = Repeats()

    async def begin(self, call: Call, tool_name: str, arguments: Mapping[str, Any]) -> Outcome:
        """Start the transaction of a call, or find the one that the same call started."""
        caller = call.caller
        request_id = call.request_id or self._repeats.request_id(caller, call.session, tool_name, arguments)
        request = TransactionRequest(
            tool_name=tool_name,
            arguments=dict(arguments),
            request_id=request_id,
            tenant=caller.tenant,
            session_id=call.session,
            requester=caller.actor,
            locale=self._options.locale,
        )
        return await self.carry_on(call, await self._started(call, request, request_id))

    async def resume(self, call: Call, asked: Asked, reply: Reply) -> Outcome:
        """Go on with the call of a round before, with what the person said to exactly that question.

        The sealed state is bound to the person, and says nothing of their tenant and roles by now.
        """
        state = await self.find(call, asked.transaction_id) if call.caller.verified else None
        return await self._take(call, asked.transaction_id, asked.digest, reply, state)

    async def carry_on(
        self, call: Call, state: TransactionState, seen: frozenset[str] = frozenset(), note: str = ""
    ) -> Outcome:
        """Follow a transaction; ask each question once, and return what there is where nobody is to be asked.

        Args:
            call: The call.
            state: The state now.
            seen: Digests of the questions that this user was shown.
            note: A sentence for the agent about what was refused.
        """
        state = await self._settled(call, state)
        digest = self._open_question(state)
        obstacle = self._obstacle(call, state)
        if digest is None or digest in seen or obstacle is not None:
            return self._hand_back(state, note, obstacle or "", refused=bool(note))
        if call.asking.in_rounds:
            return input_required(state, digest, self._options.locale)
        reply = await elicit(call.context, state, self._options.locale)
        return await self._take(call, state.transaction_id, digest, reply, state)

    async def find(self, call: Call, transaction_id: str) -> TransactionState:
        """Return the state of a transaction that the caller may see, on record where no worker answers.

        Raises:
            TransactionNotFound: For all others, in the same words as where there is none.
        """
        caller = call.caller
        await self._client.check_tenant(transaction_id, caller.tenant)
        try:
            state = await self._client.state(transaction_id)
        except NoWorker as silent:
            if silent.state is None:
                raise
            state = silent.state
        told = caller.verified or state.tenant is not None  # a worker of before 0.2 does not tell who asked
        if caller.actor is not None and told and not may_read(state, caller.actor, caller.anyone):
            raise not_found(transaction_id)
        return state

    def channel(self, state: TransactionState) -> str:
        """Return who may say yes: the strictest of the tool that was asked for and the one that will run."""
        found = [self._policy(name).channel for name in (state.requested_tool_name, state.tool_name)]
        return max(found, key=_STRICTNESS.index)

    async def decide(
        self, call: Call, transaction_id: str, decision: Decision, before: TransactionState | None = None
    ) -> Outcome:
        """Hand a decision over and follow what comes of it; ``before`` is the state that the caller was shown."""
        seen = frozenset({decision.digest}) if decision.digest else frozenset()
        try:
            if before is not None:
                check_decision(before, decision, call.caller.anyone)
            state: TransactionState = await self._client.confirm(transaction_id, decision)
        except UpdateRefused as refused:
            state = await self._client.state(transaction_id)
            if state.status is Status.VALIDATING:
                return self._hand_back(state, str(refused), refused=True)
            return await self.carry_on(call, state, seen, str(refused))
        if isinstance(state, AnsweredState) and state.accepted_by == "signal":
            return answer(state, advice.HANDED_OVER)
        return await self.carry_on(call, state, seen)

    async def _take(
        self,
        call: Call,
        transaction_id: str,
        digest: str,
        reply: Reply,
        before: TransactionState | None,
    ) -> Outcome:
        if reply is Reply.TOO_LATE:
            state = await self._expired(transaction_id, digest)
            return self._hand_back(state, "" if is_over(state) else advice.DISMISSED)
        if reply is Reply.NOTHING:
            state = await self._client.state(transaction_id)
            return self._hand_back(state, "" if is_over(state) else advice.DISMISSED)
        decision = Decision(
            decision="confirm" if reply is Reply.YES else "reject", digest=digest, actor=call.caller.actor
        )
        return await self.decide(call, transaction_id, decision, before)

    async def _started(self, call: Call, request: TransactionRequest, request_id: str) -> TransactionState:
        transaction_id = call.caller.transaction_id(request_id)
        start = asyncio.ensure_future(self._client.start(request, id=transaction_id, timeout=None))
        try:
            while not (await asyncio.wait({start}, timeout=_GLANCE))[0]:
                with contextlib.suppress(ConfirmoError):
                    await call.report(await self._client.state(transaction_id))
            return start.result()
        finally:
            start.cancel()

    async def _settled(self, call: Call, state: TransactionState) -> TransactionState:
        """Return the state as soon as someone outside is needed, or it is over."""
        await call.report(state)
        if is_over(state) or state.status in WAITING_STATUSES:
            return state
        async with contextlib.aclosing(self._client.watch(state.transaction_id, interval=_FOLLOW)) as states:
            async for state in states:
                await call.report(state)
                if state.status in WAITING_STATUSES:
                    break
        return state

    async def _expired(self, transaction_id: str, digest: str) -> TransactionState:
        """Return the state after a question's time was over: the workflow's own timer may be a moment behind."""
        state = await self._client.state(transaction_id)
        with contextlib.suppress(TimeoutError):
            async with (
                asyncio.timeout(_TIMER_SECONDS),
                contextlib.aclosing(self._client.watch(transaction_id, interval=_FOLLOW)) as states,
            ):
                async for state in states:
                    if self._open_question(state) != digest:
                        break
        return state

    def _hand_back(
        self, state: TransactionState, note: str = "", obstacle: str = "", *, refused: bool = False
    ) -> types.CallToolResult:
        if is_over(state):
            self._repeats.handed_back(state.transaction_id)
            return answer(state, note, refused=refused)
        told = [note, obstacle or ("" if note == advice.DISMISSED else advice.next_step(state))]
        return answer(state, "\n".join(text for text in told if text), refused=refused)

    def _open_question(self, state: TransactionState) -> str | None:
        if state.status is not Status.AWAITING_CONFIRMATION or state.confirmation is None:
            return None
        return state.confirmation.digest

    def _obstacle(self, call: Call, state: TransactionState) -> str | None:
        """Return why the user of this call is not asked: a sentence, empty where the agent may ask; else null."""
        if self._open_question(state) is None:
            return None
        channel = self.channel(state)
        if channel == "out_of_band":
            return advice.ELSEWHERE
        actor = call.caller.actor
        policy = door_policy(state, call.caller.anyone) or self._policy(state.tool_name)
        if not may_confirm(actor, state.requester, policy):
            return advice.SOMEONE_ELSE
        if state.confirmation is not None and has_approved(state.confirmation.approvals, actor):
            return advice.APPROVED
        if call.asking.possible:
            return None
        return advice.USER_ONLY if channel == "elicitation" else ""

    def _policy(self, tool_name: str) -> ConfirmationPolicy:
        """Return a tool's policy; of a tool that is not in the files here, the strictest."""
        tool = self._catalog.tools.get(tool_name)
        return tool.confirmation if tool else ConfirmationPolicy(channel="out_of_band")
