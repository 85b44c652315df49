"""Planted personal data: nowhere in logs, events, errors and ids; with keys, in no byte that Temporal holds."""

import asyncio
import base64
import json
import logging
import re
import uuid
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from google.protobuf.json_format import MessageToDict
from mcp import types
from mcp.shared.exceptions import MCPError
from temporalio.testing import WorkflowEnvironment

from confirmo.client import InvalidRequest, PayloadEncrypted, TransactionClient, TransactionNotFound
from confirmo.client.plugin import ConfirmoPlugin
from confirmo.client.sealing import Sealing
from confirmo.policies import names
from confirmo.policies.models import Actor, TransactionRequest
from confirmo.worker import private_logs
from confirmo.worker.embedded import temporal_binary
from confirmo.worker.keys import new_keys_file
from confirmo.worker.replay import replay_histories
from confirmo.worker.settings import Settings
from confirmo.worker.setup import mark_encrypted
from confirmo.workflows.converter import storing_converter
from harness.desk import Tx, catalog_of, open_desk, refusal
from harness.shop import POLICIES, TOOLS, merged
from harness.tool_server import failed

END = "encerrar_assinaturas"
PLANTED = {
    "alvo": "Rádio Maré",
    "cpf": "111.444.777-35",
    "telefone": "+55 (11) 90000-0001",
    "email": "ana.teste@exemplo.com.br",
    "cartao": "4111 1111 1111 1111",
    "nome": "Zuleica Quixadá",
}
FRAGMENTS = (
    "111.444.777-35",
    "11144477735",
    "900000001",
    "90000-0001",
    "ana.teste",
    "4111 1111",
    "4111111111111111",
    "Zuleica",
)
"""Of what must not be seen anywhere; the name is a declared field."""
OPAQUE = (*FRAGMENTS, "Rádio", "Maré", "Quixad", b"Zuleica".hex())
QUOTED = "; ".join(f"{name}: {value}" for name, value in PLANTED.items() if name != "alvo")
LOGGERS = (
    "",
    "mcp",
    "client",
    "httpx2",
    "httpcore2",
    "temporalio",
    "temporalio.workflow",
    "temporalio.activity",
)


@dataclass
class Seen:
    """What a handler of the root logger gets, at any level."""

    lines: list[str] = field(default_factory=list)


@pytest.fixture
def logs(monkeypatch):
    """Every line and every extra that this process logs, at DEBUG, of every logger."""
    seen = Seen()

    class Keeping(logging.Handler):
        def emit(self, record):
            seen.lines.append(f"{self.format(record)} {vars(record)}")

    handler = Keeping()
    monkeypatch.setattr("temporalio.worker._workflow.LOG_PROTOS", True)
    before = {name: logging.getLogger(name).level for name in LOGGERS}
    private_logs.install(["nome"])
    logging.getLogger().addHandler(handler)
    for name in LOGGERS:
        logging.getLogger(name).setLevel(logging.DEBUG)
    yield seen
    for name, level in before.items():
        logging.getLogger(name).setLevel(level)
    logging.getLogger().removeHandler(handler)


def catalog(endpoint, **execution):
    schema = dict.fromkeys(PLANTED, "string") | {"vezes": "integer", "idempotency_key": "string"}
    return catalog_of(
        merged(TOOLS, {END: {"args_schema": schema}}),
        merged(POLICIES, {END: {"execution": {"effect": "keyed", "max_attempts": 2} | execution}}),
        {"loja": {"endpoint": endpoint}},
    )


async def all_ways(client, loja, **options):
    """Success, a tool's error, a broken call, a validator's error, a wrong argument and refused messages."""
    handles = []
    async with open_desk(
        client, catalog(loja.endpoint), settings=Settings(masked_fields=("nome",)), **options
    ) as desk:

        async def over(tx, **decision):
            await tx.confirm(**decision)
            await tx.result()
            handles.append(tx.handle)
            return tx

        def broken(_call):
            raise MCPError(types.INTERNAL_ERROR, f"{QUOTED}; also {PLANTED['nome']}")

        await over(
            await desk.start(
                END, PLANTED, session_id=PLANTED["telefone"], requester={"id": PLANTED["email"]}
            ),
            comment=PLANTED["cpf"],
        )
        loja.on[END] = failed(QUOTED)
        refused_by_tool = await over(await desk.start(END, PLANTED))
        loja.on[END] = broken
        await over(await desk.start(END, PLANTED))
        checks, loja.on["checar_assinaturas"] = loja.on["checar_assinaturas"], failed(QUOTED)
        handles.append((await desk.start(END, PLANTED)).handle)
        loja.on["checar_assinaturas"] = checks
        tx = await desk.start(END, PLANTED | {"vezes": PLANTED["cpf"]})
        assert tx.opened["status"] == "COLLECTING_PARAMETERS"
        for wrong in (
            {"decision": PLANTED["cpf"]},
            {"decision": "confirm", "digest": "x", PLANTED["email"]: 1},
        ):
            refused = await refusal(tx.update("confirm", wrong))
            assert not [part for part in OPAQUE if part in refused.message]
        await tx.signal("confirm", {"decision": "confirm", "digest": PLANTED["cpf"]})
        await tx.update("cancel", {"reason": QUOTED})
        handles.append(tx.handle)
        state = await tx.state()
        door = TransactionClient(client, task_queue=desk.task_queue)
        requested = TransactionRequest(
            tool_name=END, arguments=PLANTED, request_id=QUOTED, requester=Actor(id=PLANTED["email"])
        )
        redriven = await door.redrive(refused_by_tool.id)
        handles.append(client.get_workflow_handle(redriven.transaction_id))
        started = await door.start(requested)
        await door.amend(started.transaction_id, remove_item_ids=["A-01"], actor=requested.requester)
        handles.append(client.get_workflow_handle(started.transaction_id))
        handles.append(await desk.begin_raw({"tool_name": [PLANTED["cpf"]]}))
        with pytest.raises(Exception, match="Workflow execution failed"):
            await handles[-1].result()
        handles[-1] = handles[-1].handle
    return handles, state


