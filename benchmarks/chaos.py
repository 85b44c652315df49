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
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "failure"))

from temporalio.client import WorkflowUpdateFailedError

from benchmarks.judging import TOOLS, Tally, Transaction, judge, tables
from confirmo.examples.ledger import KnobKind
from harness.desk import Tx
from harness.proxy import Fault, Proxy
from rig import Rig


class Chaos:
    """One run."""

    def __init__(self, rig: Rig, proxies: dict[str, Proxy], seed: int, faults: int) -> None:
        self.rig, self.proxies, self.tally = rig, proxies, Tally()
        self.chance, self.number = random.Random(seed), 0
        self.left = faults
        self.transactions: list[Transaction] = []

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
            await self.breathe()

    async def breathe(self) -> None:
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


@asynccontextmanager
async def installation(folder: Path) -> AsyncIterator[tuple[Rig, dict[str, Proxy]]]:
    """A Temporal server, a worker and the example tool servers, each behind a proxy; all end with the block."""
    rig = Rig(folder)
    try:
        await asyncio.gather(rig.start_server(), rig.start_tools("contas"), rig.start_tools("retail"))
        proxies = {name: Proxy(rig.ports[name]) for name in ("contas", "retail")}
        async with proxies["contas"].running() as contas, proxies["retail"].running() as retail:
            rig.settings |= {
                "CONTAS_URL": f"http://127.0.0.1:{contas.port}/mcp",
                "RETAIL_URL": f"http://127.0.0.1:{retail.port}/mcp",
            }
            await rig.start_worker()
            yield rig, proxies
    finally:
        for name in list(rig.processes):
            await rig.kill(name)


async def main(seed: int, faults: int, clients: int) -> int:
    """Run, judge, print; 1 where anything was doubled, false or lost."""
    began = time.monotonic()
    # Starts that a killed server never answers leave futures behind that nobody reads.
    asyncio.get_running_loop().set_exception_handler(lambda *_: None)
    with tempfile.TemporaryDirectory() as folder:
        async with installation(Path(folder)) as (rig, proxies):
            chaos = Chaos(rig, proxies, seed, faults)
            await asyncio.gather(chaos.break_things(), *(chaos.transact() for _ in range(clients)))
            await judge(rig, chaos.transactions, chaos.tally)
    seconds = time.monotonic() - began
    lines = [f"seed {seed}, {len(chaos.transactions)} confirmed transactions, {seconds:.0f} s", ""]
    sys.stdout.write("\n".join([*lines, *tables(chaos.tally)]) + "\n")
    return 0 if chaos.tally.clean else 1


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
