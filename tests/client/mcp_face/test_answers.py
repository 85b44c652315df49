"""What an agent gets back: valid against the declared schema in every state, and short."""

import json
import uuid

import jsonschema
import pytest

from confirmo.policies.snapshot import transaction_id_for
from harness import failed
from harness.shop import F1, F2

SET, CHECK, RETURN = F1[0], "checar_assinaturas", F2[0]
MANY = [f"ENC-{number:05}" for number in range(1, 1001)]
PLENTY = 40_000
"""Characters of one answer, all of its parts together: about 10,000 tokens."""


@pytest.fixture
def mode():
    """What comes back is made in one place for both forms."""
    return "2026-07-28"


def size(result):
    return len(result.model_dump_json(by_alias=True))


async def declared(client):
    tools = (await client.list_tools()).tools
    (schema,) = {json.dumps(tool.output_schema, sort_keys=True) for tool in tools}
    return jsonschema.Draft202012Validator(json.loads(schema))


async def collecting(client, _shown, _loja):
    return await client.call_tool(RETURN, {})


async def invalid(client, _shown, _loja):
    return await client.call_tool(RETURN, {"encomenda_ids": [["x"]]})


async def awaiting(client, _shown, _loja):
    return await client.call_tool(*F1)


async def refused(client, _shown, _loja):
    told = (await client.call_tool(*F1)).structured_content
    return await client.call_tool(
        "transaction_confirm", {"transaction_id": told["transaction_id"], "digest": "0"}
    )


async def completed(client, _shown, _loja):
    told = (await client.call_tool(*F1)).structured_content
    yes = {"transaction_id": told["transaction_id"], "digest": told["confirmation"]["digest"]}
    return await client.call_tool("transaction_confirm", yes)


async def whole_failure(client, shown, loja):
    loja.on[SET] = failed("no")
    return await completed(client, shown, loja)


async def cancelled(client, _shown, _loja):
    told = (await client.call_tool(*F1)).structured_content
    return await client.call_tool("transaction_reject", {"transaction_id": told["transaction_id"]})


async def out_of_scope(client, _shown, loja):
    loja.on[CHECK] = {"eligible": False, "reason": "não"}
    return await client.call_tool(*F1)


async def blocked(client, _shown, loja):
    loja.on[CHECK] = {"eligible": True, "transaction_decision": {"target_tool": "nada"}}
    return await client.call_tool(*F1)


async def terminated(client, shown, _loja):
    meta = {"confirmo/request_id": uuid.uuid4().hex}
    await client.call_tool(*F1, meta=meta)
    id = transaction_id_for("default", meta["confirmo/request_id"])
    await shown.desk.client.get_workflow_handle(id).terminate("operator")
    return await client.call_tool("transaction_status", {"transaction_id": id})


async def read(client, _shown, _loja):
    return await client.call_tool("listar_faturas", {})


STATES = {
    collecting: ("COLLECTING_PARAMETERS", False),
    invalid: ("COLLECTING_PARAMETERS", False),
    awaiting: ("AWAITING_CONFIRMATION", False),
    refused: ("AWAITING_CONFIRMATION", True),
    completed: ("COMPLETED", False),
    whole_failure: ("FAILED", True),
    cancelled: ("CANCELLED", False),
    out_of_scope: ("OUT_OF_SCOPE", True),
    blocked: ("BLOCKED", True),
    terminated: ("TERMINATED", True),
    read: ("COMPLETED", False),
}


@pytest.mark.parametrize("reach", STATES, ids=lambda reach: reach.__name__)
async def test_every_answer_is_what_the_output_schema_says(face, loja, reach):
    shown = await face()
    async with shown.connect() as client:
        schema, result = await declared(client), await reach(client, shown, loja)
    schema.validate(result.structured_content)
    assert (result.structured_content["status"], result.is_error) == STATES[reach]
    assert result.content[0].text
    assert size(result) < PLENTY


async def test_every_tool_has_title_hints_and_a_description(face):
    async with (await face()).connect() as client:
        for tool in (await client.list_tools()).tools:
            assert tool.title == tool.annotations.title
            assert tool.annotations.read_only_hint is not None
            assert tool.description
            assert len(tool.model_dump_json()) < 12_000


async def test_a_thousand_items_come_in_pieces(face, loja):
    loja.on[RETURN] = lambda call: {
        "results": [{"id": id, "success": id != MANY[-1]} for id in call.arguments["encomenda_ids"]]
    }
    async with (await face()).connect() as client:
        schema = await declared(client)
        asked = await client.call_tool(RETURN, {"encomenda_ids": MANY})
        told = asked.structured_content
        id = {"transaction_id": told["transaction_id"]}
        yes = id | {"digest": told["confirmation"]["digest"]}
        done = await client.call_tool("transaction_confirm", yes)
        pieces = [
            await client.call_tool("transaction_status", id | {"items_from": n}) for n in (51, 951, 5000)
        ]
        for wrong in (0, -1, "2", 1.5, True, None):
            assert (await client.call_tool("transaction_status", id | {"items_from": wrong})).is_error
    for result in (asked, done, *pieces):
        schema.validate(result.structured_content)
        assert size(result) < PLENTY
    windows = [result.structured_content["items_shown"] for result in (asked, done, *pieces)]
    assert [(window["first"], window["last"]) for window in windows] == [
        (1, 50),
        (1, 50),
        (51, 100),
        (951, 1000),
        (1000, 1000),
    ]
    assert "Items 1 to 50 of 1000" in done.content[0].text
    assert done.structured_content["progress"]["items_succeeded_count"] == 999
    for piece, ids in ((done, MANY[:50]), (pieces[0], MANY[50:100]), (pieces[1], MANY[950:])):
        output = piece.structured_content["result"]["result"]["output"][RETURN]
        assert [entry["item_id"] for entry in output["results"]] == ids
        assert [item["item_id"] for item in piece.structured_content["items"]] == ids
        assert json.loads(piece.content[1].text) == output
    assert MANY[-1] in done.content[0].text
