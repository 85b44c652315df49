"""The guarantees, each as one trial of one tool."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

from temporalio.client import Client

from confirmo.policies.example_arguments import example_items
from confirmo.policies.item_arguments import array_argument
from confirmo.policies.items import call_key, item_key
from confirmo.policies.models import Effect, Outcome, Status
from confirmo.policies.tool_spec import ToolSpec
from confirmo.worker.verification.report import Verdict
from confirmo.worker.verification.simulated import SimulatedServer, Trial
from confirmo.worker.verification.transacting import Transaction, approvers, start

Told = tuple[Verdict, str]
NO_QUESTION: Final[Told] = ("not_applicable", "its policy runs it without a question")


class Fall:
    """The one moment in which a worker is killed: once every trial that waits for it has a call under way."""

    def __init__(self, trials: int, kill: Callable[[], Awaitable[None]]) -> None:
        self._missing, self._kill = trials, kill
        self._fallen = asyncio.Event()

    @asynccontextmanager
    async def awaited(self) -> AsyncIterator[None]:
        """Bring a call under way in the block; the worker is dead, and replaced, when it is left."""
        try:
            yield
        finally:
            self._missing -= 1
            if self._missing == 0:
                await self._kill()
                self._fallen.set()
        await self._fallen.wait()


@dataclass(frozen=True)
class Bench:
    """Where trials run.

    Attributes:
        queue: Task queue of the worker with the policies as they are, but for shorter times.
        hasty: Task queue of one whose questions expire at once.
        fragile: Task queue of one that is killed.
        fall: When it is.
    """

    client: Client
    server: SimulatedServer
    queue: str
    hasty: str
    fragile: str
    fall: Fall

    async def start(
        self, what: str, trial: Trial, arguments: dict[str, Any], queue: str | None = None
    ) -> Transaction:
        """Start the transaction of a trial."""
        id = f"verify-{what}-{trial.tool.name}"
        if trial.tool.pre_validation.enabled:
            items = example_items(trial.tool, arguments)
            name = array_argument(trial.tool)
            trial.resolved = {name: arguments[name]} if name is not None else {"items": items}
        self.server.trials[id] = trial
        return await start(self.client, queue or self.queue, id, trial, arguments)


Guarantee = Callable[[Bench, ToolSpec, dict[str, Any]], Awaitable[Told]]


async def double_confirm(bench: Bench, tool: ToolSpec, arguments: dict[str, Any]) -> Told:
    """The same yes twice, and both at once, acts once."""
    tx = await bench.start("double", Trial(tool), arguments)
    if not tx.asks:
        return _unasked(tx)
    digest = tx.opened["confirmation"]["digest"]
    yes = [tx.decide("confirm", digest, actor) for actor in approvers(tool.confirmation) for _ in range(2)]
    await asyncio.gather(*yes)
    await tx.result()
    return _once(tx, f"said yes {len(yes)} times")


async def other_question(bench: Bench, tool: ToolSpec, arguments: dict[str, Any]) -> Told:
    """A yes to another question acts on nothing."""
    tx = await bench.start("other", Trial(tool), arguments)
    if not tx.asks:
        return _unasked(tx)
    answer = await tx.decide("confirm", "0" * 64, approvers(tool.confirmation)[0])
    await tx.decide("reject", None, approvers(tool.confirmation)[0])
    await tx.result()
    return _nothing(
        tx, f"a yes with another digest was answered with {answer}, the no that followed was kept"
    )


async def late_confirm(bench: Bench, tool: ToolSpec, arguments: dict[str, Any]) -> Told:
    """A yes that comes too late acts on nothing."""
    tx = await bench.start("late", Trial(tool), arguments, bench.hasty)
    if not tx.asks:
        return _unasked(tx)
    result = await tx.handle.result()
    answers = await tx.confirm()
    status = result["transaction_status"]
    if status != Status.EXPIRED.value:
        return "broken", f"the question was left open and ended as {status}"
    return _nothing(tx, f"the question had expired; the late yes was answered with {answers[0]}")


async def validator_down(bench: Bench, tool: ToolSpec, arguments: dict[str, Any]) -> Told:
    """A validator that is down keeps everything from happening, or the question says that nothing was checked."""
    if not tool.pre_validation.enabled:
        return "not_applicable", "it has no validator"
    tx = await bench.start("down", Trial(tool, down=True), arguments)
    if tx.asks:
        record = tx.opened["transaction_pre_validation"] or {}
        await tx.decide("reject", None, approvers(tool.confirmation)[0])
        if not (tool.pre_validation.fail_open and record.get("bypassed")):
            return "broken", "the question was asked although nobody could validate it"
        return "held", "fail_open: the question was asked, and says that it was not verified"
    if tool.pre_validation.fail_open and not tool.require_confirmation:
        return "held", "fail_open without a question: it was executed unverified, as its policy says"
    return _nothing(tx, f"it ended as {tx.opened['status']}")


async def lost_answer(bench: Bench, tool: ToolSpec, arguments: dict[str, Any]) -> Told:
    """An answer that is lost after the effect never leads to a second effect that the policy does not allow."""
    tx = await bench.start("lost", Trial(tool, lost=True), arguments)
    return _doubt(tx, await tx.run(), "every first answer was lost after the effect")


async def crash(bench: Bench, tool: ToolSpec, arguments: dict[str, Any]) -> Told:
    """A worker that dies while calls are under way: another one carries on."""
    async with bench.fall.awaited():
        tx = await bench.start("crash", Trial(tool, held=True), arguments, bench.fragile)
        if tx.asks:
            await tx.confirm()
        await tx.trial.reached.wait()
    tx.trial.held = False
    tx.trial.go.set()
    return _doubt(tx, await tx.result(), "the worker was killed while the call was under way")


async def partial(bench: Bench, tool: ToolSpec, arguments: dict[str, Any]) -> Told:
    """One item that fails among others: each gets its own outcome."""
    tx = await bench.start("partial", Trial(tool), arguments)
    items = [item["item_id"] for item in tx.opened["items"] if item["eligible"]]
    if len(items) < 2 or not tx.asks:
        tx.trial.go.set()
        if tx.asks:
            await tx.decide("reject", None, approvers(tool.confirmation)[0])
        return "not_applicable", "it acts on one thing, or without a question"
    tx.trial.refused = frozenset({item_key(tx.handle.id, items[0])})
    result = await tx.run()
    told = {entry["item_id"]: entry["outcome"] for entry in _entries(tx, result)}
    wrong = [id for id in items if told.get(id) != ("FAILED" if id == items[0] else "SUCCEEDED")]
    if wrong or result["multi_item_status"] != "PARTIAL_SUCCESS":
        return "broken", f"{result['multi_item_status']}, and a wrong outcome of {', '.join(wrong) or 'none'}"
    return "held", f"PARTIAL_SUCCESS: 1 of {len(items)} FAILED with its reason, the others SUCCEEDED"


async def auxiliary_failure(bench: Bench, tool: ToolSpec, arguments: dict[str, Any]) -> Told:
    """A step afterwards that fails changes nothing of what was done."""
    if not tool.after:
        return "not_applicable", "nothing follows it"
    tx = await bench.start("after", Trial(tool, auxiliary_down=True), arguments)
    result = await tx.run()
    steps = [result["result"]["output"].get(step.tool) for step in tool.after]
    failed = [step for step in steps if step is not None and not step["success"]]
    if result["transaction_status"] != Status.COMPLETED.value or not result["ok"]:
        return "broken", f"it ended as {result['transaction_status']} although the tool itself succeeded"
    return "held", f"{len(failed)} step(s) failed and are told as failed; the result stays a success"


GUARANTEES: Final[dict[str, Guarantee]] = {
    rule.__name__: rule
    for rule in (
        double_confirm,
        other_question,
        late_confirm,
        validator_down,
        lost_answer,
        crash,
        partial,
        auxiliary_failure,
    )
}
"""By name, in the order in which they are told."""


def _unasked(tx: Transaction) -> Told:
    if tx.trial.tool.require_confirmation:
        return "broken", f"it was not asked about: {tx.opened['status']}, {tx.opened['reason']}"
    return NO_QUESTION


def _nothing(tx: Transaction, what: str) -> Told:
    done = tx.trial.effects.total()
    return (
        ("held", f"{what}; nothing was executed")
        if not tx.trial.calls
        else ("broken", f"{what}; {done} effects")
    )


def _once(tx: Transaction, what: str) -> Told:
    twice = [key for key, times in tx.trial.effects.items() if times != 1]
    if twice or not tx.trial.effects:
        return (
            "broken",
            f"{what}; {len(twice)} of {len(tx.trial.effects)} effects did not happen exactly once",
        )
    return "held", f"{what}; {len(tx.trial.effects)} effect(s), each once"


def _doubt(tx: Transaction, result: dict[str, Any], what: str) -> Told:
    """Judge what came of a call whose answer nobody got, by the tool's effect."""
    tool, trial = tx.trial.tool, tx.trial
    outcomes = sorted({outcome for outcome, _ in _outcomes(tx, result)})
    false = [key for outcome, key in _outcomes(tx, result) if _is_false(outcome, trial.effects[key])]
    told = f"{what}; {tool.execution.effect.value}: {len(trial.calls)} call(s), told as {', '.join(outcomes)}"
    if false or not outcomes:
        return "broken", f"{told}; {len(false)} outcome(s) are false"
    if tool.execution.effect is Effect.IDEMPOTENT:
        return "held", told
    if any(times > 1 for times in trial.effects.values()):
        return "broken", f"{told}; an effect happened twice"
    if Outcome.UNKNOWN.value in outcomes:
        return "held", f"{told}; an operator must look, as it has no status_tool that could tell"
    return "held", f"{told}; no effect happened twice"


def _is_false(outcome: str, effects: int) -> bool:
    return (outcome == Outcome.SUCCEEDED.value and effects == 0) or (
        outcome == Outcome.FAILED.value and effects > 0
    )


def _outcomes(tx: Transaction, result: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each outcome with the key that its effects are counted by."""
    for entry in _entries(tx, result):
        yield entry["outcome"], item_key(tx.handle.id, entry["item_id"])
    single = result["result"]["output"].get(tx.trial.tool.name, {})
    if "outcome" in single:
        yield single["outcome"], call_key(tx.handle.id)


def _entries(tx: Transaction, result: dict[str, Any]) -> list[dict[str, Any]]:
    output: dict[str, Any] = result["result"]["output"].get(tx.trial.tool.name, {})
    entries: list[dict[str, Any]] = output.get("results", [])
    return entries
