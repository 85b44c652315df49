import asyncio
import json
import os
import signal
import socket
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from confirmo.examples import contas, retail
from confirmo.examples.ledger import Ledger
from confirmo.examples.ledger.__main__ import main as ledger_command
from harness.forking import command

CANCEL = ("cancelar_pedido", {"order_id": "PED-1001"})


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_streamable_http_answers(db: Path, call: Any, start: Any, mode: str) -> None:
    async with start("retail", f"--db={db}") as server:
        assert server.announced["transport"] == "streamable-http"
        os.kill(server.announced["pid"], 0)
        async with Client(server.url, mode=mode) as client:
            answer = await call(client, *CANCEL, key="k")
            with Ledger(db) as ledger:
                assert len(ledger.effects(idempotency_key="k")) == 1
    assert answer["protocol"] == "CANCEL-2026-001"
    assert server.process.returncode == 0


async def test_the_key_may_come_as_a_header(db: Path, call: Any, start: Any) -> None:
    async with (
        start("retail", f"--db={db}") as server,
        create_mcp_http_client(headers={"Idempotency-Key": "from-header"}) as http,
        Client(streamable_http_client(server.url, http_client=http)) as client,
    ):
        await call(client, *CANCEL)
        await call(client, *CANCEL)
    with Ledger(db) as ledger:
        assert len(ledger.effects(idempotency_key="from-header")) == 1


async def test_the_same_key_in_parallel_over_http_has_one_effect(db: Path, call: Any, start: Any) -> None:
    async with (
        start("retail", f"--db={db}") as server,
        start("retail", f"--db={db}") as other,
        Client(server.url) as one,
        Client(other.url) as two,
    ):
        answers = await asyncio.gather(
            *(call(client, *CANCEL, key="k") for client in (one, two) for _ in range(10))
        )
    assert all(answer == answers[0] for answer in answers)
    with Ledger(db) as ledger:
        assert len(ledger.effects()) == 1
        assert len(ledger.calls()) == 20


async def test_sse_answers(call: Any, start: Any) -> None:
    async with (
        start("contas", "--transport=sse") as server,
        Client(sse_client(server.url), mode="legacy") as client,
    ):
        assert len((await call(client, "consultar_vas", {}))["services"]) > 5


async def test_stdio_answers_and_keeps_its_state(db: Path, call: Any) -> None:
    program, *given = command("confirmo.examples.retail:main", "--transport", "stdio", "--db", str(db))
    answers = []
    for _ in range(2):
        async with Client(StdioServerParameters(command=program, args=given)) as client:
            answers.append(await call(client, *CANCEL, key="k"))
    assert answers[0] == answers[1]
    with Ledger(db) as ledger:
        assert len(ledger.effects()) == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_it_cleanly(start: Any, number: signal.Signals) -> None:
    async with start("contas") as server, Client(server.url, mode="legacy") as client:
        await client.list_tools()
        server.process.send_signal(number)
        assert await server.wait() == 0


def test_a_port_in_use_is_said_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert contas.main(["--port", str(taken.getsockname()[1])]) == 2
    error = capsys.readouterr().err
    assert "cannot listen on 127.0.0.1" in error
    assert error.count("\n") == 1


def test_wrong_use_is_said_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert retail.main(["--db", str(tmp_path)]) == 2
    monkeypatch.setenv("EXAMPLES_KNOBS", "{}")
    assert retail.main([]) == 2
    assert "EXAMPLES_KNOBS" in capsys.readouterr().err


async def test_the_ledger_command_prints_the_rows(
    db: Path, ledger: Ledger, retail_client: Client, call: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    async with retail_client as client:
        await call(client, *CANCEL, key="k")
    assert ledger_command(["--db", str(db), "--json", "--knobs", '[{"kind": "crash_after"}]']) == 0
    document = json.loads(capsys.readouterr().out)
    assert [row["item"] for row in document["effects"]] == ["PED-1001"]
    assert document["calls"][0]["idempotency_key"] == "k"
    assert document["repeated_effects"] == []
    assert len(document["knobs"]) == 1
    assert ledger_command(["--db", str(db), "--reset-knobs", "--tool", "outra"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "calls: 0",
        "effects: 0",
        "repeated_effects: 0",
        "knobs: 0",
    ]
    assert ledger_command(["--db", str(db), "--knobs", "{}"]) == 2
    assert ledger_command(["--db", str(db / "none")]) == 2


async def test_the_ledger_runs_as_a_module(db: Path, ledger: Ledger) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-W", "error", "-m", "confirmo.examples.ledger", "--db", str(db), "--json"),
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await process.communicate()
    assert process.returncode == 0
    assert json.loads(out)["calls"] == []
