"""The case collection, area *execute*: keys, attempts, and what a failed call says, through the whole system."""

import asyncio
import hashlib
from itertools import chain, repeat

import mcp_types as types
import pytest
from mcp.server.lowlevel import Server

from harness import Page, ToolServer, Tx, failed, gone, refusal, serving, until
from harness.shop import F1, F2, ITEMS, PACKAGES

SET, BACK = "encerrar_assinaturas", "devolver_encomendas"
OK, NO, UNKNOWN = "SUCCEEDED", "FAILED", "UNKNOWN"
AGAIN = {"retry-after": "0.05"}


def key(root, item_id=None):
    """Section 5 of the contract, written down once more."""
    text = root if item_id is None else f"{root}\x00{item_id}"
    return "cfm_" + hashlib.sha256(text.encode()).hexdigest()[:40]


def executing(tool, **execution):
    return {"policies": {tool: {"execution": execution}}}


async def confirmed(open_desk, tool, arguments, **more):
    tx = await open_desk.start(tool, arguments, **more)
    assert tx.opened["status"] == "AWAITING_CONFIRMATION", tx.opened
    await tx.confirm()
    result = await tx.result()
    return tx, result, result["result"]["output"][tool]


def outcomes(primary):
    return [entry["outcome"] for entry in primary["results"]]


def attempts(primary):
    return [entry["attempts"] for entry in primary["results"]]


async def test_keys_of_a_whole_call_are_those_of_the_contract(desk, loja):
    tx, _, primary = await confirmed(await desk(), *F2)
    (call,) = loja.called(BACK)
    assert call.key == key(tx.id)
    assert call.item_keys == {item_id: key(tx.id, item_id) for item_id in PACKAGES}
    assert call.meta["confirmo/transaction_id"] == tx.id
    assert [e["idempotency_key"] for e in primary["results"]] == [key(tx.id, i) for i in PACKAGES]
    assert "idempotency_key" not in call.arguments


@pytest.mark.parametrize("item_activities", [20, 0])
async def test_keys_of_a_call_per_item_are_the_items_own(desk, loja, monkeypatch, item_activities):
    monkeypatch.setenv("CONFIRMO_ITEM_ACTIVITIES", str(item_activities))
    tx, _, primary = await confirmed(await desk(), *F1)
    sent = {call.arguments["alvo"]: call.key for call in loja.called(SET)}
    assert sent == {item["name"]: key(tx.id, item["id"]) for item in ITEMS}
    assert [e["idempotency_key"] for e in primary["results"]] == [key(tx.id, item["id"]) for item in ITEMS]
    assert all(call.item_keys == {} for call in loja.called(SET))


async def test_a_call_without_items_has_the_key_of_the_call(desk, loja):
    open_desk = await desk(policies={SET: {"pre_validation": None}})
    tx, _, primary = await confirmed(open_desk, *F1)
    (call,) = loja.called(SET)
    assert (call.key, primary["idempotency_key"], call.item_keys) == (key(tx.id), key(tx.id), {})


@pytest.mark.parametrize("declared_by", ["the server", "the catalogue", "nobody"])
@pytest.mark.parametrize("call", ["per_item", "whole"])
async def test_the_key_is_an_argument_where_one_is_declared(desk, loja, call, declared_by):
    properties = {"encomenda_ids": {"type": "array"}, "idempotency_key": {"type": "string"}}
    if declared_by == "the server":
        loja.schemas[BACK] = {"type": "object", "properties": properties}
    schema = {"idempotency_key": "string"} if declared_by == "the catalogue" else {}
    open_desk = await desk(tools={BACK: {"args_schema": schema}}, **executing(BACK, call=call))
    tx, _, _ = await confirmed(open_desk, *F2)
    expected = [key(tx.id)] if call == "whole" else sorted(key(tx.id, i) for i in PACKAGES)
    given = sorted(call.arguments.get("idempotency_key", "none") for call in loja.called(BACK))
    assert given == (["none"] * len(expected) if declared_by == "nobody" else expected)
    assert "idempotency_key" not in tx.opened["arguments"]


