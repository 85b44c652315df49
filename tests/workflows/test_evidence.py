"""The case collection, areas *parsing* and *normalise*, through the whole system: raw answers on the wire.

Each case of a group is one transaction; ``motivo`` (F1) or ``valor`` (F2) carries its name to the server.
"""

import asyncio
import json

import pytest

from harness import Page
from harness.shop import F1, F2, PACKAGES

SET, BACK = "encerrar_assinaturas", "devolver_encomendas"
MIXED = [
    {"id": "A-01", "success": True, "protocolo": "EN-1"},
    {"id": "A-02", "success": False, "reason": "fidelidade"},
    {"id": "A-03", "success": True, "protocolo": "EN-3"},
]
OK, NO, UNKNOWN = "SUCCEEDED", "FAILED", "UNKNOWN"


def text(value):
    return {"type": "text", "text": value if isinstance(value, str) else json.dumps(value)}


def texts(*values, **more):
    return {"content": [text(value) for value in values], "isError": False} | more


async def told(desk, loja, tool, cases, arguments=None, **policy):
    """Run one transaction per case and return ``(result, primary)`` of each."""
    carrier = "motivo" if tool == SET else "valor"
    loja.pages[tool] = lambda call: Page(result=cases[call.arguments[carrier]])
    open_desk = await desk(policies={tool: {"execution": {"call": "whole"} | policy}})
    given = arguments or (F1 if tool == SET else F2)[1]
    results = await asyncio.gather(*(open_desk.run(tool, given | {carrier: case}) for case in cases))
    assert len(loja.requested(tool)) == len(cases)  # one attempt each, whatever the answer
    return {
        case: (result, result["result"]["output"][tool]) for case, result in zip(cases, results, strict=True)
    }


def outcomes(primary):
    return [entry["outcome"] for entry in primary["results"]]


def counts(result):
    multi = result["metadata"]["multi_item"]
    return tuple(multi[f"items_{name}"] for name in ("count", "succeeded_count", "failed_count"))


PARTLY = {
    "pa_01": {"content": [], "structuredContent": {"results": MIXED}, "isError": False},
    "pa_02": {"content": [text({"results": MIXED})]},
    "pa_04 both": texts({"results": MIXED}, structuredContent={"result": {"results": MIXED}}),
    "pa_04 bare list": {"content": [], "structuredContent": {"result": MIXED}, "isError": False},
    "pa_04 text": {"content": [], "structuredContent": {"result": json.dumps({"results": MIXED})}},
    "pa_07": texts("Encerramento processado. Veja o detalhe:", {"results": MIXED}),
    "no_01": texts({"results": MIXED, "success": True, "message": "Operação concluída"}),
    "any order": texts({"results": MIXED[::-1]}),
    "by label": texts(
        {"results": [{"name": "Rádio Maré", "success": True, "protocolo": "EN-1"}, *MIXED[1:]]}
    ),
    "the workflow's own shape": texts({"output": {SET: {"results": MIXED}}}),
}


async def test_pa_01_pa_02_pa_04_pa_07_no_01_every_form_of_the_same_evidence_reads_the_same(desk, loja):
    for case, (result, primary) in (await told(desk, loja, SET, PARTLY)).items():
        assert (result["multi_item_status"], counts(result)) == ("PARTIAL_SUCCESS", (3, 2, 1)), case
        assert [e.get("protocolo") for e in primary["results"]] == ["EN-1", None, "EN-3"], case
        assert [e["item_id"] for e in primary["results"]] == ["A-01", "A-02", "A-03"], case
        assert primary["results"][1]["reason"] == "fidelidade", case
        assert result["metadata"]["needs_review"] is False, case
        assert (result["ok"], result["error"], primary["success"]) == (True, None, False), case
        if case == "pa_07":
            assert primary["message"] == "Encerramento processado. Veja o detalhe:"


async def test_pa_09_items_done_under_is_error_stay_done(desk, loja):
    answer = {
        "content": [text("Falha ao gravar auditoria")],
        "isError": True,
        "structuredContent": {
            "results": [
                {"id": "A-01", "success": True, "protocolo": "EN-1"},
                {"id": "A-02", "success": True, "protocolo": "EN-2"},
                {"id": "A-03", "success": False, "reason": "timeout"},
            ]
        },
    }
    ((result, primary),) = (await told(desk, loja, SET, {"pa_09": answer}, effect="idempotent")).values()
    assert (result["multi_item_status"], counts(result)) == ("PARTIAL_SUCCESS", (3, 2, 1))
    assert [e.get("protocolo") for e in primary["results"]] == ["EN-1", "EN-2", None]
    assert "Falha ao gravar auditoria" in result["secondary_error"]
    assert "message" not in primary


