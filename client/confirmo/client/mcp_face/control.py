"""The tools beside the catalogue's: ``transaction_confirm``, ``_reject``, ``_amend`` and ``_status``."""

from collections.abc import Mapping
from typing import Any, Final

import mcp_types as types

from confirmo.client.judging import check_change
from confirmo.client.mcp_face import advice
from confirmo.client.mcp_face.answers import OUTPUT_SCHEMA, answer, problem
from confirmo.client.mcp_face.calls import Call
from confirmo.client.mcp_face.conduct import Conductor, Outcome
from confirmo.client.transactions import TransactionClient
from confirmo.policies.decisions import parse_decision
from confirmo.policies.errors import Refusal
from confirmo.policies.models import Status, TransactionState

CONFIRM, REJECT, AMEND, STATUS = (f"transaction_{word}" for word in ("confirm", "reject", "amend", "status"))

_TEXT: Final = {"type": "string", "minLength": 1}
_ID: Final = {"transaction_id": _TEXT | {"description": "As the question or the result named it."}}
_DIGEST: Final = {"digest": _TEXT | {"description": "Of the question that the person was shown."}}
_IDS: Final = {"type": "array", "items": {"type": "string"}}


def _tool(
    name: str, description: str, properties: dict[str, Any], required: list[str], **hints: Any
) -> types.Tool:
    title = name.replace("_", " ").capitalize()
    return types.Tool(
        name=name,
        title=title,
        description=description,
        input_schema={"type": "object", "properties": properties, "required": required},
        output_schema=OUTPUT_SCHEMA,
        annotations=types.ToolAnnotations(title=title, **hints),
    )


CONTROL_TOOLS: Final = (
    _tool(
        CONFIRM,
        "Carry out a transaction that waits for confirmation. Only after the person saw the question as it stands and "
        "said an unconditional yes to it; a client that can ask its user asks again here. Waits for the result.",
        _ID
        | _DIGEST
        | {
            "item_ids": _IDS | {"description": "Only these items, where the policy lets a yes name a subset."}
        },
        ["transaction_id", "digest"],
        read_only_hint=False,
        destructive_hint=True,
        idempotent_hint=True,
    ),
    _tool(
        REJECT,
        "End a transaction that waits for confirmation: the person said no. Nothing is executed.",
        _ID | {"comment": {"type": "string"}},
        ["transaction_id"],
        read_only_hint=False,
        destructive_hint=False,
        idempotent_hint=True,
    ),
    _tool(
        AMEND,
        "Change what a transaction that waits for confirmation is about, or give arguments that it misses. It is "
        "validated again, and a new question is asked; nothing is executed.",
        _ID
        | {
            "arguments": {"type": "object", "description": "New values of these arguments."},
            "remove_item_ids": _IDS | {"description": "Items to leave out, by item_id."},
            "add_items": {"type": "array", "description": "Items to take in.", "items": {}},
        },
        ["transaction_id"],
        read_only_hint=False,
        destructive_hint=False,
    ),
    _tool(
        STATUS,
        "Return what a transaction looks like now. Changes nothing.",
        _ID
        | {
            "items_from": {
                "type": "integer",
                "minimum": 1,
                "description": "Of a large set: its first item to show.",
            }
        },
        ["transaction_id"],
        read_only_hint=True,
    ),
)
CONTROL_NAMES: Final = frozenset(tool.name for tool in CONTROL_TOOLS)


class Controls:
    """Carries the four tools out."""

    def __init__(self, client: TransactionClient, conductor: Conductor) -> None:
        self._client = client
        self._conductor = conductor

    async def call(self, call: Call, name: str, arguments: Mapping[str, Any]) -> Outcome:
        """Carry one of them out; arguments of another shape are a sentence."""
        unknown = set(arguments) - set(
            next(t for t in CONTROL_TOOLS if t.name == name).input_schema["properties"]
        )
        id = arguments.get("transaction_id")
        if unknown or not isinstance(id, str) or not id:
            return problem(
                f"{name} needs transaction_id, and takes nothing beyond its schema. Nothing was done."
            )
        if name == CONFIRM:
            return await self._confirm(call, id, arguments)
        if name == REJECT:
            return await self._reject(call, id, arguments)
        if name == AMEND:
            return await self._amend(call, id, arguments)
        return await self._status(call, id, arguments)

    async def _status(self, call: Call, id: str, arguments: Mapping[str, Any]) -> Outcome:
        first = arguments.get("items_from", 1)
        if isinstance(first, bool) or not isinstance(first, int) or first < 1:
            return problem("items_from is a whole number from 1 on.")
        state = await self._conductor.find(call, id)
        return answer(state, "" if call.asking.possible else self._advice(state), items_from=first)

    def _advice(self, state: Any) -> str:
        channel = self._conductor.channel(state)
        return advice.next_step(state) if channel == "any" else ""

    async def _confirm(self, call: Call, id: str, arguments: Mapping[str, Any]) -> Outcome:
        """Confirm; where the client can ask its user, the agent's word is not taken and the user is asked."""
        state = await self._conductor.find(call, id)
        channel = self._conductor.channel(state)
        if channel == "out_of_band":
            return answer(state, advice.ELSEWHERE, refused=True)
        if call.asking.possible:
            return await self._conductor.carry_on(call, state)
        if channel == "elicitation":
            return answer(state, advice.USER_ONLY, refused=True)
        given = {key: arguments[key] for key in ("digest", "item_ids") if arguments.get(key) is not None}
        return await self._decide(call, state, {"decision": "confirm"} | given)

    async def _reject(self, call: Call, id: str, arguments: Mapping[str, Any]) -> Outcome:
        state = await self._conductor.find(call, id)
        comment = arguments.get("comment")
        return await self._decide(
            call, state, {"decision": "reject"} | ({"comment": comment} if comment else {})
        )

    async def _decide(self, call: Call, state: TransactionState, raw: dict[str, Any]) -> Outcome:
        if call.caller.actor is not None:
            raw["actor"] = call.caller.actor.model_dump()
        try:
            decision = parse_decision(raw)
        except Refusal as refusal:
            return problem(refusal.message)
        return await self._conductor.decide(call, state.transaction_id, decision, state)

    async def _amend(self, call: Call, id: str, arguments: Mapping[str, Any]) -> Outcome:
        state = await self._conductor.find(call, id)
        values, removed, added = (arguments.get(key) for key in ("arguments", "remove_item_ids", "add_items"))
        shapes = ((values, dict), (removed, list), (added, list))
        if any(value is not None and not isinstance(value, shape) for value, shape in shapes):
            return problem(
                "arguments is a map, remove_item_ids and add_items are lists. Nothing was changed."
            )
        if any(not isinstance(entry, str) for entry in removed or []):
            return problem("remove_item_ids holds texts: the item_id of each item. Nothing was changed.")
        actor = call.caller.actor
        check_change(state, actor, call.caller.anyone)
        if state.status is Status.COLLECTING_PARAMETERS:
            changed = await self._client.provide_parameters(id, values or {}, actor=actor)
        else:
            changed = await self._client.amend(
                id,
                arguments=values,
                remove_item_ids=tuple(removed or ()),
                add_items=tuple(added or ()),
                actor=actor,
            )
        return await self._conductor.carry_on(call, changed)