@pytest.mark.parametrize(
    ("entry", "item_key", "item_id"),
    [
        ({"id": 7, "name": "x"}, None, "7"),
        ({"item_id": "a", "id": "b"}, None, "a"),
        ({"conta_id": "c", "linha_id": "l", "name": "x"}, None, "c|l"),
        ({"linha_id": "l", "conta_id": "c"}, None, "c|l"),
        ({"name": "  Rádio \t Mare\u0301 ", "subject": "y"}, None, "Rádio Maré"),
        ({"subject": "y", "preco": 1}, None, "y"),
        ({"id": "b", "contrato": "CT-1"}, "contrato", "CT-1"),
        ("  ENC-1 ", None, "ENC-1"),
        (12, None, "12"),
    ],
)
async def test_the_identity_of_an_item_decides_its_key(desk, loja, entry, item_key, item_id):
    policies = {BACK: {"pre_validation": None, "execution": {"call": "per_item"}}}
    if item_key:
        policies[BACK]["execution"]["item_key"] = item_key
    loja.on[BACK] = {"success": True}
    tx, _, primary = await confirmed(await desk(policies=policies), BACK, {"encomenda_ids": [entry]})
    assert tx.opened["items"][0]["item_id"] == item_id
    assert [call.key for call in loja.called(BACK)] == [key(tx.id, item_id)]
    assert outcomes(primary) == [OK]


async def test_arguments_of_one_item_come_from_its_field(desk, loja):
    items = [{"id": "A-01", "name": "Rádio Maré", "alvo": "radio-mare", "codigo": 7}, ITEMS[1]]
    loja.on["checar_assinaturas"] = {
        "eligible": True,
        "transaction_decision": {"resolved_arguments": {"items": items, "motivo": "preço"}},
    }
    for execution, expected in (
        ({}, [{"alvo": "Clube Leitura"}, {"alvo": "radio-mare"}]),
        ({"item_field": "codigo"}, [{"alvo": "7"}, {"alvo": "Clube Leitura"}]),
        ({"item_field": "id"}, [{"alvo": "A-01"}, {"alvo": "A-02"}]),
    ):
        loja.calls.clear()
        await confirmed(await desk(**executing(SET, **execution)), *F1)
        sent = sorted((call.arguments for call in loja.called(SET)), key=lambda a: a["alvo"])
        assert sent == [{"motivo": "preço"} | each for each in expected], execution
    loja.calls.clear()
    await confirmed(await desk(**executing(SET, item_argument="motivo")), *F1)
    assert sorted(call.arguments["motivo"] for call in loja.called(SET)) == ["Clube Leitura", "Rádio Maré"]
    assert {call.arguments["alvo"] for call in loja.called(SET)} == {F1[1]["alvo"]}


async def test_an_array_per_item_is_a_list_of_one(desk, loja):
    await confirmed(await desk(**executing(BACK, call="per_item")), *F2)
    assert sorted(call.arguments["encomenda_ids"] for call in loja.called(BACK)) == [[i] for i in PACKAGES]


async def test_a_whole_call_gets_the_eligible_set_in_its_own_shape(desk, loja):
    items = [
        {"id": "ENC-7001", "valor": 1},
        {"id": "ENC-7002", "eligible": False, "reason": "x"},
        {"id": "ENC-7003"},
    ]
    able = [items[0], items[2]]
    check = "checar_encomendas"
    loja.on[BACK] = {"results": [{"id": i, "success": True} for i in ("ENC-7001", "ENC-7003")]}
    for resolved, sent in (
        ({"items": items}, {"encomenda_ids": ["ENC-7001", "ENC-7003"]}),
        ({"items": items, "encomenda_ids": PACKAGES}, {"encomenda_ids": ["ENC-7001", "ENC-7003"]}),
        ({"items": items, "encomenda_ids": items}, {"encomenda_ids": able}),
    ):
        loja.calls.clear()
        loja.on[check] = {"eligible": True, "transaction_decision": {"resolved_arguments": resolved}}
        _, result, _ = await confirmed(await desk(), *F2)
        assert [call.arguments for call in loja.called(BACK)] == [sent], resolved
        assert result["multi_item_status"] == "PARTIAL_SUCCESS"
    # A scalar tool that is called whole: the scalar names only what is eligible, and ``items`` says the same.
    names = [ITEMS[0], ITEMS[1] | {"eligible": False, "reason": "x"}, ITEMS[2]]
    scalar = ", ".join(item["name"] for item in ITEMS)
    loja.on["checar_assinaturas"] = {
        "eligible": True,
        "transaction_decision": {"resolved_arguments": {"alvo": scalar, "items": names}},
    }
    await confirmed(await desk(**executing(SET, call="whole")), *F1)
    assert [call.arguments for call in loja.called(SET)] == [
        {"alvo": "Rádio Maré, Cofre Fotos 50", "items": [ITEMS[0], ITEMS[2]]}
    ]


