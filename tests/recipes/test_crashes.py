"""Recipes that are killed, answered twice at once, or lose what they had done before it was stored."""

import asyncio
import os
import shutil
import signal
from pathlib import Path

import pytest
from temporalio.client import Client

from confirmo.client import Conversation
from confirmo.client.connection import address_of
from confirmo.examples.ledger import Ledger
from harness import Desk
from harness.forking import command

BOUND = 120.0
ONE = "quero cancelar o pedido PED-1001"


class Lost(Exception):
    """The process is gone before anything was stored."""


async def test_a_recipe_killed_between_question_and_answer_goes_on(
    talks, shop: Desk, client: Client, ledger: Ledger
) -> None:
    environ = os.environ | {"TEMPORAL_ADDRESS": address_of(client), "CONFIRMO_TASK_QUEUE": shop.task_queue}

    async def start() -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *command("entries:recipe", talks.recipe, "--store", str(talks.store)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=environ,
        )

    async with asyncio.timeout(BOUND):
        first = await start()
        assert first.stdin is not None
        assert first.stdout is not None
        first.stdin.write(f"{ONE}\n".encode())
        question = (await first.stdout.readuntil(b"\n\n")).decode()
        first.send_signal(signal.SIGKILL)
        await first.communicate()
        assert "PED-1001" in question
        second = await start()
        out, _ = await second.communicate(b"sim\n")
    assert second.returncode == 0
    assert "CANCEL-2026-001" in out.decode()
    assert [row.item for row in ledger.effects()] == ["PED-1001"]


@pytest.mark.parametrize("lost", [ONE, "sim"])
async def test_what_was_done_and_never_stored_is_found_again(
    talks, ledger: Ledger, monkeypatch: pytest.MonkeyPatch, lost: str
) -> None:
    from agents import UserError

    real = Conversation.turn

    async def and_die(self, session, message, tool_call=None, **more):
        await real(self, session, message, tool_call, **more)
        raise Lost

    if lost == "sim":
        await talks.say(ONE)
    monkeypatch.setattr(Conversation, "turn", and_die)
    with pytest.raises((Lost, UserError)):  # the Agents SDK wraps it
        await talks.say(lost)
    monkeypatch.setattr(Conversation, "turn", real)
    told = await talks.say(lost)
    if lost == ONE:
        told = await talks.say("sim")
    assert "CANCEL-2026-001" in told[0]
    assert [row.item for row in ledger.effects()] == ["PED-1001"]


async def test_a_double_click_executes_once(talks, ledger: Ledger) -> None:
    await talks.say(ONE)
    copy = talks.store.with_name("copy") / talks.store.name
    copy.parent.mkdir()
    shutil.copy(talks.store, copy)
    twin = type(talks)(talks.recipe, talks.talk, Path(copy))
    first, second = await asyncio.gather(talks.say("sim"), twin.say("sim"))
    assert first == second
    assert len(ledger.effects()) == 1
