"""What a turn does with a tool call, a correction and a channel: nothing is lost, nothing is confirmed by the way."""

import pytest
from policies import test_replies, test_unseen_replies

from confirmo.client import InvalidRequest, Session, ToolCall, Wants, agent_state
from confirmo.client.answers import TerminatedState
from confirmo.client.conversation.facts import stricter
from confirmo.policies.models import (
    CLOSED_STATUSES,
    PreValidationRecord,
    Status,
    TransactionResult,
    TransactionState,
)
from confirmo.policies.replies import ReplyKind, read_reply
from harness.retail import END, F1_CALL, F2_CALL, READ_CALL, RETURN, cancel_order

INTENTS = [None, "confirm", "reject", "amend", "other"]
ORDER = "cancelar_pedido"


def bound(tool, channel):
    return {tool: {"confirmation": {"channel": channel}}}


# The channel


@pytest.mark.parametrize("channel", ["elicitation", "out_of_band"])
async def test_a_yes_through_an_agents_chat_does_not_count_where_policy_wants_a_stricter_channel(
    talk, loja, channel
):
    chat, session = await talk(bound(RETURN, channel)), Session()
    asked = await chat.turn(session, "", F2_CALL)
    assert (asked.wants, asked.state.confirmation.channel) == (Wants.PATIENCE, channel)
    assert asked.text.endswith("confirme pelo canal combinado.")
    for message, intent in (("sim", None), ("sim, pode devolver", "confirm")):
        again = await chat.turn(session, message, intent=intent)
        assert (again.state.status, again.wants) == ("AWAITING_CONFIRMATION", Wants.PATIENCE)
    assert loja.called(RETURN) == []
    fewer = await chat.turn(session, "tira o segundo")
    assert [item.item_id for item in fewer.state.items] == ["ENC-7001", "ENC-7003"]
    await chat.shop.confirm(fewer.state)
    told = await chat.turn(session, "e aí?")
    assert (told.state.status, len(loja.called(RETURN))) == ("COMPLETED", 1)


@pytest.mark.parametrize("channel", ["elicitation", "out_of_band"])
async def test_a_no_counts_through_any_channel(talk, loja, channel):
    chat, session = await talk(bound(RETURN, channel)), Session()
    await chat.turn(session, "", F2_CALL)
    assert (await chat.turn(session, "não")).state.status == "CANCELLED"
    assert loja.called(RETURN) == []


async def test_a_conversation_with_the_person_itself_elicits(talk, loja):
    chat, session = await talk(bound(RETURN, "elicitation"), channel="elicitation"), Session()
    assert (await chat.turn(session, "", F2_CALL)).wants is Wants.ANSWER
    assert (await chat.turn(session, "sim")).state.status == "COMPLETED"
    assert len(loja.called(RETURN)) == 1


async def test_no_conversation_is_out_of_band(talk, loja):
    chat, session = await talk(bound(RETURN, "out_of_band"), channel="elicitation"), Session()
    await chat.turn(session, "", F2_CALL)
    assert (await chat.turn(session, "sim")).state.status == "AWAITING_CONFIRMATION"
    assert loja.called(RETURN) == []
    with pytest.raises(ValueError, match="out of band"):
        await talk(channel="out_of_band")


async def test_of_a_retargeted_call_the_stricter_channel_counts(talk, loja):
    loja.on["checar_assinaturas"] = lambda _call: {
        "eligible": True,
        "transaction_decision": {
            "target_tool": RETURN,
            "resolved_arguments": {"encomenda_ids": ["ENC-7001"]},
        },
    }
    chat, session = await talk(bound(END, "out_of_band")), Session()
    asked = await chat.turn(session, "", F1_CALL)
    assert (asked.state.tool_name, asked.state.confirmation.channel) == (RETURN, "out_of_band")
    assert (await chat.turn(session, "sim")).state.status == "AWAITING_CONFIRMATION"
    assert loja.called(RETURN) == []


# Corrections


