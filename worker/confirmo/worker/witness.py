"""What a recorded history makes the workflow do: its questions, decisions and events, found by replaying it."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from temporalio import workflow
from temporalio.client import WorkflowHistory
from temporalio.converter import DataConverter
from temporalio.worker import (
    ExecuteWorkflowInput,
    HandleSignalInput,
    HandleUpdateInput,
    Interceptor,
    Replayer,
    WorkflowInboundInterceptor,
    WorkflowInterceptorClassInput,
)

from confirmo.worker.building import RUNNER
from confirmo.workflows import DeliveryWorkflow, TransactionWorkflow

WITNESS_SECONDS = 600.0
"""A hundred thousand items take a minute or two."""


class NotReplayable(Exception):
    """Today's code would not carry on where the history stands; the text says where they part."""


@dataclass(frozen=True)
class Fact:
    """One thing that the workflow did.

    Attributes:
        at_event: Id of the history's event that began the workflow task in which it did.
        at: The workflow's time.
        what: ``event``, ``policy``, ``question`` or ``decision``.
        update_id: Of the update in whose handler it did, or null.
        fact: As ``Book.tell`` is given it.
    """

    at_event: int
    at: datetime
    what: str
    update_id: str | None
    fact: Mapping[str, Any]


async def witness(history: WorkflowHistory, converter: DataConverter) -> list[Fact]:
    """Replay one history and return what the workflow did, in order; nothing is sent anywhere.

    Args:
        history: Whole, of a transaction, open or closed.
        converter: Reads its payloads.

    Raises:
        NotReplayable: It was written by other code.
    """
    facts: list[Fact] = []

    def watch(what: str, fact: Mapping[str, Any]) -> None:
        info, update = workflow.info(), workflow.current_update_info()
        place = info.get_current_history_length()
        facts.append(Fact(place, workflow.now(), what, update.id if update else None, fact))

    replayer = Replayer(
        workflows=[TransactionWorkflow, DeliveryWorkflow],
        data_converter=converter,
        workflow_runner=RUNNER,
        interceptors=[_Witness(watch)],
        debug_mode=True,  # a slow machine is no deadlock
    )
    try:
        async with asyncio.timeout(WITNESS_SECONDS):
            result = await replayer.replay_workflow(history, raise_on_replay_failure=False)
    except TimeoutError:
        raise NotReplayable(f"it did not end within {WITNESS_SECONDS:g} s") from None
    if result.replay_failure is not None:
        raise NotReplayable(str(result.replay_failure)[:300])
    return facts


class _Witness(Interceptor):
    """Has a transaction watched from before its first message is handled."""

    def __init__(self, watch: Callable[[str, Mapping[str, Any]], None]) -> None:
        self._watch = watch

    def workflow_interceptor_class(
        self, input: WorkflowInterceptorClassInput
    ) -> type[WorkflowInboundInterceptor]:
        watch = self._watch

        class Watching(WorkflowInboundInterceptor):
            async def execute_workflow(self, input: ExecuteWorkflowInput) -> Any:
                _attach(watch)
                return await super().execute_workflow(input)

            async def handle_signal(self, input: HandleSignalInput) -> None:
                _attach(watch)
                await super().handle_signal(input)

            async def handle_update_handler(self, input: HandleUpdateInput) -> Any:
                _attach(watch)
                return await super().handle_update_handler(input)

        return Watching


def _attach(watch: Callable[[str, Mapping[str, Any]], None]) -> None:
    instance = workflow.instance()
    if isinstance(instance, TransactionWorkflow):
        instance.watched_by(watch)
