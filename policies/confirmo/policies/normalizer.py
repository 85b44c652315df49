"""The only writer of a multi-item status: ``results[]`` in, SUCCESS, PARTIAL_SUCCESS or FAILED out.

Pure and total. Nothing else of an answer counts, neither the tool's own aggregate nor any text.
"""

import copy
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple

_ABSENT: Final = object()


class MultiItemStatus(StrEnum):
    """What became of two or more items."""

    SUCCESS = "SUCCESS"
    PARTIAL_SUCCESS = "PARTIAL_SUCCESS"
    FAILED = "FAILED"


class Summary(NamedTuple):
    """Counts of a recognised ``results`` list."""

    status: MultiItemStatus
    items_count: int
    items_succeeded_count: int
    items_failed_count: int


def normalize(tool_name: str, raw: Any) -> Any:
    """Return a deep copy of ``raw``, classified where it carries per-item results of ``tool_name``.

    Looked at, in this order and each authoritative once its key is there:
    ``raw.result.output[tool_name].results``, ``raw.result.results``, then the same two one ``result`` layer
    deeper. Not recognised (see ``summarize``): an equal copy, nothing added.

    When recognised:

    - ``multi_item_status``, ``partial_success`` and ``metadata.multi_item`` say what the entries say;
    - ``ok`` is true where at least one entry succeeded, and ``original_ok`` keeps what it was (null: absent);
    - where ``ok`` became true by that, ``error`` moves to ``secondary_error``. Where everything failed
      ``error`` stays, also if ``ok`` had been true: it then belongs to the failure.

    Normalising the outcome again changes nothing. ``metadata`` that is not a map is replaced.
    """
    result = _deep_copy(raw)
    if isinstance(result, dict):
        classify(tool_name, result)
    return result


def classify(tool_name: str, result: dict[Any, Any]) -> None:
    """Do what ``normalize`` does in ``result`` itself, for a caller who has just made it."""
    summary = summarize(_primary_results(tool_name, result))
    if summary is not None:
        _write(result, tool_name, summary)


def summarize(entries: Any) -> Summary | None:
    """Count ``entries``; null unless they are two or more maps, each with a boolean ``success`` or ``ok``.

    An entry succeeded where all flags that it has are true: a flag that contradicts the other, or that is not
    a boolean beside one that is, is not a success. A null flag is no flag.
    """
    if not isinstance(entries, list) or len(entries) < 2:
        return None
    flags = [_flags(entry) for entry in entries]
    if not all(any(isinstance(flag, bool) for flag in of_entry) for of_entry in flags):
        return None
    total = len(flags)
    succeeded = sum(all(flag is True for flag in of_entry) for of_entry in flags)
    return Summary(_status(succeeded, total), total, succeeded, total - succeeded)


def _flags(entry: Any) -> list[Any]:
    if not isinstance(entry, Mapping):
        return []
    return [flag for flag in (entry.get("success"), entry.get("ok")) if flag is not None]


def _status(succeeded: int, total: int) -> MultiItemStatus:
    if succeeded == total:
        return MultiItemStatus.SUCCESS
    return MultiItemStatus.PARTIAL_SUCCESS if succeeded else MultiItemStatus.FAILED


def _primary_results(tool_name: str, raw: dict[Any, Any]) -> Any:
    """Return the primary tool's ``results``, or null. Steps of other tools never count."""
    layer = raw.get("result")
    for _ in range(2):
        if not isinstance(layer, dict):
            return None
        output = layer.get("output")
        if isinstance(output, dict) and isinstance(tool_name, str) and tool_name in output:
            own = output[tool_name]
            return own.get("results") if isinstance(own, dict) else None
        if "results" in layer:
            return layer["results"]
        layer = layer.get("result")
    return None


def _write(result: dict[Any, Any], tool_name: str, summary: Summary) -> None:
    ok_before = result.get("ok")
    ok_now = summary.items_succeeded_count > 0
    if result.get("multi_item_status") is None or "original_ok" not in result:
        result["original_ok"] = ok_before
    result["ok"] = ok_now
    if ok_now and ok_before is not True and result.get("error") is not None:
        result["secondary_error"] = _joined(result["error"], result.get("secondary_error"))
        result["error"] = None
    result["multi_item_status"] = summary.status.value
    result["partial_success"] = summary.status is MultiItemStatus.PARTIAL_SUCCESS
    metadata = result.get("metadata")
    result["metadata"] = {
        **(metadata if isinstance(metadata, dict) else {}),
        "multi_item": {
            "status": summary.status.value,
            "items_count": summary.items_count,
            "items_succeeded_count": summary.items_succeeded_count,
            "items_failed_count": summary.items_failed_count,
            "primary_tool": tool_name,
        },
    }


def _joined(error: Any, earlier: Any) -> Any:
    return f"{error}; {earlier}" if isinstance(error, str) and isinstance(earlier, str) else error


def _deep_copy(value: Any) -> Any:
    """Copy maps and lists of any depth: ``copy.deepcopy`` recurses, and fails on deeply nested input."""
    copies: dict[int, Any] = {}
    root: list[Any] = [_ABSENT]
    pending: list[tuple[Any, Any, Any]] = [(root, 0, value)]
    while pending:
        holder, key, original = pending.pop()
        copied = copies.get(id(original), _ABSENT)
        if copied is _ABSENT:
            copied = copies[id(original)] = _shell(original)
            if isinstance(copied, dict):
                pending.extend((copied, name, copied[name]) for name in copied)
            elif isinstance(copied, list):
                pending.extend((copied, position, entry) for position, entry in enumerate(copied))
        holder[key] = copied
    return root[0]


def _shell(value: Any) -> Any:
    """Return a shallow copy of a map or list, any other value copied by its own rules."""
    if isinstance(value, dict):
        return dict(value)
    if isinstance(value, list):
        return list(value)
    if value is None or isinstance(value, str | bool | int | float):
        return value
    try:
        return copy.deepcopy(value)
    except Exception:
        return value
