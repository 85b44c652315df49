import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confirmo.policies.normalizer import MultiItemStatus, Summary, normalize, summarize

TOOL = "encerrar_assinaturas"
A, B, C = (
    {"id": "A-01", "success": True, "protocolo": "EN-1"},
    {"id": "A-02", "success": False, "reason": "fidelidade"},
    {"id": "A-03", "success": True, "protocolo": "EN-3"},
)
JSON_LIKE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["result", "results", "output", TOOL, "success", "ok", "metadata"]), inner
        )
    ),
    max_leaves=20,
)
ENTRY = st.dictionaries(st.sampled_from(["success", "ok"]), st.booleans(), min_size=1)


def workflow(*entries: Any, **wrapper: Any) -> dict[str, Any]:
    return {
        "ok": True,
        "result": {"status": "COMPLETED", "output": {TOOL: {"results": list(entries)}}},
        **wrapper,
    }


def direct(results: Any, **wrapper: Any) -> dict[str, Any]:
    return {"ok": True, "result": {"results": results}, **wrapper}


def counts(result: dict[str, Any]) -> tuple[int, int, int]:
    found = result["metadata"]["multi_item"]
    return found["items_count"], found["items_succeeded_count"], found["items_failed_count"]


def test_a_partial_outcome_is_exactly_what_the_guide_shows() -> None:
    result = normalize(TOOL, workflow(A, B, C))
    assert result["multi_item_status"] == "PARTIAL_SUCCESS"
    assert result["partial_success"] is True
    assert result["ok"] is True
    assert result["original_ok"] is True
    assert result["metadata"] == {
        "multi_item": {
            "status": "PARTIAL_SUCCESS",
            "items_count": 3,
            "items_succeeded_count": 2,
            "items_failed_count": 1,
            "primary_tool": TOOL,
        }
    }
    assert "secondary_error" not in result
    assert result["result"] == workflow(A, B, C)["result"]


def test_no_01_a_global_success_flag_never_outranks_the_items() -> None:
    raw = workflow(A, B, C)
    raw["result"]["output"][TOOL] |= {"success": True, "message": "Operação concluída"}
    assert counts(normalize(TOOL, raw)) == (3, 2, 1)


def test_no_02_a_failed_notice_moves_to_the_secondary_error_and_keeps_the_items() -> None:
    raw = workflow(A, B, C, ok=False, error="avisar_cliente failed", metadata={"workflow_status": "FAILED"})
    raw["result"]["output"]["avisar_cliente"] = {"error": "SMS gateway 502"}
    result = normalize(TOOL, raw)
    assert (result["ok"], result["original_ok"]) == (True, False)
    assert result["secondary_error"] == "avisar_cliente failed"
    assert result["error"] is None
    assert counts(result) == (3, 2, 1)
    assert result["metadata"]["workflow_status"] == "FAILED"
    assert result["result"]["output"]["avisar_cliente"] == {"error": "SMS gateway 502"}


def test_all_succeeded_is_a_success_whatever_the_wrapper_says() -> None:
    result = normalize(TOOL, workflow(A, C, A, ok=False, error="Item ausente em validação posterior"))
    assert (result["multi_item_status"], result["partial_success"], result["ok"]) == ("SUCCESS", False, True)
    assert result["secondary_error"] == "Item ausente em validação posterior"
    assert counts(result) == (3, 3, 0)


@pytest.mark.parametrize("ok", [True, False])
def test_all_failed_is_not_ok_and_keeps_its_error(ok: bool) -> None:
    result = normalize(TOOL, workflow(B, B, ok=ok, error="fidelidade"))
    assert (result["multi_item_status"], result["partial_success"], result["ok"]) == ("FAILED", False, False)
    assert (result["original_ok"], result["error"]) == (ok, "fidelidade")
    assert "secondary_error" not in result
    assert counts(result) == (2, 0, 2)


def test_an_error_beside_a_true_ok_was_not_overridden_and_stays() -> None:
    result = normalize(TOOL, workflow(A, B, error="aviso"))
    assert result["error"] == "aviso"
    assert "secondary_error" not in result


def test_a_secondary_error_that_was_there_is_kept_beside_the_moved_one() -> None:
    result = normalize(TOOL, workflow(A, B, ok=False, error="um", secondary_error="dois"))
    assert result["secondary_error"] == "um; dois"


def test_an_absent_ok_is_kept_as_null() -> None:
    raw = workflow(A, B)
    del raw["ok"]
    assert normalize(TOOL, raw)["original_ok"] is None


def test_no_04_flags_that_disagree_are_no_success() -> None:
    entries = [
        {"id": "A-01", "success": True, "ok": False},
        {"id": "A-02", "success": False, "ok": True},
        {"id": "A-03", "ok": True},
    ]
    result = normalize(TOOL, workflow(*entries))
    assert result["multi_item_status"] == "PARTIAL_SUCCESS"
    assert counts(result) == (3, 1, 2)


def test_a_flag_that_is_no_boolean_spoils_the_one_beside_it_and_null_is_no_flag() -> None:
    assert summarize([{"success": "false", "ok": True}, A]) == Summary(
        MultiItemStatus.PARTIAL_SUCCESS, 2, 1, 1
    )
    assert summarize([{"success": None, "ok": True}, A]) == Summary(MultiItemStatus.SUCCESS, 2, 2, 0)


