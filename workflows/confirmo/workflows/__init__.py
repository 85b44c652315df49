"""The transaction workflow. It imports the standard library, pydantic, temporalio and ``confirmo.policies`` only."""

from confirmo.workflows.transaction import TransactionWorkflow

__all__ = ["TransactionWorkflow"]
