"""Every status that a transaction can end in, how its result reads, and its events in order."""

import asyncio

import pytest
from temporalio.api.common.v1 import Payload
from temporalio.client import WorkflowFailureError
from temporalio.common import RawValue
from temporalio.exceptions import ApplicationError

from confirmo.worker.settings import Settings
from harness import failed, gone, text_answer
from harness.shop import F1, F2, ITEMS, PACKAGES

SET = "encerrar_assinaturas"
CHECK = "checar_assinaturas"
ASKED = ["STARTED", "PREVALIDATION_REQUESTED", "PREVALIDATION_PASSED", "CONFIRMATION_REQUIRED"]
DONE = [*ASKED, "CONFIRMED", "EXECUTION_STARTED", "ITEM_COMPLETED", "ITEM_COMPLETED", "ITEM_COMPLETED"]


def nothing_was_executed(tx, state):
    """The shape of every result of a transaction that never reached its tool."""
    result = state["result"]
    status = state["status"]
    assert (result["transaction_id"], result["tool_name"]) == (tx.id, state["tool_name"])
    assert (result["ok"], result["error"]) == (False, state["reason"])
    assert result["result"] == {"status": status, "output": {}}
    assert (result["transaction_status"], result["reason_code"]) == (status, state["reason_code"])
    assert (result["multi_item_status"], result["partial_success"]) == (None, False)
    assert result["metadata"] == {"workflow_status": "COMPLETED", "needs_review": False}
    assert result["message"]
    assert result["composition"]["text"] == result["message"]
    assert state["question"] is None
    return True


async def test_completed_is_told_in_the_shape_of_the_contract(desk, loja):
    loja.on[SET] = lambda call: (
        {"success": False, "reason": "fidelidade"}
        if call.arguments["alvo"] == "Clube Leitura"
        else {"subject": call.arguments["alvo"], "success": True, "protocolo": "EN-1"}
    )
    tx = await (await desk()).start(*F1)
    assert tx.opened["progress"] == dict.fromkeys(tx.opened["progress"], 0) | {"items_count": 3}
    await tx.confirm()
    result = await tx.result()
    state = await tx.state()
    assert result == state["result"]
    assert set(result) >= {
        "transaction_id", "tool_name", "ok", "original_ok", "error", "multi_item_status", "partial_success",
        "secondary_error", "result", "metadata", "transaction_status", "message", "composition",
    }  # fmt: skip
    assert (result["ok"], result["original_ok"], result["error"]) == (True, True, None)
    assert (result["multi_item_status"], result["partial_success"]) == ("PARTIAL_SUCCESS", True)
    assert result["metadata"] == {
        "workflow_status": "COMPLETED",
        "needs_review": False,
        "multi_item": {
            "status": "PARTIAL_SUCCESS",
            "items_count": 3,
            "items_succeeded_count": 2,
            "items_failed_count": 1,
            "primary_tool": SET,
        },
    }
    assert (result["result"]["status"], result["transaction_status"]) == ("COMPLETED", "COMPLETED")
    primary = result["result"]["output"][SET]
    assert primary["success"] is False
    first, second, _ = primary["results"]
    assert first == {
        "item_id": "A-01",
        "subject": "Rádio Maré",
        "success": True,
        "outcome": "SUCCEEDED",
        "protocolo": "EN-1",
        "idempotency_key": first["idempotency_key"],
        "attempts": 1,
    }
    assert (second["success"], second["outcome"], second["reason"]) == (False, "FAILED", "fidelidade")
    assert state["progress"] == {
        "items_count": 3,
        "items_done_count": 3,
        "items_succeeded_count": 2,
        "items_failed_count": 1,
        "items_unknown_count": 0,
    }
    assert [item["outcome"] for item in state["items"]] == ["SUCCEEDED", "FAILED", "SUCCEEDED"]
    assert state["items"][1]["reason"] == "fidelidade"
    assert state["reason_code"] is None
    assert await tx.event_names() == [*DONE, "COMPLETED"]
    for name in ("Rádio Maré", "Clube Leitura", "Cofre Fotos 50", "fidelidade"):
        assert name in result["message"]


async def test_executing_shows_its_progress(desk, loja):
    going, passed = asyncio.Event(), []

    async def slow(call):
        if passed:
            await going.wait()
        passed.append(call)
        return {"success": True}

    loja.on[SET] = slow
    tx = await (await desk(policies={SET: {"execution": {"max_concurrency": 1}}})).start(*F1)
    await tx.confirm()
    async with asyncio.timeout(10):
        while (state := await tx.state())["progress"]["items_done_count"] < 1:
            pass
    assert state["status"] == "EXECUTING"
    assert [item["outcome"] for item in state["items"]] == ["SUCCEEDED", None, None]
    assert (state["result"], state["question"]) == (None, None)
    going.set()
    assert (await tx.result())["multi_item_status"] == "SUCCESS"


