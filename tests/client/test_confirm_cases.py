"""Every confirm case of the collection, through the client and through a conversation; the names tell which."""

import asyncio
import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from confirmo.client import (
    AlreadyClosed,
    Conversation,
    InvalidDecision,
    NotAwaitingConfirmation,
    NoWorker,
    Session,
    UpdateRefused,
    Wants,
)
from confirmo.policies.models import TransactionRequest
from harness import until
from harness.shop import F1, F2, ITEMS

AREA = (1, 3, 6, 8, 9, 12, 14, 18, 21, 22, 23, 24, 25, 27, 29, 32, 35)
"""Numbers of the cases: CF-01, CF-03, …"""
END, CHECK, RETURN = "encerrar_assinaturas", "checar_assinaturas", "devolver_encomendas"
GLANCE = timedelta(milliseconds=300)


def test_every_case_of_the_area_is_here():
    named = {int(number) for name in globals() for number in re.findall(r"cf_(\d\d)", name)}
    assert named == set(AREA)


@dataclass
class Heard:
    """What a door answered: a state, a refusal, or both; a text where it speaks."""

    state: Any = None
    error: Any = None
    text: str = ""


class ByClient:
    """Answers the way a program does."""

    def __init__(self, shop: Any) -> None:
        self.shop = shop
        self.id = ""
        self.digest = "0" * 64

    async def ask(self, call: tuple[str, dict[str, Any]]) -> Heard:
        state = await self.shop.start(*call)
        self.id, self.digest = state.transaction_id, getattr(state.confirmation, "digest", self.digest)
        return Heard(state, text=state.question or state.reason or "")

    async def _decide(self, decision: dict[str, Any]) -> Heard:
        try:
            return Heard(await self.shop.client.confirm(self.id, decision))
        except UpdateRefused as refused:
            return Heard(getattr(refused, "state", None), refused)

    async def yes(self) -> Heard:
        return await self._decide({"decision": "confirm", "digest": self.digest})

    async def no(self) -> Heard:
        return await self._decide({"decision": "reject", "digest": self.digest})

    async def nothing(self) -> None:
        for body in ({}, {"confirmed": None}, {"reason": "ok"}, {"decision": None}):
            assert isinstance((await self._decide(body)).error, InvalidDecision)


class ByTurn:
    """Answers the way a person does, in a chat."""

    def __init__(self, shop: Any) -> None:
        self.shop = shop
        self.chat = Conversation(shop.client, result_patience=timedelta(seconds=20))
        self.session = Session()
        self.id = ""

    async def ask(self, call: tuple[str, dict[str, Any]]) -> Heard:
        heard = await self._say("", {"tool_name": call[0], "arguments": call[1]})
        self.id = heard.state.transaction_id
        return heard

    async def _say(self, message: str, call: Any = None, session: Session | None = None) -> Heard:
        told = await self.chat.turn(session or self.session, message, call)
        return Heard(told.state, text=told.text)

    async def yes(self) -> Heard:
        return await self._say("sim", session=self.session.model_copy())

    async def no(self) -> Heard:
        return await self._say("não", session=self.session.model_copy())

    async def nothing(self) -> None:
        for message in ("", "   ", "\u200b", "*"):
            assert (await self._say(message)).state.status == "AWAITING_CONFIRMATION"


@pytest.fixture(params=[ByClient, ByTurn], ids=["client", "turn"])
def speaker(request, door):
    """Open the shop and a way to answer: ``await speaker(policies=…)``."""

    async def open_one(**options):
        return request.param(await door(**options))

    return open_one


async def ended(speaker):
    await speaker.shop.client.result(speaker.id)
    return await speaker.shop.client.state(speaker.id)


def events(state):
    return [event.name.removeprefix("IC.TRANSACTION_") for event in state.events]


async def test_cf_01_the_same_yes_twice_at_once_executes_once(speaker, loja):
    one = await speaker()
    await one.ask(F2)
    heard = await asyncio.gather(one.yes(), one.yes(), one.yes())
    assert all(each.error is None for each in heard)
    state = await ended(one)
    assert len(loja.called(RETURN)) == events(state).count("CONFIRMED") == 1
    assert (await one.yes()).state.result == state.result


