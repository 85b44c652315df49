import json
from pathlib import Path
from typing import Any

import pytest

from confirmo.client.main import run
from confirmo.examples import config_directory
from confirmo.policies.items import item_key
from confirmo.policies.models import Effect
from confirmo.policies.tool_spec import ExecutionPolicy, ToolSpec
from confirmo.worker.verification import GUARANTEES, Finding, Report, verify
from confirmo.worker.verification.guarantees import _doubt, _once
from confirmo.worker.verification.simulated import Trial
from confirmo.worker.verification.transacting import Transaction
from harness.desk import catalog_of

TOOLS: dict[str, Any] = {
    "cancelar": {
        "mcp_server": "loja",
        "tool_type": "action",
        "args_schema": {"subject": "string"},
        "requires": ["subject"],
    },
    "devolver": {
        "mcp_server": "loja",
        "tool_type": "action",
        "args_schema": {"ids": "array"},
        "requires": ["ids"],
    },
    "checar": {"mcp_server": "loja", "tool_type": "internal", "args_schema": {"subject": "string"}},
    "avisar": {"mcp_server": "loja", "tool_type": "internal", "args_schema": {"canal": "string"}},
    "listar": {"mcp_server": "loja", "tool_type": "read_only"},
}
POLICIES: dict[str, Any] = {
    "cancelar": {
        "pre_validation": {"enabled": True, "tool": "checar", "fail_open": True},
        "confirmation": {"by": "other", "approvals": 2},
        "after": [{"tool": "avisar", "arguments": {"canal": "sms"}}],
    },
    "devolver": {"execution": {"effect": "keyed"}, "confirmation": {"by": "role:gerente"}},
    "checar": {"operation_type": "internal"},
    "avisar": {"operation_type": "internal"},
    "listar": {"operation_type": "read_only"},
}


async def test_every_guarantee_is_tried_on_every_tool_that_acts(monkeypatch: pytest.MonkeyPatch) -> None:
    # What is set for the real workers changes nothing here.
    monkeypatch.setenv("CONFIRMO_BUILD_ID", "b1")
    monkeypatch.setenv("CONFIRMO_WEBHOOK_URL", "http://127.0.0.1:9/hook")
    # An address where nothing listens: the user's own servers are never spoken to.
    catalog = catalog_of(TOOLS, POLICIES, {"loja": {"endpoint": "http://127.0.0.1:9/mcp"}})
    report = await verify(catalog, {})
    told = {(finding.tool, finding.guarantee): finding for finding in report.findings}
    assert report.ok, [finding for finding in report.findings if finding.verdict == "broken"]
    assert len(told) == 2 * len(GUARANTEES)
    assert told["cancelar", "validator_down"].what.startswith("fail_open: the question was asked")
    assert told["devolver", "validator_down"].verdict == "not_applicable"
    assert "UNKNOWN" in told["cancelar", "lost_answer"].what
    assert "an operator must look" in told["cancelar", "crash"].what
    assert "keyed: 2 call(s), told as SUCCEEDED" in told["devolver", "lost_answer"].what
    assert told["cancelar", "double_confirm"].what.startswith("said yes 4 times")
    assert dict(report.skipped)["listar"].startswith("it is read_only")


def transaction(effect: Effect, effects: dict[str, int], calls: int = 1) -> Transaction:
    trial = Trial(ToolSpec(name="t", execution=ExecutionPolicy(effect=effect)))
    trial.effects.update({item_key("tx", item): times for item, times in effects.items()})
    trial.calls += ["key"] * calls

    class Handle:
        id = "tx"

    return Transaction(Handle(), trial, {})  # type: ignore[arg-type]


def result(**outcomes: str) -> dict[str, Any]:
    entries = [{"item_id": item, "outcome": outcome} for item, outcome in outcomes.items()]
    return {"result": {"output": {"t": {"results": entries}}}}


@pytest.mark.parametrize(
    ("effect", "effects", "outcomes", "verdict"),
    [
        (Effect.KEYED, {"a": 1}, {"a": "SUCCEEDED"}, "held"),
        (Effect.KEYED, {"a": 2}, {"a": "SUCCEEDED"}, "broken"),
        (Effect.UNSAFE, {"a": 1}, {"a": "UNKNOWN"}, "held"),
        (Effect.UNSAFE, {"a": 2}, {"a": "UNKNOWN"}, "broken"),
        (Effect.UNSAFE, {"a": 1}, {"a": "FAILED"}, "broken"),
        (Effect.UNSAFE, {}, {"a": "SUCCEEDED"}, "broken"),
        (Effect.IDEMPOTENT, {"a": 2}, {"a": "SUCCEEDED"}, "held"),
        (Effect.IDEMPOTENT, {"a": 1}, {}, "broken"),
    ],
)
def test_a_lost_answer_is_judged_by_what_really_happened(
    effect: Effect, effects: dict[str, int], outcomes: dict[str, str], verdict: str
) -> None:
    assert _doubt(transaction(effect, effects), result(**outcomes), "")[0] == verdict


def test_an_effect_that_happened_twice_or_never_breaks_the_guarantee() -> None:
    assert _once(transaction(Effect.KEYED, {"a": 1}), "")[0] == "held"
    assert _once(transaction(Effect.KEYED, {"a": 1, "b": 2}), "")[0] == "broken"
    assert _once(transaction(Effect.KEYED, {}), "")[0] == "broken"


def test_what_could_not_be_tried_keeps_the_report_from_being_good() -> None:
    assert Report((Finding("t", "crash", "held", ""),), ()).ok
    assert not Report((Finding("t", "crash", "not_run", ""),), ()).ok


async def test_a_tool_whose_arguments_cannot_be_made_up_is_told_and_nothing_is_started() -> None:
    args = {"code": {"type": "string", "pattern": "^ZZ-[0-9]{9}$"}}
    catalog = catalog_of(
        {"t": {"mcp_server": "s", "tool_type": "action", "args_schema": args, "requires": ["code"]}},
        {"t": {}},
        {"s": {"endpoint": "http://127.0.0.1:9/mcp"}},
    )
    report = await verify(catalog, {})
    assert [finding.verdict for finding in report.findings] == ["not_run"]
    assert "--arguments" in report.findings[0].what
    assert json.dumps(report.document())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--tool", "cancelar_tudo"], "There is no tool 'cancelar_tudo'"),
        (["--arguments", "absent.json"], "cannot be read as JSON"),
        (["--arguments", "list.json"], "must be a JSON object"),
        (["--arguments", "deep.json"], "nested too deeply"),
    ],
)
def test_wrong_use_is_told_in_a_sentence(
    options: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "list.json").write_text("[]")
    (tmp_path / "deep.json").write_text("[" * 100_000)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CONTAS_URL", "http://127.0.0.1:9/mcp")
    monkeypatch.setenv("RETAIL_URL", "http://127.0.0.1:9/mcp")
    assert run(["verify", "--config", str(config_directory()), *options]) == 2
    assert said in capsys.readouterr().err
