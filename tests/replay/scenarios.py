"""Transactions whose histories are kept: each runs on the real server and leaves one workflow behind.

A scenario is run twice in its life: once to record the history of a release, and in every test run to compare what
today's code would do (timeouts, retry policies, timers: what replay does not see) with what was recorded.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import SecretStr
from temporalio.client import WorkflowFailureError

from confirmo.client import TransactionClient
from confirmo.policies.tool_spec import TextOverrides
from confirmo.worker.settings import Settings
from harness import Call, Desk, Page, ToolServer, Tx, WebhookReceiver, failed
from harness.shop import ITEMS

F1 = ("encerrar_assinaturas", {"alvo": "rádio maré, clube leitura e cofre fotos"})
F2 = ("devolver_encomendas", {"encomenda_ids": ["ENC-7001", "ENC-7002", "ENC-7003"]})

OpenDesk = Callable[..., Awaitable[Desk]]
Scenario = Callable[[OpenDesk, ToolServer], Awaitable[Tx]]


def f1_policy(**keys: Any) -> dict[str, Any]:
    return {"policies": {"encerrar_assinaturas": keys}}


async def confirmed(desk: OpenDesk, loja: ToolServer) -> Tx:
    tx = await (await desk()).start(*F1, requester={"id": "u-ana"})
    await tx.confirm()
    await tx.result()
    return tx


async def two_people(desk: OpenDesk, loja: ToolServer) -> Tx:
    """Four eyes; another spelling of the first one's id is no second person."""
    policy = f1_policy(confirmation={"by": "other", "approvals": 2})
    tx = await (await desk(**policy)).start(*F1, requester={"id": "u-ana"})
    for actor in ("u-beto", "U-BETO", "u-caio"):
        await tx.confirm(actor={"id": actor})
    await tx.result()
    return tx


async def rejected(desk: OpenDesk, loja: ToolServer) -> Tx:
    tx = await (await desk()).start(*F1)
    await tx.reject(comment="mudei de ideia")
    await tx.result()
    return tx


async def expired(desk: OpenDesk, loja: ToolServer) -> Tx:
    tx = await (await desk(**f1_policy(confirmation={"expires_seconds": 1}))).start(*F1)
    await tx.result()
    return tx


async def partial(desk: OpenDesk, loja: ToolServer) -> Tx:
    def answer(call: Call) -> Any:
        return failed("não encontrado") if "Clube" in call.arguments["alvo"] else {"success": True}

    loja.on["encerrar_assinaturas"] = answer
    tx = await (await desk()).start(*F1)
    await tx.confirm()
    await tx.result()
    return tx


async def auxiliary_failed(desk: OpenDesk, loja: ToolServer) -> Tx:
    loja.on["avisar_cliente"] = failed("SMS gateway 502")
    after = [{"tool": "avisar_cliente", "arguments": {"canal": "sms"}}]
    tx = await (await desk(**f1_policy(after=after))).start(*F1)
    await tx.confirm()
    await tx.result()
    return tx


async def amended(desk: OpenDesk, loja: ToolServer) -> Tx:
    loja.on["checar_assinaturas"] = lambda call: {
        "eligible": True,
        "transaction_decision": {
            "resolved_arguments": {
                "items": [item for item in ITEMS if item["name"] in call.arguments["alvo"]]
            }
        },
    }
    every = ", ".join(item["name"] for item in ITEMS)
    tx = await (await desk()).start("encerrar_assinaturas", {"alvo": every})
    await tx.update("amend", {"remove_item_ids": ["A-02"]})
    await tx.confirm()
    await tx.result()
    return tx


async def retargeted(desk: OpenDesk, loja: ToolServer) -> Tx:
    loja.on["checar_assinaturas"] = {
        "eligible": True,
        "transaction_decision": {
            "target_tool": "devolver_encomendas",
            "resolved_arguments": {"encomenda_ids": ["ENC-7001", "ENC-7002"]},
        },
    }
    tx = await (await desk()).start(*F1)
    await tx.confirm()
    await tx.result()
    return tx


