"""``__all__`` of every package is sorted and is what is public."""

import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
PARTS = ("policies", "workflows", "activities", "worker", "client", "examples")


def packages() -> Iterator[str]:
    for part in PARTS:
        folder = ROOT / part
        for init in sorted((folder / "confirmo").rglob("__init__.py")):
            yield ".".join(init.parent.relative_to(folder).parts)


def is_ours(value: object) -> bool:
    """Whether something is not a module, nor a class or function that comes from elsewhere."""
    home = getattr(value, "__module__", "confirmo") or "confirmo"
    return not isinstance(value, ModuleType) and str(home).startswith("confirmo")


def public(module: ModuleType) -> set[str]:
    return {name for name, value in vars(module).items() if not name.startswith("_") and is_ours(value)}


def kind_and_name(name: str) -> tuple[int, str]:
    """The order of ruff's RUF022: constants, classes, the rest, each by name."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


@pytest.mark.parametrize("name", list(packages()))
def test_all_is_sorted_and_is_what_is_public(name: str) -> None:
    module = importlib.import_module(name)
    exported = list(getattr(module, "__all__", []))
    assert module.__doc__, "a package says what it is"
    assert exported == sorted(exported, key=kind_and_name)
    assert len(exported) == len(set(exported))
    assert [each for each in exported if not hasattr(module, each)] == []
    assert public(module) <= {*exported, "TYPE_CHECKING"}
