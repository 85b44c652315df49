"""Confirmo's worker alone, with the tool in its own process, so that its memory is its own.

Called with the concurrency and a task queue. It answers every line with its peak memory.
"""

import asyncio
import sys

from benchmarks.ours import connected, worker
from benchmarks.peers.protocol import EFFECTS, peak_memory, private_answers, questions


async def main() -> None:
    say, asked = private_answers(), questions()
    client = await connected()
    async with worker(client, sys.argv[2], None, int(sys.argv[1])):
        say(ready=True, versions={})
        while True:
            await asked.get()
            twice = sum(times > 1 for times in EFFECTS.values())
            say(peak_kib=peak_memory(), acted_on=len(EFFECTS), twice=twice)
            EFFECTS.clear()


if __name__ == "__main__":
    asyncio.run(main())
