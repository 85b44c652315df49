"""Who may say yes, which yes counts, and with which type the others are refused."""

import asyncio

import pytest

from harness import refusal, text_answer, until
from harness.shop import F1, F2, ITEMS

SET = "encerrar_assinaturas"
ANA, BETO, CAIO = ({"id": name} for name in ("ana", "beto", "caio"))
CHEFE = {"id": "dora", "roles": ["supervisor"]}


def asking(**confirmation):
    return {"policies": {SET: {"confirmation": confirmation}}}


async def refused(tx, name, argument):
    return (await refusal(tx.update(name, argument))).type


@pytest.mark.parametrize(
    ("by", "may", "may_not", "may_change"),
    [
        ("requester", ANA, [BETO, CHEFE, None, {"id": "ANA"}, {"id": ""}], [ANA]),
        ("other", BETO, [ANA, None], [ANA, BETO]),
        (
            "role:supervisor",
            CHEFE,
            [ANA, None, {"id": "x", "roles": ["Supervisor", "supervisora"]}],
            [ANA, CHEFE],
        ),
        ("any", None, [], [ANA, None]),
    ],
)
async def test_only_those_whom_the_policy_names_may_confirm(desk, loja, by, may, may_not, may_change):
    tx = await (await desk(**asking(by=by))).start(*F1, requester=ANA)
    digest = tx.opened["confirmation"]["digest"]
    for actor in may_not:
        decision = {"decision": "confirm", "digest": digest, "actor": actor}
        assert await refused(tx, "confirm", decision) == "NotAllowed", actor
    assert loja.called(SET) == []
    strangers = [actor for actor in may_not if actor not in may_change]
    for actor in strangers:
        assert await refused(tx, "confirm", {"decision": "reject", "actor": actor}) == "NotAllowed", actor
        assert await refused(tx, "cancel", {"reason": "x", "actor": actor}) == "NotAllowed", actor
        amendment = {"arguments": {"motivo": "x"}, "actor": actor}
        assert await refused(tx, "amend", amendment) == "NotAllowed", actor
    state = await tx.state()
    assert (state["status"], state["confirmation"]) == ("AWAITING_CONFIRMATION", tx.opened["confirmation"])
    confirmed = await tx.confirm(digest=digest, actor=may, comment="de acordo")
    (approval,) = confirmed["confirmation"]["approvals"]
    assert (approval["actor"] or {}).get("id") == (may or {}).get("id")
    assert approval["comment"] == "de acordo"
    assert (await tx.result())["multi_item_status"] == "SUCCESS"


@pytest.mark.parametrize("by", ["requester", "other", "role:supervisor", "any"])
async def test_the_requester_may_always_reject_amend_and_cancel(desk, loja, by):
    open_desk = await desk(**asking(by=by))
    one, two = await asyncio.gather(*(open_desk.start(*F1, requester=ANA) for _ in range(2)))
    amended = await one.update("amend", {"arguments": {"motivo": "preço"}, "actor": ANA})
    assert amended["arguments"]["motivo"] == "preço"
    assert (await one.reject(actor=ANA))["reason_code"] == "rejected"
    assert (await two.update("cancel", {"reason": "desisti", "actor": ANA}))["reason_code"] == "cancelled"
    assert loja.called(SET) == []


@pytest.mark.parametrize("by", ["requester", "other"])
@pytest.mark.parametrize("requester", [None, {"id": ""}, {"id": " \u200b"}])
async def test_a_policy_that_needs_the_requester_blocks_a_request_without_one(desk, loja, by, requester):
    tx = await (await desk(**asking(by=by))).start(*F1, requester=requester)
    assert (tx.opened["status"], tx.opened["reason_code"]) == ("BLOCKED", "requester_required")
    assert loja.calls == []


