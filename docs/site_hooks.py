"""What ``mkdocs build`` does besides: the README is the first page, and files outside docs/ stand beside their pages.

The pages are written for the repository's web view; their links are turned here, so that both work. The site needs
nothing of Confirmo's own packages.
"""

import posixpath
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"(\]\()([^)\s#]+)((?:#[^)\s]*)?\))")
FENCE = re.compile(r"(^```.*?^```)", re.MULTILINE | re.DOTALL)


def on_config(config: Any) -> Any:
    """Fill in folders of the navigation."""
    config.nav = _present(config.nav)
    return config


def _present(entries: list[Any]) -> list[Any]:
    kept: list[Any] = []
    for entry in entries:
        ((title, target),) = entry.items()
        if isinstance(target, list):
            kept.append({title: _present(target)})
        elif target.endswith("/"):
            pages = sorted((ROOT / "docs" / target).glob("*.md"))
            kept += [{title: [f"{target}{page.name}" for page in pages]}] if pages else []
        else:
            kept.append(entry)
    return kept


def on_files(files: Files, config: Any) -> Files:
    """Add the README and whatever is linked from outside docs/."""
    ahead, seen = ["README.md", *(f"docs/{file.src_uri}" for file in files.documentation_pages())], set[str]()
    while ahead:
        path = ahead.pop()
        if path in seen or not (ROOT / path).is_file():
            continue
        seen.add(path)
        if not path.startswith("docs/"):
            files.append(File.generated(config, site_path(path), abs_src_path=str(ROOT / path)))
        if path.endswith(".md"):
            ahead += _linked(path)
    return files


def _linked(path: str) -> list[str]:
    text = FENCE.sub("", (ROOT / path).read_text(encoding="utf-8"))
    return [_resolved(path, match[2]) for match in LINK.finditer(text) if "://" not in match[2]]


def _resolved(path: str, link: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), link))


def site_path(path: str) -> str:
    """Return where a file of the repository stands in the site."""
    if path == "README.md":
        return "index.md"
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return f"project/{path}" if path.endswith(".md") else f"source/{path}.txt"


def repository_path(uri: str) -> str:
    """Return where a page of the site stands in the repository."""
    if uri == "index.md":
        return "README.md"
    return uri.removeprefix("project/") if uri.startswith("project/") else f"docs/{uri}"


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Turn the links of a page from the repository's paths to the site's."""
    turn = _turner(page.file.src_uri)
    parts = FENCE.split(markdown)
    return "".join(part if number % 2 else LINK.sub(turn, part) for number, part in enumerate(parts))


def _turner(uri: str) -> Callable[[re.Match[str]], str]:
    path = repository_path(uri)

    def turn(match: re.Match[str]) -> str:
        if "://" in match[2] or match[2].startswith("mailto:"):
            return match[0]
        target = site_path(_resolved(path, match[2]))
        return f"{match[1]}{posixpath.relpath(target, posixpath.dirname(uri) or '.')}{match[3]}"

    return turn