async def test_ex_01_a_timeout_after_the_call_was_sent_is_unknown_and_never_a_second_effect(desk, loja):
    late, done = asyncio.Event(), {}

    async def slow(call):
        for item_id, item_key in call.item_keys.items():
            done.setdefault(item_key, item_id)
        await late.wait()
        return {"success": True}

    loja.on[BACK] = slow
    open_desk = await desk(**executing(BACK, effect="keyed", timeout_seconds=0.2, max_attempts=2))
    tx, result, primary = await confirmed(open_desk, *F2)
    late.set()
    assert (outcomes(primary), attempts(primary)) == ([UNKNOWN] * 3, [2] * 3)
    assert {e["reason_code"] for e in primary["results"]} == {"lost_answer"}
    assert (result["transaction_status"], result["metadata"]["needs_review"]) == ("FAILED", True)
    assert [call.key for call in loja.called(BACK)] == [key(tx.id)] * 2
    assert done == {key(tx.id, item_id): item_id for item_id in PACKAGES}
    assert (await tx.state())["progress"]["items_unknown_count"] == 3


async def test_ex_01_an_answer_to_a_later_attempt_with_the_same_key_counts(desk, loja):
    loja.pages[BACK] = iter([Page(504, after=True)])
    tx, result, primary = await confirmed(await desk(**executing(BACK, effect="keyed")), *F2)
    assert (result["multi_item_status"], attempts(primary)) == ("SUCCESS", [2] * 3)
    assert [call.key for call in loja.called(BACK)] == [key(tx.id)] * 2


async def test_ex_05_ex_08_the_same_start_is_one_transaction_and_another_is_a_conflict(desk, loja):
    open_desk = await desk()
    request_id, tenant = "K1-" + str(loja.port), "loja-1"
    digest = hashlib.sha256(f"{tenant}\x00{request_id}".encode()).hexdigest()
    same = {"id": "tx-" + digest[:32], "request_id": request_id, "tenant": tenant}
    arguments = {"alvo": "Rádio Maré", "motivo": "preço"}
    one = await open_desk.start(SET, arguments, **same)
    two = await open_desk.start(SET, dict(reversed(arguments.items())), **same)
    assert (one.id, one.opened) == (two.id, two.opened)
    assert len(loja.called("checar_assinaturas")) == 1
    other = await refusal(starting(open_desk, SET, arguments | {"motivo": "preco"}, **same))
    assert other.type == "RequestMismatch"
    assert await one.state() == one.opened
    await one.confirm()
    await one.result()
    assert len(loja.called(SET)) == 3
    assert await gone(two.confirm(digest=one.opened["confirmation"]["digest"]))


async def starting(open_desk, *request, **more):
    return (await open_desk.start(*request, **more)).opened


async def test_ex_10_a_server_that_restarted_while_waiting_is_met_with_a_new_session(desk):
    first = ToolServer({BACK: {"success": True}})
    second = ToolServer({BACK: {"success": True}})
    async with first.running() as server:
        open_desk = await desk(
            policies={BACK: {"pre_validation": None}}, servers={"loja": {"endpoint": server.endpoint}}
        )
        warm = await open_desk.run(BACK, {"encomenda_ids": ["ENC-1"]})
        assert warm["ok"] is True
        tx = await open_desk.start(BACK, {"encomenda_ids": ["ENC-7001"]})
        port = server.port
    async with second.running(port):
        await tx.confirm()
        result = await tx.result()
        assert result["ok"] is True
        assert [call.key for call in second.requests] == [key(tx.id)] * len(second.requests)
        assert len(second.requests) == 2  # the one that was told 404, and the one in the new session
        assert len(second.called(BACK)) == 1