@pytest.mark.parametrize("by", ["requester", "any"])
async def test_a_state_says_whose_it_is_and_who_decides(desk, by):
    tx = await (await desk(**asking(by=by))).start(*F1, requester=ANA | {"roles": ["x"]}, tenant="t-1")
    told = {name: tx.opened[name] for name in ("tenant", "requester", "confirmation_by")}
    assert told == {"tenant": "t-1", "requester": ANA | {"roles": []}, "confirmation_by": by}
    endless = await (await desk()).start(*F1, requester={"id": "x" * 600})
    assert endless.opened["requester"] is None
    assert (await (await desk()).start("nada")).opened["confirmation_by"] is None


async def test_parameters_are_provided_by_those_who_may_confirm_or_asked(desk):
    tx = await (await desk(**asking(by="requester"))).start(SET, {}, requester=ANA)
    values = {"arguments": {"alvo": "rádio maré"}}
    assert await refused(tx, "provide_parameters", values) == "NotAllowed"
    assert await refused(tx, "provide_parameters", values | {"actor": BETO}) == "NotAllowed"
    assert (await tx.state())["status"] == "COLLECTING_PARAMETERS"
    assert (await tx.update("provide_parameters", values | {"actor": ANA}))[
        "status"
    ] == "AWAITING_CONFIRMATION"


async def test_two_approvals_are_two_people(desk, loja):
    tx = await (await desk(**asking(approvals=2))).start(*F1, requester=ANA)
    digest = tx.opened["confirmation"]["digest"]
    assert tx.opened["confirmation"]["approvals_needed"] == 2
    assert await refused(tx, "confirm", {"decision": "confirm", "digest": digest}) == "NotAllowed"
    first = await tx.confirm(actor=BETO)
    assert first["status"] == "AWAITING_CONFIRMATION"
    again = await tx.confirm(actor=BETO, decision_id="another")
    assert [approval["actor"]["id"] for approval in again["confirmation"]["approvals"]] == ["beto"]
    assert "CONFIRMED" not in await tx.event_names()
    assert loja.called(SET) == []
    second = await tx.confirm(actor=CAIO)
    assert second["status"] in ("EXECUTING", "COMPLETED")
    assert [approval["actor"]["id"] for approval in second["confirmation"]["approvals"]] == ["beto", "caio"]
    assert (await tx.result())["multi_item_status"] == "SUCCESS"
    assert (await tx.event_names()).count("CONFIRMED") == 1
    assert len(loja.called(SET)) == 3


async def test_approvals_by_signal_are_counted_by_the_same_rule(desk, loja):
    tx = await (await desk(**asking(by="other", approvals=2))).start(*F1, requester=ANA)
    yes = {"decision": "confirm", "digest": tx.opened["confirmation"]["digest"]}
    for actor in (BETO, BETO, {"id": "BETO"}, ANA, {"id": " Ana"}, {"id": " "}, None):
        await tx.signal("confirm", yes | {"actor": actor})
    state = await tx.state()
    assert [approval["actor"]["id"] for approval in state["confirmation"]["approvals"]] == ["beto"]
    refusals = [e["type"] for e in state["events"] if e["name"] == "IC.TRANSACTION_DECISION_REFUSED"]
    assert refusals == ["NotAllowed"] * 4
    assert loja.called(SET) == []
    await tx.signal("confirm", yes | {"actor": CAIO})
    assert (await tx.result())["multi_item_status"] == "SUCCESS"
    assert len(loja.called(SET)) == 3


async def test_one_of_two_approvals_is_none_when_the_time_is_over(desk, loja):
    tx = await (await desk(**asking(approvals=2, expires_seconds=1.5))).start(*F1)
    first = await tx.confirm(actor=BETO)
    assert first["confirmation"]["expires_at"] == tx.opened["confirmation"]["expires_at"]
    assert (await tx.result())["transaction_status"] == "EXPIRED"
    assert loja.called(SET) == []


