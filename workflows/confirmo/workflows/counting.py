"""Recording measures from workflow code: once, never on replay, and without a command in the history."""

from collections.abc import Iterable

from temporalio import workflow

from confirmo.policies.measures import Measure


def count(measures: Iterable[Measure]) -> None:
    """Record measures. Where the worker exposes no metrics, Temporal's meter does nothing."""
    if workflow.unsafe.is_replaying():
        return
    meter = workflow.metric_meter()
    for measure in measures:
        metric, labels = measure.metric, measure.labels
        if metric.kind == "counter":
            meter.create_counter(metric.name, metric.help).add(int(measure.value), labels)
        else:
            meter.create_histogram_float(metric.name, metric.help).record(measure.value, labels)
