"""The transaction workflow, and the one that tells its end.

They import the standard library, pydantic, temporalio and ``confirmo.policies`` only.
"""

from confirmo.workflows.delivery import DeliveryWorkflow
from confirmo.workflows.transaction import TransactionWorkflow

__all__ = ["DeliveryWorkflow", "TransactionWorkflow"]
