"""Child processes as tool servers: lost, misbehaving, and never left behind."""

import asyncio
import os
import sys
from textwrap import dedent

import psutil
import pytest

from confirmo.policies.errors import CallFailureKind
from confirmo.policies.tool_spec import ServerSpec

UNREACHABLE, REJECTED, DOUBT = (
    CallFailureKind.UNREACHABLE,
    CallFailureKind.REJECTED,
    CallFailureKind.DOUBT,
)
HEAD = """
import json, os, sys
def say(message, **fields):
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **fields}), flush=True)
def done(message, text):
    say(message, result={"content": [{"type": "text", "text": text}]})
for line in sys.stdin:
    message = json.loads(line)
    method = message["method"]
    if method == "initialize":
        info = {"name": "raw", "version": "1"}
        say(message, result={"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": info})
    elif method == "tools/call":
        name = message["params"]["name"]
"""


@pytest.fixture
def server():
    """A spec of a child process whose answer to a call is the given code."""

    def make(code: str, **fields) -> ServerSpec:
        script = HEAD + "\n".join("        " + line for line in dedent(code).strip().splitlines())
        return ServerSpec(
            name="s", transport="stdio", command=sys.executable, args=("-S", "-c", script), **fields
        )

    return make


def children():
    return {child.pid for child in psutil.Process().children(recursive=True)}


async def test_a_command_that_cannot_be_started_was_never_sent(connect):
    caller = connect(ServerSpec(name="s", transport="stdio", command="/no/such/command"))
    failed = await caller.fail()
    assert failed.kind is UNREACHABLE
    assert failed.reason == "Tool server 's', connect: the command cannot be started (FileNotFoundError)."


async def test_a_command_that_ends_at_once_was_never_sent(connect):
    caller = connect(ServerSpec(name="s", transport="stdio", command=sys.executable, args=("-S", "-c", "")))
    assert (await caller.fail()).kind is UNREACHABLE


async def test_op_10_a_command_that_says_nothing_fails_in_time(monkeypatch, connect):
    monkeypatch.setattr("mcp.client.stdio.PROCESS_TERMINATION_TIMEOUT", 0.1)
    code = "import threading; threading.Event().wait()"
    spec = ServerSpec(
        name="s", transport="stdio", command=sys.executable, args=("-S", "-c", code), timeout_seconds=0.3
    )
    caller = connect(spec)
    sessions = set()
    for _ in range(2):
        failed = await caller.fail()
        assert failed.kind is UNREACHABLE
        assert failed.reason == "Tool server 's', initialize: no answer came in time."
        sessions.add(caller.servers._servers["s"]._session)
    assert len(sessions) == 2


async def test_a_child_that_dies_in_a_call_is_doubt_and_is_spawned_again(connect, server):
    caller = connect(server("os._exit(1) if name == 'die' else done(message, str(os.getpid()))"))
    first = await caller.call()
    assert (await caller.call()).texts == first.texts
    failed = await caller.fail("die")
    assert failed.kind is DOUBT
    assert "lost" in failed.reason
    assert (await caller.call()).texts != first.texts


async def test_a_child_that_died_between_two_calls_is_spawned_again(connect, server):
    caller = connect(server("done(message, str(os.getpid()))"))
    pid = int((await caller.call()).texts[0])
    session = caller.servers._servers["s"]._session
    psutil.Process(pid).kill()
    async with asyncio.timeout(5):
        await session.task
    assert int((await caller.call()).texts[0]) != pid


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (-32601, REJECTED),
        (-32602, REJECTED),
        (-32600, REJECTED),
        (-32700, REJECTED),
        (-32603, DOUBT),
        (1, DOUBT),
    ],
)
async def test_ex_23_a_json_rpc_error_says_what_was_done(connect, server, code, kind):
    failed = await connect(server(f"say(message, error={{'code': {code}, 'message': 'because'}})")).fail()
    assert failed.kind is kind
    assert "(because)" in failed.reason


async def test_ex_01_no_answer_in_time_is_doubt_and_garbage_is_no_answer(connect, server):
    caller = connect(server("print('garbage', flush=True) if name == 'silent' else done(message, 'ok')"))
    assert (await caller.fail("silent", timeout=0.2)).kind is DOUBT
    assert (await caller.call()).texts == ("ok",)


async def test_lone_surrogates_and_bad_bytes_do_not_lose_an_answer(connect, server):
    caller = connect(server("done(message, 'x' + chr(0xd800))"))
    assert (await caller.call()).texts == ("x�",)
    code = """
    sys.stdout.buffer.write(b'{"jsonrpc":"2.0","id":%d,"result":{"content":["\\xff"]}}\\n' % message["id"])
    sys.stdout.flush()
    """
    assert (await connect(server(code)).call()).texts == ("�",)


async def test_a_child_sees_only_the_environment_that_the_file_names(connect, server, monkeypatch, capfd):
    monkeypatch.setenv("CONFIRMO_SECRET", "x")
    code = "print('noise', file=sys.stderr, flush=True); done(message, json.dumps(dict(os.environ)))"
    (text,) = (await connect(server(code, env={"TOKEN": "abc"})).call()).texts
    assert '"TOKEN": "abc"' in text
    assert "CONFIRMO_SECRET" not in text
    assert os.environ["PATH"] in text
    assert capfd.readouterr().err == ""


async def test_no_child_is_left_behind(make_caller, server):
    before = children()
    async with make_caller(server("done(message, str(os.getpid()))")) as caller:
        await caller.call()
        assert children() > before
    assert children() == before


async def test_a_child_that_ignores_every_goodbye_is_killed(make_caller, monkeypatch):
    monkeypatch.setattr("mcp.client.stdio.PROCESS_TERMINATION_TIMEOUT", 0.1)
    monkeypatch.setattr("mcp.client.stdio.FORCE_KILL_TIMEOUT", 0.1)
    stubborn = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + HEAD
    stubborn += "        done(message, 'ok')\nwhile True:\n    signal.pause()"
    before = children()
    spec = ServerSpec(name="s", transport="stdio", command=sys.executable, args=("-S", "-c", stubborn))
    async with make_caller(spec) as caller:
        await caller.call()
    assert children() == before