def told(lines):
    """What is seen of what must not be, with where."""
    return [
        (part, line[max(0, line.index(part) - 90) :][:130])
        for part in FRAGMENTS
        for line in lines
        if part in line
    ]


def whole(loja):
    called = loja.called(END)[0].arguments
    return {name: called[name] for name in PLANTED if name != "alvo"} == {
        name: value for name, value in PLANTED.items() if name != "alvo"
    }


def decoded(text):
    """A text with every base64 in it decoded once."""
    found = re.findall(r'"([A-Za-z0-9+/]{8,}={0,2})"', text)
    whole = (part for part in found if len(part) % 4 == 0)
    return text + "".join(base64.b64decode(part).decode("utf-8", "replace") for part in whole)


async def test_se_05_without_keys_logs_events_errors_and_ids_are_clean(client, loja, logs):
    address = client.service_client.config.target_host
    own = await type(client).connect(address, plugins=[ConfirmoPlugin(masked_fields=["nome"])])
    handles, state = await all_ways(own, loja, search_attributes=True)
    assert whole(loja)
    lines = "\n".join(logs.lines)
    assert "IC.TRANSACTION_COMPLETED" in lines
    assert "Received workflow activation" in lines
    assert not told(logs.lines)
    assert not [part for part in FRAGMENTS if part in str(state["events"])]
    failures = 0
    for handle in handles:
        description = await handle.describe()
        events = (await handle.fetch_history()).events
        seen = [handle.id, str(description.search_attributes), str(await description.memo())]
        for event in events:
            attributes = getattr(event, event.WhichOneof("attributes"))
            for name in ("failure", "last_failure"):
                if name in attributes.DESCRIPTOR.fields_by_name and attributes.HasField(name):
                    failures += 1
                    seen.append(str(getattr(attributes, name)))
            seen += [getattr(attributes, name, "") for name in ("activity_id", "timer_id", "identity")]
        assert not [part for part in OPAQUE for text in seen if part in text]
    assert failures >= 4


async def test_with_keys_no_byte_that_temporal_holds_tells_anything(loja, logs, tmp_path):
    keys, database = tmp_path / "keys", tmp_path / "temporal.db"
    new_keys_file(keys)
    own = storing_converter(f"dir:{tmp_path / 'payloads'}", encryption_keys=keys, masked_fields=["nome"])
    async with AsyncExitStack() as stack:
        environment = await stack.enter_async_context(
            await WorkflowEnvironment.start_local(
                dev_server_existing_path=temporal_binary(),
                dev_server_database_filename=str(database),
                dev_server_log_level="error",
                data_converter=own,
            )
        )
        handles, _ = await all_ways(environment.client, loja)
        exported = []
        for number, handle in enumerate(handles):
            history = await handle.fetch_history()
            exported.append(tmp_path / f"{number}.json")
            exported[-1].write_text(history.to_json())
            raw = b"".join(event.SerializeToString() for event in history.events)
            shown = decoded(json.dumps([MessageToDict(event) for event in history.events]))
            assert not [part for part in OPAQUE if part.encode() in raw or part in shown]
        held = b"".join(path.read_bytes() for path in tmp_path.glob("temporal.db*"))
        held += b"".join(path.read_bytes() for path in (tmp_path / "payloads").rglob("*") if path.is_file())
    assert len(held) > 100_000
    assert not [part for part in OPAQUE if part.encode() in held]
    assert b"confirmo-aes256-gcm" in held
    assert whole(loja)
    assert not told(logs.lines)
    assert {error for _, error in await replay_histories(exported, encryption_keys=keys)} == {None}
    [(_, error)] = await replay_histories(exported[:1])
    assert "set CONFIRMO_ENCRYPTION_KEYS_FILE" in error


