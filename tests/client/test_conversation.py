"""A conversation, on the real server: the Retail scenario of seed 002, and the confirm cases through ``turn``."""

import asyncio
from datetime import timedelta

import pytest

from confirmo.client import Session, Wants, agent_state
from confirmo.client.conversation.facts import stricter
from confirmo.policies.models import Actor, Status, TransactionState
from confirmo.policies.replies import Reply, ReplyKind, ReplyReason
from harness import until
from harness.retail import DELIVERED, END, F1_CALL, F2_CALL, READ_CALL, RETURN, cancel_order
from harness.shop import ITEMS


async def test_seed_002_an_eligible_order_is_asked_about_and_cancelled(talk, loja):
    chat, session = await talk(), Session()
    asked = await chat.turn(session, "quero cancelar o pedido PED-1001", cancel_order("PED-1001"))
    assert asked.wants is Wants.ANSWER
    assert "PED-1001" in asked.text
    facts = agent_state(asked.state, agent="retail_agent")
    assert facts["transaction_status"] == "AWAITING_CONFIRMATION"
    assert facts["next_state"] == "WAITING_RETAIL_CONFIRMATION"
    assert facts["pending_tool_call"] == facts["selected_tool_call"] == cancel_order("PED-1001")
    assert (facts["confirmation_required"], facts["transaction_evidence"]) == (True, [])
    assert loja.called("cancelar_pedido") == []
    session = Session.model_validate_json(session.model_dump_json())
    done = await chat.turn(session, "sim")
    assert (done.wants, done.state.status) == (Wants.NOTHING, "COMPLETED")
    assert done.text == done.state.result.message
    assert len(loja.called("cancelar_pedido")) == 1
    facts = agent_state(done.state)
    assert (facts["next_state"], facts["pending_tool_call"], facts["confirmation_required"]) == (
        None,
        {},
        False,
    )
    assert facts["transaction_evidence"][0]["tool_name"] == "cancelar_pedido"
    assert session.transaction_id is session.shown_digest is None


async def test_seed_002_a_delivered_order_is_refused_and_the_next_turn_is_free(talk, loja):
    chat, session = await talk(), Session()
    refused = await chat.turn(session, "quero cancelar o pedido PED-ENTREGUE", cancel_order("PED-ENTREGUE"))
    assert refused.wants is Wants.NOTHING
    assert DELIVERED.rstrip(".") in refused.text
    facts = agent_state(refused.state)
    assert facts["transaction_pre_validation"]["eligible"] is False
    assert {key: value for key, value in facts.items() if key != "transaction_pre_validation"} == {
        "transaction_status": "OUT_OF_SCOPE",
        "next_state": None,
        "selected_tool_call": {},
        "pending_tool_call": {},
        "missing_parameters": [],
        "confirmation_required": False,
        "transaction_evidence": [],
    }
    free = await chat.turn(session, "sim")
    assert (free.wants, free.state) == (Wants.AGENT, None)
    asked = await chat.turn(session, "e o PED-1001?", cancel_order("PED-1001"))
    assert asked.wants is Wants.ANSWER
    assert DELIVERED not in asked.text
    assert loja.called("cancelar_pedido") == []


async def test_a_missing_parameter_is_asked_for_and_the_message_is_its_value(talk, loja):
    chat, session = await talk(), Session()
    asked = await chat.turn(session, "quero cancelar um pedido", cancel_order())
    assert (asked.wants, asked.state.missing_parameters) == (Wants.VALUE, ("order_id",))
    assert agent_state(asked.state)["next_state"] == "COLLECTING_SUPPORT_PARAMETERS"
    for message, wants in (
        ("não sei", Wants.VALUE),
        ("sim", Wants.VALUE),
        ("onde acho o número?", Wants.AGENT),
    ):
        again = await chat.turn(session, message)
        assert again.wants is wants
        assert asked.text in again.text
    question = await chat.turn(session, "PED-1001")
    assert (question.wants, question.state.arguments) == (Wants.ANSWER, {"order_id": "PED-1001"})
    assert loja.called("cancelar_pedido") == []


async def test_giving_up_while_a_parameter_is_asked_for_cancels(talk):
    chat, session = await talk(), Session()
    await chat.turn(session, "quero cancelar um pedido", cancel_order())
    done = await chat.turn(session, "deixa pra lá")
    assert (done.state.status, done.wants, session.transaction_id) == ("CANCELLED", Wants.NOTHING, None)


async def test_an_agents_own_arguments_fill_what_is_missing(talk):
    chat, session = await talk(), Session()
    await chat.turn(session, "quero cancelar um pedido", cancel_order())
    asked = await chat.turn(session, "é aquele de ontem, o PED-1001", cancel_order("PED-1001"))
    assert asked.state.arguments == {"order_id": "PED-1001"}