async def test_ex_10_a_session_that_stays_unknown_ends_bounded_with_nothing_executed(desk, loja):
    loja.pages[BACK] = repeat(Page(404))
    _, result, primary = await confirmed(await desk(), *F2)
    assert outcomes(primary) == [NO] * 3
    assert "404" in primary["results"][0]["reason"]
    assert len(loja.requested(BACK)) <= 6
    assert loja.called(BACK) == []
    assert (result["transaction_status"], result["metadata"]["needs_review"]) == ("FAILED", False)


async def test_ex_12_a_token_that_expired_is_a_failure_of_authentication_and_not_a_no(desk, loja):
    loja.pages[SET] = repeat(Page(401, headers={"www-authenticate": 'Bearer error="invalid_token"'}))
    secret = "SEGREDO-123"
    servers = {"loja": {"endpoint": loja.endpoint, "headers": {"authorization": f"Bearer {secret}"}}}
    tx, result, primary = await confirmed(await desk(servers=servers), *F1)
    assert (outcomes(primary), result["transaction_status"]) == ([NO] * 3, "FAILED")
    assert all("authentication" in e["reason"] for e in primary["results"])
    assert {e["reason_code"] for e in primary["results"]} == {"not_executed"}
    assert result["reason_code"] not in ("rejected", "not_eligible", "cancelled")
    assert len(loja.requested(SET)) <= 3 * 3 * 2
    assert secret not in str(result) + str(await tx.state())
    history = await tx.handle.fetch_history()
    assert secret not in history.to_json()


@pytest.mark.parametrize("effect", ["unsafe", "keyed"])
async def test_ex_14_a_page_with_status_200_is_no_answer(desk, loja, effect):
    page = Page(200, ("<html>manutenção" + "!" * 10_000 + "</html>").encode(), "text/html")
    loja.pages[BACK] = repeat(page)
    _, result, primary = await confirmed(await desk(**executing(BACK, effect=effect, max_attempts=2)), *F2)
    assert outcomes(primary) == [UNKNOWN] * 3
    assert all("text/html" in e["reason"] and len(e["reason"]) <= 500 for e in primary["results"])
    assert len(loja.requested(BACK)) == (1 if effect == "unsafe" else 2)
    assert result["ok"] is False


async def test_ex_16_progress_never_extends_the_limit_and_is_never_a_result(desk):
    forever, calls = asyncio.Event(), []

    async def work(context, params):
        calls.append(params.name)
        for number in range(600):
            await context.session.report_progress(
                number, message='{"results": [{"id": "ENC-1", "success": true}]}'
            )
            async with asyncio.timeout(10):
                if forever.is_set():
                    break
                await asyncio.sleep(0.05)
        return types.CallToolResult(content=[])

    async def listing(_context, _params):
        return types.ListToolsResult(tools=[types.Tool(name=BACK, input_schema={"type": "object"})])

    server = Server("slow", on_list_tools=listing, on_call_tool=work)
    async with serving(server.streamable_http_app()) as port:
        open_desk = await desk(
            policies={BACK: {"pre_validation": None, "execution": {"timeout_seconds": 0.3}}},
            servers={"loja": {"endpoint": f"http://127.0.0.1:{port}/mcp"}},
        )
        async with asyncio.timeout(10):
            _, _, primary = await confirmed(open_desk, BACK, {"encomenda_ids": ["ENC-1"]})
        forever.set()
    assert outcomes(primary) == [UNKNOWN]
    assert primary["results"][0]["reason_code"] == "lost_answer"
    assert calls == [BACK]


