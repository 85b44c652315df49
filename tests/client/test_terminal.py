"""At a terminal: the question is shown and asked, and a run is followed."""

import asyncio
import json
import os
import pty
import select
import subprocess
import time

import pytest

from confirmo.client.connection import address_of
from harness.forking import CONFIRMO, command
from harness.shop import F2

RETURN = F2[0]
BOUND = 30.0


def at_terminal(environ, arguments, answer):
    """Run a command at a pseudo-terminal and type ``answer`` at its prompt; return exit code and what was shown."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command(CONFIRMO, *arguments), stdin=theirs, stdout=theirs, stderr=theirs, env=environ
    )
    os.close(theirs)
    shown, deadline, typed = b"", time.monotonic() + BOUND, not answer
    while time.monotonic() < deadline:
        if not select.select([ours], [], [], deadline - time.monotonic())[0]:
            break
        try:
            shown += os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not typed and "sim / não".encode() in shown:
            os.write(ours, f"{answer}\n".encode())
            typed = True
    os.close(ours)
    return process.wait(BOUND), shown.decode(errors="replace")


@pytest.fixture
def terminal(client):
    environ = {**os.environ, "TEMPORAL_ADDRESS": address_of(client), "COLUMNS": "100", "TERM": "xterm"}

    async def run(*arguments, answer=""):
        return await asyncio.to_thread(at_terminal, environ, arguments, answer)

    return run


@pytest.mark.parametrize(
    ("answer", "code", "status", "calls"),
    [
        ("sim", 0, "COMPLETED", 1),
        ("não", 3, "CANCELLED", 0),
        ("sim, mas só a primeira", 3, "AWAITING_CONFIRMATION", 0),
        ("ok", 3, "AWAITING_CONFIRMATION", 0),
    ],
)
async def test_only_a_plain_yes_confirms(shop, cli, terminal, loja, answer, code, status, calls):
    started = json.loads((await cli("start", RETURN, "--arguments", json.dumps(F2[1]), "--json")).out)
    tx = started["transaction_id"]
    ended, shown = await terminal("confirm", tx, "--wait", answer=answer)
    assert ended == code, shown
    assert started["question"].splitlines()[0] in shown
    assert len(loja.called(RETURN)) == calls
    assert json.loads((await cli("status", tx, "--json")).out)["status"] == status


async def test_a_run_is_followed_with_a_table_and_a_bar(shop, cli, terminal):
    ended, shown = await terminal("start", "listar_faturas", "--wait")
    assert (ended, "COMPLETED" in shown) == (0, True)
    started = json.loads((await cli("start", RETURN, "--arguments", json.dumps(F2[1]), "--json")).out)
    await cli("confirm", started["transaction_id"], "--yes")
    ended, shown = await terminal("watch", started["transaction_id"])
    assert ended == 0
    assert "━" in shown
    assert "3 of 3 done" in shown
    assert shown.count("ENC-7001: ") == 1