async def test_a_client_without_the_key_is_told_what_to_do(client, loja, tmp_path):
    keys = tmp_path / "keys"
    new_keys_file(keys)
    address = client.service_client.config.target_host
    plugin = ConfirmoPlugin(encryption_keys=keys)
    sealed = await type(client).connect(address, plugins=[plugin])
    async with open_desk(sealed, catalog(loja.endpoint)) as desk:
        door = TransactionClient(sealed, task_queue=desk.task_queue)
        request = TransactionRequest(tool_name=END, arguments=PLANTED, request_id="111.444.777-35/Rádio Maré")
        state = await door.start(request)
        assert not [part for part in OPAQUE if part in state.transaction_id]
        assert (await door.start(request)).transaction_id == state.transaction_id
        stranger = TransactionClient(await type(client).connect(address, plugins=[ConfirmoPlugin()]))
        await door.cancel(state.transaction_id)
        for asked in (stranger.state, stranger.result, stranger.redrive):
            with pytest.raises(PayloadEncrypted, match="set CONFIRMO_ENCRYPTION_KEYS_FILE"):
                await asked(state.transaction_id)


async def test_a_client_without_the_key_sends_nothing_to_workers_that_encrypt(client, loja, tmp_path):
    keys = tmp_path / "keys"
    new_keys_file(keys)
    address = client.service_client.config.target_host
    sealed = await type(client).connect(address, plugins=[ConfirmoPlugin(encryption_keys=keys)])
    async with open_desk(sealed, catalog(loja.endpoint)) as desk:
        await mark_encrypted(sealed, desk.task_queue)
        plain = await type(client).connect(address, plugins=[ConfirmoPlugin()])
        stranger = TransactionClient(plain, task_queue=desk.task_queue)
        with pytest.raises(PayloadEncrypted, match="nothing was sent: set CONFIRMO_ENCRYPTION_KEYS_FILE"):
            await stranger.start(TransactionRequest(tool_name=END, arguments=PLANTED), id="tx-plain")
        with pytest.raises(TransactionNotFound):
            await stranger.state("tx-plain")
        await Sealing(plain, "another").check()


async def test_a_worker_without_the_key_leaves_the_transaction_to_one_that_has_it(client, loja, tmp_path):
    keys = tmp_path / "keys"
    new_keys_file(keys)
    address = client.service_client.config.target_host
    sealed = await type(client).connect(address, plugins=[ConfirmoPlugin(encryption_keys=keys)])
    async with open_desk(client, catalog(loja.endpoint), max_cached_workflows=0) as desk:
        tx = Tx(await started_by(sealed, desk.task_queue))
        async with asyncio.timeout(60):
            while True:
                events = (await tx.handle.fetch_history()).events
                failed_tasks = [
                    str(event) for event in events if event.HasField("workflow_task_failed_event_attributes")
                ]
                if failed_tasks:
                    break
                await asyncio.sleep(0.05)
        assert "set CONFIRMO_ENCRYPTION_KEYS_FILE" in failed_tasks[0]
        await desk.stop_worker()
        desk.client = sealed
        await desk.start_worker()
        assert (await tx.awaiting())["status"] == "AWAITING_CONFIRMATION"


async def started_by(client, task_queue):
    request = {"tool_name": END, "arguments": PLANTED}
    return await client.start_workflow(
        names.TRANSACTION_WORKFLOW,
        request,
        id=f"tx-{uuid.uuid4().hex}",
        task_queue=task_queue,
        task_timeout=timedelta(seconds=2),
    )


async def test_se_08_an_id_with_personal_data_is_refused(client):
    door = TransactionClient(client)
    with pytest.raises(InvalidRequest, match="give it as request_id"):
        await door.start(TransactionRequest(tool_name=END), id="111.444.777-35/Rádio Maré")


async def test_se_08_keys_and_attributes_hold_no_name_and_still_tell_repeats(client, loja):
    tenant = PLANTED["cpf"]
    async with open_desk(client, catalog(loja.endpoint), search_attributes=True) as desk:
        door = TransactionClient(client, task_queue=desk.task_queue)
        arguments = PLANTED | {"idempotency_key": "111.444.777-35/Rádio Maré"}
        request = TransactionRequest(
            tool_name=END, arguments=arguments, request_id=PLANTED["cpf"], tenant=tenant
        )
        state = await door.start(request)
        again = await door.start(request)
        assert again.transaction_id == state.transaction_id
        await door.cancel(state.transaction_id)
        description = await client.get_workflow_handle(state.transaction_id).describe()
        told = [
            state.transaction_id,
            description.task_queue,
            str(description.raw_description.workflow_execution_info),
        ]
        assert not [part for part in OPAQUE for text in told if part in text]
        assert names.search_value(tenant) in str(description.search_attributes)
