"""A bad network between worker and tool server, with the ledger as the judge."""

import signal

import pytest

from harness import until
from harness.judging import all_agree, effects_of
from harness.proxy import Fault, Proxy


@pytest.fixture
async def behind_proxies(rig):
    """Everything running, each tool server behind a proxy of its own."""
    proxies = {name: Proxy(rig.ports[name]) for name in ("contas", "retail")}
    async with proxies["contas"].running() as contas, proxies["retail"].running() as retail:
        rig.settings |= {
            "CONTAS_URL": f"http://127.0.0.1:{contas.port}/mcp",
            "RETAIL_URL": f"http://127.0.0.1:{retail.port}/mcp",
        }
        await rig.start_all()
        yield rig, proxies


@pytest.mark.parametrize("fault", [Fault.CUT_ANSWERS, Fault.CUT_REQUESTS, Fault.REFUSE])
async def test_a_keyed_tool_is_called_again_with_its_key_when_the_network_comes_back(behind_proxies, fault):
    rig, proxies = behind_proxies
    ledger, proxy = rig.ledger("retail"), proxies["retail"]
    tx = await rig.start("cancelar_pedido", {"order_id": "PED-1001"})
    proxy.fault = fault
    if fault is Fault.REFUSE:
        proxy.reset()
    await tx.confirm(digest=tx.opened["confirmation"]["digest"])
    await until(lambda: proxy.struck > 0)
    proxy.fault = Fault.NONE
    result = await tx.result()
    all_agree(result, ledger, "cancelar_pedido")
    assert result["ok"] is True, result
    assert effects_of(ledger, "cancelar_pedido") == ["PED-1001"]


async def test_a_keyed_tool_whose_answers_never_arrive_is_unknown_and_done_at_most_once(behind_proxies):
    rig, proxies = behind_proxies
    ledger, proxy = rig.ledger("retail"), proxies["retail"]
    before = await rig.start("cancelar_pedido", {"order_id": "P-100"})
    await before.confirm(digest=before.opened["confirmation"]["digest"])
    assert (await before.result())["ok"] is True  # the session is open and the tools are listed
    tx = await rig.start("cancelar_pedido", {"order_id": "PED-1001"})
    proxy.fault = Fault.CUT_ANSWERS
    await tx.confirm(digest=tx.opened["confirmation"]["digest"])
    result = await tx.result()
    output = result["result"]["output"]["cancelar_pedido"]
    assert output["outcome"] == "UNKNOWN"
    assert result["metadata"]["needs_review"] is True
    assert effects_of(ledger, "cancelar_pedido") == ["P-100", "PED-1001"]


@pytest.mark.parametrize("fault", [Fault.CUT_ANSWERS, Fault.CUT_REQUESTS])
async def test_an_unsafe_tool_is_asked_about_and_acts_once(behind_proxies, fault):
    rig, proxies = behind_proxies
    ledger, proxy = rig.ledger("contas"), proxies["contas"]
    tx = await rig.start("contestar_cobranca", {"subject": "Tamboro", "valor": "14,99"})
    proxy.fault = fault
    await tx.confirm(digest=tx.opened["confirmation"]["digest"])
    await until(lambda: proxy.struck > 0)
    proxy.fault = Fault.NONE
    result = await tx.result()
    all_agree(result, ledger, "contestar_cobranca")
    assert len(effects_of(ledger, "contestar_cobranca")) <= 1


async def test_a_slow_network_changes_nothing(behind_proxies):
    rig, proxies = behind_proxies
    proxies["contas"].delay = 0.1
    tx = await rig.start("cancelar_vas_avulso", {"subject": "TIM Fashion, Tamboro e Neymar Jr"})
    await tx.confirm(digest=tx.opened["confirmation"]["digest"])
    result = await tx.result()
    assert result["multi_item_status"] == "SUCCESS"
    assert [entry["attempts"] for entry in result["result"]["output"]["cancelar_vas_avulso"]["results"]] == [
        1,
        1,
        1,
    ]


async def test_a_worker_that_stood_still_does_not_send_what_another_attempt_took_over(behind_proxies):
    """SIGSTOP is not SIGKILL: the first worker comes back, with an attempt that the server gave to another one."""
    rig, proxies = behind_proxies
    ledger = rig.ledger("contas")
    tx = await rig.start("contestar_cobranca", {"subject": "Tamboro", "valor": "14,99"})
    proxies["contas"].delay, before = 1.0, proxies["contas"].came
    await tx.confirm(digest=tx.opened["confirmation"]["digest"])
    await until(lambda: proxies["contas"].came > before)
    rig.processes["worker"].send_signal(signal.SIGSTOP)
    proxies["contas"].delay = 0.0
    await rig.start_worker("second")
    result = await tx.result()
    rig.processes["worker"].send_signal(signal.SIGCONT)
    all_agree(result, ledger, "contestar_cobranca")
    assert len(effects_of(ledger, "contestar_cobranca")) <= 1
