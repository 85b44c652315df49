"""Playing a scenario through the door, and checking how it ended by result and by the systems' own ledger."""

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from confirmo.client.demonstration.scenarios import Scenario
from confirmo.client.transactions import TransactionClient
from confirmo.examples.ledger import KnobKind, Ledger
from confirmo.policies.models import Decision, Status, TransactionRequest, TransactionResult, TransactionState

Ledgers = Mapping[str, Path]


@dataclass(frozen=True)
class Episode:
    """A scenario as it went.

    Attributes:
        asked: The state that came back from the start.
        result: How it ended.
        effects: What changed in the systems behind the tools: ``tool``, ``item``, ``answer``.
        problems: Where it did not go as it must.
    """

    scenario: Scenario
    asked: TransactionState
    result: TransactionResult
    effects: tuple[dict[str, Any], ...]
    problems: tuple[str, ...]

    @property
    def evidence(self) -> list[dict[str, Any]]:
        """The primary tool's entries, one per item; of a tool without items, its own answer."""
        primary = self.result.result.get("output", {}).get(self.result.tool_name, {})
        entries = primary.get("results")
        return list(entries) if isinstance(entries, list) else [primary] if primary else []

    def report(self) -> dict[str, Any]:
        """Return the episode as JSON."""
        return {
            "title": self.scenario.title,
            "said": self.scenario.said,
            "transaction_id": self.asked.transaction_id,
            "question": self.asked.question,
            "ok": not self.problems,
            "problems": list(self.problems),
            "effects": list(self.effects),
            "result": self.result.model_dump(mode="json"),
        }


async def play(client: TransactionClient, scenario: Scenario, ledgers: Ledgers) -> Episode:
    """Play one scenario: start, say yes where a question is open, wait for the result."""
    request = TransactionRequest(
        tool_name=scenario.tool_name, arguments=scenario.arguments, session_id="demo"
    )
    with _gateway(ledgers, down=scenario.notice_fails):
        asked = await client.start(request)
        if asked.status is Status.AWAITING_CONFIRMATION and asked.confirmation is not None:
            decision = Decision(decision="confirm", digest=asked.confirmation.digest)
            await client.confirm(asked.transaction_id, decision)
        result = await client.result(asked.transaction_id)
    effects = _effects(ledgers, asked.transaction_id)
    return Episode(scenario, asked, result, effects, _problems(scenario, asked, result, effects))


@contextlib.contextmanager
def _gateway(ledgers: Ledgers, *, down: bool) -> Iterator[None]:
    if not down:
        yield
        return
    with Ledger(ledgers["contas"]) as ledger:
        ledger.knobs.turn(KnobKind.SMS_GATEWAY_DOWN)
        try:
            yield
        finally:
            ledger.knobs.reset()


def _effects(ledgers: Ledgers, transaction_id: str) -> tuple[dict[str, Any], ...]:
    found: list[dict[str, Any]] = []
    for path in ledgers.values():
        with Ledger(path) as ledger:
            found += [
                {"tool": row.tool, "item": row.item, "answer": row.answer}
                for row in ledger.effects()
                if row.transaction_id == transaction_id
            ]
    return tuple(found)


def _problems(
    scenario: Scenario,
    asked: TransactionState,
    result: TransactionResult,
    effects: tuple[dict[str, Any], ...],
) -> tuple[str, ...]:
    entries = Episode(scenario, asked, result, effects, ()).evidence
    outcomes = tuple(entry.get("outcome") for entry in entries)
    done = sum(effect["tool"] == scenario.tool_name for effect in effects)
    pairs = {
        "question asked": (asked.question is not None, scenario.asked),
        "status": (result.transaction_status, scenario.status),
        "multi_item_status": (result.multi_item_status, scenario.multi_item_status),
        "outcomes": (outcomes if scenario.outcomes else (), scenario.outcomes),
        "effects": (done, scenario.effects),
        "secondary_error": (result.secondary_error is not None, scenario.notice_fails),
    }
    return tuple(f"{name}: {found}, not {due}" for name, (found, due) in pairs.items() if found != due)