@pytest.mark.parametrize("word", ["sim", "SIM", "Sim.", " sim ", "sim!"])
async def test_cf_18_a_yes_executes(talk, loja, word):
    chat, session = await talk(), Session()
    await chat.turn(session, "", F1_CALL)
    assert (await chat.turn(session, word)).state.status == "COMPLETED"
    assert len(loja.called(END)) == 3


@pytest.mark.parametrize("word", ["não", "nao", "NÃO", "na\u0303o", "Não."])
async def test_cf_08_cf_18_a_no_executes_nothing(talk, loja, word):
    chat, session = await talk(), Session()
    await chat.turn(session, "", F1_CALL)
    done = await chat.turn(session, word)
    assert (done.state.status, done.state.reason_code) == ("CANCELLED", "rejected")
    assert loja.called(END) == []


async def test_cf_09_cf_18_what_is_neither_is_asked_again(talk, loja):
    chat, session = await talk(), Session()
    asked = await chat.turn(session, "", F1_CALL)
    neither = [
        "",
        "simulação",
        "sintoma",
        "nada feito ainda?",
        "s1m",
        "🤔",
        "ok",
        "sim?",
        "cancela",
        "sim, mas espera",
    ]
    for message in neither:
        again = await chat.turn(session, message)
        assert again.state.status == "AWAITING_CONFIRMATION"
        assert asked.text in again.text
        assert again.text != asked.text
    assert loja.called(END) == []
    assert (await chat.turn(session, "sim")).state.status == "COMPLETED"


async def test_cf_01_the_same_yes_twice_at_once_executes_once(talk, loja):
    chat, session = await talk(), Session()
    await chat.turn(session, "", F2_CALL)
    copies = [session.model_copy() for _ in range(4)]
    told = await asyncio.gather(*(chat.turn(copy, "sim") for copy in copies))
    assert len({turn.text for turn in told}) == 1
    assert len(loja.called(RETURN)) == 1
    late = await chat.turn(session, "sim")
    assert late.text == told[0].text


async def test_a_yes_beside_a_change_is_no_yes_to_the_question_that_the_change_leads_to(talk, loja):
    chat, session = await talk(), Session()
    await chat.turn(session, "", F2_CALL)
    changed, yes = await asyncio.gather(chat.turn(session, "tira o primeiro"), chat.turn(session, "sim"))
    assert changed.state.confirmation.digest == yes.state.confirmation.digest == session.shown_digest
    assert "a resposta não foi usada" in yes.text
    assert changed.text.split("\n", 1)[1] in yes.text
    assert loja.called(RETURN) == []
    assert (await chat.turn(session, "sim")).state.status in ("COMPLETED", "FAILED")
    assert len(loja.called(RETURN)) == 1


async def test_the_same_yes_twice_at_once_on_one_session_is_told_the_end_twice(talk, loja):
    chat, session = await talk(), Session()
    await chat.turn(session, "", F2_CALL)
    first, second = await asyncio.gather(chat.turn(session, "sim"), chat.turn(session, "sim"))
    assert first.text == second.text == first.state.result.message
    assert len(loja.called(RETURN)) == 1


async def test_two_requests_at_once_on_one_session_leave_no_question_behind(talk, loja):
    chat, session = await talk(), Session()
    first, second = await asyncio.gather(
        chat.turn(session, "quero devolver tudo", F2_CALL),
        chat.turn(session, "quero cancelar o pedido PED-1001", cancel_order("PED-1001")),
    )
    assert second.state.transaction_id == session.transaction_id != first.state.transaction_id
    assert (await chat.shop.client.state(first.state.transaction_id)).status == "CANCELLED"
    assert (await chat.turn(session, "sim")).state.status == "COMPLETED"
    assert loja.called(RETURN) == []


async def test_cf_03_a_yes_after_the_deadline_is_told_so(talk, loja):
    chat = await talk({RETURN: {"confirmation": {"expires_seconds": 1}}})
    session = Session()
    asked = await chat.turn(session, "", F2_CALL)
    await chat.shop.client.result(asked.state.transaction_id)
    late = await chat.turn(session, "sim")
    assert late.state.status == "EXPIRED"
    assert "a resposta não foi usada" in late.text
    assert loja.called(RETURN) == []
    assert session.transaction_id is None


async def test_cf_12_two_conversations_keep_their_answers(talk, loja):
    chat, one, two = await talk(), Session(), Session()
    await chat.turn(one, "", F1_CALL)
    await chat.turn(two, "", F2_CALL)
    assert (await chat.turn(two, "sim")).state.status == "COMPLETED"
    assert (await chat.turn(one, "não")).state.status == "CANCELLED"
    assert (len(loja.called(RETURN)), loja.called(END)) == (1, [])