@pytest.mark.parametrize(
    "message",
    ["na verdade é o pedido PED-1002", "é o PED-1002", "sim, mas o PED-1002", "não, o PED-1002", "sim"],
)
async def test_a_corrected_call_of_the_same_tool_amends_and_asks_again(talk, loja, message):
    chat, session = await talk(), Session()
    first = await chat.turn(session, "cancela o PED-1001", cancel_order("PED-1001"))
    again = await chat.turn(session, message, cancel_order("PED-1002"))
    assert again.state.transaction_id == first.state.transaction_id
    assert (again.wants, again.unused, again.state.arguments) == (
        Wants.ANSWER,
        None,
        {"order_id": "PED-1002"},
    )
    assert again.text.startswith("Os dados foram alterados")
    assert loja.called(ORDER) == []
    await chat.turn(session, "sim", cancel_order("PED-1002"))
    assert [call.arguments["order_id"] for call in loja.called(ORDER)] == ["PED-1002"]


async def test_a_correction_in_words_is_the_agents_and_may_come_later(talk, loja):
    chat, session = await talk(), Session()
    await chat.turn(session, "", cancel_order("PED-1001"))
    handed = await chat.turn(session, "troca o motivo para atraso")
    assert (handed.wants, handed.reply.reason) == (Wants.AGENT, "correction")
    assert handed.state.question in handed.text
    again = await chat.turn(session, "troca o motivo para atraso", cancel_order("PED-1001", motivo="atraso"))
    assert again.state.arguments == {"order_id": "PED-1001", "motivo": "atraso"}
    await chat.turn(session, "sim")
    assert loja.called(ORDER)[0].arguments["motivo"] == "atraso"


async def test_a_correction_leaves_out_what_was_taken_out(talk, loja):
    chat, session = await talk(), Session()
    await chat.turn(session, "", F2_CALL)
    await chat.turn(session, "tira o segundo")
    call = {"tool_name": RETURN, "arguments": F2_CALL["arguments"] | {"valor": "10"}}
    again = await chat.turn(session, "o valor é 10", call)
    assert [item.item_id for item in again.state.items] == ["ENC-7001", "ENC-7003"]
    assert again.state.arguments["valor"] == "10"


async def test_a_correction_that_cannot_be_taken_changes_nothing(talk):
    chat, session = await talk(), Session()
    first = await chat.turn(session, "", cancel_order("PED-1001"))
    again = await chat.turn(session, "na verdade …", cancel_order("PED-1001", cor="azul"))
    assert again.state.confirmation.digest == first.state.confirmation.digest
    assert again.text.startswith("A alteração não pôde ser feita")
    assert again.unused == ToolCall.of(cancel_order("PED-1001", cor="azul"))


async def test_a_correction_that_is_not_eligible_ends_it(talk, loja):
    chat, session = await talk(), Session()
    await chat.turn(session, "", cancel_order("PED-1001"))
    told = await chat.turn(session, "é o PED-ENTREGUE", cancel_order("PED-ENTREGUE"))
    assert (told.state.status, session.transaction_id) == ("OUT_OF_SCOPE", None)
    assert loja.called(ORDER) == []


async def test_an_agent_may_say_that_the_same_tool_is_another_request(talk, loja):
    chat, session = await talk(on_new_subject="park"), Session()
    first = await chat.turn(session, "", cancel_order("PED-1001"))
    other = await chat.turn(session, "cancela também o PED-1002", cancel_order("PED-1002"), intent="other")
    assert other.state.transaction_id != first.state.transaction_id
    assert session.parked == (first.state.transaction_id,)
    await chat.turn(session, "sim")
    await chat.turn(session, "sim")
    assert [call.arguments["order_id"] for call in loja.called(ORDER)] == ["PED-1002", "PED-1001"]


async def test_a_yes_or_no_is_the_value_of_a_parameter_that_is_declared_so(talk, loja):
    chat, session = await talk({ORDER: {"requires": ["order_id", "avisar"]}}), Session()
    asked = await chat.turn(session, "", cancel_order("PED-1001"))
    assert (asked.wants, asked.state.parameter_types) == (Wants.VALUE, {"avisar": "boolean"})
    question = await chat.turn(session, "não, obrigado")
    assert question.state.arguments == {"order_id": "PED-1001", "avisar": False}
    await chat.turn(session, "sim")
    assert loja.called(ORDER)[0].arguments["avisar"] is False


# Nothing is lost