@pytest.mark.parametrize("item_activities", [20, 0])
async def test_ex_17_a_retry_touches_only_what_is_still_open(desk, loja, monkeypatch, item_activities):
    monkeypatch.setenv("CONFIRMO_ITEM_ACTIVITIES", str(item_activities))
    dropped = []

    def page(call):
        if call.arguments["encomenda_ids"] == ["ENC-7003"] and not dropped:
            dropped.append(call)
            return Page(502, after=True)
        return None

    loja.pages[BACK] = page
    loja.on[BACK] = lambda call: {
        "ENC-7001": {"success": True, "protocolo": "DV-1"},
        "ENC-7002": {"success": False, "reason": "indisponivel", "retryable": True},
        "ENC-7003": {"success": True, "protocolo": "DV-3"},
    }[call.arguments["encomenda_ids"][0]]
    tx, result, primary = await confirmed(await desk(**executing(BACK, call="per_item", effect="keyed")), *F2)
    assert [e["item_id"] for e in primary["results"]] == PACKAGES
    assert (outcomes(primary), attempts(primary)) == ([OK, NO, OK], [1, 1, 2])
    assert primary["results"][0]["protocolo"] == "DV-1"
    sent = [(call.arguments["encomenda_ids"][0], call.key) for call in loja.requested(BACK)]
    assert sorted(sent) == sorted((i, key(tx.id, i)) for i in (*PACKAGES, "ENC-7003"))
    assert result["multi_item_status"] == "PARTIAL_SUCCESS"


async def test_ex_18_the_same_order_listed_twice_is_returned_once(desk, loja):
    listed = ["ENC-7001", "ENC-7002", " ENC-7001 "]
    for call in ("whole", "per_item"):
        loja.calls.clear()
        tx, result, primary = await confirmed(
            await desk(**executing(BACK, call=call)), BACK, {"encomenda_ids": listed}
        )
        assert [item["item_id"] for item in tx.opened["items"]] == ["ENC-7001", "ENC-7002"]
        assert result["metadata"]["multi_item"]["items_count"] == 2
        assert (result["multi_item_status"], outcomes(primary)) == ("SUCCESS", [OK, OK])
        sent = [entry.strip() for call in loja.called(BACK) for entry in call.arguments["encomenda_ids"]]
        assert sorted(sent) == ["ENC-7001", "ENC-7002"]


FAILURES = {
    "a": (Page(result={"content": [{"type": "text", "text": "contrato bloqueado"}], "isError": True}), NO),
    "b": (Page(error={"code": -32602, "message": "invalid params"}), NO),
    "c": (Page(error={"code": -32601, "message": "unknown tool"}), NO),
    "403": (Page(403), NO),
    "500": (Page(500), UNKNOWN),
    "504": (Page(504), UNKNOWN),
    "202": (Page(202), UNKNOWN),
    "internal": (Page(error={"code": -32603, "message": "boom"}), UNKNOWN),
}


async def test_ex_23_what_is_final_or_in_doubt_is_sent_once_to_an_unsafe_tool(desk, loja):
    loja.pages[SET] = lambda call: FAILURES[call.arguments["motivo"]][0]
    open_desk = await desk(policies={SET: {"pre_validation": None}})
    ran = await asyncio.gather(*(confirmed(open_desk, SET, F1[1] | {"motivo": case}) for case in FAILURES))
    for case, (_, result, primary) in zip(FAILURES, ran, strict=True):
        sent = [call for call in loja.requested(SET) if call.arguments["motivo"] == case]
        assert (len(sent), primary["attempts"]) == (1, 1), case
        assert (primary["outcome"], primary["success"]) == (FAILURES[case][1], False), case
        assert result["metadata"]["needs_review"] is (FAILURES[case][1] == UNKNOWN), case
        if case == "a":
            assert (primary["reason"], result["error"]) == ("contrato bloqueado", "contrato bloqueado")
        else:
            assert primary["reason"], case


@pytest.mark.parametrize("effect", ["unsafe", "keyed"])
async def test_ex_23_what_was_never_carried_out_is_sent_again_whatever_the_effect(desk, loja, effect):
    throttled = {"d": [Page(503, headers=AGAIN)] * 2, "e": [Page(429, headers={"retry-after": "1"})]}
    left = {case: iter(pages) for case, pages in throttled.items()}
    moments = []

    def page(call):
        if call.arguments["motivo"] == "e":
            moments.append(asyncio.get_running_loop().time())
        return next(left[call.arguments["motivo"]], None)

    loja.pages[SET] = page
    open_desk = await desk(policies={SET: {"pre_validation": None, "execution": {"effect": effect}}})
    ran = await asyncio.gather(*(confirmed(open_desk, SET, F1[1] | {"motivo": case}) for case in throttled))
    for (tx, result, primary), attempt_count in zip(ran, (3, 2), strict=True):
        assert (result["ok"], primary["attempts"]) == (True, attempt_count)
        keys = [c.key for c in loja.requested(SET) if c.meta["confirmo/transaction_id"] == tx.id]
        assert keys == [key(tx.id)] * attempt_count
    assert moments[1] - moments[0] >= 1