async def cancelled_while_executing(desk: OpenDesk, loja: ToolServer) -> Tx:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slow(_call: Call) -> dict[str, Any]:
        begun.set()
        await go_on.wait()
        return {"success": True}

    loja.on["encerrar_assinaturas"] = slow
    tx = await (await desk(**f1_policy(execution={"max_concurrency": 1}))).start(*F1)
    await tx.confirm()
    async with asyncio.timeout(20):
        await begun.wait()
    await tx.update("cancel", {"reason": "parar"})
    go_on.set()
    await tx.result()
    return tx


async def cancel_ends_waiting(desk: OpenDesk, loja: ToolServer) -> Tx:
    """The same since a cancel also ends the time between two attempts."""
    return await cancelled_while_executing(desk, loja)


async def sent_again_after_throttling(desk: OpenDesk, loja: ToolServer) -> Tx:
    """A keyed call that provably did nothing goes out again from the workflow."""
    pages = iter([Page(429, headers={"retry-after": "0"})])
    loja.pages[F2[0]] = lambda _: next(pages, None)
    tx = await (await desk(policies={F2[0]: {"execution": {"effect": "keyed"}}})).start(*F2)
    await tx.confirm()
    await tx.result()
    return tx


async def own_queue(desk: OpenDesk, loja: ToolServer) -> Tx:
    """A server with limits has its calls on a task queue of its own."""
    after = [{"tool": "avisar_cliente", "arguments": {"canal": "sms"}}]
    limits = {"endpoint": loja.endpoint, "max_concurrency": 4, "max_calls_per_second": 100}
    tx = await (await desk(**f1_policy(after=after), servers={"loja": limits})).start(*F1)
    await tx.confirm()
    await tx.result()
    return tx


async def handed_on(desk: OpenDesk, loja: ToolServer) -> Tx:
    """The worker takes one call of a server at once, and hands the others on to the server's own queue."""
    others, calls = asyncio.Event(), []

    async def first_ends_last(call: Call) -> dict[str, Any]:
        calls.append(call)
        if len(calls) == len(ITEMS):
            others.set()
        elif len(calls) == 1:
            async with asyncio.timeout(20):
                await others.wait()
        return {"success": True}

    loja.on["encerrar_assinaturas"] = first_ends_last
    two = {"outra": {"endpoint": "http://127.0.0.1:9/mcp"}}
    d = await desk(servers=two, settings=Settings(max_concurrent_activities=2))
    tx = await d.start(*F1)
    await tx.confirm()
    await tx.result()
    return tx


async def signal_instead_of_update(desk: OpenDesk, loja: ToolServer) -> Tx:
    tx = await (await desk()).start(*F1)
    await tx.signal("confirm", {"decision": "confirm", "digest": "not this one"})
    await tx.signal("confirm", {"decision": "confirm", "digest": await tx.digest()})
    await tx.result()
    return tx


async def parameters_collected(desk: OpenDesk, loja: ToolServer) -> Tx:
    tx = await (await desk()).start("encerrar_assinaturas", {"motivo": "preço"})
    await tx.update("provide_parameters", {"arguments": {"alvo": "rádio maré"}})
    await tx.confirm()
    await tx.result()
    return tx


async def bypassed(desk: OpenDesk, loja: ToolServer) -> Tx:
    validation = {"fail_open": True, "timeout_seconds": 1}
    d = await desk(
        **f1_policy(pre_validation=validation),
        servers={"fora": {"endpoint": "http://127.0.0.1:9/mcp"}},
        tools={"checar_assinaturas": {"mcp_server": "fora"}},
    )
    tx = await d.start(*F1)
    await tx.confirm()
    await tx.result()
    return tx


async def whole_set(desk: OpenDesk, loja: ToolServer) -> Tx:
    tx = await (await desk()).start(*F2)
    await tx.confirm()
    await tx.result()
    return tx


