"""Steps that come after the primary tool: when they run, and that nothing they do changes what it did."""

import asyncio

import pytest

from harness import Page, failed, text_answer
from harness.shop import F1, ITEMS

SET = "encerrar_assinaturas"
WHENS = ("any_success", "all_success", "always")
NOTICES = {
    "tools": {
        f"avisar_{when}": {"mcp_server": "loja", "tool_type": "internal", "args_schema": {"canal": "string"}}
        for when in WHENS
    },
    "policies": {f"avisar_{when}": {"operation_type": "internal"} for when in WHENS}
    | {
        SET: {
            "after": [
                {"tool": f"avisar_{when}", "when": when, "arguments": {"canal": "sms"}} for when in WHENS
            ]
        }
    },
}


def answering(bad):
    return lambda call: {"success": call.arguments["alvo"] not in bad, "reason": "fidelidade"}


@pytest.mark.parametrize(
    ("bad", "due"),
    [
        ([], ["any_success", "all_success", "always"]),
        (["Clube Leitura"], ["any_success", "always"]),
        ([item["name"] for item in ITEMS], ["always"]),
    ],
)
async def test_each_step_runs_when_its_condition_holds(desk, loja, bad, due):
    loja.on[SET] = answering(bad)
    loja.on |= {f"avisar_{when}": {"success": True, "enviado": when} for when in WHENS}
    result = await (await desk(**NOTICES)).run(*F1)
    ran = [when for when in WHENS if loja.called(f"avisar_{when}")]
    assert ran == due
    output = result["result"]["output"]
    assert list(output) == [SET, *(f"avisar_{when}" for when in due)]
    for when in due:
        assert output[f"avisar_{when}"] == {"success": True, "enviado": when}
        assert [call.arguments for call in loja.called(f"avisar_{when}")] == [{"canal": "sms"}]
    order = [call.tool for call in loja.calls]
    assert order.index(f"avisar_{due[0]}") > max(i for i, tool in enumerate(order) if tool == SET)


async def test_an_ineligible_or_unknown_item_is_not_all_success(desk, loja):
    loja.on[SET] = lambda call: (
        {"success": "talvez"} if call.arguments["alvo"] == "Clube Leitura" else {"success": True}
    )
    loja.on |= {f"avisar_{when}": {"success": True} for when in WHENS}
    result = await (await desk(**NOTICES)).run(*F1)
    assert result["metadata"]["needs_review"] is True
    assert [when for when in WHENS if loja.called(f"avisar_{when}")] == ["any_success", "always"]


async def test_a_tool_without_items_counts_as_one(desk, loja):
    steps = {"consultar": {"operation_type": "read_only", "after": NOTICES["policies"][SET]["after"]}}
    loja.on |= {f"avisar_{when}": {"success": True} for when in WHENS}
    open_desk = await desk(
        tools=NOTICES["tools"] | {"consultar": {"mcp_server": "loja", "tool_type": "read_only"}},
        policies={name: policy for name, policy in NOTICES["policies"].items() if name != SET} | steps,
    )
    loja.on["consultar"] = failed("fora do ar")
    await open_desk.run("consultar")
    assert [when for when in WHENS if loja.called(f"avisar_{when}")] == ["always"]
    loja.on["consultar"] = {"saldo": 1}
    await open_desk.run("consultar")
    assert [len(loja.called(f"avisar_{when}")) for when in WHENS] == [1, 1, 2]


FAILURES = {
    "isError": failed("SMS gateway 502"),
    "success false": {"success": False, "error": "SMS gateway 502"},
    "HTTP 502": Page(502),
    "HTTP 401": Page(401),
    "prose": text_answer("SMS gateway 502", is_error=True),
}


@pytest.mark.parametrize("failure", FAILURES)
async def test_no_02_a_notice_that_fails_leaves_the_primary_evidence_as_it_is(desk, loja, failure):
    loja.on[SET] = answering(["Clube Leitura"])
    open_desk = await desk(policies={SET: {"after": [{"tool": "avisar_cliente"}]}})
    without = await open_desk.run(*F1, id="tx-no-02-" + str(loja.port))
    answer = FAILURES[failure]
    if isinstance(answer, Page):
        loja.pages["avisar_cliente"] = iter([answer] * 9)
    else:
        loja.on["avisar_cliente"] = answer
    tx = await open_desk.start(*F1)
    await tx.confirm()
    result = await tx.result()
    assert (result["multi_item_status"], result["ok"]) == ("PARTIAL_SUCCESS", True)
    assert result["transaction_status"] == "COMPLETED"
    assert result["metadata"]["multi_item"] == without["metadata"]["multi_item"]
    assert (result["metadata"]["multi_item"]["items_count"], result["error"]) == (3, None)
    drop = {"idempotency_key": None}
    assert [e | drop for e in result["result"]["output"][SET]["results"]] == [
        e | drop for e in without["result"]["output"][SET]["results"]
    ]
    notice = result["result"]["output"]["avisar_cliente"]
    assert notice["success"] is False
    assert ("401" if failure == "HTTP 401" else "502") in notice["error"]
    assert notice["error"] in result["secondary_error"]
    assert "avisar_cliente" in result["secondary_error"]
    assert result["secondary_error"].split(": ", 1)[1] in result["message"]
    assert (await tx.event_names())[-2:] == ["AUXILIARY_FAILED", "COMPLETED"]
    assert len(loja.called(SET)) == 6
    assert without["secondary_error"] is None


async def test_a_failed_step_does_not_keep_the_next_from_running(desk, loja):
    loja.on |= {f"avisar_{when}": {"success": True} for when in WHENS}
    loja.on["avisar_any_success"] = failed("fora do ar")
    result = await (await desk(**NOTICES)).run(*F1)
    assert result["multi_item_status"] == "SUCCESS"
    assert loja.called("avisar_all_success")
    assert loja.called("avisar_always")
    assert result["secondary_error"] == "avisar_any_success: fora do ar"


async def test_a_step_has_a_key_of_its_own_that_is_the_same_on_each_attempt(desk, loja):
    open_desk = await desk(
        policies={
            SET: {"after": [{"tool": "avisar_cliente"}]},
            "avisar_cliente": {"execution": {"effect": "keyed"}},
        }
    )
    loja.pages["avisar_cliente"] = iter([Page(503, headers={"retry-after": "0.05"}), None])
    one, other = await asyncio.gather(open_desk.run(*F1), open_desk.run(*F1))
    notices = loja.requested("avisar_cliente")
    assert len(notices) == 3
    keys = {call.key for call in notices}
    assert len(keys) == 2
    assert not keys & {call.key for call in loja.called(SET)}
    assert one["result"]["output"]["avisar_cliente"]["success"] is True
    assert other["result"]["output"]["avisar_cliente"]["success"] is True
