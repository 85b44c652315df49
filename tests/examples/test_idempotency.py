import asyncio
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from confirmo.examples import contas, retail
from confirmo.examples.ledger import Demand, Ledger, Outcome

CANCEL = ("cancelar_vas_avulso", {"subject": "TIM Fashion Mensal"})


@pytest.mark.parametrize("by", ["meta", "argument"])
async def test_the_same_key_twice_has_one_effect_and_one_answer(
    contas_client: Client, ledger: Ledger, call: Any, by: str
) -> None:
    tool, arguments = CANCEL
    key = None if by == "meta" else "k"
    meta = {"confirmo/idempotency_key": "k"} if by == "meta" else {}
    async with contas_client as client:
        first = await call(client, tool, arguments | {"idempotency_key": key}, **meta)
        second = await call(client, tool, arguments | {"idempotency_key": key}, **meta)
    assert first == second
    assert len(ledger.effects(tool=tool, item="TIM Fashion Mensal", idempotency_key="k")) == 1
    calls = ledger.calls(tool=tool)
    assert [(row.idempotency_key, row.effect, row.replayed) for row in calls] == [
        ("k", True, False),
        ("k", False, True),
    ]


async def test_another_key_or_none_has_another_effect(
    contas_client: Client, ledger: Ledger, call: Any
) -> None:
    tool, arguments = CANCEL
    async with contas_client as client:
        for key in ("a", "b", None, None):
            await call(client, tool, arguments, key=key)
    assert len(ledger.effects(tool=tool)) == 4
    assert ledger.repeated_effects() == []


async def test_a_key_that_came_with_another_item_is_refused(
    contas_client: Client, ledger: Ledger, call: Any
) -> None:
    async with contas_client as client:
        await call(client, *CANCEL, key="k")
        answer = await call(client, "cancelar_vas_avulso", {"subject": "Neymar Jr"}, key="k")
    assert answer == {"success": False, "reason": "idempotency_key_reused"}
    assert len(ledger.effects()) == 1


async def test_a_no_is_judged_afresh(contas_client: Client, ledger: Ledger, call: Any) -> None:
    arguments = {"subject": "Aya Audiobooks Premium"}
    async with contas_client as client:
        answers = [await call(client, "cancelar_vas_avulso", arguments, key="k") for _ in range(2)]
    assert answers[0] == answers[1]
    assert [(row.effect, row.replayed) for row in ledger.calls()] == [(False, False), (False, False)]


@pytest.mark.parametrize("meta", ["item_keys", "call_key"])
async def test_a_batch_sent_again_does_only_what_is_missing(
    retail_client: Client, ledger: Ledger, call: Any, meta: str
) -> None:
    keys: dict[str, Any] = {"confirmo/idempotency_key": "call"}
    if meta == "item_keys":
        keys["confirmo/item_keys"] = {f"P-{n}": f"key-{n}" for n in (10000, 10001, 10002)}
    async with retail_client as client:
        first = await call(client, "cancelar_pedidos", {"order_ids": ["P-10000", "P-10001"]}, **keys)
        again = await call(client, "cancelar_pedidos", {"order_ids": ["P-10001", "P-10002"]}, **keys)
    assert first["results"][1] == again["results"][0]
    assert [row.item for row in ledger.effects()] == ["P-10000", "P-10001", "P-10002"]
    expected = "key-10001" if meta == "item_keys" else "call/P-10001"
    assert {row.idempotency_key for row in ledger.calls(item="P-10001")} == {expected}


async def test_an_item_twice_in_one_batch_is_done_once(
    retail_client: Client, ledger: Ledger, call: Any
) -> None:
    async with retail_client as client:
        answer = await call(client, "cancelar_pedidos", {"order_ids": ["P-100", "P-100"]})
    assert len(answer["results"]) == 1
    assert len(ledger.effects()) == 1


async def test_the_same_key_in_parallel_has_one_effect(db: Path, ledger: Ledger, call: Any) -> None:
    with Ledger(db) as other:
        async with (
            Client(contas.create_server(ledger)) as one,
            Client(contas.create_server(other)) as two,
        ):
            answers = await asyncio.gather(
                *(call(client, *CANCEL, key="k") for client in (one, two) for _ in range(20))
            )
    assert all(answer == answers[0] for answer in answers)
    assert len(ledger.effects()) == 1
    assert len(ledger.calls()) == 40


async def test_a_tool_that_ignores_its_key_shows_the_double_effect(
    contas_client: Client, ledger: Ledger, call: Any
) -> None:
    arguments = {"subject": "Tamboro Mensal", "valor": 14.99}
    async with contas_client as client:
        first = await call(client, "contestar_cobranca", arguments, key="k")
        second = await call(client, "contestar_cobranca", arguments, key="k")
    assert first["protocol"] != second["protocol"]
    assert ledger.repeated_effects() == [("contestar_cobranca", "Tamboro Mensal", "k", 2)]


async def test_a_restart_with_the_same_file_remembers(db: Path, call: Any) -> None:
    with Ledger(db) as ledger:
        async with Client(retail.create_server(ledger)) as client:
            first = await call(client, "cancelar_pedido", {"order_id": "P-100"}, key="k")
    with Ledger(db) as ledger:
        async with Client(retail.create_server(ledger)) as client:
            second = await call(client, "cancelar_pedido", {"order_id": "P-100"}, key="k")
            shown = await call(client, "consultar_pedido", {"order_id": "P-100"})
        assert len(ledger.effects()) == 1
    assert first == second
    assert shown["status"] == "CANCELAMENTO_SOLICITADO"


async def test_the_transaction_and_read_only_calls_are_written_down(
    contas_client: Client, ledger: Ledger, call: Any
) -> None:
    meta = {"confirmo/transaction_id": "tx-1"}
    async with contas_client as client:
        await call(client, "validar_vas_subject", {"subject": "Tamboro"}, **meta)
        await call(client, *CANCEL, key="k", **meta)
    rows = ledger.calls()
    assert [(row.tool, row.transaction_id, row.effect) for row in rows] == [
        ("validar_vas_subject", "tx-1", False),
        ("cancelar_vas_avulso", "tx-1", True),
    ]
    assert ledger.effects()[0].transaction_id == "tx-1"
    assert rows[0].time.endswith("Z")


def test_a_failing_act_leaves_nothing(ledger: Ledger) -> None:
    def act(item: str) -> Outcome:
        if item == "bad":
            raise RuntimeError
        return Outcome({"success": True}, effect=True)

    with pytest.raises(RuntimeError):
        ledger.perform("tool", [Demand("good", "a"), Demand("bad", "b")], act)
    assert ledger.effects() == []
    assert ledger.calls() == []
