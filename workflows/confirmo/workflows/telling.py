"""Telling a webhook how a transaction ended, by a workflow of its own that outlives the transaction."""

from temporalio import workflow
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import FailureError
from temporalio.workflow import ChildWorkflowCancellationType, ParentClosePolicy

from confirmo.policies.calls import Completion
from confirmo.policies.deliveries import completion_of, delivery_workflow_id
from confirmo.policies.events import timestamp
from confirmo.workflows.book import Book
from confirmo.workflows.delivery import DeliveryWorkflow


async def tell_end(book: Book) -> None:
    """Start the delivery and return as soon as it has started; from then on it needs no parent.

    The result is in the book, and answers every message, before that. Whatever becomes of the delivery, the
    transaction ends as it ended.
    """
    assert book.result is not None
    completion = completion_of(book.request, book.result, book.progress(), timestamp(workflow.now()))
    try:
        await _started(completion)
    except FailureError as error:
        # After a reset the end was told already.
        workflow.logger.warning("The delivery of the end was not started: %s", type(error).__name__)


async def _started(completion: Completion) -> None:
    delivery = await workflow.start_child_workflow(
        DeliveryWorkflow.run,
        completion,
        id=delivery_workflow_id(completion.transaction_id),
        id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
        parent_close_policy=ParentClosePolicy.ABANDON,
        cancellation_type=ChildWorkflowCancellationType.ABANDON,
        static_summary=f"tell the webhook: {completion.status.value}",
    )
    # Should it end before its parent has, nobody waits for how.
    delivery.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
