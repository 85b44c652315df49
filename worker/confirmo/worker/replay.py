"""Replaying recorded histories against today's code."""

import asyncio
import json
import re
from collections.abc import Iterable
from pathlib import Path

from google.protobuf.json_format import ParseError
from temporalio.client import WorkflowHistory
from temporalio.worker import Replayer

from confirmo.worker.building import RUNNER
from confirmo.worker.connection import converter_of
from confirmo.workflows import DeliveryWorkflow, TransactionWorkflow

REPLAY_SECONDS = 60.0
_MESSAGE = re.compile(r'message: "((?:[^"\\]|\\.)+)"')
"""Where Temporal's core, which tells a failure as its own code would write it, has the sentence."""


def history_files(paths: Iterable[Path]) -> list[Path]:
    """Return the files named, and every ``*.json`` in the folders named, sorted."""
    return [file for path in paths for file in (sorted(path.glob("*.json")) if path.is_dir() else [path])]


async def replay_histories(
    paths: Iterable[Path], payload_store: str | None = None, encryption_keys: Path | None = None
) -> list[tuple[Path, str | None]]:
    """Replay each history; the text says why one breaks, null where it replays.

    Args:
        paths: Files, and folders of ``*.json``.
        payload_store: Where to read payloads that a history names and does not hold; nothing is put there.
        encryption_keys: The file with the keys of encrypted ones.

    Raises:
        ServerUnavailable: The payload store is not known, or the keys cannot be read.
    """
    replayer = Replayer(
        workflows=[TransactionWorkflow, DeliveryWorkflow],
        data_converter=converter_of(payload_store, encryption_keys, read_only=True),
        workflow_runner=RUNNER,
    )
    return [(path, await _replay(replayer, path)) for path in history_files(paths)]


def _read(path: Path) -> WorkflowHistory:
    text = path.read_text(encoding="utf-8")
    json.loads(text)
    history = WorkflowHistory.from_json(path.stem, text)
    return WorkflowHistory(_own_id(history) or path.stem, history.events)


def _own_id(history: WorkflowHistory) -> str:
    """Return the id under which the run was started: it names its child, and a file may have any name."""
    return next(
        (event.workflow_execution_started_event_attributes.workflow_id for event in history.events), ""
    )


def _is_whole(history: WorkflowHistory) -> bool:
    """Whether every event is there: Temporal's core never comes back from a history with holes."""
    numbers = [event.event_id for event in history.events]
    begins = bool(numbers) and history.events[0].HasField("workflow_execution_started_event_attributes")
    return begins and numbers == list(range(1, len(numbers) + 1))


async def _replay(replayer: Replayer, path: Path) -> str | None:
    try:
        history = _read(path)
    except (OSError, ValueError, ParseError, AttributeError, KeyError, TypeError, RecursionError) as error:
        return f"it is not a Temporal history in JSON ({type(error).__name__})"
    if not _is_whole(history):
        return "it is not a whole history: events are missing. Export it again."
    try:
        async with asyncio.timeout(REPLAY_SECONDS):
            result = await replayer.replay_workflow(history, raise_on_replay_failure=False)
    except TimeoutError:
        return f"it did not end within {REPLAY_SECONDS:g} s"
    if result.replay_failure is None:
        return None
    text = str(result.replay_failure)
    sentence = _MESSAGE.search(text)
    return (sentence[1] if sentence else text)[:500]
