"""An OpenTelemetry collector that keeps what it gets, over OTLP's http/protobuf."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from harness.serving import serving


@dataclass
class Collector:
    """Spans and log records in the order in which they came, with the name of who sent them."""

    spans: list[tuple[str, Any]] = field(default_factory=list)
    logs: list[tuple[str, Any]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    port: int = 0

    @property
    def environ(self) -> dict[str, str]:
        return {
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{self.port}",
            "OTEL_BSP_SCHEDULE_DELAY": "100",
        }

    def traces(self, *starts: str) -> set[str]:
        """Trace ids of the spans whose names start so."""
        return {span.trace_id.hex() for _, span in self.spans if span.name.startswith(starts)}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        self.bodies.append(body)
        self._keep(scope["path"], body)
        headers = [(b"content-type", b"application/x-protobuf")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    def _keep(self, path: str, body: bytes) -> None:
        if path == "/v1/traces":
            traces = ExportTraceServiceRequest.FromString(body)
            for part in traces.resource_spans:
                self.spans += [(_service(part), span) for scope in part.scope_spans for span in scope.spans]
        elif path == "/v1/logs":
            logs = ExportLogsServiceRequest.FromString(body)
            for part in logs.resource_logs:
                self.logs += [(_service(part), log) for scope in part.scope_logs for log in scope.log_records]

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Collector"]:
        async with serving(self) as self.port:
            yield self


def _service(part: Any) -> str:
    return attributes(part.resource)["service.name"]


def attributes(record: Any) -> dict[str, Any]:
    """Attributes of a span, a log record or a resource."""
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in record.attributes}
