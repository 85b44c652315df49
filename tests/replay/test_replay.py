"""Every recorded history replays on today's code, and today's code still asks the server for the same."""

import json
import sys
from pathlib import Path

import pytest
from temporalio.client import WorkflowHistory

from confirmo.worker.replay import replay_histories

sys.path.insert(0, str(Path(__file__).parent))
from scenarios import SCENARIOS, SUPERSEDED
from shape import shape

HISTORIES = Path(__file__).parent / "histories"
RECORDED = sorted(HISTORIES.glob("*.json"))


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
async def test_a_recorded_history_replays(path):
    [(_, error)] = await replay_histories([path])
    assert error is None


def test_the_required_scenarios_are_recorded():
    required = {
        "confirmed",
        "rejected",
        "expired",
        "partial",
        "auxiliary_failed",
        "amended",
        "retargeted",
        "cancelled_while_executing",
        "signal_instead_of_update",
    }
    assert required <= {path.stem for path in RECORDED}


async def test_a_known_bad_history_fails(tmp_path):
    """The check can fail: the same history with an activity of another name."""
    text = (HISTORIES / "confirmed.json").read_text(encoding="utf-8")
    bad = tmp_path / "known_bad.json"
    bad.write_text(text.replace('"execute_item"', '"execute_thing"'), encoding="utf-8")
    [(_, error)] = await replay_histories([bad])
    assert error is not None
    assert "execute" in error


async def test_a_history_with_a_missing_step_fails(tmp_path):
    history = json.loads((HISTORIES / "auxiliary_failed.json").read_text(encoding="utf-8"))
    kinds = [
        event.get("activityTaskScheduledEventAttributes", {}).get("activityType", {})
        for event in history["events"]
    ]
    at = next(number for number, kind in enumerate(kinds) if kind.get("name") == "run_auxiliary")
    history["events"][at]["activityTaskScheduledEventAttributes"]["activityType"]["name"] = "execute_item"
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps(history), encoding="utf-8")
    [(_, error)] = await replay_histories([bad])
    assert error is not None


@pytest.mark.parametrize("name", [path.stem for path in RECORDED if path.stem not in SUPERSEDED])
async def test_the_same_transaction_asks_the_server_for_the_same_today(name, desk, loja):
    """Replay does not see a changed timeout, retry policy or timer; this does."""
    recorded = WorkflowHistory.from_json(name, (HISTORIES / f"{name}.json").read_text(encoding="utf-8"))
    tx = await SCENARIOS[name](desk, loja)
    assert shape(await tx.handle.fetch_history()) == shape(recorded)


async def test_a_history_with_a_hole_is_refused_and_does_not_hang(tmp_path):
    history = json.loads((HISTORIES / "confirmed.json").read_text(encoding="utf-8"))
    events = history["events"]
    damaged = {"empty": [], "cut": events[5:], "hole": events[:4] + events[9:]}
    for name, left in damaged.items():
        (tmp_path / f"{name}.json").write_text(json.dumps({"events": left}), encoding="utf-8")
    (tmp_path / "text.json").write_text("no history", encoding="utf-8")
    (tmp_path / "deep.json").write_text("[" * 100_000, encoding="utf-8")
    results = await replay_histories([tmp_path])
    assert len(results) == 5
    assert all(error for _, error in results)