async def test_what_a_new_subject_cancels_says_so_in_the_persons_language_alone(talk):
    chat, session = await talk(), Session()
    asked = await chat.turn(session, "", F1_CALL)
    told = await chat.turn(session, "quero devolver as encomendas", F2_CALL)
    assert told.text.startswith("A operação anterior foi cancelada")
    left = await chat.shop.client.result(asked.state.transaction_id)
    assert (left.transaction_status, left.message) == (
        Status.CANCELLED,
        "Nada foi executado: a operação foi cancelada.",
    )


async def test_a_call_that_comes_when_another_ended_is_started_before_what_was_parked(talk, loja):
    chat, session = await talk(on_new_subject="park"), Session()
    parked = await chat.turn(session, "", F1_CALL)
    second = await chat.turn(session, "quero devolver", F2_CALL)
    await chat.shop.client.cancel(second.state.transaction_id)
    third = await chat.turn(session, "cancela o PED-1001", cancel_order("PED-1001"))
    assert (third.state.tool_name, third.unused) == (ORDER, None)
    assert session.parked == (parked.state.transaction_id,)
    back = await chat.turn(session, "sim")
    assert len(loja.called(ORDER)) == 1
    assert (back.state.transaction_id, back.wants) == (parked.state.transaction_id, Wants.ANSWER)


async def test_a_request_behind_a_no_is_handed_on_though_another_question_comes_back(talk):
    chat, session = await talk(on_new_subject="park"), Session()
    parked = await chat.turn(session, "", F1_CALL)
    await chat.turn(session, "quero devolver", F2_CALL)
    told = await chat.turn(session, "não, quero ver minhas faturas")
    assert (told.wants, told.rest) == (Wants.AGENT, "quero ver minhas faturas")
    assert told.state.transaction_id == parked.state.transaction_id


async def test_a_request_behind_a_no_with_its_call_is_started_first(talk, loja):
    chat, session = await talk(on_new_subject="park"), Session()
    parked = await chat.turn(session, "", F1_CALL)
    await chat.turn(session, "quero devolver", F2_CALL)
    told = await chat.turn(session, "não, quero ver minhas faturas", READ_CALL)
    assert (len(loja.called("listar_faturas")), told.unused) == (1, None)
    assert (told.state.transaction_id, told.wants) == (parked.state.transaction_id, Wants.ANSWER)


async def test_a_call_that_was_not_used_is_given_back(talk, impatient):
    chat, session = await talk(), Session()
    await chat.turn(session, "", F1_CALL)
    again = await chat.turn(session, "sim, e quero ver minhas faturas", READ_CALL)
    assert again.unused == ToolCall.of(READ_CALL)
    assert (await chat.turn(session, "sim", F1_CALL)).unused is None
    await chat.shop.desk.stop_worker()
    asleep = await chat.turn(Session(session_id="two"), "", F2_CALL)
    assert (asleep.wants, asleep.unused) == (Wants.PATIENCE, None)


async def test_a_call_without_a_worker_is_given_back(talk):
    chat, session = await talk(), Session()
    await chat.turn(session, "", F1_CALL)
    await chat.shop.desk.stop_worker()
    told = await chat.turn(session, "quero devolver", F2_CALL)
    assert (told.wants, told.unused) == (Wants.PATIENCE, ToolCall.of(F2_CALL))


# The agent's own reading


@pytest.mark.parametrize(
    "call",
    [
        {"tool_name": ORDER, "arguments": {"order_id": "\ud800"}},
        {"tool_name": ORDER, "arguments": None},
        {"name": ORDER},
        "cancelar_pedido",
        ToolCall(tool_name=ORDER, arguments={"order_id": "\udfff"}),
    ],
    ids=["surrogate", "null arguments", "no tool", "text", "model"],
)
async def test_a_call_that_is_none_is_an_error_of_ours_and_changes_nothing(talk, call):
    chat, session = await talk(), Session()
    asked = await chat.turn(session, "", F2_CALL)
    before = session.model_copy()
    with pytest.raises(InvalidRequest):
        await chat.turn(session, "sim", call)
    assert session == before
    assert (await chat.turn(session, "?")).state.confirmation == asked.state.confirmation


