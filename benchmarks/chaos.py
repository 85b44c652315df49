"""A randomised run of kills and faults, with the ledger of the example tool servers as the judge.

Transactions of every kind of effect run without pause while workers, tool servers, the Temporal server and the network
between them are killed, stopped, cut and slowed down by chance. At the end every result is compared with the ledger: no
effect may have happened twice, and every outcome must be the truth or say ``UNKNOWN``. The seed is printed; it decides
which faults come in which order. Run it with ``make chaos``.
"""

import argparse
import asyncio
import contextlib
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "failure"))

from temporalio.client import WorkflowUpdateFailedError

from confirmo.examples.ledger import KnobKind
from harness.desk import Tx
from harness.proxy import Fault, Proxy
from rig import Rig

TOOLS = (
    "cancelar_vas_avulso",
    "cancelar_produtos",
    "contestar_cobranca",
    "cancelar_pedido",
    "cancelar_pedidos",
)
SERVER_OF = {"cancelar_pedido": "retail", "cancelar_pedidos": "retail"}
BOUND = 240.0


@dataclass
class Tally:
    """What happened in a run."""

    faults: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    double: list[str] = field(default_factory=list)
    false: list[str] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)


class Chaos:
    """One run."""

    def __init__(self, rig: Rig, proxies: dict[str, Proxy], seed: int, faults: int) -> None:
        self.rig, self.proxies, self.tally = rig, proxies, Tally()
        self.chance, self.number = random.Random(seed), 0
        self.left = faults
        self.transactions: list[tuple[str, list[str], Tx]] = []

    def request(self) -> tuple[str, dict[str, Any], list[str]]:
        """A transaction on things that no other transaction of this run touches."""
        tool = self.chance.choice(TOOLS)
        self.number += 10
        items = range(10_000 + self.number, 10_000 + self.number + self.chance.randint(1, 6))
        if tool == "cancelar_vas_avulso":
            names = [f"VAS-{item}" for item in items]
            return tool, {"subject": ", ".join(names)}, names
        if tool == "cancelar_produtos":
            return tool, {"items": [{"id": str(item)} for item in items]}, [str(item) for item in items]
        if tool == "contestar_cobranca":
            return tool, {"subject": f"VAS-{items[0]}", "valor": 10.0}, [f"VAS-{items[0]}"]
        if tool == "cancelar_pedido":
            return tool, {"order_id": f"P-{items[0]}"}, [f"P-{items[0]}"]
        orders = [f"P-{item}" for item in items]
        return tool, {"order_ids": orders}, orders

    async def transact(self) -> None:
        """Start and confirm transactions until the faults are used up."""
        while self.left > 0:
            tool, arguments, items = self.request()
            with contextlib.suppress(Exception):
                tx = await self.rig.start(tool, arguments)
                if tx.opened["status"] != "AWAITING_CONFIRMATION":
                    self.tally.statuses[tx.opened["status"]] += 1
                    continue
                self.transactions.append((tool, items, tx))
                await self.say_yes(tx)

    async def say_yes(self, tx: Tx) -> None:
        """Say it until it is taken: what is said twice counts once."""
        digest = tx.opened["confirmation"]["digest"]
        for _ in range(20):
            try:
                await tx.signal("confirm", {"decision": "confirm", "digest": digest})
                return
            except WorkflowUpdateFailedError:
                return
            except Exception:
                await asyncio.sleep(0.5)

    async def break_things(self) -> None:
        """One fault after another, with a breath in between."""
        while self.left > 0:
            fault = self.chance.choice(
                [
                    self.kill_worker,
                    self.stop_worker,
                    self.kill_tools,
                    self.cut,
                    self.cut,
                    self.knob,
                    self.knob,
                ]
                + ([self.kill_server] if self.chance.random() < 0.3 else [])
            )
            self.tally.faults[await fault()] += 1
            self.left -= 1
            await asyncio.sleep(self.chance.uniform(0.05, 0.6))

    async def kill_worker(self) -> str:
        await self.rig.kill("worker")
        await self.rig.start_worker()
        return "worker killed"

    async def stop_worker(self) -> str:
        """A polite stop, or a worker that stands still while another one takes over."""
        if self.chance.random() < 0.5:
            await self.rig.kill("worker", signal.SIGTERM)
            await self.rig.start_worker()
            return "worker stopped politely"
        self.rig.processes["worker"].send_signal(signal.SIGSTOP)
        await asyncio.sleep(self.chance.uniform(0.5, 4))
        self.rig.processes["worker"].send_signal(signal.SIGCONT)
        return "worker stood still"

    async def kill_tools(self) -> str:
        name = self.chance.choice(("contas", "retail"))
        await self.rig.kill(name)
        await self.rig.start_tools(name)
        return "tool server killed"

    async def kill_server(self) -> str:
        await self.rig.kill("server")
        await self.rig.start_server()
        return "Temporal killed"

    async def cut(self) -> str:
        proxy = self.proxies[self.chance.choice(("contas", "retail"))]
        proxy.fault = self.chance.choice([fault for fault in Fault if fault is not Fault.NONE])
        if proxy.fault is Fault.REFUSE:
            proxy.reset()
        await asyncio.sleep(self.chance.uniform(0.1, 1.0))
        name, proxy.fault = f"network: {proxy.fault.value}", Fault.NONE
        return name

    async def knob(self) -> str:
        kind = self.chance.choice(
            (KnobKind.DELAY_BEFORE, KnobKind.DELAY_AFTER, KnobKind.ERROR_BEFORE, KnobKind.ERROR_AFTER)
        )
        ledger = self.rig.ledger(self.chance.choice(("contas", "retail")))
        ledger.knobs.turn(kind, seconds=self.chance.uniform(0.2, 3), times=self.chance.randint(1, 3))
        ledger.close()
        return f"tool: {kind.value}"

    async def judge(self) -> None:
        """Wait for every transaction and compare each outcome with the ledger."""
        effects: Counter[tuple[str, str]] = Counter()
        results = [(tool, items, tx, await self.result_of(tx)) for tool, items, tx in self.transactions]
        for name in ("contas", "retail"):
            ledger = self.rig.ledger(name)
            effects.update((effect.tool, effect.item) for effect in ledger.effects() if effect.tool in TOOLS)
            self.tally.double += [
                f"{tool} {item} ({key})" for tool, item, key, _ in ledger.repeated_effects()
            ]
            ledger.close()
        asked = {(tool, item) for tool, items, _ in self.transactions for item in items}
        self.tally.double += [f"{tool} {item}" for (tool, item), times in effects.items() if times > 1]
        self.tally.false += [f"never confirmed: {pair}" for pair in effects if pair not in asked]
        for tool, items, tx, result in results:
            if result is None:
                self.tally.unfinished.append(tx.id)
                continue
            self.tally.statuses[result["transaction_status"]] += 1
            self.compare(tool, items, result, effects)

    async def result_of(self, tx: Tx) -> dict[str, Any] | None:
        with contextlib.suppress(Exception):
            async with asyncio.timeout(BOUND):
                return dict(await tx.handle.result())
        return None

    def compare(
        self, tool: str, items: list[str], result: dict[str, Any], effects: Counter[tuple[str, str]]
    ) -> None:
        output = result["result"]["output"].get(tool)
        entries = [] if output is None else output.get("results") or [output | {"item_id": items[0]}]
        told = {str(entry["item_id"]): entry["outcome"] for entry in entries}
        for item in items:
            outcome = told.get(item, "FAILED" if output is None else "UNKNOWN")
            self.tally.outcomes[outcome] += 1
            happened = effects[(tool, item)] > 0
            if outcome != "UNKNOWN" and happened != (outcome == "SUCCEEDED"):
                self.tally.false.append(f"{tool} {item}: {outcome}, in the ledger: {happened}")