async def test_a_change_found_after_the_second_yes_asks_both_again(desk, loja):
    tx = await (await desk(**asking(approvals=2, revalidate_after_seconds=0.001))).start(*F1)
    await tx.confirm(actor=BETO)
    loja.on["checar_assinaturas"] = {
        "eligible": True,
        "transaction_decision": {"resolved_arguments": {"items": ITEMS[:1]}},
    }
    await tx.confirm(actor=CAIO)
    state = await tx.awaiting()
    assert (state["status"], state["confirmation"]["approvals"]) == ("AWAITING_CONFIRMATION", [])
    assert (await tx.confirm(actor=BETO))["status"] == "AWAITING_CONFIRMATION"
    assert loja.called(SET) == []
    await tx.confirm(actor=CAIO)
    await tx.result()
    assert len(loja.called(SET)) == 1


async def test_one_no_ends_what_one_of_two_approved(desk, loja):
    tx = await (await desk(**asking(approvals=2))).start(*F1)
    await tx.confirm(actor=BETO)
    assert (await tx.reject(actor=CAIO))["status"] == "CANCELLED"
    assert loja.called(SET) == []


async def test_an_amendment_takes_earlier_approvals_back(desk, loja):
    tx = await (await desk(**asking(approvals=2))).start(*F1)
    await tx.confirm(actor=BETO)
    amended = await tx.update("amend", {"remove_item_ids": ["A-02"]})
    assert amended["confirmation"]["approvals"] == []
    assert (
        await refused(
            tx,
            "confirm",
            {"decision": "confirm", "digest": tx.opened["confirmation"]["digest"], "actor": CAIO},
        )
        == "DigestMismatch"
    )
    assert (await tx.confirm(actor=CAIO))["status"] == "AWAITING_CONFIRMATION"
    await tx.confirm(actor=BETO)
    assert (await tx.result())["metadata"]["multi_item"]["items_count"] == 2


async def test_a_yes_may_name_a_subset_where_the_policy_lets_it(desk, loja):
    tx = await (await desk(**asking(items="any"))).start(*F1)
    digest = tx.opened["confirmation"]["digest"]
    for ids in (["A-09"], ["A-01", "A-09"], [], ["Rádio Maré"]):
        decision = {"decision": "confirm", "digest": digest, "item_ids": ids}
        assert await refused(tx, "confirm", decision) == "InvalidDecision", ids
    confirmed = await tx.confirm(item_ids=["A-03", "A-01"])
    assert confirmed["confirmation"]["approvals"][0]["item_ids"] == ["A-03", "A-01"]
    result = await tx.result()
    entries = result["result"]["output"][SET]["results"]
    assert [entry["item_id"] for entry in entries] == ["A-01", "A-03"]
    assert result["metadata"]["multi_item"]["items_count"] == 2
    assert sorted(call.arguments["alvo"] for call in loja.called(SET)) == ["Cofre Fotos 50", "Rádio Maré"]
    assert (await tx.state())["progress"]["items_count"] == 2


async def test_an_ineligible_item_cannot_be_named_and_stays_in_the_evidence(desk, loja):
    items = [ITEMS[0], ITEMS[1] | {"eligible": False, "reason": "fidelidade"}, ITEMS[2]]
    loja.on["checar_assinaturas"] = {
        "eligible": True,
        "transaction_decision": {"resolved_arguments": {"items": items}},
    }
    tx = await (await desk(**asking(items="any"))).start(*F1)
    decision = {"decision": "confirm", "digest": tx.opened["confirmation"]["digest"], "item_ids": ["A-02"]}
    assert await refused(tx, "confirm", decision) == "InvalidDecision"
    await tx.confirm(item_ids=["A-03"])
    entries = (await tx.result())["result"]["output"][SET]["results"]
    assert [(e["item_id"], e["outcome"], e["attempts"]) for e in entries] == [
        ("A-02", "FAILED", 0),
        ("A-03", "SUCCEEDED", 1),
    ]