@pytest.mark.parametrize(
    "results",
    [
        pytest.param([A, {"id": "A-02", "protocolo": "EN-2"}, C], id="no_06_one_item_without_a_flag"),
        pytest.param([A], id="no_16_exactly_one_success"),
        pytest.param([B], id="no_16_exactly_one_failure"),
        pytest.param([], id="empty"),
        pytest.param([A, {"id": "A-02", "success": "true"}], id="a flag that is text"),
        pytest.param([A, {"id": "A-02", "success": 1}], id="a flag that is a number"),
        pytest.param([A, {"id": "A-02", "ok": None}], id="a flag that is null"),
        pytest.param([A, "A-02"], id="an entry that is no map"),
        pytest.param({"A-01": A, "A-02": B}, id="a map"),
        pytest.param(None, id="null"),
        pytest.param("[]", id="text"),
    ],
)
def test_what_does_not_follow_the_contract_is_returned_unchanged(results: Any) -> None:
    raw = direct(results, error="x")
    assert normalize(TOOL, raw) == raw
    raw = workflow(error="x")
    raw["result"]["output"][TOOL]["results"] = results
    assert normalize(TOOL, raw) == raw


@pytest.mark.parametrize(
    "answer",
    [
        {"took": 3, "errors": True, "items": [{"return": {"_id": "ENC-7001", "status": 201}}]},
        {"batchItemFailures": []},
        {"batchItemFailures": None},
        {"failed": ["ENC-7002"]},
        {},
        None,
    ],
)
def test_no_11_and_no_14_other_shapes_are_never_read_as_success(answer: Any) -> None:
    raw = {"ok": True, "result": answer}
    assert normalize(TOOL, raw) == raw


def test_no_09_the_order_of_the_results_is_not_touched() -> None:
    assert normalize(TOOL, direct([C, B, A]))["result"]["results"] == [C, B, A]


def test_another_tools_entries_never_count() -> None:
    raw = {"ok": False, "error": "x", "result": {"output": {"outra": {"results": [A, C]}}}}
    assert normalize(TOOL, raw) == raw


@pytest.mark.parametrize("own", [{"results": [A]}, {"results": "x"}, {}, None, [A, C]])
def test_the_tools_own_output_is_authoritative_also_when_it_proves_nothing(own: Any) -> None:
    raw = {"ok": True, "result": {"output": {TOOL: own}, "results": [A, C], "result": {"results": [A, C]}}}
    assert normalize(TOOL, raw) == raw


def test_the_tools_own_output_comes_before_direct_results() -> None:
    raw = workflow(A, B)
    raw["result"]["results"] = [B, B]
    assert counts(normalize(TOOL, raw)) == (2, 1, 1)


@pytest.mark.parametrize("layer", [direct([A, B])["result"], workflow(A, B)["result"]])
def test_one_more_result_layer_is_looked_through_and_no_second_one(layer: dict[str, Any]) -> None:
    assert counts(normalize(TOOL, {"ok": True, "result": {"result": layer}})) == (2, 1, 1)
    deeper = {"ok": True, "result": {"result": {"result": layer}}}
    assert normalize(TOOL, deeper) == deeper


def test_results_beside_the_result_are_not_looked_at() -> None:
    raw = {"ok": True, "results": [A, B]}
    assert normalize(TOOL, raw) == raw


def test_metadata_that_is_no_map_is_replaced() -> None:
    assert set(normalize(TOOL, workflow(A, B, metadata="x"))["metadata"]) == {"multi_item"}


@pytest.mark.parametrize("recognised", [True, False])
def test_the_outcome_shares_nothing_with_the_input(recognised: bool) -> None:
    raw = workflow(A, B if recognised else {"id": "x"}, metadata={"trace": ["t"]})
    before = copy.deepcopy(raw)
    result = normalize(TOOL, raw)
    result["result"]["output"][TOOL]["results"][0]["id"] = "changed"
    result["metadata"]["trace"].append("changed")
    assert raw == before


def test_input_of_any_depth_is_copied() -> None:
    deep: Any = []
    for _ in range(50_000):
        deep = [deep]
    result = normalize(TOOL, workflow(A, B, deep=deep))
    assert counts(result) == (2, 1, 1)
    assert result["deep"] is not deep


@given(JSON_LIKE)
def test_it_never_raises_never_changes_its_input_and_repeats_itself(raw: Any) -> None:
    before = copy.deepcopy(raw)
    result = normalize(TOOL, raw)
    assert raw == before
    assert normalize(TOOL, raw) == result
    assert normalize(TOOL, result) == result
    if not isinstance(raw, dict) or "multi_item_status" not in result:
        assert json.dumps(result) == json.dumps(raw)


@given(st.lists(ENTRY, min_size=2), st.sampled_from([True, False, None, "x"]), st.none() | st.text())
def test_the_counts_add_up_and_the_status_follows_them(
    entries: list[Any], ok: Any, error: str | None
) -> None:
    result = normalize(TOOL, direct(entries, ok=ok, error=error))
    total, succeeded, failed = counts(result)
    assert (total, succeeded + failed) == (len(entries), total)
    assert succeeded == sum(False not in entry.values() for entry in entries)
    assert result["ok"] is (succeeded > 0)
    assert (result["multi_item_status"] == "SUCCESS") == (failed == 0)
    assert (result["multi_item_status"] == "FAILED") == (succeeded == 0)
    assert result["partial_success"] == (result["multi_item_status"] == "PARTIAL_SUCCESS")
    assert result["original_ok"] == ok
    assert error in (result["error"], result.get("secondary_error"))
    assert normalize(TOOL, result) == result