async def unsafe_verified(desk: OpenDesk, loja: ToolServer) -> Tx:
    go_on, asked = asyncio.Event(), []

    async def slow(_call: Call) -> dict[str, Any]:
        async with asyncio.timeout(20):
            await go_on.wait()
        return {"success": True}

    def status(call: Call) -> dict[str, Any]:
        asked.append(call)
        if len(asked) == len(ITEMS):  # none of them may be answered before its time is over
            go_on.set()
        return {"found": True, "success": True, "protocolo": "EN-9"}

    loja.on |= {"encerrar_assinaturas": slow, "situacao": status}
    d = await desk(
        tools={"situacao": {"mcp_server": "loja", "tool_type": "internal"}},
        policies={
            "situacao": {"operation_type": "internal"},
            "encerrar_assinaturas": {"execution": {"status_tool": "situacao", "timeout_seconds": 1}},
        },
    )
    tx = await d.start(*F1)
    await tx.confirm()
    await tx.result()
    return tx


async def slices(desk: OpenDesk, loja: ToolServer) -> Tx:
    items = [{"id": f"I-{n:03}", "name": f"Item {n}"} for n in range(60)]
    loja.on["checar_assinaturas"] = {
        "eligible": True,
        "transaction_decision": {"resolved_arguments": {"items": items}},
    }
    tx = await (await desk(**f1_policy(execution={"effect": "keyed"}))).start(*F1)
    await tx.confirm()
    await tx.result()
    return tx


async def read_only(desk: OpenDesk, loja: ToolServer) -> Tx:
    tx = await (await desk()).start("listar_faturas")
    await tx.result()
    return tx


async def out_of_scope(desk: OpenDesk, loja: ToolServer) -> Tx:
    loja.on["checar_assinaturas"] = {"eligible": False, "status": "NOT_ELIGIBLE", "reason": "fidelidade"}
    tx = await (await desk()).start(*F1)
    await tx.result()
    return tx


async def blocked(desk: OpenDesk, loja: ToolServer) -> Tx:
    tx = await (await desk()).start("nada")
    await tx.result()
    return tx


async def waiting(desk: OpenDesk, loja: ToolServer) -> Tx:
    return await (await desk()).start(*F1)


async def one_of_three_done(desk: OpenDesk, loja: ToolServer) -> Tx:
    """Left open: one item is done, the second one is under way."""
    done, never = asyncio.Event(), asyncio.Event()

    async def first_only(call: Call) -> dict[str, Any]:
        if call.arguments["alvo"] != ITEMS[0]["name"]:
            done.set()
            await never.wait()
        return {"success": True}

    loja.on["encerrar_assinaturas"] = first_only
    tx = await (await desk(**f1_policy(execution={"max_concurrency": 1}))).start(*F1)
    await tx.confirm()
    async with asyncio.timeout(20):
        await done.wait()
    never.set()
    return tx


async def revalidated(desk: OpenDesk, loja: ToolServer) -> Tx:
    confirmation = {"revalidate_after_seconds": 0.001}
    tx = await (await desk(**f1_policy(confirmation=confirmation))).start(*F1)
    await tx.confirm()
    await tx.result()
    return tx


def _undoing(**policy: Any) -> dict[str, Any]:
    step = {"tool": "reativar", "arguments": {"id": "{{ item_id }}"}, "when": "partial"}
    return {
        "tools": {
            "reativar": {"mcp_server": "loja", "tool_type": "internal", "args_schema": {"id": "string"}}
        },
        "policies": {
            "encerrar_assinaturas": {"compensate": step},
            "reativar": {"operation_type": "internal"} | policy,
        },
    }


def _one_fails(loja: ToolServer) -> None:
    loja.on["encerrar_assinaturas"] = lambda call: (
        failed("não") if "Clube" in call.arguments["alvo"] else {"success": True}
    )
    loja.on["reativar"] = {"success": True}


async def undone(desk: OpenDesk, loja: ToolServer) -> Tx:
    _one_fails(loja)
    tx = await (await desk(**_undoing())).start(*F1)
    await tx.confirm()
    await tx.result()
    return tx