NO_EVIDENCE = {
    "pa_11 error": texts("Error: serviço indisponível"),
    "pa_11 success": texts("Assinaturas encerradas com sucesso!"),
    "pa_11 empty": texts(""),
    "no content": {"content": []},
    "one true for all": texts({"success": True, "protocolo": "EN-1"}),
    "a number": texts("7"),
    "a list of texts": texts(["A-01", "A-02", "A-03"]),
    "an empty list": texts({"results": []}),
    "no flags": texts({"results": [{"id": "A-01"}, {"id": "A-02"}, {"id": "A-03"}]}),
    "flags as text": texts({"results": [{"id": f"A-0{n}", "success": "true"} for n in (1, 2, 3)]}),
    "copies that disagree": texts(
        {"results": [{"id": f"A-0{n}", "success": True} for n in (1, 2, 3)]},
        structuredContent={"results": [{"id": f"A-0{n}", "success": False} for n in (1, 2, 3)]},
    ),
}


async def test_pa_11_prose_and_silence_are_no_evidence(desk, loja):
    for case, (result, primary) in (await told(desk, loja, SET, NO_EVIDENCE, effect="keyed")).items():
        assert outcomes(primary) == [UNKNOWN] * 3, case
        assert result["transaction_status"] == "FAILED", case
        assert (result["multi_item_status"], counts(result)) == ("FAILED", (3, 0, 3)), case
        assert result["metadata"]["needs_review"] is True, case
        assert all(e["success"] is False and e["reason_code"] for e in primary["results"]), case
        if case in ("pa_11 error", "pa_11 success"):
            assert NO_EVIDENCE[case]["content"][0]["text"] in primary["raw"], case
            assert {e["reason_code"] for e in primary["results"]} == {"unrecognised_answer"}, case
        if case == "copies that disagree":
            assert all(len(e["tool_results"]) == 2 for e in primary["results"])


@pytest.mark.parametrize("call", ["whole", "per_item"])
async def test_pa_13_digits_above_two_to_the_53_stay_exact(desk, loja, call):
    ids = [9007199254740993, "12345678901234567890"]

    def answer(sent):
        entries = [{"id": each, "success": True} for each in sent.arguments["encomenda_ids"]]
        for entry in entries:
            if entry["id"] == ids[0]:
                entry["protocolo"] = 18446744073709551615
        return Page(result=texts({"results": entries}))

    loja.pages[BACK] = answer
    tx = await (await desk(policies={BACK: {"execution": {"call": call}}})).start(
        BACK, {"encomenda_ids": ids}
    )
    assert tx.opened["arguments"]["encomenda_ids"] == ids
    assert loja.called("checar_encomendas")[0].arguments["encomenda_ids"] == ids
    assert [item["item_id"] for item in tx.opened["items"]] == ["9007199254740993", ids[1]]
    await tx.confirm()
    result = await tx.result()
    sent = [entry for sent in loja.requested(BACK) for entry in sent.arguments["encomenda_ids"]]
    assert sorted(sent, key=str) == sorted(ids, key=str)
    entries = result["result"]["output"][BACK]["results"]
    assert (result["multi_item_status"], entries[0]["protocolo"]) == ("SUCCESS", 18446744073709551615)
    assert [entry["id"] for entry in entries] == ids


async def test_pa_16_money_and_times_pass_through_unchanged(desk, loja):
    given = {"encomenda_ids": ["ENC-7001"], "valor": "19.90", "prazo": "2026-03-01T23:30:00-03:00"}
    loja.on["checar_encomendas"] = {
        "eligible": True,
        "transaction_decision": {"resolved_arguments": given | {"total": 0.1}},
    }
    loja.on[BACK] = {"results": [{"id": "ENC-7001", "success": True, "pago": 0.1, "em": given["prazo"]}]}
    open_desk = await desk(tools={BACK: {"args_schema": {"total": "number"}}})
    result = await open_desk.run(BACK, given)
    assert loja.called("checar_encomendas")[0].arguments == given | {"target_tool": BACK}
    assert [call.arguments for call in loja.called(BACK)] == [given | {"total": 0.1}]
    (entry,) = result["result"]["output"][BACK]["results"]
    assert (entry["pago"], entry["em"]) == (0.1, given["prazo"])
    dropped = await desk()
    tx = await dropped.start(BACK, given)
    assert tx.opened["ignored_arguments"] == ["total"]


