"""Typed signatures of the activities that the workflow calls; one test compares each with its implementation.

A workflow never imports an activity: its module stays free of clients, sockets and clocks.
"""

from temporalio import activity

from confirmo.policies import names
from confirmo.policies.calls import (
    AuxiliaryReport,
    AuxiliaryRequest,
    Completion,
    ConfirmationRequest,
    Delivery,
    ExecuteItemRequest,
    ExecuteItemsRequest,
    PrevalidateRequest,
)
from confirmo.policies.evidence import CallReport
from confirmo.policies.prevalidation import Verdict
from confirmo.policies.tool_spec import ResolvedPolicy, ResolvePolicyRequest


@activity.defn(name=names.RESOLVE_POLICY)
async def resolve_policy(request: ResolvePolicyRequest) -> ResolvedPolicy:
    """Read the worker's catalogue."""
    raise NotImplementedError


@activity.defn(name=names.PREVALIDATE)
async def prevalidate(request: PrevalidateRequest) -> Verdict:
    """Ask a validator."""
    raise NotImplementedError


@activity.defn(name=names.CONFIRM_SIGNAL)
async def confirm_signal(request: ConfirmationRequest) -> Delivery:
    """Deliver a confirmation request."""
    raise NotImplementedError


@activity.defn(name=names.EXECUTE_ITEM)
async def execute_item(request: ExecuteItemRequest) -> CallReport:
    """Call the tool for one item, or once where there are none."""
    raise NotImplementedError


@activity.defn(name=names.EXECUTE_ITEMS)
async def execute_items(request: ExecuteItemsRequest) -> CallReport:
    """Call the tool for several items."""
    raise NotImplementedError


@activity.defn(name=names.RUN_AUXILIARY)
async def run_auxiliary(request: AuxiliaryRequest) -> AuxiliaryReport:
    """Call an auxiliary tool."""
    raise NotImplementedError


@activity.defn(name=names.DELIVER_COMPLETION)
async def deliver_completion(completion: Completion) -> Delivery:
    """Tell how a transaction ended."""
    raise NotImplementedError