async def test_cf_14_a_question_that_changed_elsewhere_takes_no_old_yes(talk, loja):
    chat, session = await talk(), Session()
    asked = await chat.turn(session, "", F2_CALL)
    await chat.shop.client.amend(asked.state.transaction_id, remove_item_ids=("ENC-7001",))
    again = await chat.turn(session, "sim")
    assert (again.wants, again.state.status) == (Wants.ANSWER, "AWAITING_CONFIRMATION")
    assert "A pergunta mudou" in again.text
    assert loja.called(RETURN) == []
    await chat.turn(session, "sim")
    assert loja.called(RETURN)[0].arguments["encomenda_ids"] == ["ENC-7002", "ENC-7003"]


async def test_cf_21_a_yes_without_a_worker_is_recorded_and_executed_once(talk, loja):
    chat, session = await talk(), Session()
    await chat.turn(session, "", F2_CALL)
    await chat.shop.desk.stop_worker()
    other = await chat.turn(session, "tira o segundo")
    assert (other.wants, other.text.startswith("O serviço não responde")) == (Wants.PATIENCE, True)
    told = await chat.turn(session, "sim")
    assert (told.wants, told.text.startswith("A resposta está registrada")) == (Wants.PATIENCE, True)
    assert loja.called(RETURN) == []
    await chat.shop.desk.start_worker()
    await chat.shop.client.result(session.transaction_id)
    done = await chat.turn(session, "sim")
    assert (done.state.status, session.transaction_id) == ("COMPLETED", None)
    assert len(loja.called(RETURN)) == 1


async def test_cf_23_a_no_stands(talk, loja):
    chat, session = await talk(), Session()
    await chat.turn(session, "", F2_CALL)
    copy = session.model_copy()
    await chat.turn(session, "não")
    late = await chat.turn(copy, "sim")
    assert (late.state.status, late.wants) == ("CANCELLED", Wants.NOTHING)
    assert loja.called(RETURN) == []


async def test_cf_29_a_malformed_verdict_leaves_the_next_turn_free(talk, loja):
    loja.on["checar_encomendas"] = lambda call: {"eligible": "true"}
    chat, session = await talk(), Session()
    told = await chat.turn(session, "", F2_CALL)
    assert (told.state.status, told.state.reason_code) == ("OUT_OF_SCOPE", "prevalidation_error")
    assert session.transaction_id is None


async def test_items_are_removed_kept_and_added_and_asked_about_again(talk, loja):
    chat, session = await talk(), Session()
    await chat.turn(session, "", F2_CALL)
    fewer = await chat.turn(session, "tira o segundo")
    assert [item.item_id for item in fewer.state.items if item.eligible] == ["ENC-7001", "ENC-7003"]
    more = await chat.turn(session, "inclui também a ENC-9")
    assert "ENC-9" in more.text
    only = await chat.turn(session, "sim, mas só a última")
    assert (only.wants, loja.called(RETURN)) == (Wants.ANSWER, [])
    await chat.turn(session, "sim")
    assert loja.called(RETURN)[0].arguments["encomenda_ids"] == ["ENC-9"]


async def test_another_request_cancels_and_nothing_leaks(talk, loja):
    chat, session = await talk(), Session()
    await chat.turn(session, "", F1_CALL)
    first = session.transaction_id
    asked = await chat.turn(session, "quero devolver minhas encomendas", F2_CALL)
    assert asked.state.tool_name == RETURN
    assert all(item["name"] not in asked.text for item in ITEMS)
    assert (await chat.shop.client.state(first)).status == "CANCELLED"
    await chat.turn(session, "sim")
    assert (loja.called(END), len(loja.called(RETURN))) == ([], 1)


async def test_another_request_parks_and_comes_back_with_its_own_question(talk, loja):
    chat, session = await talk(on_new_subject="park"), Session()
    first = await chat.turn(session, "", F1_CALL)
    read = await chat.turn(session, "quero ver minhas faturas", READ_CALL)
    assert (read.wants, session.parked) == (Wants.ANSWER, ())
    assert first.state.question in read.text
    assert session.shown_digest == first.state.confirmation.digest
    await chat.turn(session, "sim")
    assert len(loja.called(END)) == 3


async def test_a_yes_with_another_request_behind_it_does_neither(talk, loja):
    chat, session = await talk(), Session()
    first = await chat.turn(session, "", F1_CALL)
    for message in ("sim, e quero ver minhas faturas", "pode, mas antes quero ver as faturas", "sim"):
        again = await chat.turn(session, message, READ_CALL)
        assert (again.state.transaction_id, again.wants) == (first.state.transaction_id, Wants.ANSWER)
    assert loja.calls == loja.called("checar_assinaturas")