async def undo_asked(desk: OpenDesk, loja: ToolServer) -> Tx:
    _one_fails(loja)
    tx = await (await desk(**_undoing(require_confirmation=True))).start(*F1)
    await tx.confirm()
    asked = await tx.awaiting()
    await tx.confirm(digest=asked["confirmation"]["digest"])
    await tx.result()
    return tx


async def redriven(desk: OpenDesk, loja: ToolServer) -> Tx:
    _one_fails(loja)
    d = await desk()
    first = await d.run(*F1)
    state = await TransactionClient(d.client, task_queue=d.task_queue).redrive(first["transaction_id"])
    tx = Tx(d.client.get_workflow_handle(state.transaction_id))
    await tx.confirm()
    await tx.result()
    return tx


async def resolved(desk: OpenDesk, loja: ToolServer) -> Tx:
    loja.on["encerrar_assinaturas"] = lambda call: (
        {} if "Clube" in call.arguments["alvo"] else {"success": True}
    )
    d = await desk()
    first = await d.run(*F1)
    state = await TransactionClient(d.client, task_queue=d.task_queue).redrive(
        first["transaction_id"], resolve={"A-02": "succeeded"}, note="visto no sistema"
    )
    tx = Tx(d.client.get_workflow_handle(state.transaction_id))
    await tx.result()
    return tx


async def claimed_slices(desk: OpenDesk, loja: ToolServer) -> Tx:
    loja.on["devolver_encomendas"] = {"success": True}
    own = {
        "devolver_encomendas": {
            "pre_validation": {"enabled": False},
            "execution": {"call": "per_item", "effect": "unsafe", "max_concurrency": 8},
        }
    }
    ids = [f"ENC-{number:04}" for number in range(60)]
    tx = await (await desk(policies=own)).start("devolver_encomendas", {"encomenda_ids": ids})
    await tx.confirm()
    await tx.result()
    return tx


def _per_item(**execution: Any) -> dict[str, Any]:
    own = {"call": "per_item", "max_concurrency": 8} | execution
    return {F2[0]: {"pre_validation": {"enabled": False}, "execution": own}}


async def retries_claim(desk: OpenDesk, loja: ToolServer) -> Tx:
    """An item of an unsafe slice that was refused is written down again before it goes out again."""
    loja.on[F2[0]] = {"success": True}
    pages = iter([Page(429, headers={"retry-after": "0"})])
    loja.pages[F2[0]] = lambda _: next(pages, None)
    d = await desk(policies=_per_item(effect="unsafe", max_concurrency=1))
    tx = await d.start(F2[0], {"encomenda_ids": [f"ENC-{number:04}" for number in range(22)]})
    await tx.confirm()
    await tx.result()
    return tx


async def room_in_the_next_task(desk: OpenDesk, loja: ToolServer) -> Tx:
    """Twenty calls at once count more bytes than one task brings: the tool has an endless description."""
    loja.on[F2[0]] = {"success": True}
    ids = {"type": "array", "label": "as encomendas", "description": "d" * 160_000}
    own = {"tools": {F2[0]: {"args_schema": {"encomenda_ids": ids}}}}
    d = await desk(**own, policies=_per_item(effect="keyed", max_concurrency=20))
    tx = await d.start(F2[0], {"encomenda_ids": [f"ENC-{number:04}" for number in range(20)]})
    await tx.confirm()
    await tx.result()
    return tx


async def deliveries_end_first(desk: OpenDesk, loja: ToolServer) -> Tx:
    """A no while the receiver still holds the question."""
    answered = asyncio.Event()

    async def hold() -> int:
        async with asyncio.timeout(20):
            await answered.wait()
        return 204

    async with WebhookReceiver().running() as receiver:
        receiver.answering(hold)
        tx = await (await desk(settings=_webhook(receiver))).start(*F2)
        await receiver.until("confirmation.requested")
        await tx.reject()
        await receiver.until("transaction.cancelled")
        answered.set()
        await tx.result()
        return tx


