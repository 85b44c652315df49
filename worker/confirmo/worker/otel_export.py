"""The OpenTelemetry side of ``otel``: loaded only where something is exported, as it needs the extra."""

import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Final

from opentelemetry import _logs, trace
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import Status

from confirmo.worker.logs import EVENT_LOGGER, event_of

SCOPE: Final = "confirmo"
_WORDY: Final = ("exception.message", "exception.stacktrace")


class Wordless(SpanExporter):
    """Exports spans without the texts of errors: a tool's or a server's text may hold what somebody typed."""

    def __init__(self, inner: SpanExporter) -> None:
        """Args: inner: exports what is left."""
        self._inner = inner

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Export spans; types and codes of errors stay."""
        return self._inner.export([wordless(span) for span in spans])

    def shutdown(self) -> None:
        """Shut the inner one down."""
        self._inner.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Flush the inner one."""
        return self._inner.force_flush(timeout_millis)


def wordless(span: ReadableSpan) -> ReadableSpan:
    """Return a span without the texts of its errors."""
    if span.status.description is None and not span.events:
        return span
    return ReadableSpan(
        name=span.name,
        context=span.context,
        parent=span.parent,
        resource=span.resource,
        attributes=span.attributes,
        events=[_wordless_event(event) for event in span.events],
        links=span.links,
        kind=span.kind,
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )


def _wordless_event(event: Event) -> Event:
    left = {key: value for key, value in (event.attributes or {}).items() if key not in _WORDY}
    return Event(event.name, left, event.timestamp)


class EventHandler(logging.Handler):
    """Hands on each event of a transaction as a log record: its name, its time, its fields, and its trace."""

    def emit(self, record: logging.LogRecord) -> None:
        """Hand on a record that tells an event; the workflow's logger has seen to it that this is once."""
        event = event_of(record)
        if event is None:
            return
        moment = int(datetime.fromisoformat(event["time"]).timestamp() * 1_000) * 1_000_000
        fields = {
            key: value for key, value in event.items() if key not in ("name", "time") and value is not None
        }
        _logs.get_logger(SCOPE).emit(
            _logs.LogRecord(
                timestamp=moment,
                severity_number=_logs.SeverityNumber.INFO,
                severity_text="INFO",
                body=event["name"],
                event_name=event["name"],
                attributes={f"confirmo.{key}": value for key, value in fields.items()},
            )
        )


def start(wanted: frozenset[str], service: str, environ: Mapping[str, str]) -> list[Callable[[], object]]:
    """Set the providers that are wanted and not there yet; return what ends them, to be called in this order."""
    resource = Resource.create() if _named(environ) else Resource.create({"service.name": service})
    stops: list[Callable[[], object]] = []
    if "TRACES" in wanted and isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        tracers = TracerProvider(resource=resource, shutdown_on_exit=False)
        tracers.add_span_processor(BatchSpanProcessor(Wordless(OTLPSpanExporter())))
        trace.set_tracer_provider(tracers)
        stops.append(tracers.shutdown)
    if "LOGS" in wanted:
        loggers = LoggerProvider(resource=resource, shutdown_on_exit=False)
        loggers.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
        _logs.set_logger_provider(loggers)
        tell_events()
        stops.append(loggers.shutdown)
    return stops


def tell_events() -> None:
    """Hand events on to the logger provider, whatever the level of what is written."""
    events = logging.getLogger(EVENT_LOGGER)
    events.addHandler(EventHandler())
    events.setLevel(min(events.level or logging.INFO, logging.INFO))


def _named(environ: Mapping[str, str]) -> bool:
    return "OTEL_SERVICE_NAME" in environ or "service.name=" in environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