async def main(seed: int, faults: int, clients: int) -> int:
    """Run, judge, print; 1 where anything was doubled, false or lost."""
    began = time.monotonic()
    # Starts that a killed server never answers leave futures behind that nobody reads.
    asyncio.get_running_loop().set_exception_handler(lambda *_: None)
    with tempfile.TemporaryDirectory() as folder:
        rig = Rig(Path(folder))
        try:
            await asyncio.gather(rig.start_server(), rig.start_tools("contas"), rig.start_tools("retail"))
            proxies = {name: Proxy(rig.ports[name]) for name in ("contas", "retail")}
            async with proxies["contas"].running() as contas, proxies["retail"].running() as retail:
                rig.settings |= {
                    "CONTAS_URL": f"http://127.0.0.1:{contas.port}/mcp",
                    "RETAIL_URL": f"http://127.0.0.1:{retail.port}/mcp",
                }
                await rig.start_worker()
                chaos = Chaos(rig, proxies, seed, faults)
                await asyncio.gather(chaos.break_things(), *(chaos.transact() for _ in range(clients)))
                await chaos.judge()
        finally:
            for name in list(rig.processes):
                await rig.kill(name)
    report(chaos.tally, seed, len(chaos.transactions), time.monotonic() - began)
    return 1 if chaos.tally.double or chaos.tally.false or chaos.tally.unfinished else 0


def report(tally: Tally, seed: int, transactions: int, seconds: float) -> None:
    """Print the table."""
    lines = [
        f"seed {seed}, {transactions} confirmed transactions, {seconds:.0f} s",
        "",
        "| fault | times |",
        "|---|---|",
    ]
    lines += [f"| {name} | {times} |" for name, times in sorted(tally.faults.items())]
    lines += [f"| **all** | **{tally.faults.total()}** |", "", "| items | |", "|---|---|"]
    lines += [f"| {name} | {times} |" for name, times in sorted(tally.outcomes.items())]
    lines += [
        f"| effects that happened twice | {len(tally.double)} |",
        f"| false outcomes | {len(tally.false)} |",
    ]
    lines += [f"| transactions without a result | {len(tally.unfinished)} |", ""]
    lines += [*tally.double[:10], *tally.false[:10], *tally.unfinished[:10]]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--faults", type=int, default=300)
    parser.add_argument("--clients", type=int, default=4)
    options = parser.parse_args()
    chosen = options.seed if options.seed is not None else random.SystemRandom().randrange(10**6)
    sys.stdout.write(f"seed {chosen}\n")
    sys.stdout.flush()
    code = asyncio.run(main(chosen, options.faults, options.clients))
    sys.stdout.flush()
    os._exit(code)
