"""``confirmo chat``, as a process: at a pseudo-terminal, with a pipe, and with JSON."""

import asyncio
import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable

import psutil
import pytest
from temporalio.client import Client

from confirmo.client.connection import address_of
from confirmo.client.demonstration import pick
from confirmo.examples.ledger import Ledger
from confirmo.worker.processes import free_port
from harness import Desk
from harness.forking import CONFIRMO, command

BOUND = 120.0
LOGIN = "import os, sys; os.login_tty(0); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
"""Makes the pseudo-terminal the controlling one, so that its Ctrl-C is a signal."""

Ran = tuple[int, str, str]
Piped = Callable[..., Awaitable[Ran]]


class Terminal:
    """A command at a pseudo-terminal."""

    def __init__(self, *arguments: str) -> None:
        self.ours, theirs = pty.openpty()
        command = [sys.executable, "-c", LOGIN, "-m", "confirmo.client.main", *arguments]
        self.process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        self.shown = ""

    def until(self, text: str) -> str:
        """Read until ``text`` was shown, and return what was shown before it."""
        deadline = time.monotonic() + BOUND
        while text not in self.shown:
            assert select.select([self.ours], [], [], max(0.0, deadline - time.monotonic()))[0], self.shown
            self.shown += os.read(self.ours, 65536).decode(errors="replace")
        before, _, self.shown = self.shown.partition(text)
        return before

    def type(self, text: str) -> None:
        os.write(self.ours, text.encode())

    def say(self, message: str) -> str:
        self.type(f"{message}\n")
        self.until(f"{message}\r\n")  # the terminal's own echo
        return self.until("\r\n> ")

    def ended(self) -> int:
        deadline = time.monotonic() + BOUND
        while time.monotonic() < deadline:
            if select.select([self.ours], [], [], 0.05)[0]:
                try:
                    os.read(self.ours, 65536)
                except OSError:  # the other end is closed
                    os.close(self.ours)
                    return self.process.wait(BOUND)
        raise AssertionError("it did not end")


@pytest.mark.parametrize("leave", ["\x03", "\x04"], ids=["Ctrl-C", "Ctrl-D"])
def test_a_newcomer_talks_at_a_terminal_and_leaves_nothing_behind(leave: str) -> None:
    terminal = Terminal("chat")
    assert "PED-1001" in terminal.until("\r\n> ")
    below = psutil.Process(terminal.process.pid).children(recursive=True)
    assert len(below) >= 6
    assert "Você confirma" in terminal.say("quero cancelar o pedido PED-1001")
    assert "Você confirma" in terminal.say("ok")
    assert "CANCEL-2026-001" in terminal.say("sim")
    assert "já entregue" in terminal.say("quero cancelar o pedido PED-ENTREGUE")
    assert "Não entendi" in terminal.say("bom dia")
    assert "TIM Fashion" in terminal.say("cancela TIM Fashion e Neymar Jr")
    terminal.type(leave)
    assert terminal.ended() == 0
    _, alive = psutil.wait_procs(below, timeout=BOUND)
    assert alive == []


