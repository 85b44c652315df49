from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError

from confirmo.examples import contas
from confirmo.examples.ledger import Ledger

TOOL = "cancelar_vas_avulso"
ARGUMENTS = {"subject": "TIM Fashion Mensal"}
CRASHED = 70


async def test_a_delay_after_the_effect_loses_the_answer_only(
    contas_client: Client, ledger: Ledger, call: Any
) -> None:
    ledger.knobs.turn("delay_after", tool=TOOL, seconds=60, times=1)
    async with contas_client as client:
        with pytest.raises(MCPError):
            await client.call_tool(TOOL, ARGUMENTS | {"idempotency_key": "k"}, read_timeout_seconds=0.2)
        assert len(ledger.effects()) == 1
        answer = await call(client, TOOL, ARGUMENTS, key="k")
    assert answer["success"] is True
    assert len(ledger.effects()) == 1


async def test_a_delay_before_the_effect_does_not_stop_when_the_caller_hangs_up(
    db: Path, ledger: Ledger, start: Any
) -> None:
    ledger.knobs.turn("delay_before", item="TIM Fashion Mensal", seconds=0.5, times=1)
    ledger.knobs.turn("delay_before", item="Neymar Jr", seconds=1, times=1)
    async with start("contas", f"--db={db}") as server, Client(server.url) as client:
        with pytest.raises(MCPError):
            await client.call_tool(TOOL, ARGUMENTS, read_timeout_seconds=0.1)
        await client.call_tool(TOOL, {"subject": "Neymar Jr"})
    assert [row.item for row in ledger.effects()] == ["TIM Fashion Mensal", "Neymar Jr"]


@pytest.mark.parametrize(("kind", "effects"), [("error_before", 0), ("error_after", 1)])
async def test_an_internal_error_comes_before_or_after_the_effect(
    contas_client: Client, ledger: Ledger, call: Any, kind: str, effects: int
) -> None:
    ledger.knobs.turn(kind, times=1)
    async with contas_client as client:
        with pytest.raises(MCPError) as caught:
            await call(client, TOOL, ARGUMENTS, key="k")
        assert caught.value.error.code == -32603
        assert len(ledger.effects()) == effects
        assert (await call(client, TOOL, ARGUMENTS, key="k"))["success"] is True
    assert len(ledger.effects()) == 1


async def test_a_knob_is_only_for_its_tool_and_item(contas_client: Client, ledger: Ledger, call: Any) -> None:
    ledger.knobs.turn("error_before", tool="tratar_vas_estrategico")
    ledger.knobs.turn("error_before", tool=TOOL, item="Neymar Jr", times=1)
    async with contas_client as client:
        await call(client, TOOL, ARGUMENTS)
        with pytest.raises(MCPError):
            await call(client, TOOL, {"subject": "Neymar Jr"})
        await call(client, TOOL, {"subject": "Neymar Jr"})
        with pytest.raises(MCPError):
            await call(client, "tratar_vas_estrategico", {"subject": "youtube"})
    assert [knob.times for knob in ledger.knobs.all()] == [None, 0]


@pytest.mark.parametrize(("kind", "effects"), [("crash_before", 0), ("crash_after", 1)])
async def test_a_crash_and_a_restart_end_with_one_effect(
    db: Path, ledger: Ledger, call: Any, start: Any, kind: str, effects: int
) -> None:
    environment = {"EXAMPLES_KNOBS": f'[{{"kind": "{kind}", "times": 1}}]'}
    async with start("contas", f"--db={db}", environment=environment) as server:
        with pytest.raises(ExceptionGroup, match="unhandled errors"):
            async with Client(server.url) as client:
                await call(client, TOOL, ARGUMENTS, key="k")
        assert await server.wait() == CRASHED
    assert len(ledger.effects()) == effects
    async with start("contas", f"--db={db}", environment=environment) as server, Client(server.url) as client:
        assert (await call(client, TOOL, ARGUMENTS, key="k"))["success"] is True
    assert len(ledger.effects(idempotency_key="k")) == 1


async def test_a_crash_in_a_batch_keeps_what_was_done_before_it(
    db: Path, ledger: Ledger, call: Any, start: Any
) -> None:
    ledger.knobs.turn("crash_after", item="P-10001", times=1)
    order_ids = ["P-10000", "P-10001", "P-10002"]
    async with start("retail", f"--db={db}") as server:
        with pytest.raises(ExceptionGroup, match="unhandled errors"):
            async with Client(server.url) as client:
                await call(client, "cancelar_pedidos", {"order_ids": order_ids}, key="k")
        assert await server.wait() == CRASHED
    assert [row.item for row in ledger.effects()] == order_ids[:2]
    async with start("retail", f"--db={db}") as server, Client(server.url) as client:
        answer = await call(client, "cancelar_pedidos", {"order_ids": order_ids}, key="k")
    assert all(entry["success"] for entry in answer["results"])
    assert [row.item for row in ledger.effects()] == order_ids


async def test_what_is_cancelled_is_refused_where_that_is_wanted(
    contas_client: Client, retail_client: Client, ledger: Ledger, call: Any
) -> None:
    ledger.knobs.turn("refuse_repeated")
    async with contas_client as contas, retail_client as retail:
        await call(contas, TOOL, ARGUMENTS, key="a")
        again = await call(contas, TOOL, ARGUMENTS, key="b")
        verdict = await call(contas, "validar_vas_subject", ARGUMENTS)
        await call(contas, "cancelar_produtos", {"items": ["1001"]})
        product = await call(contas, "cancelar_produtos", {"items": ["1001"]})
        await call(retail, "cancelar_pedido", {"order_id": "P-100"})
        order = await call(retail, "cancelar_pedidos", {"order_ids": ["P-100"]})
        order_verdict = await call(retail, "validar_cancelamento_pedido", {"order_id": "P-100"})
    assert again["reason"] == "already_cancelled"
    assert verdict["eligible"] is False
    assert product["results"][0]["reason"] == "already_cancelled"
    assert order["results"][0]["reason"] == "Pedido já cancelado."
    assert order_verdict["reason"] == "Pedido já cancelado."
    assert len(ledger.effects()) == 3


@pytest.mark.parametrize("text", ["{}", "[1]", '[{"kind": "no"}]', '[{"kind": "delay_after", "x": 1}]', "["])
def test_a_knob_that_does_not_exist_is_refused(ledger: Ledger, text: str) -> None:
    with pytest.raises(ValueError):
        ledger.knobs.turn_from(text)
    assert ledger.knobs.all() == []


def test_the_environment_arms_only_once(ledger: Ledger) -> None:
    for _ in range(2):
        ledger.knobs.turn_from('[{"kind": "crash_after"}]', once=True)
    assert len(ledger.knobs.all()) == 1
    ledger.knobs.turn_from('[{"kind": "crash_after"}]')
    assert len(ledger.knobs.all()) == 2


async def test_a_closed_ledger_makes_a_tool_error(ledger: Ledger) -> None:
    async with Client(contas.create_server(ledger)) as client:
        ledger.close()
        result = await client.call_tool(TOOL, ARGUMENTS)
    assert result.is_error
