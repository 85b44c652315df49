"""Every claim of the threat model that names a test names one that exists."""

import re
from pathlib import Path

PAGES = ("docs/threat-model.md", "docs/supply-chain.md")


def test_every_test_that_is_named_exists(root: Path, pages: dict[str, str]) -> None:
    defined = {
        name
        for file in (root / "tests").rglob("test_*.py")
        for name in re.findall(r"^(?:async )?def (test_\w+)", file.read_text(), re.MULTILINE)
    }
    named = {name for page in PAGES for name in re.findall(r"`(test_\w+)`", pages[page])}
    assert len(named) > 40
    assert named - defined == set()
