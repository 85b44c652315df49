"""A deployment's own texts: said from its files, and frozen with the policy when a transaction begins."""

from datetime import timedelta

from confirmo.policies.tool_spec import TextOverrides
from harness.shop import F1

HINT = "Diga 'sim' para fazer ou 'não' para desistir."
FIRST = TextOverrides(
    texts={
        "hint": HINT,
        "confirm_noun": "Confirma {noun} disto: {what}?",
        "item_succeeded": "Encerrado: {label}{detail}.",
        "turn_running": "só a conversa diz isto",
    },
    operation_nouns=(("encerrar_assinaturas", "o fim"),),
)
SECOND = TextOverrides(texts={"hint": "Outra dica.", "item_succeeded": "{label} acabou{detail}."})
REJECTED = TextOverrides(texts={"workflow_rejected": "Ninguém confirmou."})


async def reworded(desk, texts):
    """Restart the worker with other files of texts, as a deployment does."""
    await desk.stop_worker()
    desk.catalog = desk.catalog.model_copy(update={"texts": texts})
    await desk.start_worker()


async def test_question_and_answer_are_in_the_deployments_words(desk):
    d = await desk()
    await reworded(d, {"pt-BR": FIRST})
    tx = await d.start(*F1)
    message = tx.opened["confirmation"]["message"]
    assert message.startswith("Confirma o fim disto: ")
    assert HINT in message
    await tx.confirm()
    told = (await tx.result())["message"]
    assert told.count("Encerrado: ") == 3


async def test_editing_the_texts_never_changes_a_waiting_transaction(desk):
    d = await desk(max_cached_workflows=0, task_timeout=timedelta(seconds=2))
    await reworded(d, {"pt-BR": FIRST})
    tx = await d.start(*F1)
    asked = tx.opened["confirmation"]
    await reworded(d, {"pt-BR": SECOND})
    assert (await tx.state())["confirmation"] == asked
    amended = await tx.update("amend", {"remove_item_ids": ["A-02"]})
    assert HINT in amended["confirmation"]["message"]
    await tx.confirm()
    assert "Encerrado: " in (await tx.result())["message"]
    fresh = await d.start(*F1)
    assert "Outra dica." in fresh.opened["question"]


async def test_another_locale_keeps_its_own_words(desk):
    d = await desk()
    await reworded(d, {"pt-BR": FIRST})
    tx = await d.start(*F1, locale="en")
    assert "Reply 'yes'" in tx.opened["question"]


async def test_the_workflows_own_reasons_are_texts_too(desk):
    d = await desk()
    await reworded(d, {"pt-BR": REJECTED})
    tx = await d.start(*F1)
    assert (await tx.reject())["reason"] == "Ninguém confirmou."


async def test_what_only_a_conversation_says_stays_out_of_the_history(desk):
    d = await desk()
    await reworded(d, {"pt-BR": FIRST})
    tx = await d.start(*F1)
    history = (await tx.handle.fetch_history()).to_json()
    assert "turn_running" not in history