async def test_attempts_end_at_max_attempts(desk, loja):
    loja.pages[BACK] = repeat(Page(503, headers=AGAIN))
    _, result, primary = await confirmed(await desk(**executing(BACK, max_attempts=2)), *F2)
    assert (outcomes(primary), attempts(primary)) == ([NO] * 3, [2] * 3)
    assert (len(loja.requested(BACK)), result["metadata"]["needs_review"]) == (2, False)
    assert {e["reason_code"] for e in primary["results"]} == {"not_executed"}


async def test_a_refused_connection_was_never_sent(desk, loja):
    open_desk = await desk(
        policies={BACK: {"pre_validation": None, "execution": {"max_attempts": 2}}},
        servers={"loja": {"endpoint": "http://127.0.0.1:9/mcp"}},
    )
    _, result, primary = await confirmed(open_desk, *F2)
    assert (outcomes(primary), attempts(primary)) == ([NO] * 3, [0] * 3)
    assert result["metadata"]["needs_review"] is False


async def test_items_of_one_transaction_run_at_once_up_to_the_limit(desk, loja):
    running, most, going = set(), [], asyncio.Event()

    async def slow(call):
        running.add(call.key)
        most.append(len(running))
        await going.wait()
        running.discard(call.key)
        return {"success": True}

    loja.on[BACK] = slow
    open_desk = await desk(
        policies={BACK: {"pre_validation": None, "execution": {"call": "per_item", "max_concurrency": 3}}}
    )
    tx = await open_desk.start(BACK, {"encomenda_ids": [f"ENC-{n}" for n in range(9)]})
    await tx.confirm()
    await until(lambda: len(running) == 3)
    going.set()
    assert (await tx.result())["multi_item_status"] == "SUCCESS"
    assert max(most) == 3


async def test_two_transactions_never_share_a_key(desk, loja):
    open_desk = await desk()
    await asyncio.gather(open_desk.run(*F2), open_desk.run(*F2))
    one, other = loja.called(BACK)
    assert one.key != other.key
    assert not set(one.item_keys.values()) & set(other.item_keys.values())


async def test_a_validators_answer_never_appears_in_another_transaction(desk, loja):
    loja.on["checar_assinaturas"] = lambda call: {
        "eligible": call.arguments["alvo"] == "boa",
        "reason": f"não: {call.arguments['alvo']}",
    }
    open_desk = await desk()
    names = ["boa", "má", "boa", "pior"]
    started = await asyncio.gather(*(open_desk.start(SET, {"alvo": name}) for name in names))
    assert [tx.opened["reason"] for tx in started] == [None, "não: má", None, "não: pior"]
    assert len(loja.called("checar_assinaturas")) == 4
    again: Tx = await open_desk.start(SET, {"alvo": "boa"})
    assert again.opened["status"] == "AWAITING_CONFIRMATION"
    assert len(loja.called("checar_assinaturas")) == 5


async def test_a_failed_item_does_not_keep_the_others_from_running(desk, loja):
    loja.on[SET] = lambda call: (
        failed("fidelidade") if call.arguments["alvo"] == "Rádio Maré" else {"success": True}
    )
    loja.pages[SET] = lambda call: Page(500) if call.arguments["alvo"] == "Clube Leitura" else None
    _, result, primary = await confirmed(await desk(), *F1)
    assert outcomes(primary) == [NO, UNKNOWN, OK]
    assert (result["multi_item_status"], result["metadata"]["needs_review"]) == ("PARTIAL_SUCCESS", True)
    assert list(chain(result["result"]["output"])) == [SET]
