"""From what an activity was given and answered to the lines that tell it: one per item."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from confirmo.policies import names
from confirmo.policies.calls import (
    AuxiliaryReport,
    AuxiliaryRequest,
    ExecuteItemRequest,
    ExecuteItemsRequest,
    PrevalidateRequest,
)
from confirmo.policies.compensation import undo_root
from confirmo.policies.evidence_file.bodies import MIXED, Answer, Call
from confirmo.policies.item_arguments import arguments_for_all, arguments_for_item
from confirmo.policies.keys import call_key, item_key
from confirmo.policies.outcomes import KEY_FOLLOWS, CallReport, ItemOutcome
from confirmo.policies.tool_spec import ToolSpec

Asked = PrevalidateRequest | ExecuteItemRequest | ExecuteItemsRequest | AuxiliaryRequest

REQUESTS: Final[dict[str, type[Asked]]] = {
    names.PREVALIDATE: PrevalidateRequest,
    names.EXECUTE_ITEM: ExecuteItemRequest,
    names.EXECUTE_ITEMS: ExecuteItemsRequest,
    names.RUN_AUXILIARY: AuxiliaryRequest,
}
"""Activities that call a tool, and what each is given."""
_BESIDE = ("message", "secondary_error", "unrequested", "raw", "summary", "results")


def calls_of(call_id: str, asked: Asked, root: str) -> Iterator[Call]:
    """Return the lines of an activity that was handed to a worker; ``root`` is the transaction's."""
    if isinstance(asked, PrevalidateRequest):
        arguments = dict(asked.arguments) | {"target_tool": asked.tool.name}
        yield _call(call_id, asked.validator, "validator", "single", arguments)
    elif isinstance(asked, AuxiliaryRequest):
        key = asked.idempotency_key or None
        yield _call(call_id, asked.tool, "auxiliary", "single", asked.arguments, idempotency_key=key)
    elif isinstance(asked, ExecuteItemRequest):
        yield _single(call_id, asked, root)
    elif asked.call == "whole":
        yield _whole(call_id, asked)
    else:
        yield from _each(call_id, asked)


def _call(
    call_id: str, tool: ToolSpec, role: str, call: str, arguments: Mapping[str, Any], **more: Any
) -> Call:
    about = {"call_id": call_id, "role": role, "tool_name": tool.name, "server": tool.mcp_server}
    return Call.model_validate(about | {"call": call, "arguments": dict(arguments)} | more)


def _asks_first(asked: ExecuteItemRequest | ExecuteItemsRequest) -> str | None:
    return asked.status_tool.name if asked.verify_first and asked.status_tool else None


def _single(call_id: str, asked: ExecuteItemRequest, root: str) -> Call:
    item = asked.item
    beside = {"asks_first": _asks_first(asked), "attempts_before": asked.attempts_before}
    if item is not None:
        arguments = arguments_for_item(asked.tool, asked.arguments, item)
        key = item_key(asked.root, item.item_id)
        more = beside | {"item_id": item.item_id, "idempotency_key": key}
        return _call(call_id, asked.tool, "primary", "per_item", arguments, **more)
    more = beside | {"idempotency_key": call_key(asked.root)}
    undoing = undo_root(root, "")
    if asked.root.startswith(undoing):
        more["item_id"] = asked.root.removeprefix(undoing)
        return _call(call_id, asked.tool, "undo", "per_item", asked.arguments, **more)
    return _call(call_id, asked.tool, "primary", "single", asked.arguments, **more)


def _each(call_id: str, asked: ExecuteItemsRequest) -> Iterator[Call]:
    for item in asked.items:
        yield _call(
            call_id,
            asked.tool,
            "primary",
            "per_item",
            arguments_for_item(asked.tool, asked.arguments, item),
            item_id=item.item_id,
            idempotency_key=item_key(asked.root, item.item_id),
            asks_first=_asks_first(asked),
            attempts_before=asked.attempts_before.get(item.item_id, 0),
        )