async def test_a_subset_of_a_whole_call_sends_only_that_subset(desk, loja):
    open_desk = await desk(policies={"devolver_encomendas": {"confirmation": {"items": "any"}}})
    tx = await open_desk.start(*F2)
    await tx.confirm(item_ids=["ENC-7003"])
    result = await tx.result()
    assert [call.arguments for call in loja.called("devolver_encomendas")] == [
        {"encomenda_ids": ["ENC-7003"]}
    ]
    assert result["ok"] is True
    assert [e["item_id"] for e in result["result"]["output"]["devolver_encomendas"]["results"]] == [
        "ENC-7003"
    ]


async def test_two_approvals_of_different_subsets_conflict(desk, loja):
    tx = await (await desk(**asking(items="any", approvals=2))).start(*F1)
    digest = tx.opened["confirmation"]["digest"]
    await tx.confirm(item_ids=["A-01"], actor=BETO)
    other = {"decision": "confirm", "digest": digest, "item_ids": ["A-02"], "actor": CAIO}
    assert await refused(tx, "confirm", other) == "ConflictingDecision"
    await tx.confirm(item_ids=["A-01"], actor=CAIO)
    assert [e["item_id"] for e in (await tx.result())["result"]["output"][SET]["results"]] == ["A-01"]


async def test_refusals_come_in_the_order_of_the_contract(desk, loja):
    going = asyncio.Event()

    async def slow(_call):
        await going.wait()
        return {"success": True}

    loja.on[SET] = slow
    tx = await (await desk(**asking(by="requester"))).start(SET, {}, requester=ANA)
    wrong = {"decision": "confirm", "digest": "0" * 64, "actor": BETO}
    # Nothing is asked yet: the shape comes before that, and that before who asks.
    assert await refused(tx, "confirm", wrong | {"extra": 1}) == "InvalidDecision"
    assert await refused(tx, "confirm", wrong | {"item_ids": ["A-01"]}) == "InvalidDecision"
    assert await refused(tx, "confirm", wrong) == "NotAwaitingConfirmation"
    assert await refused(tx, "provide_parameters", {"arguments": "alvo", "actor": BETO}) == "InvalidArguments"
    assert (
        await refused(tx, "provide_parameters", {"arguments": {"alvo": "x"}, "actor": BETO}) == "NotAllowed"
    )
    await tx.update("provide_parameters", {"arguments": {"alvo": "tudo"}, "actor": ANA})
    # Asked: who comes before what.
    late = {"arguments": {"alvo": "nada"}, "actor": BETO}
    assert await refused(tx, "provide_parameters", late) == "NotAwaitingConfirmation"
    assert await refused(tx, "amend", {"actor": BETO}) == "InvalidArguments"
    assert await refused(tx, "amend", late) == "NotAllowed"
    assert await refused(tx, "confirm", wrong) == "NotAllowed"
    assert await refused(tx, "confirm", wrong | {"actor": ANA}) == "DigestMismatch"
    digest = await tx.digest()
    await tx.confirm(digest=digest, actor=ANA)
    await until(lambda: loja.called(SET))
    # Answered: who, then which question, then which answer.
    assert await refused(tx, "amend", late) == "NotAwaitingConfirmation"
    assert await refused(tx, "confirm", wrong | {"decision": "reject"}) == "NotAllowed"
    assert await refused(tx, "confirm", wrong | {"decision": "reject", "actor": ANA}) == "DigestMismatch"
    rejection = {"decision": "reject", "digest": digest, "actor": ANA}
    assert await refused(tx, "confirm", rejection) == "ConflictingDecision"
    assert (await tx.confirm(digest=digest, actor=ANA))["status"] == "EXECUTING"
    going.set()
    await tx.result()


async def test_a_signal_in_place_of_the_update_executes(desk, loja):
    tx = await (await desk()).start(*F1)
    await tx.signal("confirm", {"decision": "confirm", "digest": tx.opened["confirmation"]["digest"]})
    assert (await tx.result())["multi_item_status"] == "SUCCESS"
    assert len(loja.called(SET)) == 3