async def test_cf_03_a_yes_after_the_deadline_is_told_and_executes_nothing(speaker, loja):
    one = await speaker(policies={RETURN: {"confirmation": {"expires_seconds": 1}}})
    await one.ask(F2)
    await ended(one)
    late = await one.yes()
    assert late.state.status == "EXPIRED"
    assert isinstance(late.error, AlreadyClosed) or "a resposta não foi usada" in late.text
    assert loja.called(RETURN) == []


async def test_cf_06_a_yes_that_races_with_a_cancel_wins_or_loses_whole(speaker, loja):
    one = await speaker()
    for turn in range(10):
        loja.calls.clear()
        if isinstance(one, ByTurn):
            one.session.release()
        await one.ask((RETURN, {"encomenda_ids": [f"ENC-{turn}"]}))
        cancel = one.shop.client.cancel(one.id)
        both = (one.yes(), cancel) if turn % 2 else (cancel, one.yes())
        await asyncio.gather(*both, return_exceptions=True)
        state = await ended(one)
        sent = len(loja.called(RETURN))
        assert (state.status, sent) in (("CANCELLED", 0), ("COMPLETED", 1))
        assert [item.outcome for item in state.items] == ["SUCCEEDED"] * sent or sent == 0


async def test_cf_08_a_no_is_enforced_though_the_tool_would_do_it(speaker, loja):
    one = await speaker()
    await one.ask(F1)
    await one.no()
    assert (await ended(one)).reason_code == "rejected"
    later = await one.yes()
    assert (later.state.status, loja.called(END)) == ("CANCELLED", [])


async def test_cf_09_no_decision_is_neither_yes_nor_no(speaker, loja):
    one = await speaker()
    await one.ask(F2)
    await one.nothing()
    assert loja.called(RETURN) == []
    await one.yes()
    assert (await ended(one)).status == "COMPLETED"


async def test_cf_12_of_two_open_questions_each_gets_its_own_answer(speaker, loja):
    one = await speaker()
    two = type(one)(one.shop)
    if isinstance(one, ByTurn):
        two.session = Session(session_id=one.session.session_id)
    await one.ask(F1)
    await two.ask(F2)
    await two.yes()
    await one.no()
    assert ((await ended(one)).status, (await ended(two)).status) == ("CANCELLED", "COMPLETED")
    assert (loja.called(END), len(loja.called(RETURN))) == ([], 1)


async def test_cf_12_in_one_conversation_the_later_question_is_answered_first(door, loja):
    shop = await door()
    chat, session = Conversation(shop.client, on_new_subject="park"), Session()
    await chat.turn(session, "", {"tool_name": F1[0], "arguments": F1[1]})
    await chat.turn(session, "", {"tool_name": F2[0], "arguments": F2[1]})
    assert (await chat.turn(session, "sim")).wants is Wants.ANSWER
    assert (await chat.turn(session, "não")).state.status == "CANCELLED"
    assert (loja.called(END), len(loja.called(RETURN))) == ([], 1)


async def test_cf_14_what_is_shown_is_what_runs(speaker, loja):
    chosen = ITEMS[:2]
    loja.on[CHECK] = lambda _call: {
        "eligible": True,
        "transaction_decision": {
            "resolved_arguments": {"alvo": "Rádio Maré, Clube Leitura", "items": chosen}
        },
    }
    one = await speaker()
    asked = await one.ask((END, {"alvo": "maré e leitura"}))
    assert [item.label for item in asked.state.items] == [item["name"] for item in chosen]
    assert all(item["name"] in asked.text for item in chosen)
    await one.yes()
    await ended(one)
    assert sorted(call.arguments["alvo"] for call in loja.called(END)) == ["Clube Leitura", "Rádio Maré"]