MIXED_FLAGS = {
    "no_04": (
        [
            {"id": "A-01", "success": True, "ok": False},
            {"id": "A-02", "success": False, "ok": True},
            {"id": "A-03", "ok": True},
        ],
        [UNKNOWN, UNKNOWN, OK],
    ),
    "no_06": (
        [
            {"id": "A-01", "success": True},
            {"id": "A-02", "protocolo": "EN-2"},
            {"id": "A-03", "success": True},
        ],
        [OK, UNKNOWN, OK],
    ),
    "no_09": (
        [
            {"id": "A-03", "success": True},
            {"id": "A-01", "success": False, "reason": "débito"},
            {"id": "A-02", "success": True},
        ],
        [NO, OK, OK],
    ),
    "a missing one": ([{"id": "A-01", "success": True}, {"id": "A-03", "success": True}], [OK, UNKNOWN, OK]),
    "twice the same": ([*MIXED, MIXED[0]], [OK, NO, OK]),
    "twice, with opposite flags": ([*MIXED, {"id": "A-01", "success": False}], [UNKNOWN, NO, OK]),
    "a flag that is a number": ([{"id": "A-01", "success": 1}, *MIXED[1:]], [UNKNOWN, NO, OK]),
    "entries that are no maps": (["A-01", *MIXED[1:], None], [UNKNOWN, NO, OK]),
}


async def test_no_04_no_06_no_09_each_item_is_judged_by_its_own_flags(desk, loja):
    cases = {case: texts({"results": entries}) for case, (entries, _) in MIXED_FLAGS.items()}
    for case, (result, primary) in (await told(desk, loja, SET, cases)).items():
        expected = MIXED_FLAGS[case][1]
        assert outcomes(primary) == expected, case
        assert result["multi_item_status"] == "PARTIAL_SUCCESS", case
        assert counts(result) == (3, expected.count(OK), 3 - expected.count(OK)), case
        assert result["metadata"]["needs_review"] is (UNKNOWN in expected), case
        first, second, _ = primary["results"]
        if case == "no_04":
            assert {first["reason_code"], second["reason_code"]} == {"conflicting_evidence"}
            assert first["tool_result"] == {"id": "A-01", "success": True, "ok": False}
            assert (first["ok"], second["ok"]) == (False, False)
        if case == "no_06":
            assert (second["protocolo"], second["reason_code"]) == ("EN-2", "invalid_flag")
        if case == "no_09":
            assert (first["item_id"], first["reason"]) == ("A-01", "débito")
        if case == "a missing one":
            assert second["reason_code"] == "missing_result"
        if case == "twice, with opposite flags":
            assert (first["reason_code"], len(first["tool_results"])) == ("conflicting_evidence", 2)


async def test_entries_for_other_items_are_kept_told_and_never_counted(desk, loja):
    loja.pages[SET] = lambda _: Page(result=texts({"results": [*MIXED, {"id": "A-99", "success": True}]}))
    tx = await (await desk(policies={SET: {"execution": {"call": "whole"}}})).start(*F1)
    await tx.confirm()
    result = await tx.result()
    primary = result["result"]["output"][SET]
    assert (counts(result), len(primary["results"])) == ((3, 2, 1), 3)
    assert primary["unrequested_results"] == [{"id": "A-99", "success": True}]
    assert result["metadata"]["needs_review"] is True
    events = (await tx.state())["events"]
    assert [e["count"] for e in events if e["name"] == "IC.TRANSACTION_UNREQUESTED_RESULT"] == [1]


