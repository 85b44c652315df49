"""``confirmo mcp`` as a process."""

import asyncio
import os
import signal
import subprocess
import sys

import httpx2
import pytest
from mcp import Client

from confirmo.client.main import run
from harness.issuer import AUDIENCE, Issuer
from harness.person import YES, Person
from harness.shop import F2


async def test_it_serves_http_and_ends_politely(face, mode):
    shown = await face()
    given = shown.over_stdio("--transport", "streamable-http", "--port", "0", "--actor", "ana")
    process = await asyncio.create_subprocess_exec(
        given.command, *given.args, env=dict(os.environ) | given.env, stderr=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(60):
        line = (await process.stderr.readline()).decode()
        url = line.split()[2].rstrip(";")
        async with Client(url, mode=mode, elicitation_callback=Person([YES])) as client:
            result = await client.call_tool(*F2)
        assert result.structured_content["status"] == "COMPLETED"
        process.send_signal(signal.SIGTERM)
        assert await process.wait() == 0


async def test_over_stdio_a_sigterm_ends_it_too(face, mode):
    if mode != "legacy":
        pytest.skip("the same")
    given = (await face()).over_stdio()
    process = await asyncio.create_subprocess_exec(
        given.command,
        *given.args,
        env=dict(os.environ) | given.env,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    hello = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
    hello += b'"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}\n'
    async with asyncio.timeout(60):
        process.stdin.write(hello)
        assert b'"serverInfo"' in await process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        assert await process.wait() == 0


def test_wrong_use_is_a_sentence(capsys, tmp_path):
    short = tmp_path / "key"
    short.write_bytes(b"short")
    for arguments, text in (
        ((), "one of the two"),
        (("--config", "x", "--wrap", "y"), "one of the two"),
        (("--config", str(tmp_path), "--state-key-file", str(short)), "less than 32 bytes"),
        (("--config", str(tmp_path), "--state-key-file", "/nowhere"), "cannot be read"),
        (("--config", "/nowhere"), "nothing was started"),
    ):
        assert run(["mcp", *arguments]) == 2
        captured = capsys.readouterr()
        assert text in captured.err
        assert captured.out == ""


def test_the_command_line_loads_mcp_only_for_this_command():
    code = (
        "from confirmo.client.commands import build_app; build_app(); import sys; print('mcp' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize(
    ("arguments", "variables", "text"),
    [
        (("--host", "0.0.0.0"), {}, "On 0.0.0.0 anybody could call it"),
        (("--host", "::"), {}, "--authenticated-in-front"),
        ((), {"AUDIENCE": "a"}, "CONFIRMO_OIDC_ISSUER is missing"),
        ((), {"ISSUER": "https://i.example"}, "CONFIRMO_OIDC_AUDIENCE is missing"),
        (
            ("--actor", "ana"),
            {"ISSUER": "https://i.example", "AUDIENCE": "a"},
            "leave --actor and --role out",
        ),
        (("--role", "x"), {"ISSUER": "https://i.example", "AUDIENCE": "a"}, "leave --actor and --role out"),
        (("--tenant", "t"), {"ISSUER": "https://i.example", "AUDIENCE": "a"}, "leave --tenant out"),
        (("--host", "0.0.0.0"), {"ISSUER": "https://i.example", "AUDIENCE": "a"}, "RESOURCE_URL"),
        ((), {"ISSUER": "https://i.example", "AUDIENCE": "a", "LEEWAY_SECONDS": "x"}, "LEEWAY_SECONDS: "),
    ],
)
def test_it_does_not_listen_where_it_would_believe_anybody(
    capsys, monkeypatch, tmp_path, arguments, variables, text
):
    for name, value in variables.items():
        monkeypatch.setenv(f"CONFIRMO_OIDC_{name}", value)
    http = ("--transport", "streamable-http", "--port", "0")
    assert run(("mcp", "--config", str(tmp_path), *http, *arguments)) == 2
    error = capsys.readouterr().err
    assert text in error
    assert len(error.splitlines()) == 1


async def test_as_a_process_it_asks_for_tokens_where_an_issuer_is_set(face, mode, monkeypatch):
    if mode != "legacy":
        pytest.skip("the same")
    shown = await face()
    async with Issuer().running() as issuer:
        monkeypatch.setenv("CONFIRMO_OIDC_ISSUER", issuer.url)
        monkeypatch.setenv("CONFIRMO_OIDC_AUDIENCE", AUDIENCE)
        async with shown.as_process() as url, httpx2.AsyncClient() as http:
            refused = await http.post(url)
            base = url.removesuffix("/mcp")
            metadata = (await http.get(f"{base}/.well-known/oauth-protected-resource/mcp")).json()
            async with issuer.client(url, "u-ana", Person([YES]), mode) as ana:
                done = (await ana.call_tool(*F2)).structured_content
    assert (refused.status_code, metadata["resource"]) == (401, url)
    assert (done["status"], done["confirmation"]["approvals"][0]["actor"]["id"]) == ("COMPLETED", "u-ana")
