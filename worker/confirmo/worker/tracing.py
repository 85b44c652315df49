"""Traces over Temporal: the SDK's own interceptor, which is silent on replay, where a tracer provider is set.

Only the trace context travels. Baggage may hold anything, and a header of a workflow stays in its history.
"""

import sys
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from temporalio import client, worker


def client_tracing(present: Sequence[Any]) -> list[client.Interceptor]:
    """Return what traces calls of a Temporal client; workers that are built on it get nothing from it.

    Args:
        present: The client's other interceptors; where one of them traces, nothing is added.
    """
    return [_ClientOnly()] if _traced() and not _traces(present) else []


def worker_tracing(on: client.Client) -> list[worker.Interceptor]:
    """Return what traces workflows and activities; none where the client's interceptors do so already."""
    return [_interceptor()] if _traced() and not _traces(on.config().get("interceptors", ())) else []


def _traced() -> bool:
    """Whether a tracer provider is set: by ``exporting``, or by the application around us."""
    if "opentelemetry.trace" not in sys.modules or find_spec("opentelemetry.sdk") is None:
        return False
    from opentelemetry.trace import ProxyTracerProvider, get_tracer_provider

    return not isinstance(get_tracer_provider(), ProxyTracerProvider)


def _traces(interceptors: Sequence[Any]) -> bool:
    from temporalio.contrib.opentelemetry import OpenTelemetryInterceptor, TracingInterceptor

    return any(isinstance(each, OpenTelemetryInterceptor | TracingInterceptor) for each in interceptors)


def _interceptor() -> Any:
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
    from temporalio.contrib.opentelemetry import TracingInterceptor

    tracing = TracingInterceptor()
    tracing.text_map_propagator = TraceContextTextMapPropagator()
    return tracing


class _ClientOnly(client.Interceptor):
    def intercept_client(self, next: client.OutboundInterceptor) -> client.OutboundInterceptor:
        interceptor: client.Interceptor = _interceptor()
        return interceptor.intercept_client(next)