async def stored(desk: OpenDesk, loja: ToolServer) -> Tx:
    """A worker with a payload store, and slices whose size is measured."""
    loja.on[F2[0]] = {"success": True}
    with TemporaryDirectory() as folder:
        d = await desk(
            policies=_per_item(effect="keyed"),
            settings=Settings(heartbeat_seconds=15, max_items=90_000),
            payload_store=f"dir:{folder}",
        )
        tx = await d.start(F2[0], {"encomenda_ids": [f"ENC-{number:04}" for number in range(30)]})
        await tx.confirm()
        await tx.result()
        return tx


OWN_TEXTS = TextOverrides(
    texts={
        "hint": "Diga 'sim' para fazer ou 'não' para desistir.",
        "item_succeeded": "{label} foi encerrado{detail}.",
    },
    operation_nouns=(("encerrar_assinaturas", "o fim"),),
)


async def own_texts(desk: OpenDesk, loja: ToolServer) -> Tx:
    tx = await (await desk(texts={"pt-BR": OWN_TEXTS})).start(*F1)
    await tx.confirm()
    await tx.result()
    return tx


def _webhook(receiver: WebhookReceiver) -> Settings:
    return Settings(webhook_url=receiver.url, webhook_secrets=SecretStr("whsec_" + "c2VncmVkbw" * 4))


async def end_told(desk: OpenDesk, loja: ToolServer) -> Tx:
    """The question and the end go to a webhook; the end by a workflow of its own."""
    async with WebhookReceiver().running() as receiver:
        tx = await (await desk(settings=_webhook(receiver))).start(*F1)
        await receiver.until("confirmation.requested")
        await tx.confirm()
        await tx.result()
        await receiver.until("transaction.completed")
        return tx


async def no_told(desk: OpenDesk, loja: ToolServer) -> Tx:
    """A no, told to a receiver that has not yet taken the question."""
    async with WebhookReceiver().running() as receiver:
        receiver.answering(503)
        tx = await (await desk(settings=_webhook(receiver))).start(*F2)
        await receiver.until("confirmation.requested")
        await tx.reject()
        await tx.result()
        await receiver.until("transaction.cancelled")
        return tx


async def end_delivered(desk: OpenDesk, loja: ToolServer) -> Tx:
    """The delivery's own run."""
    tx = await end_told(desk, loja)
    return await _delivery(tx)


async def end_refused(desk: OpenDesk, loja: ToolServer) -> Tx:
    """The same where the receiver is gone."""
    async with WebhookReceiver().running() as receiver:
        receiver.answering(410)
        tx = await (await desk(settings=_webhook(receiver))).start("listar_faturas", {})
        await tx.result()
        return await _delivery(tx)


async def _delivery(tx: Tx) -> Tx:
    delivery = Tx(tx.handle._client.get_workflow_handle(f"{tx.id}/end"))
    with contextlib.suppress(WorkflowFailureError):
        await delivery.result()
    return delivery


SUPERSEDED = {"cancelled_while_executing", "merged_task"}
"""Scenarios that ask the server for something else today, behind ``workflow.patched``; their histories still replay."""

SCENARIOS: dict[str, Scenario] = {
    scenario.__name__: scenario
    for scenario in (
        amended,
        auxiliary_failed,
        blocked,
        bypassed,
        cancel_ends_waiting,
        cancelled_while_executing,
        claimed_slices,
        confirmed,
        deliveries_end_first,
        end_delivered,
        end_refused,
        end_told,
        expired,
        handed_on,
        no_told,
        one_of_three_done,
        out_of_scope,
        own_queue,
        own_texts,
        parameters_collected,
        partial,
        read_only,
        redriven,
        rejected,
        resolved,
        retargeted,
        retries_claim,
        revalidated,
        room_in_the_next_task,
        sent_again_after_throttling,
        signal_instead_of_update,
        slices,
        stored,
        two_people,
        undo_asked,
        undone,
        unsafe_verified,
        waiting,
        whole_set,
    )
}