@pytest.mark.parametrize("word", ["sim", "não", "simulação", "sintoma", "s1m", ""])
async def test_cf_18_a_word_is_no_decision_for_the_client_and_one_reading_in_a_conversation(
    speaker, loja, word
):
    one = await speaker()
    await one.ask(F2)
    if isinstance(one, ByClient):
        with pytest.raises(InvalidDecision):
            await one.shop.client.confirm(one.id, {"decision": word, "digest": one.digest})
        status = "AWAITING_CONFIRMATION"
    else:
        await one.chat.turn(one.session, word)
        status = {"sim": "COMPLETED", "não": "CANCELLED"}.get(word, "AWAITING_CONFIRMATION")
    assert (await one.shop.client.state(one.id)).status == status
    assert len(loja.called(RETURN)) == (status == "COMPLETED")


async def test_cf_21_a_yes_without_a_worker_survives_and_executes_once(speaker, loja):
    one = await speaker()
    await one.ask(F2)
    await one.shop.desk.stop_worker()
    told = await one.yes()
    assert (told.state.status, told.state.result, loja.called(RETURN)) == ("AWAITING_CONFIRMATION", None, [])
    assert told.state.accepted_by == "signal"
    assert isinstance(one, ByClient) or "registrada" in told.text
    await one.shop.desk.start_worker()
    assert (await ended(one)).status == "COMPLETED"
    await one.yes()
    assert len(loja.called(RETURN)) == 1


async def test_cf_22_nothing_before_the_question_runs_again(speaker, loja):
    one = await speaker(max_cached_workflows=0)
    await one.ask(F1)
    await one.shop.desk.stop_worker()
    await one.shop.desk.start_worker()
    await one.yes()
    state = await ended(one)
    assert (len(loja.called(CHECK)), len(loja.called(END))) == (1, 3)
    for name in ("PREVALIDATION_REQUESTED", "PREVALIDATION_PASSED", "CONFIRMATION_REQUIRED", "CONFIRMED"):
        assert events(state).count(name) == 1


async def test_cf_23_the_first_decision_stands(speaker, loja):
    one = await speaker()
    await one.ask(F2)
    await one.no()
    await ended(one)
    yes, no = await one.yes(), await one.no()
    assert (yes.state.status, no.state.status) == ("CANCELLED", "CANCELLED")
    assert isinstance(yes.error, AlreadyClosed | None)
    assert (no.error, loja.called(RETURN)) == (None, [])


async def test_cf_24_a_yes_before_the_question_never_executes(speaker, loja):
    answering = asyncio.Event()

    async def slow(_call):
        await answering.wait()
        return {"eligible": False, "reason": "há um débito aberto"}

    loja.on[CHECK] = slow
    one = await speaker()
    if isinstance(one, ByClient):
        request = TransactionRequest(tool_name=F1[0], arguments=F1[1])
        with pytest.raises(NoWorker):
            await one.shop.client.start(request, id="early", timeout=GLANCE)
        one.id = "early"
        await until(lambda: loja.called(CHECK))
        assert isinstance((await one.yes()).error, NotAwaitingConfirmation)
        answering.set()
    else:
        one.chat = Conversation(one.shop.client, result_patience=GLANCE)
        starting = asyncio.ensure_future(one.ask(F1))
        await until(lambda: loja.called(CHECK))
        early = await one.yes()
        assert early.state.status == "VALIDATING"
        answering.set()
        assert "há um débito aberto" in (await starting).text
    state = await ended(one)
    assert (state.status, state.reason_code, loja.called(END)) == ("OUT_OF_SCOPE", "not_eligible", [])


GONE = {"servers": {"fora": {"endpoint": "http://127.0.0.1:9/mcp"}}, "tools": {CHECK: {"mcp_server": "fora"}}}
MUTE = {"policies": {END: {"pre_validation": {"timeout_seconds": 0.3}}}}


async def forever(_call):
    await asyncio.Event().wait()


