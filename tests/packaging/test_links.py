"""Links of the pages resolve, and no page names a machine's paths or a registry."""

import re
from pathlib import Path

LINK = re.compile(r"\[[^\]\n]+\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
REGISTRIES = ("pypi" + ".org", "python" + "hosted.org", "npm" + "js.org")
MACHINE_PATHS = re.compile(r"(?<![\w.])/(?:work|home|root|Users)/")


def anchors(text: str) -> set[str]:
    """Anchors of a page's headings, as the usual renderers make them."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_relative_link_leads_somewhere(root: Path, pages: dict[str, str]) -> None:
    broken = []
    for page, text in pages.items():
        for link in LINK.findall(FENCE.sub("", text)):
            if "://" in link or link.startswith("mailto:"):
                continue
            path, _, anchor = link.partition("#")
            target = (root / page).parent / path if path else root / page
            if not target.exists() or (
                anchor and target.suffix == ".md" and anchor not in anchors(target.read_text("utf-8"))
            ):
                broken.append(f"{page}: {link}")
    assert broken == []


def test_every_page_can_be_reached_from_the_readme(root: Path, pages: dict[str, str]) -> None:
    reached, ahead = set(), ["README.md"]
    while ahead:
        page = ahead.pop()
        if page in reached or page not in pages:
            continue
        reached.add(page)
        paths = (link.partition("#")[0] for link in LINK.findall(pages[page]) if "://" not in link)
        ahead += [str(((root / page).parent / path).resolve().relative_to(root)) for path in paths if path]
    assert set(pages) - reached == set()


def test_no_page_names_a_machines_path_or_a_registry(pages: dict[str, str]) -> None:
    found = {
        page: [*MACHINE_PATHS.findall(text), *(name for name in REGISTRIES if name in text)]
        for page, text in pages.items()
    }
    assert {page: words for page, words in found.items() if words} == {}
