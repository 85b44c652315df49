"""A database that was put back to an older state, while the tool servers kept theirs."""

import shutil
import signal
from pathlib import Path

from harness.judging import effects_of
from rig import Rig

VAS = {"subject": "TIM Fashion, Tamboro e Neymar Jr"}
NAMES = ["Neymar Jr", "TIM Fashion Mensal", "Tamboro Mensal"]


async def exchange(rig: Rig, origin: Path, target: Path) -> None:
    """Copy the database while nobody writes to it, then start everything again."""
    for name in ("worker", "server"):
        await rig.kill(name, signal.SIGTERM)
    for leftover in target.glob("temporal.db*"):
        leftover.unlink()
    for file in origin.glob("temporal.db*"):
        shutil.copy(file, target)
    await rig.start_all()


async def test_a_second_yes_after_a_restored_backup_reaches_a_keyed_tool_and_has_no_second_effect(
    alone: Rig, tmp_path: Path
) -> None:
    backup = tmp_path / "backup"
    backup.mkdir()
    tx = await alone.start("cancelar_vas_avulso", VAS)
    digest = tx.opened["confirmation"]["digest"]
    await exchange(alone, tmp_path, backup)
    await tx.confirm(digest=digest)
    first = await tx.result()
    assert effects_of(alone.ledger("contas"), "cancelar_vas_avulso") == NAMES

    await exchange(alone, backup, tmp_path)
    assert (await tx.state())["status"] == "AWAITING_CONFIRMATION"
    await tx.confirm(digest=digest)
    second = await tx.result()

    assert effects_of(alone.ledger("contas"), "cancelar_vas_avulso") == NAMES
    entries = [result["result"]["output"]["cancelar_vas_avulso"]["results"] for result in (first, second)]
    told = [[(entry["idempotency_key"], entry["protocol"]) for entry in result] for result in entries]
    assert told[0] == told[1]
    assert second["multi_item_status"] == "SUCCESS"