@pytest.mark.parametrize("down", [GONE, MUTE], ids=["refused", "silent"])
async def test_cf_25_without_its_validator_nothing_is_asked_and_the_next_turn_is_free(speaker, loja, down):
    loja.on[CHECK] = forever
    one = await speaker(**down)
    told = await one.ask(F1)
    assert (told.state.status, told.state.reason_code) == ("OUT_OF_SCOPE", "prevalidation_error")
    assert told.state.transaction_pre_validation.status == "PREVALIDATION_ERROR"
    assert "CONFIRMATION_REQUIRED" not in events(told.state)
    assert loja.called(END) == []
    assert (await one.ask(F2)).state.status == "AWAITING_CONFIRMATION"


async def test_cf_27_a_check_that_was_skipped_is_told(speaker, loja):
    loja.on[CHECK] = forever
    one = await speaker(policies={END: {"pre_validation": {"timeout_seconds": 0.3, "fail_open": True}}})
    asked = await one.ask(F1)
    record = asked.state.transaction_pre_validation
    assert (asked.state.status, asked.state.arguments) == ("AWAITING_CONFIRMATION", F1[1])
    assert (record.bypassed, bool(record.error)) == (True, True)
    assert {"PREVALIDATION_BYPASSED"} == {name for name in events(asked.state) if name in (
        "PREVALIDATION_BYPASSED", "PREVALIDATION_PASSED")}  # fmt: skip
    assert "não" in asked.text
    await one.yes()
    assert (await ended(one)).status == "COMPLETED"


@pytest.mark.parametrize("fail_open", [False, True])
@pytest.mark.parametrize("word", ["false", "False", "não", "true"])
async def test_cf_29_eligible_as_a_text_is_malformed_and_opens_nothing(speaker, loja, word, fail_open):
    loja.on[CHECK] = {"eligible": word}
    one = await speaker(policies={END: {"pre_validation": {"fail_open": fail_open}}})
    told = await one.ask(F1)
    assert (told.state.status, told.state.reason_code) == ("OUT_OF_SCOPE", "prevalidation_error")
    assert told.state.transaction_pre_validation.error
    assert loja.called(END) == []


@pytest.mark.parametrize("target", ["apagar_conta", "encerrar_assinaturas_antigo"])
async def test_cf_32_a_target_that_is_unknown_or_off_is_never_reached(speaker, loja, target):
    loja.on |= {
        CHECK: {"eligible": True, "transaction_decision": {"target_tool": target}},
        target: {"success": True},
    }
    off = {"encerrar_assinaturas_antigo": {"mcp_server": "loja", "enabled": False, "tool_type": "action"}}
    one = await speaker(tools=off)
    told = await one.ask(F1)
    assert (told.state.status, told.state.reason_code) == ("BLOCKED", "target_not_allowed")
    assert target in told.text
    assert loja.called(target) == loja.called(END) == []


async def test_cf_35_one_of_three_that_is_not_eligible_does_not_close_the_set(speaker, loja):
    marked = [item | {"eligible": item["id"] != "A-02"} for item in ITEMS]
    marked[1]["reason"] = "fidelidade"
    message = "Rádio Maré e Cofre Fotos 50 serão encerrados; Clube Leitura tem fidelidade. Confirma?"
    loja.on[CHECK] = {
        "eligible": True,
        "status": "PARTIALLY_ELIGIBLE",
        "transaction_decision": {"resolved_arguments": {"items": marked}, "confirmation_message": message},
    }
    one = await speaker()
    asked = await one.ask(F1)
    assert [item.eligible for item in asked.state.items] == [True, False, True]
    assert "fidelidade" in asked.text
    await one.yes()
    state = await ended(one)
    counts = state.result.metadata["multi_item"]
    assert (counts["status"], counts["items_count"], counts["items_succeeded_count"]) == (
        "PARTIAL_SUCCESS",
        3,
        2,
    )
    [failed] = [entry for entry in state.result.result["output"][END]["results"] if not entry["success"]]
    assert (failed["item_id"], failed["reason"]) == ("A-02", "fidelidade")
    assert len(loja.called(END)) == 2