async def test_failed_where_every_item_failed(desk, loja):
    loja.on[SET] = failed("contrato bloqueado")
    tx = await (await desk()).start(*F1)
    await tx.confirm()
    result = await tx.result()
    assert (result["transaction_status"], result["multi_item_status"]) == ("FAILED", "FAILED")
    assert (result["ok"], result["partial_success"]) == (False, False)
    assert result["metadata"]["multi_item"]["items_failed_count"] == 3
    assert result["metadata"]["needs_review"] is False
    assert (result["result"]["status"], result["metadata"]["workflow_status"]) == ("FAILED", "COMPLETED")
    assert "contrato bloqueado" in (result["error"] or result["secondary_error"])
    assert await tx.event_names() == [*DONE, "FAILED"]


async def test_rejected_by_a_person(desk, loja):
    tx = await (await desk()).start(*F1, locale="en")
    await tx.reject()
    state = await tx.state()
    assert nothing_was_executed(tx, state)
    assert (state["status"], state["reason_code"]) == ("CANCELLED", "rejected")
    assert await tx.event_names() == [*ASKED, "REJECTED"]
    assert "nothing was executed" in state["reason"]
    assert loja.called(SET) == []


async def test_out_of_scope_with_the_validators_reason(desk, loja):
    loja.on[CHECK] = {"eligible": False, "status": "FIDELIDADE", "reason": "Há fidelidade até maio."}
    tx = await (await desk()).start(*F1)
    assert nothing_was_executed(tx, tx.opened)
    assert (tx.opened["status"], tx.opened["reason_code"]) == ("OUT_OF_SCOPE", "not_eligible")
    assert tx.opened["reason"] == "Há fidelidade até maio."
    record = tx.opened["transaction_pre_validation"]
    assert (record["eligible"], record["status"], record["terminal"]) == (False, "FIDELIDADE", True)
    assert (record["tool_name"], record["validator_tool"]) == (SET, CHECK)
    assert record["result"] == loja.on[CHECK]
    assert await tx.event_names() == ["STARTED", "PREVALIDATION_REQUESTED", "PREVALIDATION_REJECTED"]


async def test_an_error_in_place_of_a_reason_is_the_reason(desk, loja):
    loja.on[CHECK] = {"eligible": False, "error": "sem contrato"}
    tx = await (await desk(policies={SET: {"pre_validation": {"fail_open": True}}})).start(*F1)
    assert (tx.opened["status"], tx.opened["reason"]) == ("OUT_OF_SCOPE", "sem contrato")


@pytest.mark.parametrize(
    ("resolved", "code"),
    [
        ({"items": []}, "nothing_to_do"),
        ({"items": [None, {}]}, "prevalidation_error"),
        ({"items": [ITEMS[0] | {"eligible": False, "reason": "fidelidade"}]}, "not_eligible"),
    ],
)
async def test_a_set_without_anything_to_do_is_out_of_scope_and_rejected_only(desk, loja, resolved, code):
    loja.on[CHECK] = {"eligible": True, "transaction_decision": {"resolved_arguments": resolved}}
    tx = await (await desk()).start(*F1)
    assert (tx.opened["status"], tx.opened["reason_code"]) == ("OUT_OF_SCOPE", code)
    assert nothing_was_executed(tx, tx.opened)
    assert await tx.event_names() == ["STARTED", "PREVALIDATION_REQUESTED", "PREVALIDATION_REJECTED"]
    assert loja.called(SET) == []


async def test_blocked_by_configuration(desk, loja):
    open_desk = await desk(
        tools={"encerrar_tudo": {"mcp_server": "loja", "tool_type": "action", "enabled": False}},
        policies={"encerrar_tudo": {"operation_type": "transactional"}},
        settings=Settings(max_items=2),
    )
    for name, arguments, code in (
        ("nada_disso", {}, "unknown_tool"),
        ("", {}, "unknown_tool"),
        ("encerrar_tudo", {}, "tool_disabled"),
        ("devolver_encomendas", {"encomenda_ids": PACKAGES}, "too_large"),
    ):
        tx = await open_desk.start(name, arguments)
        assert (tx.opened["status"], tx.opened["reason_code"]) == ("BLOCKED", code)
        assert nothing_was_executed(tx, tx.opened)
        assert name in tx.opened["reason"] or code == "too_large"
        assert (await tx.event_names())[-1] == "BLOCKED"
        assert "CONFIRMATION_REQUIRED" not in await tx.event_names()
    assert loja.called("devolver_encomendas") == []


