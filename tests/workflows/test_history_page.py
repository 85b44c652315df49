"""The page that counts a history's events says what is so."""

from pathlib import Path

from benchmarks.history import VARYING, door, events_of, rows

ROOT = Path(__file__).parents[2]


def page_rows() -> dict[str, list[str]]:
    lines = (ROOT / "docs" / "history.md").read_text(encoding="utf-8").splitlines()
    cells = [
        [cell.strip() for cell in line.strip("|").split(" | ")] for line in lines if line.startswith("| `")
    ]
    return {first.strip(" `"): rest for first, *rest in cells}


async def test_the_page_counts_the_events_of_one_and_of_ten_items(client):
    async with door(client) as opened:
        counted = [await events_of(opened, count) for count in (1, 10)]
    told = page_rows()
    real = {name.strip("`"): [one, ten, reader] for name, one, ten, reader in rows(counted) if name[0] == "`"}
    assert told.keys() == real.keys()
    for name, (one, ten, reader) in real.items():
        assert told[name][3] == reader
        if name not in VARYING:
            assert told[name][:2] == [one, ten], name
    for each, column in zip(counted, (0, 1), strict=True):
        most = 2 + each["ACTIVITY_TASK_SCHEDULED"]
        assert all(each[name] <= most and int(told[name][column]) <= most for name in VARYING)