async def test_a_no_with_another_request_behind_it_does_both(talk):
    chat, session = await talk(), Session()
    await chat.turn(session, "", F1_CALL)
    told = await chat.turn(session, "não, quero ver minhas faturas")
    assert (told.state.status, told.wants, told.rest) == (
        "CANCELLED",
        Wants.AGENT,
        "quero ver minhas faturas",
    )


async def test_an_agents_reading_makes_it_stricter_only(talk, loja):
    chat, session = await talk(), Session()
    await chat.turn(session, "", F1_CALL)
    assert (await chat.turn(session, "sim", intent="other")).wants is Wants.AGENT
    assert (await chat.turn(session, "ok", intent="confirm")).wants is Wants.ANSWER
    assert (await chat.turn(session, "sim", intent="reject")).wants is Wants.ANSWER
    assert loja.called(END) == []
    assert (await chat.turn(session, "ah, sei lá, melhor parar", intent="reject")).state.status == "CANCELLED"


@pytest.mark.parametrize("kind", list(ReplyKind))
@pytest.mark.parametrize("intent", [None, "confirm", "reject", "amend", "other"])
def test_no_intent_makes_a_confirm(kind, intent):
    read = stricter(Reply(kind, ReplyReason.YES), intent)
    assert (read.kind is ReplyKind.CONFIRM) == (kind is ReplyKind.CONFIRM and intent in (None, "confirm"))


async def test_a_long_execution_is_told_as_running_and_later_as_done(talk, loja):
    going = asyncio.Event()

    async def slow(call):
        await going.wait()
        return {"results": [{"id": entry, "success": True} for entry in call.arguments["encomenda_ids"]]}

    loja.on[RETURN] = slow
    chat, session = await talk(result_patience=timedelta(milliseconds=300)), Session()
    await chat.turn(session, "", F2_CALL)
    running = await chat.turn(session, "sim")
    assert (running.wants, running.state.status) == (Wants.PATIENCE, "EXECUTING")
    await until(lambda: loja.called(RETURN))
    going.set()
    await chat.shop.client.result(session.transaction_id)
    done = await chat.turn(session, "e aí?")
    assert done.state.status == "COMPLETED"
    assert done.text.endswith(done.state.result.message)


async def test_who_may_not_answer_is_told_so(talk, loja):
    chat = await talk({RETURN: {"confirmation": {"by": "other"}}})
    session = Session(requester=Actor(id="ana"))
    await chat.turn(session, "", F2_CALL)
    told = await chat.turn(session, "sim")
    assert "outra pessoa" in told.text
    assert loja.called(RETURN) == []


async def test_without_a_worker_who_may_not_answer_is_told_so_too(talk, loja):
    chat = await talk({RETURN: {"confirmation": {"by": "other"}}})
    session = Session(requester=Actor(id="ana"))
    await chat.turn(session, "", F2_CALL)
    await chat.shop.desk.stop_worker()
    told = await chat.turn(session, "sim")
    assert ("outra pessoa" in told.text, told.wants) == (True, Wants.PATIENCE)
    history = await chat.shop.client.export_history(session.transaction_id)
    assert "WORKFLOW_EXECUTION_SIGNALED" not in history
    assert loja.called(RETURN) == []


async def test_the_same_start_again_finds_the_same_transaction(talk):
    chat, session = await talk(), Session()
    lost = session.model_copy()
    first = await chat.turn(session, "", F2_CALL)
    again = await chat.turn(lost, "", F2_CALL)
    assert again.state.transaction_id == first.state.transaction_id


async def test_english_is_spoken(talk):
    chat, session = await talk(), Session(locale="en")
    await chat.turn(session, "", F1_CALL)
    assert (await chat.turn(session, "ok")).text.startswith("That may answer something else")
    assert (await chat.turn(session, "yes please")).state.status == "COMPLETED"


@pytest.mark.parametrize(
    "status", [status for status in Status if status.value not in ("COMPLETED", "FAILED")]
)
def test_agent_state_has_evidence_only_of_what_was_executed(status):
    state = TransactionState(transaction_id="t", status=status, tool_name="x", requested_tool_name="x")
    facts = agent_state(state)
    assert facts["transaction_evidence"] == []
    assert (facts["next_state"] is None) == (
        status not in (Status.COLLECTING_PARAMETERS, Status.VALIDATING, Status.AWAITING_CONFIRMATION)
    )


def test_agent_state_of_nothing_is_idle():
    assert agent_state(None)["transaction_status"] is None
