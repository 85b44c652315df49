"""Traces and events over OTLP: real processes, a real collector's protocol, and what the tool server was sent."""

import json
import re
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
import yaml
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from temporalio.contrib.opentelemetry import TracingInterceptor

from confirmo.client.connection import address_of
from confirmo.worker import building
from harness.collector import Collector, attributes
from harness.shop import F2, POLICIES, TOOLS, base_behaviour, open_shop
from harness.tool_server import failed

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = f"00-{TRACE}-00f067aa0ba902b7-01"
SECRET = "ENC-7002"


@pytest_asyncio.fixture
async def collector() -> AsyncIterator[Collector]:
    async with Collector().running() as one:
        yield one


def write_files(folder: Path, endpoint: str, **server: str) -> Path:
    files = {
        "tools.yaml": {"tools": TOOLS},
        "tool_policies.yaml": {"version": 1, "tool_policies": POLICIES},
        "mcp_servers.yaml": {"servers": {"loja": {"endpoint": endpoint} | server}},
    }
    for name, content in files.items():
        (folder / name).write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8")
    return folder


async def test_one_trace_leads_from_the_command_to_the_tool_server(
    client, tools, commands, collector, tmp_path
):
    tools.on |= base_behaviour()
    environ = collector.environ | {
        "TEMPORAL_ADDRESS": address_of(client),
        "CONFIRMO_LOG_FORMAT": "json",
    }
    worker = await commands.start("worker", "--config", str(write_files(tmp_path, tools.endpoint)), **environ)
    await worker.ready()
    arguments = json.dumps(F2[1])
    start = await commands.run(
        "start", F2[0], "--arguments", arguments, "--json", **environ, TRACEPARENT=PARENT
    )
    assert start[0] == 0, start
    state = json.loads(start[1])
    confirm = (
        "confirm",
        state["transaction_id"],
        "--digest",
        state["confirmation"]["digest"],
        "--wait",
        "--json",
    )
    code, _, errors = await commands.run(*confirm, **environ)
    worker.send(15)
    ended, _, log = await worker.ended()

    assert (start[0], code, ended) == (0, 0, 0), (start, errors, log)
    assert collector.traces("StartUpdateWithStartWorkflow", "RunWorkflow", "RunActivity:execute_items") == {
        TRACE
    }
    assert collector.traces("MCP send tools/call devolver_encomendas") == {TRACE}
    sent = {call.meta["traceparent"].split("-")[1] for call in tools.calls}
    assert sent == {TRACE}
    assert {who for who, _ in collector.spans} == {"confirmo-cli", "confirmo-worker"}
    last = next(span for _, span in collector.spans if span.name == "MCP send tools/call devolver_encomendas")
    assert tools.called(F2[0])[0].meta["traceparent"].split("-")[2] == last.span_id.hex()

    names = [record.event_name for _, record in collector.logs]
    assert names == [line["name"] for line in map(json.loads, log.splitlines()) if "event_id" in line]
    assert (names[0], names[-1]) == ("IC.TRANSACTION_STARTED", "IC.TRANSACTION_COMPLETED")
    assert len(names) == len({attributes(record)["confirmo.event_id"] for _, record in collector.logs})
    assert {record.trace_id.hex() for _, record in collector.logs} == {TRACE}
    assert not [body for body in collector.bodies if SECRET.encode() in body]
    assert all(re.fullmatch(r"\{.*\}", line) for line in log.splitlines()), log


async def test_a_tools_text_is_in_no_span(client, tools, commands, collector, tmp_path):
    tools.on |= base_behaviour() | {F2[0]: failed(f"{SECRET} de Ana não pode")}
    tools.on["checar_encomendas"] = failed("CPF 111.444.777-35")
    environ = collector.environ | {"TEMPORAL_ADDRESS": address_of(client)}
    worker = await commands.start("worker", "--config", str(write_files(tmp_path, tools.endpoint)), **environ)
    await worker.ready()
    await commands.run("start", F2[0], "--arguments", json.dumps(F2[1]), "--json", **environ)
    worker.send(15)
    await worker.ended()

    assert collector.traces("MCP send tools/call checar_encomendas")
    for secret in (SECRET, "111.444.777-35"):
        assert not [body for body in collector.bodies if secret.encode() in body]


async def test_a_collector_that_is_away_changes_nothing_for_a_command(client, commands):
    environ = {"TEMPORAL_ADDRESS": address_of(client), "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}
    code, out, errors = await commands.run("status", "tx-nobody", **environ)
    assert (code, out) == (5, "")
    assert errors.startswith("There is no transaction tx-nobody"), errors
    assert len(errors.splitlines()) == 1


async def test_no_span_is_told_again_on_replay(client, tools, monkeypatch: pytest.MonkeyPatch):
    kept, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(kept))
    tracing = TracingInterceptor(provider.get_tracer("test"), always_create_workflow_spans=True)
    monkeypatch.setattr(building, "worker_tracing", lambda _: [tracing])
    tools.on |= base_behaviour()
    async with open_shop(client, tools, max_cached_workflows=0) as desk:
        assert (await desk.run(*F2))["ok"]
    provider.shutdown()
    told = Counter(span.name for span in kept.get_finished_spans() if "confirm_signal" not in span.name)
    once = ["RunWorkflow:TransactionWorkflow", "CompleteWorkflow:TransactionWorkflow", "HandleUpdate:confirm"]
    once += [
        f"{doing}:{name}"
        for doing in ("StartActivity", "RunActivity")
        for name in ("prevalidate", "execute_items")
    ]
    assert {name: told[name] for name in once} == dict.fromkeys(once, 1), told
