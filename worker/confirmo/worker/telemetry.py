"""What a process that serves tells of itself: its log, its metrics, and OpenTelemetry where that is set up."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager

from temporalio.runtime import (
    LogForwardingConfig,
    LoggingConfig,
    PrometheusConfig,
    Runtime,
    TelemetryConfig,
    TelemetryFilter,
)

from confirmo.policies.measures import BUCKETS
from confirmo.worker import private_logs
from confirmo.worker.errors import ServerUnavailable
from confirmo.worker.logs import log_to_stderr
from confirmo.worker.otel import exporting
from confirmo.worker.settings import Settings
from confirmo.worker.sink import readable_settings

_CORE_LEVEL = "ERROR"


@contextmanager
def observing(level: int, service: str) -> Iterator[None]:
    """Log, count and trace for the length of the block, as the settings and ``OTEL_*`` say. Every log line is masked.

    To be entered before a Temporal client connects. With JSON the events are logged, whatever the level.

    Args:
        level: Of our own log.
        service: What this process is called where ``OTEL_SERVICE_NAME`` does not say.

    Raises:
        ConfigurationError: The settings cannot be read.
        ServerUnavailable: The port of the metrics cannot be listened on.
    """
    settings = readable_settings()
    private_logs.install(settings.masked_fields)
    level = min(level, logging.INFO) if settings.log_format == "json" else level
    log_to_stderr(level, settings.log_format)
    Runtime.set_default(runtime_for(settings), error_if_already_set=False)
    with exporting(os.environ, service):
        yield


def runtime_for(settings: Settings) -> Runtime:
    """Return Temporal's runtime: its own metrics and ours on one endpoint, its log through ours.

    Raises:
        ServerUnavailable: The endpoint cannot be served.
    """
    levels = TelemetryFilter(core_level=_CORE_LEVEL, other_level=_CORE_LEVEL)
    forwarding = LogForwardingConfig(logger=logging.getLogger("temporalio.core"))
    own_log = LoggingConfig(filter=levels, forwarding=forwarding)
    try:
        return Runtime(telemetry=TelemetryConfig(logging=own_log, metrics=_endpoint(settings)))
    except ValueError:
        raise ServerUnavailable(
            f"Metrics cannot be served on {settings.metrics_host} port {settings.metrics_port}: choose another "
            "CONFIRMO_METRICS_PORT, or an IP address of this machine for CONFIRMO_METRICS_HOST."
        ) from None


def _endpoint(settings: Settings) -> PrometheusConfig | None:
    if settings.metrics_port is None:
        return None
    host = f"[{settings.metrics_host}]" if ":" in settings.metrics_host else settings.metrics_host
    return PrometheusConfig(
        bind_address=f"{host}:{settings.metrics_port}",
        durations_as_seconds=True,
        histogram_bucket_overrides=BUCKETS,
    )
