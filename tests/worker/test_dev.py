"""``confirmo dev`` and ``confirmo worker`` as processes."""

import asyncio
import json
import signal
import sys

import httpx2
import pytest
from temporalio.client import Client

from confirmo.examples import config_directory
from confirmo.worker.processes import alone_on, free_port
from harness.processes import gone

linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@linux
async def test_a_killed_dev_leaves_nothing_behind_and_the_next_one_carries_on(commands, family, tmp_path):
    port = str(free_port())
    arguments = ("dev", "--port", port, "--ui-port", str(free_port()), "--db", str(tmp_path / "confirmo.db"))
    first = await commands.start(*arguments, as_itself=True)
    info = await first.ready()
    assert info["temporal_address"] == f"127.0.0.1:{port}"
    assert info["task_queue"] == "confirmo"
    assert info["pid"] == first.process.pid
    environ = {"TEMPORAL_ADDRESS": info["temporal_address"]}
    code, out, err = await commands.run(
        "start", "cancelar_pedido", "--arg", "order_id=PED-1001", "--id", "tx-1", "--json", **environ
    )
    assert code == 0, err
    assert json.loads(out)["status"] == "AWAITING_CONFIRMATION"
    below = family(first.process.pid)
    assert len(below) >= 6
    first.send(signal.SIGKILL)
    await first.ended()
    await gone(below)

    # A build id is for workers of a deployment: nobody says here which build is the current one.
    second = await commands.start(*arguments, as_itself=True, CONFIRMO_BUILD_ID="b1")
    await second.ready()
    code, out, err = await commands.run("confirm", "tx-1", "--yes", "--wait", "--json", **environ)
    assert code == 0, err
    assert json.loads(out)["transaction_status"] == "COMPLETED"
    below = family(second.process.pid)
    second.send(signal.SIGTERM)
    code, _, err = await second.ended()
    assert code == 0, err
    await gone(below)
    assert not second.ready_file.exists()


async def test_dev_says_which_port_is_taken(commands):
    listener = await asyncio.start_server(lambda r, w: None, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    async with listener:
        code, out, err = await commands.run("dev", "--port", str(port), "--ui-port", str(free_port()))
    assert code == 4
    assert str(port) in err
    assert "Traceback" not in err
    assert out == ""


async def test_two_devs_do_not_share_a_database(commands, tmp_path):
    file = tmp_path / "one.db"
    with alone_on(file):
        code, _, err = await commands.run("dev", "--db", str(file))
    assert code == 4
    assert "Another confirmo dev runs on" in err
    assert not file.exists()


async def test_a_worker_refuses_broken_files_and_names_the_line(commands, tmp_path):
    (tmp_path / "tools.yaml").write_text(
        "tools:\n  a: {mcp_server: s, tool_type: action}\n  a: {mcp_server: s}\n"
    )
    (tmp_path / "mcp_servers.yaml").write_text("servers: {s: {endpoint: 'http://127.0.0.1:9/mcp'}}\n")
    code, _, err = await commands.run("worker", "--config", str(tmp_path))
    assert code == 2
    assert "tools.yaml" in err
    assert "3" in err
    assert "Traceback" not in err


async def test_op_03_a_worker_waits_for_a_server_that_is_not_up_yet(commands, tmp_path):
    port = free_port()
    environ = {
        "TEMPORAL_ADDRESS": f"127.0.0.1:{port}",
        "CONTAS_URL": "http://127.0.0.1:9/mcp",
        "RETAIL_URL": "http://127.0.0.1:9/mcp",
    }
    worker = await commands.start("worker", "--config", str(config_directory()), **environ)
    dev = await commands.start("dev", "--port", str(port), "--ui-port", str(free_port()))
    await dev.ready()
    info = await worker.ready()
    assert info["temporal_address"] == f"127.0.0.1:{port}"
    assert info["ui_url"] is None


async def test_op_03_a_worker_gives_up_with_a_sentence_that_names_the_address(commands):
    port = free_port()
    environ = {
        "TEMPORAL_ADDRESS": f"127.0.0.1:{port}",
        "CONTAS_URL": "http://h/mcp",
        "RETAIL_URL": "http://h/mcp",
    }
    code, _, err = await commands.run(
        "worker", "--config", str(config_directory()), "--wait-seconds", "0", **environ
    )
    assert code == 4
    assert f"127.0.0.1:{port}" in err
    assert "Traceback" not in err


async def test_op_03_a_missing_namespace_is_named(commands, temporal):
    environ = {
        "TEMPORAL_ADDRESS": temporal.client.service_client.config.target_host,
        "TEMPORAL_NAMESPACE": "loja-prod",
        "CONTAS_URL": "http://h/mcp",
        "RETAIL_URL": "http://h/mcp",
    }
    code, _, err = await commands.run(
        "worker", "--config", str(config_directory()), "--wait-seconds", "0", **environ
    )
    assert code == 4
    assert "loja-prod" in err


async def test_health_is_200_while_the_worker_polls_and_503_once_the_server_is_gone(commands, tmp_path):
    port, health = free_port(), free_port()
    dev = await commands.start("dev", "--port", str(port), "--ui-port", str(free_port()))
    await dev.ready()
    environ = {
        "TEMPORAL_ADDRESS": f"127.0.0.1:{port}",
        "CONTAS_URL": "http://127.0.0.1:9/mcp",
        "RETAIL_URL": "http://127.0.0.1:9/mcp",
    }
    worker = await commands.start(
        "worker", "--config", str(config_directory()), "--health-port", str(health), **environ
    )
    await worker.ready()

    async def answer(path):
        async with httpx2.AsyncClient() as http:
            return (await http.get(f"http://127.0.0.1:{health}{path}", timeout=5)).status_code

    async def until(path, code, seconds):
        async with asyncio.timeout(seconds):
            while await answer(path) != code:
                await asyncio.sleep(0.1)

    await until("/readyz", 200, 15)
    assert await answer("/healthz") == 200
    dev.send(signal.SIGKILL)
    await dev.ended()
    await until("/readyz", 503, 15)
    assert await answer("/healthz") == 200
    worker.send(signal.SIGTERM)
    code, _, err = await worker.ended()
    assert code == 0, err


async def test_setup_creates_what_is_missing_and_only_that(commands, temporal):
    environ = {"TEMPORAL_ADDRESS": temporal.client.service_client.config.target_host}
    code, out, err = await commands.run("setup", "--json", **environ)
    assert code == 0, err
    json.loads(out)
    client = await Client.connect(environ["TEMPORAL_ADDRESS"])
    assert client.namespace == "default"