async def test_a_start_that_failed_is_made_again_under_the_same_id(talk):
    chat, session = await talk(), Session()
    before = session.model_copy()
    with pytest.raises(InvalidRequest):
        await chat.turn(session, "", {"tool_name": " "})
    assert session == before


def test_an_agents_reading_never_makes_a_confirm_of_any_reply():
    known = [(question, text) for question, text, *_ in test_replies.ROWS]
    unseen = [(question, text) for question, text, *_ in test_unseen_replies.ROWS]
    for question, text in [*known, *unseen]:
        plain = read_reply(text, question)
        for intent in INTENTS:
            read = stricter(plain, intent)
            if read.kind is ReplyKind.CONFIRM:
                assert plain.kind is ReplyKind.CONFIRM
                assert intent in (None, "confirm")
            if plain.kind is ReplyKind.REJECT:
                assert read == plain
            assert (read.remove_ids, read.add_texts) == (plain.remove_ids, plain.add_texts)


@pytest.mark.parametrize("intent", INTENTS)
async def test_no_intent_executes_what_is_not_a_yes(talk, loja, intent):
    chat, session = await talk(), Session()
    await chat.turn(session, "", F1_CALL)
    for message in ("ok", "pode, mas antes consulta o valor", "sim, se for de graça", "👍", "sim?", ""):
        told = await chat.turn(session, message, intent=intent)
        if intent != "reject":
            assert told.state.status == "AWAITING_CONFIRMATION"
    assert loja.called(END) == []


# The words of other runtimes

LATCH = {
    "next_state": None,
    "selected_tool_call": {},
    "pending_tool_call": {},
    "missing_parameters": [],
    "confirmation_required": False,
}
RECORD = PreValidationRecord(
    tool_name="contestar_cobranca",
    validator_tool="validar_contestacao",
    eligible=False,
    status="OUT_OF_SCOPE",
    terminal=True,
)


@pytest.mark.parametrize("status", [*sorted(CLOSED_STATUSES), "TERMINATED"])
def test_a_terminal_status_clears_the_latch_as_seed_002_says(status):
    executed = status in ("COMPLETED", "FAILED")
    facts = {
        "transaction_id": "tx-1",
        "tool_name": "contestar_cobranca",
        "requested_tool_name": "contestar_cobranca",
        "arguments": {"fatura": "1"},
        "missing_parameters": ("motivo",),
        "transaction_pre_validation": RECORD,
    }
    if status == "TERMINATED":
        state = TerminatedState(**facts)
    else:
        result = TransactionResult(
            transaction_id="tx-1", tool_name="contestar_cobranca", ok=executed, transaction_status=status
        )
        state = TransactionState(status=status, result=result, **facts)
    read = agent_state(state)
    assert {key: read[key] for key in LATCH} == LATCH
    assert read["transaction_status"] == status
    kept = read["transaction_pre_validation"]
    assert {key: kept[key] for key in ("tool_name", "validator_tool", "eligible", "status", "terminal")} == {
        "tool_name": "contestar_cobranca",
        "validator_tool": "validar_contestacao",
        "eligible": False,
        "status": "OUT_OF_SCOPE",
        "terminal": True,
    }
    assert bool(read["transaction_evidence"]) == executed
    assert set(read) == {*LATCH, "transaction_status", "transaction_pre_validation", "transaction_evidence"}


@pytest.mark.parametrize(
    ("status", "next_state", "pending"),
    [
        (Status.COLLECTING_PARAMETERS, "COLLECTING_RETAIL_PARAMETERS", False),
        (Status.VALIDATING, "COLLECTING_RETAIL_PARAMETERS", False),
        (Status.AWAITING_CONFIRMATION, "WAITING_RETAIL_CONFIRMATION", True),
        (Status.EXECUTING, None, False),
    ],
)
def test_an_open_status_keeps_the_latch(status, next_state, pending):
    state = TransactionState(
        transaction_id="t", status=status, tool_name="x", requested_tool_name="x", arguments={"a": 1}
    )
    read = agent_state(state, agent="retail_agent")
    assert (read["next_state"], read["confirmation_required"], bool(read["pending_tool_call"])) == (
        next_state,
        pending,
        pending,
    )
    assert read["selected_tool_call"] == {"tool_name": "x", "arguments": {"a": 1}}