def test_ctrl_c_while_everything_starts_ends_it_and_leaves_nothing_behind() -> None:
    terminal = Terminal("chat")
    process = psutil.Process(terminal.process.pid)
    deadline = time.monotonic() + BOUND
    while not (below := process.children(recursive=True)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert below
    process.send_signal(signal.SIGINT)
    assert terminal.ended() in (0, 130)
    _, alive = psutil.wait_procs(below, timeout=BOUND)
    assert alive == []


@pytest.fixture
def piped(shop: Desk, client: Client) -> Piped:
    """Run ``confirmo chat --connect`` with messages on standard input."""
    environ = os.environ | {"TEMPORAL_ADDRESS": address_of(client), "CONFIRMO_TASK_QUEUE": shop.task_queue}

    async def run(*arguments: str, said: str, **more: str) -> Ran:
        process = await asyncio.create_subprocess_exec(
            *command(CONFIRMO, "chat", "--connect", *arguments),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=environ | more,
        )
        async with asyncio.timeout(BOUND):
            out, err = await process.communicate(said.encode())
        assert process.returncode is not None
        return process.returncode, out.decode(), err.decode()

    return run


async def test_a_script_gets_one_json_document_of_turns(piped: Piped, ledger: Ledger) -> None:
    said = "quero cancelar o pedido PED-1001\n\nsim\nquero cancelar o pedido PED-ENTREGUE\nbom dia"
    code, out, err = await piped("--json", said=said)
    assert (code, err) == (0, "")
    turns = json.loads(out)["turns"]
    assert [(turn["message"], turn["wants"]) for turn in turns] == [
        ("quero cancelar o pedido PED-1001", "answer"),
        ("sim", "nothing"),
        ("quero cancelar o pedido PED-ENTREGUE", "nothing"),
        ("bom dia", "agent"),
    ]
    assert turns[0]["tool_call"] == {"tool_name": "cancelar_pedido", "arguments": {"order_id": "PED-1001"}}
    states = [turn["state"] and turn["state"]["status"] for turn in turns]
    assert states == ["AWAITING_CONFIRMATION", "COMPLETED", "OUT_OF_SCOPE", None]
    assert len(ledger.effects()) == 1


async def test_without_a_terminal_the_transcript_is_printed(piped: Piped, ledger: Ledger) -> None:
    code, out, _ = await piped(
        "--locale", "en", said="I want to cancel order PED-1001\nno, cancel order P-102\n"
    )
    assert code == 0
    assert "> I want to cancel order PED-1001" in out
    assert "P-102" in out.partition("> no, cancel order P-102")[2]
    assert "A question was left without an answer: nothing was executed." in out
    assert ledger.effects() == []


async def test_nothing_said_is_no_error(piped: Piped) -> None:
    code, out, err = await piped("--json", said="")
    assert (code, json.loads(out), err) == (0, {"turns": []}, "")


async def test_another_language_is_wrong_use(piped: Piped) -> None:
    code, out, err = await piped("--locale", "fr", said="")
    assert (code, out) == (2, "")
    assert "pt-BR or en" in err


async def test_a_server_that_is_not_there_is_unreachable(
    piped: Piped,
) -> None:
    code, out, err = await piped("--json", said="oi\n", TEMPORAL_ADDRESS=f"127.0.0.1:{free_port()}")
    assert (code, out) == (4, "")
    assert "cannot be reached" in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("message", "tool", "arguments"),
    [
        ("quero cancelar o pedido PED-1001", "cancelar_pedido", {"order_id": "PED-1001"}),
        ("quero cancelar um pedido", "cancelar_pedido", {}),
        (
            "Cancela os pedidos p-100, P-101 e P-102.",
            "cancelar_pedidos",
            {"order_ids": ["P-100", "P-101", "P-102"]},
        ),
        ("cancel my orders P-100 and P-101", "cancelar_pedidos", {"order_ids": ["P-100", "P-101"]}),
        (
            "cancela o TIM Fashion e o Neymar Jr",
            "cancelar_vas_avulso",
            {"subject": "TIM Fashion e o Neymar Jr"},
        ),
        ("quero cancelar um serviço", "cancelar_vas_avulso", {}),
        ("I want to cancel a service", "cancelar_vas_avulso", {}),
        ("quero contestar uma cobrança", "contestar_cobranca", {}),
        (
            "contestar a cobrança do TIM Fashion de R$ 25,90",
            "contestar_cobranca",
            {"subject": "TIM Fashion", "valor": "25,90"},
        ),
        (
            "dispute the charge for TIM Fashion of 25.90",
            "contestar_cobranca",
            {"subject": "TIM Fashion", "valor": "25.90"},
        ),
        (
            "quero devolver o pedido P-102 porque veio errado",
            "solicitar_devolucao",
            {"order_id": "P-102", "reason": "veio errado"},
        ),
        ("return order P-102", "solicitar_devolucao", {"order_id": "P-102"}),
    ],
)
def test_keywords_pick_a_tool(message: str, tool: str, arguments: dict[str, object]) -> None:
    call = pick(message)
    assert call is not None
    assert (call.tool_name, call.arguments) == (tool, arguments)


@pytest.mark.parametrize(
    "message", ["", "sim", "não", "cancela", "cancela!", "bom dia", "tira o segundo", "PED-1001"]
)
def test_what_asks_for_nothing_picks_nothing(message: str) -> None:
    assert pick(message) is None