async def test_a_signal_that_is_refused_leaves_an_event_with_the_type_and_no_effect(desk, loja):
    tx = await (await desk(**asking(by="requester"))).start(*F1, requester=ANA)
    digest = tx.opened["confirmation"]["digest"]
    await tx.signal("confirm", {"confirmed": True})
    await tx.signal("confirm", {"decision": "confirm", "digest": digest})
    await tx.signal("confirm", {"decision": "confirm", "digest": "0" * 64, "actor": ANA})
    await tx.signal("cancel", {"reason": "x", "actor": BETO})
    await tx.signal("cancel", "now")
    state = await tx.state()
    refusals = [e["type"] for e in state["events"] if e["name"] == "IC.TRANSACTION_DECISION_REFUSED"]
    assert refusals == ["InvalidDecision", "NotAllowed", "DigestMismatch", "NotAllowed", "InvalidArguments"]
    assert state["status"] == "AWAITING_CONFIRMATION"
    assert loja.called(SET) == []
    await tx.signal("confirm", {"decision": "reject", "actor": ANA})
    assert (await tx.result())["transaction_status"] == "CANCELLED"


async def test_request_mismatch_tells_what_counts_as_another_request(desk):
    open_desk = await desk()
    request = {"requester": ANA, "tenant": "t-1"}
    tx = await open_desk.start(*F1, **request)
    same = {"tool_name": F1[0], "arguments": F1[1], **request}
    assert (await tx.awaiting(None))["status"] == "AWAITING_CONFIRMATION"
    for unchanged in (
        same,
        same | {"requester": ANA | {"roles": ["x"]}, "locale": "en"},
        same | {"session_id": "s", "metadata": {"a": 1}, "new_field": True},
    ):
        assert (await tx.awaiting(unchanged))["transaction_id"] == tx.id
    for change in (
        {"tool_name": F2[0]},
        {"arguments": {}},
        {"arguments": F1[1] | {"motivo": "x"}},
        {"tenant": "t-2"},
        {"requester": BETO},
        {"requester": None},
    ):
        assert await refused(tx, "awaiting", same | change) == "RequestMismatch", change
    for nothing in ("x", [], {"arguments": {}}, {"tool_name": 7}):
        assert await refused(tx, "awaiting", nothing) == "InvalidArguments", nothing


async def test_what_a_person_reads_holds_no_hidden_characters_and_the_record_keeps_them(desk, loja):
    hidden = "Rádio\u200b Maré\u202e"
    loja.on["checar_assinaturas"] = {
        "eligible": True,
        "transaction_decision": {
            "resolved_arguments": {
                "items": [
                    {"id": "A-01", "name": hidden},
                    ITEMS[1] | {"eligible": False, "reason": "x\u2066y"},
                ]
            },
            "confirmation_message": "Encerrar\u200f tudo?\x07",
        },
    }
    loja.on[SET] = text_answer('{"success": false, "reason": "n\u00e3o\u202e pode"}')
    tx = await (await desk()).start(*F1)
    hiding = set("\u200b\u202e\u2066\u200f\x07")
    assert not hiding & set(tx.opened["question"])
    assert "Encerrar tudo?" in tx.opened["question"]
    assert [(item["label"], item["reason"]) for item in tx.opened["items"]] == [
        ("Rádio Maré", None),
        ("Clube Leitura", "xy"),
    ]
    assert tx.opened["transaction_pre_validation"]["result"]["transaction_decision"][
        "confirmation_message"
    ] == ("Encerrar\u200f tudo?\x07")
    await tx.confirm()
    result = await tx.result()
    assert not hiding & set(result["message"])
    assert "não pode" in result["message"]
    entries = result["result"]["output"][SET]["results"]
    assert entries[0]["reason"] == "não\u202e pode"
    assert entries[1]["reason"] == "x\u2066y"
