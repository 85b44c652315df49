"""Reading a validator's answer: it decided, it is malformed, or it is unavailable. Never mixed.

Only the boolean ``true`` under ``eligible`` passes. Malformed never opens, whatever ``fail_open`` says.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from confirmo.policies import json_text
from confirmo.policies.errors import CallFailed
from confirmo.policies.items import aliases, array_argument, identity
from confirmo.policies.models import ToolAnswer, Wire
from confirmo.policies.tool_spec import ToolSpec

PREVALIDATION_ERROR = "PREVALIDATION_ERROR"
NEEDS_PARAMETER = "NEEDS_PARAMETER"
OUT_OF_SCOPE = "OUT_OF_SCOPE"
MAX_ANSWER_BYTES = 600_000
"""Of a validator's answer without a payload store: a verdict holds it twice, and one Temporal payload at most 2 MB."""
MAX_PARAMETER_QUESTIONS = 3
MAX_HOPS = 2
ITEMS_KEY = "items"


class VerdictKind(StrEnum):
    """The classes of CONTRACT.md section 4, the first one split by what was decided."""

    PASSED = "passed"
    REJECTED = "rejected"
    NEEDS_PARAMETER = "needs_parameter"
    MALFORMED = "malformed"
    UNAVAILABLE = "unavailable"


class Verdict(Wire):
    """What a validator said.

    Attributes:
        status: The validator's own word, or ``PREVALIDATION_ERROR``.
        reason: For people; from ``reason``, else ``error``.
        error: Cause of a malformed or missing answer, or the validator's ``error``.
        resolved_arguments: As answered, not yet filtered by what the tool declares.
        result: The answer whole, for the record; null where it was too large.
    """

    kind: VerdictKind
    status: str | None = None
    reason: str | None = None
    error: str | None = None
    parameter: str | None = None
    parameter_message: str | None = None
    resolved_arguments: dict[str, Any] = {}
    target_tool: str | None = None
    requires_reconfirmation: bool = False
    action_changed: bool = False
    confirmation_message: str | None = None
    result: Any = None


class _Malformed(Exception):
    pass


def unavailable(cause: str) -> Verdict:
    """Return the verdict of a validator that could not be asked."""
    return Verdict(kind=VerdictKind.UNAVAILABLE, status=PREVALIDATION_ERROR, error=cause)


def malformed(cause: str, result: Any = None) -> Verdict:
    """Return the verdict of an answer that follows no rule."""
    return Verdict(kind=VerdictKind.MALFORMED, status=PREVALIDATION_ERROR, error=cause, result=result)


def verdict_of_failure(failure: CallFailed) -> Verdict:
    """Classify a call without an answer.

    Unavailable: no HTTP answer at all (connection, timeout), 401, 403, 408, 429, 5xx, JSON-RPC internal error.
    Everything else is an answer that makes no sense, and therefore malformed.
    """
    status, code = failure.http_status, failure.code
    if code is not None:
        return unavailable(failure.reason) if code == -32603 else malformed(failure.reason)
    if status is None or status in (401, 403, 408, 429) or status >= 500:
        return unavailable(failure.reason)
    return malformed(failure.reason)


def read_verdict(
    answer: ToolAnswer,
    tool: ToolSpec,
    arguments: Mapping[str, Any] | None = None,
    payload_bytes: int | None = None,
) -> Verdict:
    """Read a validator's answer about ``tool``, asked with ``arguments``. Total: the rest is ``MALFORMED``.

    ``payload_bytes`` is what a payload store allows; null means that there is none.
    """
    try:
        if answer.is_error:
            raise _Malformed("the validator reported an error: " + " ".join(answer.texts)[:300])
        payload = _payload(answer)
        if too_large := _too_large(payload, payload_bytes):
            return malformed(too_large)
    except _Malformed as error:
        return malformed(str(error))
    try:
        return _decided(payload, tool, arguments or {})
    except _Malformed as error:
        return malformed(str(error), payload)


def _too_large(payload: Mapping[str, Any], payload_bytes: int | None) -> str | None:
    """Return why an answer is too large, with what to do, or null."""
    limit = payload_bytes // 2 if payload_bytes else MAX_ANSWER_BYTES
    size = len(json_text.canonical(payload).encode("utf-8", "replace"))
    if size <= limit:
        return None
    store = "" if payload_bytes else ", or set CONFIRMO_PAYLOAD_STORE for workers and clients"
    return (
        f"the validator's answer has {size:,} bytes, above the payload limit of {limit:,}: "
        f"resolve fewer items, or shorter ones{store}"
    )


def _payload(answer: ToolAnswer) -> dict[str, Any]:
    texts = [text for text in answer.texts if text.lstrip().startswith(("{", "["))]
    if answer.has_structured:
        payload = _unwrap(answer.structured)
        for text in texts:
            if _unwrap(_strict(text)) != payload:
                raise _Malformed("the structured answer and its text copy disagree")
    elif len(texts) == 1:
        payload = _unwrap(_strict(texts[0]))
    else:
        raise _Malformed("the answer is not one JSON object")
    if not isinstance(payload, dict):
        raise _Malformed("the answer is not a JSON object")
    cleaned = json_text.clean(payload)
    if json_text.canonical(cleaned) != json_text.canonical(payload):
        raise _Malformed("the answer holds NaN, Infinity or broken text")
    return payload


def _strict(text: str) -> Any:
    try:
        return json_text.parse_strict(text)
    except json_text.JsonError as error:
        raise _Malformed(f"the answer is not valid JSON: {error}") from None