def _whole(call_id: str, asked: ExecuteItemsRequest) -> Call:
    wanted = {item.item_id for item in asked.items}
    every = [
        item if item.item_id in wanted else item.model_copy(update={"eligible": False})
        for item in asked.all_items or asked.items
    ]
    return _call(
        call_id,
        asked.tool,
        "primary",
        "whole",
        arguments_for_all(asked.tool, asked.arguments, every, asked.resolved_items),
        item_ids=[item.item_id for item in asked.items],
        idempotency_key=call_key(asked.root),
        item_keys={item.item_id: item_key(asked.root, item.item_id) for item in asked.items},
        asks_first=_asks_first(asked),
        attempts_before=max(asked.attempts_before.values(), default=0),
    )


def answers_of(call_id: str, asked: Asked, root: str, raw: Any, worker_attempts: int) -> Iterator[Answer]:
    """Return the lines of what came back. Raises ``ValidationError`` where it is no answer of that activity."""
    first = next(calls_of(call_id, asked, root), None)
    if first is None:
        return
    about: dict[str, Any] = {"call_id": call_id, "role": first.role, "tool_name": first.tool_name}
    about["worker_attempts"] = worker_attempts
    if isinstance(asked, PrevalidateRequest):
        yield Answer(**about, answer=raw)
    elif isinstance(asked, AuxiliaryRequest):
        report = AuxiliaryReport.model_validate(raw)
        outcome = "SUCCEEDED" if report.success else "FAILED"
        yield Answer(**about, outcome=outcome, reason=report.error, answer=report.answer)
    else:
        yield from _reported(about, asked, first, CallReport.model_validate(raw))


def _reported(
    about: dict[str, Any], asked: ExecuteItemRequest | ExecuteItemsRequest, first: Call, report: CallReport
) -> Iterator[Answer]:
    beside = {
        name: value for name in _BESIDE if (value := report.model_dump(mode="json")[name]) not in (None, [])
    }
    if isinstance(asked, ExecuteItemRequest) and asked.item is None:
        yield Answer(
            **about,
            item_id=first.item_id,
            outcome=report.outcome.value if report.outcome else MIXED,
            attempts=report.attempts,
            idempotency_key=report.idempotency_key,
            reason=report.reason,
            reason_code=report.reason_code,
            verified_by=report.verified_by,
            answer=report.answer,
            beside=beside or None,
            retryable=report.retryable,
        )
        return
    for outcome in report.items:
        yield item_answer(about, asked.root, outcome)
    if beside:
        yield Answer(**about, beside=beside)


def item_answer(about: dict[str, Any], root: str, outcome: ItemOutcome, **more: Any) -> Answer:
    """Return the line of one item's outcome; a key that was left out because it follows is put in."""
    key = outcome.idempotency_key
    return Answer(
        **about,
        **more,
        item_id=outcome.item_id,
        outcome=outcome.outcome.value,
        attempts=outcome.attempts,
        idempotency_key=item_key(root, outcome.item_id) if key == KEY_FOLLOWS else key,
        reason=outcome.reason,
        reason_code=outcome.reason_code,
        verified_by=outcome.verified_by,
        answer=outcome.entry,
        conflicting=list(outcome.conflicting),
        retryable=outcome.retryable,
    )


def failures_of(
    call_id: str, asked: Asked, root: str, failure: dict[str, Any], heartbeat: Any, worker_attempts: int
) -> Iterator[Answer]:
    """Return the lines of a call that brought no answer, and what its worker had written down of its items."""
    first = next(calls_of(call_id, asked, root), None)
    if first is None:
        return
    about: dict[str, Any] = {"call_id": call_id, "role": first.role, "tool_name": first.tool_name}
    about["worker_attempts"] = worker_attempts
    written = heartbeat.get("outcomes") if isinstance(heartbeat, dict) else None
    for entry in written if isinstance(written, list) else []:
        if isinstance(asked, ExecuteItemsRequest):
            outcome = ItemOutcome.model_validate(entry)
            yield item_answer(about, asked.root, outcome, from_heartbeat=True)
    yield Answer(**about, item_id=first.item_id if first.role == "undo" else None, failure=failure)
