"""A rolling update: a newer worker froze the policy, an older one closed the run."""

from confirmo.worker.replay import replay_histories
from confirmo.worker.settings import Settings
from confirmo.workflows.book import Book
from harness import WebhookReceiver
from harness.shop import F1


async def test_a_run_that_an_older_worker_closed_replays(desk, monkeypatch, tmp_path):
    async with WebhookReceiver().running() as receiver:
        d = await desk(settings=Settings(webhook_url=receiver.url))
        with monkeypatch.context() as older:
            older.setattr(Book, "tells_end", False)
            tx = await d.start(*F1)
            await tx.reject()
            await tx.result()
    history = (await tx.handle.fetch_history()).to_json()
    assert "ends-are-told" not in history
    path = tmp_path / "older.json"
    path.write_text(history, encoding="utf-8")
    [(_, error)] = await replay_histories([path])
    assert error is None