async def test_arguments_above_the_payload_limit_are_blocked(desk, loja):
    del loja.on["checar_encomendas"]
    open_desk = await desk(policies={"devolver_encomendas": {"pre_validation": None}})
    tx = await open_desk.start("devolver_encomendas", {"encomenda_ids": ["x" * 600_000, "y" * 600_000]})
    assert (tx.opened["status"], tx.opened["reason_code"]) == ("BLOCKED", "too_large")
    assert loja.calls == []


def broken(data: bytes, encoding: bytes = b"json/plain") -> RawValue:
    return RawValue(Payload(metadata={"encoding": encoding}, data=data))


async def test_a_start_payload_that_cannot_be_decoded_fails_at_once(desk, loja):
    open_desk = await desk()
    payloads = [
        (),
        (None,),
        ("SEGREDO",),
        ([F1[0]],),
        ({},),
        ({"arguments": {"alvo": "SEGREDO"}},),
        ({"tool_name": ["SEGREDO"]},),
        ({"tool_name": SET, "arguments": ["SEGREDO"]},),
        ({"tool_name": SET, "requester": "SEGREDO"},),
        ({"tool_name": SET, "requester": {"id": "a", "roles": "SEGREDO"}},),
        ({"tool_name": SET, "locale": 7},),
        ({"tool_name": SET}, {"tool_name": SET}),
        (broken(b'{"tool_name": "SEGREDO"'),),
        (broken(b'{"tool_name": "\\ud800"}'),),
        (broken(b"\xff\xfe"),),
        (broken(b"\x00\x01", b"binary/secret"),),
    ]

    async def fails(payload):
        tx = await open_desk.begin_raw(*payload)
        with pytest.raises(WorkflowFailureError) as caught:
            await tx.result()
        return caught.value.cause

    for payload, cause in zip(payloads, await asyncio.gather(*map(fails, payloads)), strict=True):
        assert isinstance(cause, ApplicationError), payload
        assert cause.type == "InvalidRequest", payload
        assert "SEGREDO" not in str(cause), payload
    assert loja.calls == []


async def test_unknown_fields_of_a_request_are_ignored_and_open_nothing(desk, loja):
    extra = {
        "confirmed": True,
        "skip_validation": True,
        "operation_type": "read_only",
        "policy": {"by": "any"},
    }
    tx = await (await desk()).start(*F1, **extra)
    assert tx.opened["status"] == "AWAITING_CONFIRMATION"
    assert len(loja.called(CHECK)) == 1
    assert loja.called(SET) == []
    changed = await tx.update("amend", {"arguments": {"motivo": "x"}, "confirmed": True})
    assert changed["status"] == "AWAITING_CONFIRMATION"
    assert (await tx.update("cancel", {"reason": "x", "force": True}))["status"] == "CANCELLED"


async def test_se_03_a_confirmation_for_something_never_asked_creates_nothing(desk, client, loja):
    open_desk = await desk()
    tx = await open_desk.start(*F1)
    other = type(tx)(client.get_workflow_handle("tx-inventado"))
    decision = {"decision": "confirm", "digest": tx.opened["confirmation"]["digest"]}
    assert await gone(other.update("confirm", decision))
    assert await gone(other.signal("confirm", decision))
    assert await gone(other.state())
    assert loja.called(SET) == []


@pytest.mark.parametrize("kind", ["read_only", "conversational", "internal"])
async def test_other_tools_run_without_a_question(desk, loja, kind):
    consult = {"mcp_server": "loja", "tool_type": kind, "args_schema": {"contas": "array", "mes": "string"}}
    open_desk = await desk(
        tools={"consultar": consult},
        policies={"consultar": {"operation_type": kind, "requires": ["contas"]}},
    )
    loja.on["consultar"] = lambda call: {
        "results": [
            {"id": conta, "success": conta != "C-2", "saldo": 1} for conta in call.arguments["contas"]
        ]
    }
    loja.on["listar_faturas"] = {"faturas": [{"mes": "2026-10", "total": "99.90"}]}
    several = await open_desk.start("consultar", {"contas": ["C-1", "C-2", "C-3"], "cpf": "111"})
    one = await open_desk.start("consultar", {"contas": ["C-1"]})
    none = await open_desk.start("consultar", {})
    for tx in (several, one):
        assert (tx.opened["status"], tx.opened["confirmation"]) == ("COMPLETED", None)
        events = await tx.event_names()
        assert events[:2] == ["STARTED", "EXECUTION_STARTED"]
        assert events[-1] == "COMPLETED"
    result = several.opened["result"]
    assert result["multi_item_status"] == "PARTIAL_SUCCESS"
    assert [e["outcome"] for e in result["result"]["output"]["consultar"]["results"]] == [
        "SUCCEEDED",
        "FAILED",
        "SUCCEEDED",
    ]
    assert several.opened["ignored_arguments"] == ["cpf"]
    assert one.opened["result"]["multi_item_status"] is None
    assert "multi_item" not in one.opened["result"]["metadata"]
    assert none.opened["status"] == "COLLECTING_PARAMETERS"
    assert [call.arguments for call in loja.called("consultar")] == [
        {"contas": ["C-1", "C-2", "C-3"]},
        {"contas": ["C-1"]},
    ]


