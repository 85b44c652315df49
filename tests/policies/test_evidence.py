"""What a tool's answer proves, and what it does not."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter
from pydantic_core import to_json

from confirmo.policies.evidence import (
    CallReport,
    ItemOutcome,
    read_answer,
    report_items,
    report_single,
    report_status,
    result_entry,
)
from confirmo.policies.items import freeze
from confirmo.policies.models import FrozenItem, OperationType, Outcome, ToolAnswer
from confirmo.policies.tool_spec import ArgumentSpec, ExecutionPolicy, ToolSpec

OK, NO, HUH = Outcome.SUCCEEDED, Outcome.FAILED, Outcome.UNKNOWN
F1 = ToolSpec(name="encerrar_assinaturas", arguments=(ArgumentSpec(name="alvo"),), requires=("alvo",))
F2 = ToolSpec(
    name="devolver_encomendas",
    arguments=(ArgumentSpec(name="encomenda_ids", type="array"),),
    requires=("encomenda_ids",),
)
READ = F1.model_copy(update={"operation_type": OperationType.READ_ONLY})
THREE = freeze(
    [
        {"id": "A-01", "name": "Rádio Maré"},
        {"id": "A-02", "name": "Clube Leitura"},
        {"id": "A-03", "name": "Cofre Fotos 50"},
    ]
)
ONE = THREE[:1]
MIXED = {
    "results": [
        {"id": "A-01", "success": True, "protocolo": "EN-1"},
        {"id": "A-02", "success": False, "reason": "fidelidade"},
        {"id": "A-03", "success": True, "protocolo": "EN-3"},
    ]
}


def text(*blocks: Any, is_error: bool = False) -> ToolAnswer:
    texts = tuple(block if isinstance(block, str) else json.dumps(block) for block in blocks)
    return ToolAnswer(texts=texts, is_error=is_error)


def structured(value: Any, *texts: str, is_error: bool = False) -> ToolAnswer:
    return ToolAnswer(structured=value, has_structured=True, texts=texts, is_error=is_error)


def outcomes(answer: ToolAnswer, items: Sequence[FrozenItem] = THREE, tool: ToolSpec = F1) -> list[Outcome]:
    return [own.outcome for own in report_items(answer, items, tool).items]


def codes(report: CallReport) -> set[str | None]:
    return {own.reason_code for own in report.items}


def assert_mixed(report: CallReport) -> None:
    assert [own.outcome for own in report.items] == [OK, NO, OK]
    assert [own.item_id for own in report.items] == ["A-01", "A-02", "A-03"]
    assert [own.entry for own in report.items] == MIXED["results"]
    assert report.items[1].reason == "fidelidade"
    assert [own.conflicting for own in report.items] == [()] * 3
    assert report.raw is None
    assert report.unrequested == ()


# Reading


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(structured(MIXED), id="pa_01_structured_only"),
        pytest.param(text(MIXED), id="pa_02_one_text_block"),
        pytest.param(structured({"result": MIXED}, json.dumps(MIXED)), id="pa_04_wrapped_and_text"),
        pytest.param(structured({"result": MIXED}, json.dumps({"result": MIXED})), id="pa_04_both_wrapped"),
        pytest.param(structured({"result": MIXED["results"]}), id="pa_04_bare_list"),
        pytest.param(structured({"result": json.dumps(MIXED)}), id="pa_04_json_string"),
        pytest.param(text(json.dumps(json.dumps(MIXED))), id="json_twice"),
        pytest.param(text(MIXED["results"]), id="bare_list_in_text"),
        pytest.param(
            structured({"result": MIXED["results"]}, *map(json.dumps, MIXED["results"])), id="list_in_blocks"
        ),
        pytest.param(structured(None, json.dumps(MIXED)), id="structured_null"),
        pytest.param(
            ToolAnswer(structured={"success": False}, texts=(json.dumps(MIXED),)), id="structured_not_sent"
        ),
        pytest.param(structured({}, json.dumps(MIXED)), id="structured_without_evidence"),
        pytest.param(text(MIXED, MIXED), id="the_same_block_twice"),
        pytest.param(text("\ufeff" + json.dumps(MIXED)), id="byte_order_mark"),
        pytest.param(structured({"ok": True, "result": MIXED, "error": None}), id="rest_envelope"),
        pytest.param(
            structured({"status": "COMPLETED", "output": {F1.name: MIXED, "avisar": {"results": []}}}),
            id="no_02_workflow_output",
        ),
    ],
)
def test_every_accepted_form_of_an_answer_says_the_same(answer: ToolAnswer) -> None:
    assert_mixed(report_items(answer, THREE, F1))


def test_another_steps_results_are_not_the_tools() -> None:
    answer = structured({"status": "COMPLETED", "output": {"avisar": MIXED}})
    assert outcomes(answer) == [HUH] * 3


def test_pa_07_prose_beside_json_is_kept_as_the_message() -> None:
    report = report_items(text("Encerramento processado. Veja o detalhe:", MIXED), THREE, F1)
    assert_mixed(report)
    assert report.message == "Encerramento processado. Veja o detalhe:"
    assert report.secondary_error is None


def test_pa_09_is_error_with_items_done_keeps_the_items_and_the_text_as_secondary() -> None:
    report = report_items(structured(MIXED, "Falha ao gravar auditoria", is_error=True), THREE, F1)
    assert_mixed(report)
    assert report.secondary_error == "Falha ao gravar auditoria"
    assert report.message is None


def test_an_error_that_the_answer_itself_names_beside_its_items_is_secondary() -> None:
    report = report_items(structured(MIXED | {"success": False, "error": {"message": "SMS 502"}}), THREE, F1)
    assert_mixed(report)
    assert report.secondary_error == "SMS 502"
    assert report.summary == {"success": False, "error": {"message": "SMS 502"}}


@pytest.mark.parametrize("items", [ONE, THREE])
@pytest.mark.parametrize(
    "answer",
    [
        text("Error: serviço indisponível"),
        text("Assinaturas encerradas com sucesso!"),
        text(""),
        text(),
        text({"took": 3, "errors": True, "items": [{"return": {"_id": "A-01", "status": 201}}]}),
        text({"batchItemFailures": [{"itemIdentifier": "A-02"}]}),
        text({"batchItemFailures": []}),
        text({"batchItemFailures": None}),
        text({}),
        text("null"),
        text("true"),
        text({"failed": ["A-02"]}),
        text({"data": MIXED}),
        text({"results": {"A-01": {"success": True}}}),
        text({"id": "A-01", "protocolo": "EN-1"}),
        text("{'results': [{'id': 'A-01', 'success': True}]}"),
        text({"note": 1}, MIXED),
        structured(None),
        structured({"result": None}),
        structured({"result": True}),
        structured({"result": "tudo certo"}),
    ],
)
def test_pa_11_no_11_no_14_what_follows_no_rule_is_unknown_and_kept(
    answer: ToolAnswer, items: tuple[FrozenItem, ...]
) -> None:
    report = report_items(answer, items, F1)
    assert [own.outcome for own in report.items] == [HUH] * len(items)
    assert codes(report) == {"unrecognised_answer"}
    assert report.message is None
    for part in answer.texts:
        assert part in (report.raw or "")
    if answer.structured is not None:
        assert json.dumps(answer.structured, separators=(",", ":")) == report.raw


def test_a_raw_answer_is_cut_at_64_kib_between_two_characters() -> None:
    report = report_items(text("x" + "é" * 40_000), ONE, F1)
    assert report.raw is not None
    assert len(report.raw.encode()) == 64 * 1024 - 1
    assert set(report.raw) == {"x", "é"}


def test_a_raw_answer_with_lone_surrogates_can_be_written() -> None:
    report = report_items(text("a\ud800"), ONE, F1)
    assert report.raw == "a\ufffd"
    to_json(report)


def test_pa_13_digits_of_ids_and_protocols_do_not_change() -> None:
    items = freeze([9007199254740993, "12345678901234567890"])
    body = (
        '{"results": [{"id": 9007199254740993, "success": true, "protocolo": 18446744073709551615},'
        ' {"id": "12345678901234567890", "success": true}]}'
    )
    report = report_items(text(body), items, F2)
    assert [own.outcome for own in report.items] == [OK, OK]
    assert report.items[0].entry == {
        "id": 9007199254740993,
        "success": True,
        "protocolo": 18446744073709551615,
    }
    assert report.items[1].entry["id"] == "12345678901234567890"


def test_pa_16_money_and_timestamps_stay_what_they_were() -> None:
    entry = {
        "id": "A-01",
        "success": True,
        "valor": "19.90",
        "total": 0.1,
        "prazo": "2026-03-01T23:30:00-03:00",
    }
    report = report_items(text({"results": [entry]}), ONE, F1)
    assert TypeAdapter(CallReport).validate_json(to_json(report)).items[0].entry == entry


def test_nan_in_an_answer_is_kept_as_its_word() -> None:
    report = report_items(text('{"results": [{"id": "A-01", "success": true, "v": NaN}]}'), ONE, F1)
    assert report.items[0].outcome is OK
    assert report.items[0].entry["v"] == "NaN"


def test_a_flag_given_twice_with_different_values_is_no_flag() -> None:
    for body in (
        '{"success": false, "success": true}',
        '{"results": [{"id": "A-01", "success": false, "success": true}]}',
    ):
        report = report_items(text(body), ONE, F1)
        assert [own.outcome for own in report.items] == [HUH]
        assert codes(report) == {"invalid_flag"}


def test_a_list_of_one_and_its_one_text_block_are_two_copies_of_the_same() -> None:
    entry = {"id": "A-01", "success": True}
    for block in (entry, [entry], {"result": [entry]}, {"results": [entry]}):
        report = report_items(structured({"result": [entry]}, json.dumps(block)), ONE, F1)
        assert [(own.outcome, own.conflicting) for own in report.items] == [(OK, ())]
    opposite = report_items(structured({"result": [entry]}, json.dumps(entry | {"success": False})), ONE, F1)
    assert codes(opposite) == {"conflicting_evidence"}


def test_json_blocks_that_are_no_copy_of_a_structured_list_are_kept_as_message() -> None:
    blocks = [json.dumps(entry, ensure_ascii=False, separators=(",", ":")) for entry in MIXED["results"][:2]]
    report = report_items(structured({"result": MIXED["results"]}, *blocks), THREE, F1)
    assert_mixed(report)
    assert report.message == "\n".join(blocks)


def test_the_raw_answer_holds_a_copy_once_and_prose_beside_it() -> None:
    report = report_items(structured({"a": 1}, '{"a": 1}', "prosa"), ONE, F1)
    assert report.raw == '{"a":1}\nprosa'


# Two copies


def test_copies_that_disagree_about_an_item_leave_it_unknown_with_both_kept() -> None:
    other = {"results": [*MIXED["results"][:2], {"id": "A-03", "success": False, "reason": "débito"}]}
    report = report_items(structured(MIXED, json.dumps(other)), THREE, F1)
    assert [own.outcome for own in report.items] == [OK, NO, HUH]
    assert report.items[2].reason_code == "conflicting_evidence"
    assert report.items[2].conflicting == (MIXED["results"][2], other["results"][2])


def test_an_item_that_only_one_of_two_copies_tells_of_is_unknown() -> None:
    report = report_items(structured(MIXED, json.dumps({"results": MIXED["results"][:2]})), THREE, F1)
    assert [own.outcome for own in report.items] == [OK, NO, HUH]
    assert report.items[2].reason_code == "conflicting_evidence"


def test_flat_copies_that_disagree_prove_nothing() -> None:
    for first, second in ((True, False), (False, True)):
        report = report_items(structured({"success": first}, json.dumps({"success": second})), ONE, F1)
        assert [own.outcome for own in report.items] == [HUH]
        assert codes(report) == {"conflicting_evidence"}
        assert len(report.items[0].conflicting) == 2


def test_copies_that_differ_in_other_fields_only_keep_the_outcome_and_both_entries() -> None:
    rounded = {"results": [{"id": "A-01", "success": True, "total": 0.33}]}
    exact = {"results": [{"id": "A-01", "success": True, "total": 0.3333}]}
    report = report_items(structured(exact, json.dumps(rounded)), ONE, F1)
    assert report.items[0].outcome is OK
    assert report.items[0].entry == exact["results"][0]
    assert len(report.items[0].conflicting) == 2


def test_a_summary_in_text_does_not_outrank_structured_items() -> None:
    assert outcomes(structured(MIXED, json.dumps({"success": True}))) == [OK, NO, OK]


# Reconciling


def test_no_01_item_entries_outrank_the_summary_flag() -> None:
    report = report_items(text(MIXED | {"success": True, "message": "Operação concluída"}), THREE, F1)
    assert_mixed(report)
    assert report.message == "Operação concluída"


def test_no_04_flags_that_disagree_are_no_success() -> None:
    entries = [{"id": "A-01", "success": True, "ok": False}, {"id": "A-02", "success": False, "ok": True}]
    report = report_items(text({"results": [*entries, {"id": "A-03", "ok": True}]}), THREE, F1)
    assert [own.outcome for own in report.items] == [HUH, HUH, OK]
    assert report.items[0].reason_code == "conflicting_evidence"
    assert report.items[0].entry == entries[0]


@pytest.mark.parametrize("flag", ["true", 1, 0, None, "false", [], {}, "sim", 1.0])
def test_a_flag_that_is_not_boolean_is_unknown(flag: Any) -> None:
    for body in (
        {"results": [{"id": "A-01", "success": flag}]},
        {"success": flag},
        {"success": True, "ok": flag},
    ):
        report = report_items(text(body), ONE, F1)
        assert [own.outcome for own in report.items] == [HUH]
        assert codes(report) == {"invalid_flag"}
        assert report.items[0].entry is not None


def test_no_06_an_item_without_a_flag_is_unknown_and_keeps_its_protocol() -> None:
    entries = [
        {"id": "A-01", "success": True},
        {"id": "A-02", "protocolo": "EN-2"},
        {"id": "A-03", "success": True},
    ]
    report = report_items(text({"results": entries}), THREE, F1)
    assert [own.outcome for own in report.items] == [OK, HUH, OK]
    assert report.items[1].reason_code == "invalid_flag"
    assert report.items[1].entry == {"id": "A-02", "protocolo": "EN-2"}


def test_no_09_results_are_matched_by_identity_in_any_order() -> None:
    entries = [
        {"id": "A-03", "success": True},
        {"id": "A-01", "success": False, "reason": "débito"},
        {"id": "A-02", "success": True},
    ]
    assert outcomes(text({"results": entries})) == [NO, OK, OK]


@pytest.mark.parametrize(
    "names",
    [
        [{"item_id": "A-01"}, {"assinatura_id": "A-02"}, {"id": "A-03"}],
        [{"subject": "Rádio Maré"}, {"name": " Clube  Leitura "}, {"title": "Cofre Fotos 50"}],
        [
            {"name": "Ra\u0301dio Mare\u0301"},
            {"id": "A-02", "operation_id": "A-03x"},
            {"label": "Cofre Fotos 50"},
        ],
    ],
)
def test_an_entry_may_name_its_item_by_any_identity_field_or_label(names: list[dict[str, str]]) -> None:
    flags = [True, False, True]
    entries = [name | {"success": flag} for name, flag in zip(names, flags, strict=True)]
    assert outcomes(text({"results": entries[::-1]})) == [OK, NO, OK]


def test_scalar_items_are_matched_by_the_tools_own_field() -> None:
    items = freeze(["P-100", "P-101"])
    entries = [
        {"order_id": "P-101", "success": False, "reason": "already_shipped"},
        {"order_id": "P-100", "success": True},
    ]
    assert outcomes(text({"results": entries}), items, F2) == [OK, NO]


def test_the_identity_decides_before_the_label() -> None:
    items = freeze([{"id": 1, "name": "Plano"}, {"id": 2, "name": "Plano"}])
    entries = [{"id": 2, "name": "Plano", "success": False}, {"id": 1, "name": "Plano", "success": True}]
    assert outcomes(text({"results": entries}), items) == [OK, NO]


def test_a_label_that_several_items_have_names_none_of_them() -> None:
    items = freeze([{"id": 1, "name": "Plano"}, {"id": 2, "name": "Plano"}])
    report = report_items(text({"results": [{"name": "Plano", "success": True}]}), items, F1)
    assert [own.outcome for own in report.items] == [HUH, HUH]
    assert report.unrequested == ({"name": "Plano", "success": True},)


def test_the_same_label_with_another_id_is_another_item() -> None:
    report = report_items(text({"results": [{"id": "A-09", "name": "Rádio Maré", "success": True}]}), ONE, F1)
    assert codes(report) == {"missing_result"}
    assert len(report.unrequested) == 1


def test_one_shared_id_of_several_does_not_make_two_items_one() -> None:
    items = freeze([{"account_id": "1", "line_id": "2"}, {"account_id": "1", "line_id": "3"}])
    entries = [
        {"account_id": "1", "line_id": "3", "success": False},
        {"account_id": "1", "line_id": "2", "operation_id": "op", "success": True},
    ]
    assert outcomes(text({"results": entries}), items) == [OK, NO]
    report = report_items(
        text({"results": [{"account_id": "1", "line_id": "4", "success": True}]}), items[:1], F1
    )
    assert [own.outcome for own in report.items] == [HUH]


def test_the_answer_is_kept_raw_only_where_no_entry_was_anybodys() -> None:
    stranger = {"id": "A-77", "success": True}
    assert (
        report_items(structured({"results": [stranger]}), ONE, F1).raw
        == '{"results":[{"id":"A-77","success":true}]}'
    )
    assert report_items(structured({"results": [stranger, MIXED["results"][0]]}), THREE, F1).raw is None


def test_a_scalar_in_place_of_an_entry_names_an_item_and_proves_nothing() -> None:
    report = report_items(text({"results": ["A-01", "Z"]}), ONE, F1)
    assert (report.items[0].reason_code, report.items[0].entry) == ("invalid_flag", "A-01")
    assert report.unrequested == ("Z",)
    assert report_items(text({"results": ["Z"]}), ONE, F1).unrequested == ("Z",)


def test_a_missing_item_is_unknown_not_failed() -> None:
    report = report_items(text({"results": MIXED["results"][:2]}), THREE, F1)
    assert [own.outcome for own in report.items] == [OK, NO, HUH]
    assert report.items[2].reason_code == "missing_result"


def test_entries_for_other_items_are_kept_apart() -> None:
    stranger = {"id": "A-77", "success": True}
    report = report_items(text({"results": [*MIXED["results"], stranger]}), THREE, F1)
    assert [own.outcome for own in report.items] == [OK, NO, OK]
    assert report.unrequested == (stranger,)


def test_ex_18_two_equal_entries_for_an_item_are_its_outcome() -> None:
    twice = [{"id": "A-01", "success": True}, {"id": "A-01", "success": True, "n": 2}]
    report = report_items(text({"results": twice}), ONE, F1)
    assert report.items[0].outcome is OK
    assert report.items[0].conflicting == tuple(twice)


def test_two_opposite_entries_for_an_item_are_a_conflict_and_both_kept() -> None:
    twice = [{"id": "A-01", "success": True}, {"id": "A-01", "success": False}]
    report = report_items(text({"results": twice}), ONE, F1)
    assert codes(report) == {"conflicting_evidence"}
    assert report.items[0].conflicting == tuple(twice)


def test_one_entry_without_identity_for_one_item_is_its_own() -> None:
    assert outcomes(text({"results": [{"success": True, "protocolo": "EN-1"}]}), ONE) == [OK]
    assert outcomes(text({"results": [{"success": True, "operation_id": "op-1"}]}), ONE) == [OK]
    assert outcomes(text({"results": [{"success": True}] * 2}), ONE) == [HUH]
    assert outcomes(text({"results": [{"success": True}]}), THREE) == [HUH] * 3


@pytest.mark.parametrize("name", [{"id": "A-02"}, {"order_id": "A-02"}, {"name": "Clube Leitura"}])
def test_one_entry_that_names_something_else_is_not_the_items_own(name: dict[str, str]) -> None:
    report = report_items(text({"results": [name | {"success": True}]}), ONE, F1)
    assert codes(report) == {"missing_result"}
    assert report.unrequested == (name | {"success": True},)


def test_no_results_for_one_item_are_a_missing_result_whatever_the_summary_says() -> None:
    for body in ({"results": []}, {"results": [], "success": True}, []):
        report = report_items(text(body), ONE, F1)
        assert codes(report) == {"missing_result"}
        assert report.raw is not None


def test_no_results_and_a_plain_no_are_a_no() -> None:
    report = report_items(text({"results": [], "success": False, "error": "fora do ar"}), THREE, F1)
    assert [(own.outcome, own.reason) for own in report.items] == [(NO, "fora do ar")] * 3


# Flat answers


def test_no_16_exactly_one_result() -> None:
    assert outcomes(text({"results": [{"id": "A-01", "success": True}]}), ONE) == [OK]
    report = report_items(text({"results": [{"id": "A-01", "success": False, "reason": "débito"}]}), ONE, F1)
    assert (report.items[0].outcome, report.items[0].reason) == (NO, "débito")
    report = report_items(text({"success": True, "protocolo": "EN-1"}), ONE, F1)
    assert report.items[0].outcome is OK
    assert report.items[0].entry == {"success": True, "protocolo": "EN-1"}


def test_a_flat_yes_proves_one_item_and_of_several_none() -> None:
    answer = text({"success": True, "protocolo": "EN-1"})
    assert outcomes(answer, ONE) == [OK]
    report = report_items(answer, THREE, F1)
    assert [own.outcome for own in report.items] == [HUH] * 3
    assert report.raw == '{"success": true, "protocolo": "EN-1"}'


def test_a_flat_no_fails_all_items_with_its_reason() -> None:
    report = report_items(text({"ok": False, "error": {"type": "x", "message": "sem saldo"}}), THREE, F1)
    assert [(own.outcome, own.reason) for own in report.items] == [(NO, "sem saldo")] * 3
    assert report.summary == {"ok": False, "error": {"type": "x", "message": "sem saldo"}}


def test_a_flat_no_that_names_one_of_several_fails_that_one_only() -> None:
    assert outcomes(text({"success": False, "id": "A-02"})) == [HUH, NO, HUH]


def test_a_flag_under_result_and_one_beside_it_have_to_agree() -> None:
    assert outcomes(structured({"ok": True, "result": {"success": True}}), ONE) == [OK]
    assert outcomes(structured({"ok": True, "result": {"success": False}}), ONE) == [HUH]
    assert outcomes(structured({"result": {"success": False}, "metadata": {}}), ONE) == [NO]


@pytest.mark.parametrize("name", [{"id": "A-02"}, {"name": "Clube Leitura"}, {"alvo": "Clube Leitura"}])
def test_a_flat_answer_that_names_another_item_proves_nothing_about_this_one(name: dict[str, str]) -> None:
    body = name | {"success": True}
    report = report_items(text(body), ONE, F1)
    assert codes(report) == {"missing_result"}
    assert report.unrequested == (body,)


def test_a_flat_answer_may_carry_ids_of_what_the_call_made() -> None:
    assert outcomes(text({"success": True, "cancelamento_id": "C-1", "protocolo": "P"}), ONE) == [OK]
    assert outcomes(text({"success": True, "alvo": "Rádio Maré", "id": "A-01"}), ONE) == [OK]


# isError


def test_is_error_without_item_evidence_is_the_tools_own_no() -> None:
    for answer in (text("Sem saldo", is_error=True), structured({"error": "Sem saldo"}, is_error=True)):
        report = report_items(answer, THREE, F1)
        assert [(own.outcome, own.reason) for own in report.items] == [(NO, "Sem saldo")] * 3
        assert report.secondary_error is None
    (nothing,) = report_items(text(is_error=True), ONE, F1).items
    assert nothing.outcome is NO
    assert nothing.reason


def test_is_error_beside_a_flat_yes_is_a_contradiction() -> None:
    report = report_items(structured({"success": True}, "audit failed", is_error=True), ONE, F1)
    assert codes(report) == {"conflicting_evidence"}
    assert report.secondary_error == "audit failed"


def test_is_error_with_entries_for_nobody_leaves_the_items_unknown() -> None:
    assert outcomes(text({"results": [{"id": "Z", "success": True}]}, is_error=True), ONE) == [HUH]


def test_an_output_schema_violation_after_the_effect_is_doubt() -> None:
    report = report_items(text("Output validation error: 'x' is a required property", is_error=True), ONE, F1)
    assert codes(report) == {"unrecognised_answer"}
    assert report.raw == "Output validation error: 'x' is a required property"


def test_reasons_are_bounded_and_texts() -> None:
    report = report_items(text({"success": False, "reason": "x" * 5000}), ONE, F1)
    assert report.items[0].reason == "x" * 2000
    assert (
        report_items(text({"success": False, "reason": " ", "error": ["a", 1]}), ONE, F1).items[0].reason
        == '["a",1]'
    )
    for nothing in (None, False, "", {}, [], {"message": ""}):
        body = {"success": False, "reason": nothing, "error": "e"}
        expected = '{"message":""}' if nothing == {"message": ""} else "e"
        assert report_items(text(body), ONE, F1).items[0].reason == expected
    assert report_items(text({"success": False, "message": "m"}), ONE, F1).items[0].reason == "m"
    assert report_items(text({"success": False}, "porque não"), ONE, F1).items[0].reason == "porque não"


# Envelope


@pytest.mark.parametrize(
    "answer",
    [
        text({"status": "ENTREGUE"}),
        text("Tudo certo"),
        structured({"id": 1, "name": "Maria"}),
        text(),
        text([1]),
    ],
)
def test_an_envelope_without_flags_is_a_success_for_one_thing(answer: ToolAnswer) -> None:
    by_policy = F1.model_copy(update={"execution": ExecutionPolicy(evidence="envelope")})
    for tool in (READ, by_policy):
        assert report_single(answer, tool).outcome is OK
    assert report_single(answer, F1).outcome is HUH


def test_an_envelope_of_one_item_is_its_own_and_of_several_proves_nothing() -> None:
    answer = text({"status": "ENTREGUE"})
    (own,) = report_items(answer, ONE, READ).items
    assert (own.outcome, own.entry) == (OK, {"status": "ENTREGUE"})
    assert outcomes(answer, THREE, READ) == [HUH] * 3


def test_flags_and_errors_count_in_an_envelope_too() -> None:
    assert outcomes(text({"success": False}), ONE, READ) == [NO]
    assert outcomes(text({"success": "yes"}), ONE, READ) == [HUH]
    assert outcomes(text("erro", is_error=True), ONE, READ) == [NO]
    assert outcomes(text({"results": [{"id": "A-01", "valor": 1}]}), ONE, READ) == [OK]
    assert outcomes(text({"results": [{"id": "A-01", "valor": 1}]}), ONE, F1) == [HUH]
    assert outcomes(text({"results": [{"id": "A-01", "ok": False}]}), ONE, READ) == [NO]


# Calls without items


def test_a_call_without_items_keeps_the_tools_own_answer() -> None:
    report = report_single(text("pronto", {"success": True, "protocolo": "P-1"}), F1)
    assert (report.outcome, report.answer, report.message) == (
        OK,
        {"success": True, "protocolo": "P-1"},
        "pronto",
    )
    report = report_single(text({"success": False, "reason": "débito"}), F1)
    assert (report.outcome, report.reason) == (NO, "débito")
    report = report_single(text("Sem saldo", is_error=True), F1)
    assert (report.outcome, report.reason, report.secondary_error) == (NO, "Sem saldo", None)


def test_a_call_without_items_and_without_evidence_is_unknown() -> None:
    report = report_single(text({"status": "ok?"}), F1)
    assert (report.outcome, report.reason_code, report.answer) == (HUH, "unrecognised_answer", None)
    assert report.raw == '{"status": "ok?"}'


@pytest.mark.parametrize(
    ("flags", "overall"),
    [([True, True], OK), ([False, False], NO), ([True, False], None), ([True, "x"], HUH), ([True], OK)],
)
def test_a_tool_without_items_tells_its_own(flags: list[Any], overall: Outcome | None) -> None:
    entries = [{"subject": f"S{number}", "success": flag} for number, flag in enumerate(flags)]
    report = report_single(text({"results": entries, "lote": "L-1"}), F1)
    assert report.outcome is overall
    assert report.answer == {"lote": "L-1"}
    assert [own["success"] for own in report.results] == [flag is True for flag in flags]
    assert [own["item_id"] for own in report.results] == [f"S{number}" for number in range(len(flags))]


def test_entries_that_a_tool_tells_of_without_names_stay_as_many_as_they_are() -> None:
    report = report_single(text({"results": [{"success": True}, {"success": True}, {"success": False}]}), F1)
    assert [own["outcome"] for own in report.results] == ["SUCCEEDED", "SUCCEEDED", "FAILED"]
    assert len({own["item_id"] for own in report.results}) == 3


def test_a_list_that_a_read_only_tool_returns_is_data() -> None:
    body = {"results": [{"id": 1, "valor": 10}, {"id": 2}]}
    report = report_single(text(body), READ)
    assert (report.outcome, report.answer, report.results) == (OK, body, ())
    assert report_single(text(body), F1).outcome is HUH


# Status tool


def test_a_status_tool_that_found_the_call_is_evidence() -> None:
    verdict = report_status(text({"found": True, "success": True, "protocolo": "P"}), ONE[0], F1, "consultar")
    assert verdict.kind == "found"
    assert verdict.outcome is not None
    assert (verdict.outcome.outcome, verdict.outcome.verified_by) == (OK, "consultar")
    assert verdict.outcome.entry == {"success": True, "protocolo": "P"}
    nested = report_status(
        text({"found": True, "result": {"success": False, "reason": "débito"}}), ONE[0], F1
    )
    assert nested.outcome is not None
    assert (nested.outcome.outcome, nested.outcome.reason) == (NO, "débito")


def test_a_status_tool_that_did_not_find_it_lets_it_be_sent_again() -> None:
    assert report_status(text({"found": False}), ONE[0], F1).kind == "not_found"
    assert (
        report_status(structured({"result": {"found": False}}, '{"found": false}'), None, F1).kind
        == "not_found"
    )


@pytest.mark.parametrize(
    "answer",
    [
        text({"found": "false"}),
        text({"found": None}),
        text({"found": 0}),
        text({}),
        text("not found"),
        text(),
        text({"found": False}, is_error=True),
        text({"found": False, "success": True}),
        structured({"found": False}, '{"found": true}'),
        text({"found": True}, {"found": False}),
    ],
)
def test_any_other_word_of_a_status_tool_is_unknown_and_never_a_second_call(answer: ToolAnswer) -> None:
    verdict = report_status(answer, ONE[0], F1, "consultar")
    assert verdict.kind == "unknown"
    assert verdict.outcome is not None
    assert (verdict.outcome.outcome, verdict.outcome.reason_code) == (HUH, "lost_answer")
    assert verdict.outcome.verified_by == "consultar"


def test_found_alone_or_for_another_item_is_no_success() -> None:
    for body in ({"found": True}, {"found": True, "success": True, "id": "A-02"}):
        verdict = report_status(text(body), ONE[0], READ)
        assert verdict.outcome is not None
        assert verdict.outcome.outcome is HUH


def test_a_status_tool_may_speak_of_a_call_without_items() -> None:
    verdict = report_status(text({"found": True, "success": True, "protocolo": "P"}), None, F1, "consultar")
    assert verdict.outcome is not None
    assert (verdict.outcome.outcome, verdict.outcome.entry) == (OK, {"success": True, "protocolo": "P"})


# Entries of the result


def entry_of(outcome: Outcome, entry: Any, **fields: Any) -> dict[str, Any]:
    own = ItemOutcome(
        item_id="A-01", outcome=outcome, entry=entry, idempotency_key="cfm_1", attempts=1, **fields
    )
    return result_entry(ONE[0], own, F1)


def test_a_result_entry_keeps_the_tools_fields_and_adds_ours() -> None:
    assert entry_of(OK, {"subject": "Rádio", "success": True, "protocol": "P"}) == {
        "item_id": "A-01",
        "subject": "Rádio",
        "success": True,
        "outcome": "SUCCEEDED",
        "protocol": "P",
        "idempotency_key": "cfm_1",
        "attempts": 1,
    }


def test_a_result_entry_without_a_name_gets_the_items_label() -> None:
    assert entry_of(HUH, None, reason="r", reason_code="missing_result") == {
        "item_id": "A-01",
        "label": "Rádio Maré",
        "success": False,
        "outcome": "UNKNOWN",
        "reason": "r",
        "reason_code": "missing_result",
        "idempotency_key": "cfm_1",
        "attempts": 1,
    }


def test_ours_win_and_the_tools_entry_stays_whole() -> None:
    theirs = {"name": "x", "outcome": "done", "attempts": 9, "verified_by": "me", "success": True}
    entry = entry_of(OK, theirs)
    assert entry["tool_result"] == theirs
    assert (entry["outcome"], entry["attempts"]) == ("SUCCEEDED", 1)
    assert "verified_by" not in entry
    assert "tool_result" not in entry_of(
        OK, {"name": "x", "success": True, "attempts": 1, "reason_code": None}
    )


def test_no_04_nobody_reads_a_yes_out_of_an_entry_that_is_none() -> None:
    entry = entry_of(HUH, {"success": False, "ok": True}, reason="r")
    assert (entry["success"], entry["ok"]) == (False, False)
    assert entry["tool_result"] == {"success": False, "ok": True}


def test_several_entries_for_an_item_are_all_shown() -> None:
    both = ({"success": True}, {"success": False})
    assert entry_of(HUH, both[0], conflicting=both)["tool_results"] == list(both)


# Any answer at all

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=6),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["success", "ok", "results", "result", "id", "name", "output", F1.name, "found", "error", "x"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=15,
)
ENTRY = st.fixed_dictionaries(
    {},
    optional={
        "id": st.sampled_from(["A-01", "A-02", "A-03", "A-04"]),
        "name": st.sampled_from(["Rádio Maré", "Clube Leitura", "x"]),
        "success": st.sampled_from([True, False, "true", 1, None]),
        "ok": st.booleans(),
    },
)
BODY = JSON | st.lists(ENTRY, max_size=5).map(lambda entries: {"results": entries}) | ENTRY
ANSWERS = st.builds(
    ToolAnswer,
    structured=BODY,
    has_structured=st.booleans(),
    texts=st.lists(BODY.map(json.dumps) | st.text(st.characters(codec=None)), max_size=3).map(tuple),
    is_error=st.booleans(),
)


def holds_true(value: Any) -> bool:
    if isinstance(value, dict):
        return any(value.get(flag) is True for flag in ("success", "ok")) or any(
            map(holds_true, value.values())
        )
    return isinstance(value, list) and any(map(holds_true, value))


@given(ANSWERS, st.integers(1, 3))
def test_any_answer_gives_every_item_one_outcome_in_order_and_no_success_without_a_true(
    answer: ToolAnswer, count: int
) -> None:
    items = THREE[:count]
    report = report_items(answer, items, F1)
    assert [own.item_id for own in report.items] == [item.item_id for item in items]
    assert TypeAdapter(CallReport).validate_json(to_json(report)) == report
    for item, own in zip(items, report.items, strict=True):
        entry = result_entry(item, own, F1)
        assert entry["success"] is (own.outcome is OK)
        if own.outcome is OK:
            assert holds_true(own.entry)
        if isinstance(own.entry, dict):
            kept = entry.get("tool_result") or entry
            assert all(name in kept for name, value in own.entry.items() if value is not None)


@given(ANSWERS)
def test_any_answer_can_be_read_without_items_and_by_a_status_tool(answer: ToolAnswer) -> None:
    for tool in (F1, READ):
        to_json(report_single(answer, tool))
        for item in (None, ONE[0]):
            verdict = report_status(answer, item, tool)
            assert (verdict.outcome is None) == (verdict.kind == "not_found")
    if report_single(answer, F1).outcome is OK:
        assert any(holds_true(copy.body) for copy in read_answer(answer).copies)
