"""What every framework's recipe does, whatever the framework."""

import pytest

from confirmo.examples.ledger import Ledger

ONE = "quero cancelar o pedido PED-1001"
SET = "quero cancelar os pedidos P-100, P-102"
DELIVERED = "Pedido já entregue não pode ser cancelado por esta operação"


async def test_a_yes_cancels_once_and_the_answer_has_the_protocol(talks, ledger: Ledger) -> None:
    question, done = await talks.say(ONE, "sim")
    assert "PED-1001" in question
    assert "CANCEL-2026-001" in done
    assert [row.item for row in ledger.effects()] == ["PED-1001"]


async def test_a_no_cancels_nothing(talks, ledger: Ledger) -> None:
    _, done = await talks.say(ONE, "não")
    assert "CANCEL-2026-001" not in done
    assert ledger.calls(tool="cancelar_pedido") == []


@pytest.mark.parametrize("answer", ["ok", "pode, mas antes me diz o valor", "sim, mas não agora"])
async def test_what_is_no_plain_yes_is_asked_again(talks, ledger: Ledger, answer: str) -> None:
    question, again, done = await talks.say(ONE, answer, "sim")
    assert question.splitlines()[-1] in again
    assert "CANCEL-2026-001" in done
    assert len(ledger.effects()) == 1


async def test_yes_but_only_the_first_amends_and_asks_again(talks, ledger: Ledger) -> None:
    question, again = await talks.say(SET, "sim, mas só o primeiro")
    assert "P-102" in question
    assert "P-100" in again
    assert ledger.effects() == []
    (done,) = await talks.say("sim")
    assert "ABC1" in done
    assert [row.item for row in ledger.effects()] == ["P-100"]


async def test_a_refused_order_is_not_asked_about_and_the_next_turn_is_free(talks, ledger: Ledger) -> None:
    refused, free, question = await talks.say("quero cancelar o pedido PED-ENTREGUE", "sim", ONE)
    assert DELIVERED in refused
    assert "cancelado" not in free.lower() or "Posso" in free
    assert "PED-1001" in question
    assert ledger.calls(tool="cancelar_pedido") == []


async def test_a_missing_value_is_asked_for(talks, ledger: Ledger) -> None:
    asked, question, done = await talks.say("quero cancelar um pedido", "PED-1001", "sim")
    assert "número do pedido" in asked
    assert "PED-1001" in question
    assert "CANCEL-2026-001" in done


async def test_the_same_store_answered_twice_executes_once(talks, ledger: Ledger) -> None:
    await talks.say(ONE)
    before = talks.store.read_bytes()
    first = await talks.say("sim")
    talks.store.write_bytes(before)
    assert await talks.say("sim") == first
    assert len(ledger.effects()) == 1


async def test_two_requests_in_one_chat_are_two_transactions(talks, ledger: Ledger) -> None:
    *_, done = await talks.say(ONE, "sim", "quero cancelar o pedido P-10001", "sim")
    assert "P-10001" in done
    assert [row.item for row in ledger.effects()] == ["PED-1001", "P-10001"]