async def test_a_tool_without_items_has_its_own_answer(desk, loja):
    open_desk = await desk()
    tx = await open_desk.start("listar_faturas")
    result = tx.opened["result"]
    output = result["result"]["output"]["listar_faturas"]
    assert output["faturas"] == [{"mes": "2026-10", "total": "99.90"}]
    assert (output["success"], output["outcome"], output["attempts"]) == (True, "SUCCEEDED", 1)
    assert (result["ok"], result["multi_item_status"]) == (True, None)
    assert "multi_item" not in result["metadata"]
    assert tx.opened["progress"]["items_count"] == 0
    loja.on["listar_faturas"] = failed("sistema fora do ar")
    bad = (await open_desk.start("listar_faturas")).opened
    assert (bad["status"], bad["result"]["error"]) == ("FAILED", "sistema fora do ar")
    assert bad["result"]["result"]["output"]["listar_faturas"]["success"] is False
    loja.on["listar_faturas"] = text_answer("Nenhuma fatura em aberto.")
    prose = (await open_desk.start("listar_faturas")).opened
    assert prose["status"] == "COMPLETED"
    assert "Nenhuma fatura" in str(prose["result"]["result"]["output"]["listar_faturas"])


async def test_search_attributes_tell_status_tool_tenant_and_outcome(desk):
    open_desk = await desk(search_attributes=True)
    tx = await open_desk.start(*F2, tenant="t-1")
    waiting = (await tx.handle.describe()).search_attributes
    await tx.confirm()
    await tx.result()
    done = (await tx.handle.describe()).search_attributes
    names = ("ConfirmoStatus", "ConfirmoTool", "ConfirmoTenant", "ConfirmoOutcome")
    assert [waiting.get(name) for name in names] == [
        ["AWAITING_CONFIRMATION"],
        ["devolver_encomendas"],
        ["t-1"],
        None,
    ]
    assert [done.get(name) for name in names] == [
        ["COMPLETED"],
        ["devolver_encomendas"],
        ["t-1"],
        ["SUCCESS"],
    ]


async def test_only_the_last_fifty_events_are_shown_and_ids_go_on(desk):
    many = [f"ENC-{number}" for number in range(60)]
    tx = await (await desk()).start("devolver_encomendas", {"encomenda_ids": many})
    await tx.confirm()
    await tx.result()
    events = (await tx.state())["events"]
    assert len(events) == 50
    numbers = [int(event["event_id"].rsplit("/", 1)[1]) for event in events]
    assert numbers == list(range(numbers[0], numbers[0] + 50))
    assert events[-1]["name"] == "IC.TRANSACTION_COMPLETED"


async def test_events_logs_and_ids_hold_no_argument_value(desk, loja, caplog):
    secrets = {"alvo": "Rádio Maré 111.444.777-35", "motivo": "ana.teste@exemplo.com.br"}
    loja.on[CHECK] = {
        "eligible": True,
        "transaction_decision": {
            "resolved_arguments": {"items": [{"id": "A-01", "name": "Rádio Maré 111.444.777-35"}, ITEMS[1]]}
        },
    }
    loja.on[SET] = failed("ana.teste@exemplo.com.br não pode")
    # Whatever another test of this process has set.
    with caplog.at_level("DEBUG"), caplog.at_level("DEBUG", logger="temporalio.workflow"):
        tx = await (await desk(search_attributes=True)).start(SET, secrets)
        await tx.confirm(actor={"id": "ana.teste@exemplo.com.br"}, comment="111.444.777-35")
        await tx.result()
    assert loja.called(SET)[0].arguments["motivo"] == secrets["motivo"]
    description = await tx.handle.describe()
    history = await tx.handle.fetch_history()
    activity_ids = [e.activity_task_scheduled_event_attributes.activity_id for e in history.events]
    keys = [call.key for call in loja.called(SET)]
    records = [
        record for record in caplog.records if record.name.startswith("confirmo") or "IC.TR" in record.msg
    ]
    assert records
    events = [record.__dict__.get("confirmo_event") for record in caplog.records]
    seen = str([tx.id, activity_ids, description.search_attributes, await description.memo(), keys, events])
    seen += "".join(record.getMessage() for record in records) + str((await tx.state())["events"])
    for secret in ("111.444.777-35", "11144477735", "ana.teste", "Rádio", "Maré"):
        assert secret not in seen
