"""The log's two forms, and what is said where telemetry cannot be had."""

import json
import logging
import sys

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from confirmo.worker import otel
from confirmo.worker.logs import JsonFormatter, handler_for
from confirmo.worker.otel import exporting, wanted_signals
from confirmo.worker.otel_export import Wordless

ENDPOINT = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}
EVENT = {
    "event_id": "tx-1/1",
    "name": "IC.TRANSACTION_STARTED",
    "time": "2026-10-01T12:00:00.000Z",
    "transaction_id": "tx-1",
    "tool_name": "cancelar",
    "tenant": "default",
    "session_id": None,
}


def record(message: str, level: int = logging.INFO, **extra: object) -> logging.LogRecord:
    made = logging.LogRecord("confirmo.x", level, "f.py", 1, message, None, None)
    made.__dict__ |= extra
    return made


def test_a_line_of_json_has_time_level_logger_and_message():
    made = record("olá\n%")
    made.created = 1_790_000_000.25
    line = JsonFormatter().format(made)
    assert "\n" not in line
    assert json.loads(line) == {
        "time": "2026-09-21T14:13:20.250Z",
        "level": "INFO",
        "logger": "confirmo.x",
        "message": "olá\n%",
    }


def test_an_event_is_flat_in_its_line():
    line = JsonFormatter().format(record("IC.TRANSACTION_STARTED ({'attempt': 1})", confirmo_event=EVENT))
    assert json.loads(line) == EVENT | {"level": "INFO", "logger": "confirmo.x", "message": EVENT["name"]}


def test_an_exception_stays_on_its_line():
    try:
        raise ValueError("x")
    except ValueError:
        made = record("broken", exc_info=sys.exc_info())
    line = JsonFormatter().format(made)
    assert "ValueError: x" in json.loads(line)["exception"]
    assert "\n" not in line


@pytest.mark.parametrize(("level", "written"), [(logging.INFO, True), (logging.WARNING, False)])
def test_events_are_written_where_the_level_lets_them(level, written):
    handler = handler_for("text", level)
    assert bool(handler.filter(record("x", confirmo_event=EVENT))) is written
    assert handler.filter(record("x", logging.INFO))


@pytest.mark.parametrize(
    ("environ", "signals"),
    [
        ({}, set()),
        (ENDPOINT, {"TRACES", "LOGS"}),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://x/v1/traces"}, {"TRACES"}),
        (ENDPOINT | {"OTEL_LOGS_EXPORTER": "none"}, {"TRACES"}),
        (ENDPOINT | {"OTEL_SDK_DISABLED": "true"}, set()),
    ],
)
def test_the_standard_variables_say_what_is_exported(environ, signals):
    assert wanted_signals(environ) == signals


def test_another_protocol_is_told_in_a_sentence(caplog):
    assert wanted_signals(ENDPOINT | {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}) == set()
    assert "http/protobuf" in caplog.text


def test_a_missing_extra_is_told_in_a_sentence_and_stops_nothing(monkeypatch, caplog):
    monkeypatch.setattr(otel, "_extra_is_there", lambda: False)
    with exporting(ENDPOINT, "confirmo-worker"):
        pass
    assert "pip install 'confirmo[otel]'" in caplog.text


def test_a_span_keeps_the_type_of_an_error_and_loses_its_text():
    kept, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(Wordless(kept)))
    tracer = provider.get_tracer("test")
    with pytest.raises(ValueError), tracer.start_as_current_span("call", attributes={"a": 1}):
        raise ValueError("CPF 111.444.777-35")
    (span,) = kept.get_finished_spans()
    provider.shutdown()
    assert (span.name, dict(span.attributes), span.status.status_code) == ("call", {"a": 1}, StatusCode.ERROR)
    assert span.events[0].attributes["exception.type"] == "ValueError"
    assert "111.444" not in span.to_json()
