"""Series that exist before anything happened: what first shows at 1 has, to Prometheus, never increased."""

from collections.abc import Iterator, Mapping

from confirmo.policies.errors import UpdateErrorType
from confirmo.policies.measures import (
    AUXILIARY_FAILURES,
    ITEMS,
    QUESTION_ENDS,
    REVIEWS,
    STARTED,
    TRANSACTIONS,
    UNKNOWN,
    VALIDATIONS,
    Measure,
    refused_decision,
)
from confirmo.policies.models import Outcome, Status
from confirmo.policies.tool_spec import ToolSpec


def baselines(tools: Mapping[str, ToolSpec]) -> Iterator[Measure]:
    """Yield a measure for each series that an alert looks at; to be recorded as zero at a worker's start."""
    yield Measure(STARTED, {})
    for type in UpdateErrorType:
        yield refused_decision(type.value, "update")
        yield refused_decision(type.value, "signal")
    for tool in tools.values():
        if tool.require_confirmation or tool.after:
            yield from _of_tool(tool)


def _of_tool(tool: ToolSpec) -> Iterator[Measure]:
    named = {"tool": tool.name}
    yield Measure(UNKNOWN, named)
    yield Measure(REVIEWS, named)
    for how in ("confirmed", "rejected", "expired", "cancelled"):
        yield Measure(QUESTION_ENDS, named | {"how": how})
    for status, outcome in ((Status.COMPLETED, "SUCCESS"), (Status.FAILED, "FAILED")):
        yield Measure(TRANSACTIONS, named | {"status": status.value, "outcome": outcome})
    for result in Outcome:
        yield Measure(ITEMS, named | {"outcome": result.value})
    if tool.pre_validation.enabled:
        for verdict in ("passed", "rejected", "failed", "bypassed"):
            yield Measure(VALIDATIONS, named | {"verdict": verdict})
    for step in tool.after:
        yield Measure(AUXILIARY_FAILURES, named | {"auxiliary_tool": step.tool})
