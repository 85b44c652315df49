"""A large set in pieces, so that one answer does not fill an agent's context."""

from typing import Any, Final

from pydantic import Field

from confirmo.policies.models import ItemState, TransactionResult, TransactionState, Wire

ITEMS: Final = 50
"""Items, and entries of evidence, in one answer."""
_LISTS: Final = ("results", "unrequested_results")


class Window(Wire):
    """Which part of a set an answer shows, counted from 1."""

    first: int
    last: int
    of: int = Field(description="All of them; read the others with transaction_status and items_from.")


def window(state: TransactionState, first: int = 1) -> Window | None:
    """Return what an answer shows of a set from ``first`` on; null where it shows all of it."""
    entries = [every for output in _outputs(state.result) for every in _listed(output).values()]
    of = max(len(state.items), *(len(every) for every in entries), 0)
    if of <= ITEMS:
        return None
    first = min(max(first, 1), of)
    return Window(first=first, last=min(first + ITEMS - 1, of), of=of)


def items_in(state: TransactionState, shown: Window | None) -> tuple[ItemState, ...]:
    """Return the items of a window."""
    return state.items[shown.first - 1 : shown.last] if shown else state.items


def result_in(result: TransactionResult | None, shown: Window | None) -> TransactionResult | None:
    """Return a result with the evidence of a window; what counts it stays whole."""
    if result is None or shown is None:
        return result
    cut = {
        tool: output | {name: every[shown.first - 1 : shown.last] for name, every in _listed(output).items()}
        if isinstance(output, dict)
        else output
        for tool, output in (result.result.get("output") or {}).items()
    }
    return result.model_copy(update={"result": result.result | {"output": cut}})


def told(shown: Window | None) -> str:
    """Return what an agent is told of a window."""
    if shown is None:
        return ""
    return (
        f"[Items {shown.first} to {shown.last} of {shown.of} are in this answer. "
        "For others call transaction_status with items_from.]"
    )


def _outputs(result: TransactionResult | None) -> list[Any]:
    return list((result.result.get("output") or {}).values()) if result else []


def _listed(output: Any) -> dict[str, list[Any]]:
    if not isinstance(output, dict):
        return {}
    return {name: output[name] for name in _LISTS if isinstance(output.get(name), list)}