BULK = {
    "no_11": texts(
        {
            "took": 3,
            "errors": True,
            "items": [
                {"return": {"_id": "ENC-7001", "status": 201}},
                {"return": {"_id": "ENC-7002", "status": 409, "error": {"type": "ja_enviada"}}},
            ],
        }
    ),
    "no_14 one failure": texts({"batchItemFailures": [{"itemIdentifier": "ENC-7002"}]}),
    "no_14 no failure": texts({"batchItemFailures": []}),
    "no_14 null": texts({"batchItemFailures": None}),
    "no_14 empty map": texts("{}"),
    "no_14 json null": texts("null"),
    "no_14 failed": texts({"failed": ["ENC-7002"]}),
}


async def test_no_11_no_14_the_shapes_of_other_protocols_are_no_evidence(desk, loja):
    for case, (result, primary) in (await told(desk, loja, BACK, BULK)).items():
        assert (result["multi_item_status"], outcomes(primary)) == ("FAILED", [UNKNOWN] * 3), case
        assert {e["reason_code"] for e in primary["results"]} == {"unrecognised_answer"}, case
        assert result["metadata"]["needs_review"] is True, case
        assert json.loads(primary["raw"]) == json.loads(BULK[case]["content"][0]["text"]), case


ONE = {
    "no_16 done": (texts({"results": [{"id": "A-01", "success": True}]}), OK),
    "no_16 not done": (texts({"results": [{"id": "A-01", "success": False, "reason": "débito"}]}), NO),
    "no_16 flat": (texts({"success": True, "protocolo": "EN-1"}), OK),
    "flat no": (texts({"ok": False, "message": "débito"}), NO),
    "without identity": (texts({"results": [{"success": True}]}), OK),
    "of another": (texts({"results": [{"id": "A-77", "success": True}]}), UNKNOWN),
    "nothing": (texts("feito"), UNKNOWN),
}


@pytest.mark.parametrize("call", ["whole", "per_item"])
async def test_no_16_exactly_one_result_is_no_multi_item_result(desk, loja, call):
    one = [{"id": "A-01", "name": "Rádio Maré"}]
    loja.on["checar_assinaturas"] = {
        "eligible": True,
        "transaction_decision": {"resolved_arguments": {"items": one}},
    }
    cases = {case: answer for case, (answer, _) in ONE.items()}
    for case, (result, primary) in (
        await told(desk, loja, SET, cases, {"alvo": "Rádio Maré"}, call=call)
    ).items():
        expected = ONE[case][1]
        assert outcomes(primary) == [expected], case
        assert (result["ok"], result["transaction_status"]) == (
            expected == OK,
            "COMPLETED" if expected == OK else "FAILED",
        ), case
        assert (result["multi_item_status"], result["partial_success"]) == (None, False), case
        assert "multi_item" not in result["metadata"], case
        if expected == NO:
            assert (result["error"], primary["results"][0]["reason"]) == ("débito", "débito"), case


async def test_a_flat_no_fails_every_item_and_an_error_says_why(desk, loja):
    cases = {
        "flat": texts({"success": False, "reason": "contrato bloqueado"}),
        "isError": texts("contrato bloqueado", isError=True),
        "both": texts({"error": "contrato bloqueado"}, isError=True),
    }
    for case, (result, primary) in (await told(desk, loja, BACK, cases)).items():
        assert outcomes(primary) == [NO] * 3, case
        assert {e["reason"] for e in primary["results"]} == {"contrato bloqueado"}, case
        assert (result["multi_item_status"], result["metadata"]["needs_review"]) == ("FAILED", False), case


async def test_per_item_each_answer_is_evidence_of_its_own_item(desk, loja):
    answers = {
        "ENC-7001": texts({"results": [{"success": True}]}),
        "ENC-7002": texts("ok, devolvida"),
        "ENC-7003": texts({"id": "ENC-9999", "success": True}),
    }
    loja.pages[BACK] = lambda call: Page(result=answers[call.arguments["encomenda_ids"][0]])
    result = await (await desk(policies={BACK: {"execution": {"call": "per_item"}}})).run(*F2)
    primary = result["result"]["output"][BACK]
    assert [e["item_id"] for e in primary["results"]] == PACKAGES
    assert outcomes(primary) == [OK, UNKNOWN, UNKNOWN]


async def test_an_answer_that_follows_no_rule_is_kept_to_64_kib(desk, loja):
    cases = {"long": texts("à" * 100_000)}
    ((_, primary),) = (await told(desk, loja, BACK, cases)).values()
    assert 60_000 < len(primary["raw"].encode()) <= 65_536
