"""Every stub that the workflow calls is its implementation's twin."""

import inspect
from collections.abc import Callable
from typing import Any, get_type_hints

import pytest
from temporalio import activity

from confirmo.activities.confirm_signal import ConfirmSignal
from confirmo.activities.deliver_completion import DeliverCompletion
from confirmo.activities.execute_item import ExecuteItem
from confirmo.activities.execute_items import ExecuteItems
from confirmo.activities.prevalidate import Prevalidate
from confirmo.activities.resolve_policy import ResolvePolicy
from confirmo.activities.run_auxiliary import RunAuxiliary
from confirmo.policies import names
from confirmo.workflows import activity_stubs

IMPLEMENTATIONS: dict[str, Callable[..., Any]] = {
    names.RESOLVE_POLICY: ResolvePolicy.resolve_policy,
    names.PREVALIDATE: Prevalidate.prevalidate,
    names.CONFIRM_SIGNAL: ConfirmSignal.confirm_signal,
    names.EXECUTE_ITEM: ExecuteItem.execute_item,
    names.EXECUTE_ITEMS: ExecuteItems.execute_items,
    names.RUN_AUXILIARY: RunAuxiliary.run_auxiliary,
    names.DELIVER_COMPLETION: DeliverCompletion.deliver_completion,
}


def temporal_name(function: Callable[..., Any]) -> str | None:
    return activity._Definition.must_from_callable(function).name


def stubs() -> dict[str, Callable[..., Any]]:
    found = inspect.getmembers(activity_stubs, inspect.iscoroutinefunction)
    return {str(temporal_name(stub)): stub for _, stub in found}


def shape(function: Callable[..., Any]) -> tuple[list[str], dict[str, Any]]:
    parameters = [name for name in inspect.signature(function).parameters if name != "self"]
    return parameters, get_type_hints(function)


def test_there_is_one_stub_per_activity() -> None:
    assert stubs().keys() == IMPLEMENTATIONS.keys()


@pytest.mark.parametrize("name", IMPLEMENTATIONS)
def test_a_stub_has_its_implementations_name_and_signature(name: str) -> None:
    stub, implementation = stubs()[name], IMPLEMENTATIONS[name]
    assert temporal_name(implementation) == name
    assert shape(stub) == shape(implementation)


@pytest.mark.parametrize("name", IMPLEMENTATIONS)
def test_an_activity_takes_one_model_and_returns_one(name: str) -> None:
    parameters, hints = shape(IMPLEMENTATIONS[name])
    assert len(parameters) == 1
    assert hints.keys() == {*parameters, "return"}
