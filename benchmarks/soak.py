"""A long run with mixed sizes and kills: nothing may be lost or doubled, and memory stays flat.

Two workers share the load. One is killed, stopped and stands still as in ``make chaos``; the other is left alone, so
that its memory tells whether something grows. Run it with ``make soak``: half an hour, or ``ARGS="--minutes 2"``.
"""

import argparse
import asyncio
import contextlib
import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil

from benchmarks.chaos import Chaos, installation
from benchmarks.judging import BOUND, TOOLS, judge, tables
from benchmarks.report import machine
from harness.desk import Tx

STEADY = "steady"
WATCHED = (STEADY, "server", "contas", "retail")
SIZES = ((1, 6, 85), (20, 80, 10), (200, 500, 4), (1000, 1500, 1))
"""From, to, and how often of a hundred."""
SAMPLE_SECONDS = 5.0
GROWTH = 1.10
"""How much larger the steady worker may be in the last quarter of the run than in the second."""
IDS = range(10_000, 100_000)
FAMILY = {
    "cancelar_vas_avulso": "VAS-",
    "contestar_cobranca": "VAS-",
    "cancelar_produtos": "",
    "cancelar_pedido": "P-",
    "cancelar_pedidos": "P-",
}
ONE_ITEM = ("contestar_cobranca", "cancelar_pedido")


class Soak(Chaos):
    """One run; ``watch`` ends it."""

    def __init__(self, *parts: Any, pause: tuple[float, float]) -> None:
        super().__init__(*parts)
        self.pause = pause
        self.next_id = dict.fromkeys(FAMILY.values(), IDS.start)
        self.samples: dict[str, list[float]] = {name: [] for name in WATCHED}
        self.items = 0

    def request(self) -> tuple[str, dict[str, Any], list[str]]:
        """A transaction of a size by chance, on things that no other one of this run touches."""
        tool = self.chance.choice(TOOLS)
        low, high, _ = self.chance.choices(SIZES, weights=[often for _, _, often in SIZES])[0]
        count = 1 if tool in ONE_ITEM else self.chance.randint(low, high)
        family = FAMILY[tool]
        first = self.next_id[family]
        self.next_id[family] += count
        if self.next_id[family] > IDS.stop:
            raise RuntimeError("the example servers have no more items; make the run shorter")
        self.items += count
        names = [f"{family}{number}" for number in range(first, first + count)]
        return tool, self.arguments(tool, names), names

    @staticmethod
    def arguments(tool: str, names: list[str]) -> dict[str, Any]:
        match tool:
            case "cancelar_vas_avulso":
                return {"subject": ", ".join(names)}
            case "contestar_cobranca":
                return {"subject": names[0], "valor": 10.0}
            case "cancelar_produtos":
                return {"items": [{"id": name} for name in names]}
            case "cancelar_pedido":
                return {"order_id": names[0]}
        return {"order_ids": names}

    async def say_yes(self, tx: Tx) -> None:
        """Say it, wait for the result, and think a little: a closed loop."""
        await super().say_yes(tx)
        with contextlib.suppress(Exception):
            async with asyncio.timeout(BOUND):
                await tx.handle.result()
        await self.breathe()

    async def breathe(self) -> None:
        """The time between two transactions of a client, or two faults."""
        await asyncio.sleep(self.chance.uniform(*self.pause))

    async def watch(self, minutes: float) -> None:
        """Sample the memory of what lives long, print it once a minute, and end the run."""
        began = time.monotonic()
        printed = -1
        say(
            "| minute | "
            + " | ".join(f"{name}, MiB" for name in WATCHED)
            + " | transactions | items | faults |"
        )
        say("|" + "---|" * (len(WATCHED) + 4))
        while (passed := time.monotonic() - began) < minutes * 60:
            for name in WATCHED:
                self.samples[name].append(self.memory_of(name))
            if int(passed // 60) > printed:
                printed = int(passed // 60)
                say(self.line(printed))
            await asyncio.sleep(SAMPLE_SECONDS)
        self.left = 0
        say(self.line(printed + 1))

    def line(self, minute: int) -> str:
        memory = " | ".join(f"{self.samples[name][-1]:.0f}" for name in WATCHED)
        return (
            f"| {minute} | {memory} | {len(self.transactions)} | {self.items} | {self.tally.faults.total()} |"
        )

    def memory_of(self, name: str) -> float:
        """Resident memory in MiB; the last known where the process is just being replaced."""
        try:
            return float(psutil.Process(self.rig.processes[name].pid).memory_info().rss) / 2**20
        except (KeyError, psutil.Error):
            return self.samples[name][-1] if self.samples[name] else 0.0

    def growth(self) -> float:
        """The steady worker's memory in the last quarter as a ratio to that in the second; the first warms up."""
        taken = self.samples[STEADY]
        quarter = max(1, len(taken) // 4)
        return statistics.median(taken[-quarter:]) / statistics.median(taken[quarter : 2 * quarter])


async def main(seed: int, minutes: float, clients: int, pause: tuple[float, float]) -> int:
    """Run, judge, print; 1 where anything was doubled, false or lost, or memory grew."""
    asyncio.get_running_loop().set_exception_handler(lambda *_: None)
    say(f"{machine()}; seed {seed}, {clients} clients\n")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        async with installation(Path(folder)) as (rig, proxies):
            await rig.start_worker(STEADY)
            soak = Soak(rig, proxies, seed, sys.maxsize, pause=pause)
            await asyncio.gather(
                soak.watch(minutes), soak.break_things(), *(soak.transact() for _ in range(clients))
            )
            await judge(rig, soak.transactions, soak.tally)
    say("\n" + "\n".join(tables(soak.tally)))
    flat = soak.growth() <= GROWTH
    say(f"memory of the steady worker, last quarter to second: {soak.growth():.2f} (≤ {GROWTH:.2f})")
    good = flat and soak.tally.clean
    say(f"soak: {'nothing lost or doubled, memory flat' if good else 'FAILED'}")
    return 0 if good else 1


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--pause", type=float, nargs=2, default=(0.2, 2.0), help="seconds between two faults")
    options = parser.parse_args()
    chosen = options.seed if options.seed is not None else random.SystemRandom().randrange(10**6)
    code = asyncio.run(main(chosen, options.minutes, options.clients, tuple(options.pause)))
    sys.stdout.flush()
    os._exit(code)