def _unwrap(value: Any) -> Any:
    if isinstance(value, dict) and set(value) == {"result"}:
        value = value["result"]
    if isinstance(value, str):
        return _strict(value)
    return value


def _decided(payload: Mapping[str, Any], tool: ToolSpec, arguments: Mapping[str, Any]) -> Verdict:
    status = _text(payload, "status")
    reason = _text(payload, "reason") or _text(payload, "error")
    if status == NEEDS_PARAMETER and payload.get("eligible") is not True:
        return _needs_parameter(payload, tool, reason)
    eligible = payload.get("eligible")
    if not isinstance(eligible, bool):
        raise _Malformed("eligible is missing or is not a boolean")
    if not eligible:
        return Verdict(
            kind=VerdictKind.REJECTED,
            status=status or OUT_OF_SCOPE,
            reason=reason,
            error=_text(payload, "error"),
            result=payload,
        )
    decision = payload.get("transaction_decision")
    if decision is not None and not isinstance(decision, dict):
        raise _Malformed("transaction_decision is not an object")
    decision = decision or {}
    resolved = decision.get("resolved_arguments")
    if resolved is not None and not isinstance(resolved, dict):
        raise _Malformed("resolved_arguments is not an object")
    _check_items(resolved or {}, tool, arguments)
    return Verdict(
        kind=VerdictKind.PASSED,
        status=status,
        reason=reason,
        error=_text(payload, "error"),
        resolved_arguments=resolved or {},
        target_tool=_text(decision, "target_tool"),
        requires_reconfirmation=_flag(decision, "requires_reconfirmation"),
        action_changed=_flag(decision, "action_changed"),
        confirmation_message=_text(decision, "confirmation_message"),
        result=payload,
    )


def _needs_parameter(payload: Mapping[str, Any], tool: ToolSpec, reason: str | None) -> Verdict:
    parameter = _text(payload, "parameter")
    if parameter is None or (tool.argument(parameter) is None and parameter not in tool.requires):
        raise _Malformed("NEEDS_PARAMETER names no declared parameter")
    return Verdict(
        kind=VerdictKind.NEEDS_PARAMETER,
        status=NEEDS_PARAMETER,
        reason=reason,
        parameter=parameter,
        parameter_message=_text(payload, "parameter_message"),
        result=payload,
    )


def _check_items(resolved: Mapping[str, Any], tool: ToolSpec, arguments: Mapping[str, Any]) -> None:
    items = resolved.get(ITEMS_KEY)
    if items is None:
        return
    if not isinstance(items, list) or any(item is None or isinstance(item, list | bool) for item in items):
        raise _Malformed("resolved items are not a list of objects or texts")
    argument = array_argument(tool)
    if argument is None or argument == ITEMS_KEY:
        return
    if not isinstance(resolved.get(argument), list):
        _check_related(arguments.get(argument), items, argument, tool)
        return
    key = tool.execution.item_key
    named = {identity(entry, key) for entry in resolved[argument]}
    every = {identity(entry, key) for entry in items}
    able = {
        identity(e, key) for e in items if not (isinstance(e, dict) and e.get("eligible", True) is not True)
    }
    if named not in (every, able):
        raise _Malformed(f"the resolved items contradict the argument {argument}")


def _check_related(given: Any, items: Sequence[Any], argument: str, tool: ToolSpec) -> None:
    """Refuse items of which none has to do with what was given; a validator may add, leave out and rename."""
    if not isinstance(given, list) or not given or not items:
        return
    key = tool.execution.item_key
    asked = {name.casefold() for entry in given for name in aliases(entry, key)}
    named = {name.casefold() for entry in items for name in aliases(entry, key)}
    if asked and named and not any(one in other or other in one for one in asked for other in named):
        raise _Malformed(f"none of the resolved items is one of the argument {argument}")


def _text(source: Mapping[str, Any], key: str) -> str | None:
    value = source.get(key)
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        if key in ("reason", "error"):
            return json_text.canonical(value)[:2000]
        raise _Malformed(f"{key} is not text")
    return value


def _flag(source: Mapping[str, Any], key: str) -> bool:
    value = source.get(key)
    if value is None:
        return False
    if not isinstance(value, bool):
        raise _Malformed(f"{key} is not a boolean")
    return value


def resolve_arguments(
    collected: Mapping[str, Any], resolved: Mapping[str, Any], tool: ToolSpec
) -> tuple[dict[str, Any], list[Any] | None, tuple[str, ...]]:
    """Lay the resolved arguments over the collected ones, as ``tool`` declares them.

    Null clears an argument. Keys that the tool does not declare are dropped, save ``items``.

    Returns:
        The arguments, the resolved items (null where none were resolved; an array argument resolved to an empty
        list is an empty set), and the names of dropped keys.
    """
    declared = {spec.name for spec in tool.arguments} | set(tool.requires)
    arguments = {name: value for name, value in collected.items() if name in declared}
    ignored: list[str] = []
    for name, value in resolved.items():
        if name in declared:
            arguments[name] = value
        elif name != ITEMS_KEY:
            ignored.append(name)
    arguments = {name: value for name, value in arguments.items() if value is not None}
    items = resolved.get(ITEMS_KEY)
    if items is None and resolved.get(array_argument(tool) or "") == []:
        items = []
    return arguments, items if isinstance(items, list) else None, tuple(ignored)
